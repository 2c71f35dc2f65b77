//! Formats durations, sizes and counts for people, and makes text from bots safe for a terminal.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::time::Duration;

use bytesize::ByteSize;

use crate::system::quoted_word;

/// The longest quote of a bot's output in a message, in characters.
const MAX_QUOTE_CHARS: usize = 60;

/// A text of at most this number of characters: `…` stands for the rest.
pub fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

/// A line of a game's summary without CodinGame's colour marks.
pub fn without_color_marks(line: &str) -> String {
    let marks = ["¤GREEN¤", "¤RED¤", "§GREEN§", "§RED§"];
    marks.iter().fold(line.to_owned(), |line, mark| line.replace(mark, ""))
}

/// A line of a game's summary for people: without colour marks, and with the names of these bots, which the original writes as
/// `$0`, `$1` and so on.
pub fn named(line: &str, bots: &[&str]) -> String {
    let line = without_color_marks(line);
    let mut parts = line.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let after = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let seat = part[..part.len() - after.len()].parse::<usize>();
        match seat.ok().and_then(|seat| bots.get(seat)) {
            Some(bot) => text.extend([bot, after]),
            None => text.extend(["$", part]),
        }
    }
    text
}

/// A text without the byte order mark (U+FEFF) that some editors write before it.
pub fn without_byte_order_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    text
}

/// Compares names with their numbers as numbers: `test2` comes before `test10`.
pub fn natural(a: &str, b: &str) -> Ordering {
    let key = |text: &str| {
        let runs = text.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
        let part = |run: &[u8]| {
            let word = String::from_utf8_lossy(run).into_owned();
            (word.parse::<u128>().ok(), word)
        };
        runs.map(part).collect::<Vec<_>>()
    };
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}

/// A duration with a unit and three digits: `20 s`, `1.84 ms`, `310 µs`.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    // Just below each unit, three digits would round up to 1000 of the smaller one.
    let (number, unit) = match seconds {
        0.9995.. => (seconds, "s"),
        0.000_999_5.. => (seconds * 1e3, "ms"),
        _ => (seconds * 1e6, "µs"),
    };
    let digits = match number {
        99.95.. => 0,
        9.995.. => 1,
        _ => 2,
    };
    let text = format!("{number:.digits$}");
    let text = match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.'),
        None => &text,
    };
    format!("{text} {unit}")
}

/// A number of bytes with a unit and three digits: `768 MiB`, `1.5 kB`. Powers of 1024 are used if
/// they give a whole number.
pub fn size(bytes: u64) -> String {
    let size = ByteSize::b(bytes);
    let whole =
        [40, 30, 20, 10].iter().any(|power| bytes >> power > 0 && bytes.is_multiple_of(1 << power));
    let text = if whole { size.display().iec() } else { size.display().si() }.to_string();
    text.replace(".0 ", " ")
}

/// A duration in the form that flags take, to the nanosecond: `20s`, `50ms`.
pub fn exact_duration(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
    match units.iter().find(|(_, unit)| nanos.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", nanos / unit),
        None => format!("{nanos}ns"),
    }
}

/// A number of bytes in the form that flags take, to the byte: `768MiB`.
pub fn exact_size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.iter().find(|(_, power)| bytes > 0 && bytes.is_multiple_of(1 << power)) {
        Some((name, power)) => format!("{}{name}", bytes >> power),
        None => format!("{bytes}B"),
    }
}

/// A count and its noun, which takes an `s` in the plural.
pub fn plural(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// A bot's output between backticks: shortened, with everything escaped that would control a terminal.
pub fn quote(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut chars = text.chars();
    let shown: String = chars.by_ref().take(MAX_QUOTE_CHARS).flat_map(printable_char).collect();
    let rest = if chars.next().is_some() { "…" } else { "" };
    format!("`{shown}{rest}`")
}

/// The beginning and the end of a text of more than `most` characters.
pub fn abridged(text: &str, most: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= most {
        return text.into();
    }
    let half = most / 2;
    let chars = || text.chars();
    chars().take(half).chain(['…']).chain(chars().skip(count - half)).collect()
}

/// Quotes text so that a shell takes it as one word.
pub fn shell_word(text: &str) -> String {
    quoted_word(text)
}

/// `text` with everything escaped that would control a terminal, line breaks included.
pub fn printable(text: &str) -> String {
    text.chars().flat_map(printable_char).collect()
}

/// As [`printable`], but line breaks and tabs stay.
pub fn printable_lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' | ' '..='~' => shown.push(c),
            // Part of the line end \r\n.
            '\r' => {}
            c => shown.extend(printable_char(c)),
        }
    }
    shown
}

/// Escapes control characters and invisible ones, such as direction overrides.
fn printable_char(c: char) -> impl Iterator<Item = char> {
    let plain = matches!(c, '\'' | '"' | '\\');
    let escaped = (!plain).then(|| c.escape_debug());
    plain.then_some(c).into_iter().chain(escaped.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_names_each_bot_once_and_by_its_whole_number() {
        let mut bots = ["a"; 11];
        (bots[0], bots[1], bots[10]) = ("$1", "b", "ten");
        let line = "$0 pays $1 and $10, $ and $99; $$1: $";
        assert_eq!(named(line, &bots), "$1 pays b and ten, $ and $99; $b: $");
        assert_eq!(named(line, &[]), line);
    }

    #[test]
    fn text_for_flags_is_exact() {
        for (nanos, expected) in [
            (20_000_000_000, "20s"),
            (50_000_000, "50ms"),
            (1_500_000_000, "1500ms"),
            (1_500, "1500ns"),
            (2_000, "2us"),
            (0, "0s"),
        ] {
            assert_eq!(exact_duration(Duration::from_nanos(nanos)), expected);
        }
        let sizes = [
            (768 << 20, "768MiB"),
            (1 << 30, "1GiB"),
            (1000, "1000B"),
            (0, "0B"),
            (3 << 10, "3KiB"),
        ];
        for (bytes, expected) in sizes {
            assert_eq!(exact_size(bytes), expected);
        }
    }

    #[test]
    fn sizes_have_a_unit() {
        for (bytes, expected) in [
            (805_306_368, "768 MiB"),
            (1 << 30, "1 GiB"),
            (812_345_678, "812.3 MB"),
            (512, "512 B"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn durations_have_three_digits_and_a_unit() {
        for (nanos, expected) in [
            (20_000_000_000, "20 s"),
            (1_500_000_000, "1.5 s"),
            (50_000_000, "50 ms"),
            (1_843_000, "1.84 ms"),
            (123_456_000, "123 ms"),
            (999_600, "1 ms"),
            (999_999_999, "1 s"),
            (99_960_000, "100 ms"),
            (9_999_000, "10 ms"),
            (310_000, "310 µs"),
            (0, "0 µs"),
        ] {
            assert_eq!(duration(Duration::from_nanos(nanos)), expected);
        }
    }

    #[test]
    fn lines_stay_lines_and_are_inert() {
        assert_eq!(printable_lines("a\tb\r\nc\n"), "a\tb\nc\n");
        assert_eq!(printable_lines("\x1b]52;c;eA==\x07\0"), "\\u{1b}]52;c;eA==\\u{7}\\0");
        assert_eq!(printable_lines("\u{202e}é<"), "\\u{202e}é<");
    }

    #[test]
    fn long_text_keeps_both_ends() {
        assert_eq!(abridged("äbcdefgh", 8), "äbcdefgh");
        assert_eq!(abridged("äbcdefghi", 8), "äbcd…fghi");
    }

    #[test]
    fn quotes_are_short_and_inert() {
        assert_eq!(quote(b"0 3"), "`0 3`");
        assert_eq!(quote(b"it's \"\\n\""), "`it's \"\\n\"`");
        assert_eq!(quote(b"\x1b[31m\0\xFF"), "`\\u{1b}[31m\\0\u{FFFD}`");
        assert_eq!(quote("\u{202e}x".as_bytes()), "`\\u{202e}x`");
        assert_eq!(quote(&[b'a'; 100]), format!("`{}…`", "a".repeat(60)));
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["b/test10.json", "b/test2.json", "a/test30.json", "b/test1.json"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["a/test30.json", "b/test1.json", "b/test2.json", "b/test10.json"]);
    }
}
