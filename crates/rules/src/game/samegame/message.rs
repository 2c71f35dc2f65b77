//! Lays out a bot's message as the original's viewer shows it: two lines at most.
//!
//! Lengths count UTF-16 units, as Java's `String` does; a cut through a surrogate pair leaves a
//! replacement character.

/// The longest line in UTF-16 units.
const MAX_LINE_UNITS: usize = 15;
/// The length in UTF-16 units of a line that was cut, before `...` is added.
const CUT_LINE_UNITS: usize = MAX_LINE_UNITS - 1;

/// The two displayed lines of `message`; the second one is often empty.
///
/// The bot breaks lines with the two characters `\n`. A message that consists only of such
/// breaks crashes the original; here it is an empty message.
pub fn layout(message: &str) -> [String; 2] {
    let mut pieces = message.split("\\n");
    let first: Vec<u16> = pieces.next().unwrap_or_default().encode_utf16().collect();
    if first.len() > MAX_LINE_UNITS {
        let (head, tail) = first.split_at(MAX_LINE_UNITS);
        return [text(head), shortened(tail)];
    }
    let second: Vec<u16> = pieces.next().unwrap_or_default().encode_utf16().collect();
    [text(&first), shortened(&second)]
}

/// Whether the message crashes the original.
pub(super) fn is_nothing_but_breaks(message: &str) -> bool {
    !message.is_empty() && message.split("\\n").all(str::is_empty)
}

fn shortened(line: &[u16]) -> String {
    if line.len() > MAX_LINE_UNITS { text(&line[..CUT_LINE_UNITS]) + "..." } else { text(line) }
}

fn text(units: &[u16]) -> String {
    String::from_utf16_lossy(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_laid_out_as_in_the_original() {
        for (message, expected) in [
            ("", ["", ""]),
            ("hello", ["hello", ""]),
            ("123456789012345", ["123456789012345", ""]),
            ("1234567890123456", ["123456789012345", "6"]),
            ("123456789012345678901234567890", ["123456789012345", "678901234567890"]),
            ("1234567890123456789012345678901", ["123456789012345", "67890123456789..."]),
            ("Hello SameGame\\n:-)", ["Hello SameGame", ":-)"]),
            ("abc\\n123456789012345", ["abc", "123456789012345"]),
            ("123456789012345\\nabc", ["123456789012345", "abc"]),
            ("abc\\nabcdefghijklmnopqrstuvwxyz", ["abc", "abcdefghijklmn..."]),
            ("a\\nb\\nc", ["a", "b"]),
            ("a\\n\\nb", ["a", ""]),
            ("\\nabc", ["", "abc"]),
            ("1234567890123456\\nunseen", ["123456789012345", "6"]),
            ("\\n", ["", ""]),
            ("\\n\\n", ["", ""]),
        ] {
            assert_eq!(layout(message), expected, "{message:?}");
        }
    }

    #[test]
    fn lengths_count_utf16_units() {
        let faces = "😀".repeat(8);
        assert_eq!(layout(&faces), ["😀".repeat(7) + "\u{FFFD}", "\u{FFFD}".to_owned()]);
    }
}
