//! What a bot has written where the program that judges it could see it, and print it again. Such text must not pass for a score.
//!
//! A program may print a bot's line whole, with a prefix, in pieces between its own, in other characters, or not at all. So a
//! line is compared as [plain text](plain), in several readings, and in doubt it is the bot's.

use std::borrow::Cow;

use terms::bounds::GAME_OUTPUT;

/// What a bot has written.
#[derive(Debug, Clone, Default)]
pub(crate) struct BotText {
    output: Stream,
    errors: Stream,
    /// Whether it is an answer that a program is given whole.
    is_answer: bool,
}

#[derive(Debug, Clone, Default)]
struct Stream {
    text: Vec<u8>,
    /// The lines that had no end when a bot ended.
    open: Vec<Vec<u8>>,
    /// Whether there was more.
    is_cut: bool,
}

impl Stream {
    fn push(&mut self, chunk: &[u8]) {
        let most = usize::try_from(GAME_OUTPUT).unwrap_or(usize::MAX);
        let room = chunk.len().min(most.saturating_sub(self.text.len()));
        self.text.extend_from_slice(&chunk[..room]);
        self.is_cut |= room < chunk.len();
    }

    fn end(&mut self) {
        let start = self.text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if start < self.text.len() {
            self.open.push(self.text[start..].to_owned());
            self.text.push(b'\n');
        }
    }
}

impl BotText {
    /// The answer of a bot that writes nothing else to be judged.
    pub(crate) fn answer(answer: &[u8]) -> Self {
        let mut said = Self { is_answer: true, ..Self::default() };
        said.output(answer);
        said.end();
        said
    }

    /// Adds standard output.
    pub(crate) fn output(&mut self, chunk: &[u8]) {
        self.output.push(chunk);
    }

    /// Adds standard error.
    pub(crate) fn errors(&mut self, chunk: &[u8]) {
        self.errors.push(chunk);
    }

    /// Notes that the bot has ended: another one begins a new line.
    pub(crate) fn end(&mut self) {
        self.output.end();
        self.errors.end();
    }

    /// All of it as plain text.
    pub(crate) fn plain(&self) -> PlainBotText {
        let streams = [&self.output, &self.errors];
        let texts = streams.map(|stream| String::from_utf8_lossy(&stream.text));
        let is_simple = |text: &Cow<'_, str>| text.bytes().all(is_simple);
        let readings = if texts.iter().all(is_simple) { &READINGS[..1] } else { &READINGS[..] };
        let open = streams.into_iter().flat_map(|stream| &stream.open);
        let open = open.map(|line| plain(&String::from_utf8_lossy(line), READINGS[0]));
        // Some programs take its last part for all of it.
        let parts = open.flat_map(|line| {
            let (all, last) =
                (line.replace('\n', " "), line.rsplit('\n').next().unwrap_or_default());
            [Some(last.to_owned()).filter(|last| *last != all), Some(all)].into_iter().flatten()
        });
        PlainBotText {
            readings: readings
                .iter()
                .map(|&reading| texts.each_ref().map(|text| plain(text, reading)))
                .collect(),
            open: parts.filter(|line| !line.is_empty()).collect(),
            is_cut: streams.iter().any(|stream| stream.is_cut),
            is_answer: self.is_answer,
        }
    }
}

/// Whether all readings agree on this byte.
fn is_simple(byte: u8) -> bool {
    byte == b'\n' || byte == b'\t' || (b' '..=b'~').contains(&byte)
}

/// What a program may make of text that is not plain.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// Whether it knows escape sequences of terminals, and leaves them out.
    knows_escapes: bool,
    /// Whether an odd character ends a line. Otherwise it is left out.
    breaks: bool,
}

const READINGS: [Reading; 3] = [
    Reading { knows_escapes: true, breaks: false },
    Reading { knows_escapes: true, breaks: true },
    Reading { knows_escapes: false, breaks: true },
];

/// What a bot has written as plain text: standard output and standard error, in each reading.
#[derive(Debug)]
pub(crate) struct PlainBotText {
    readings: Vec<[String; 2]>,
    /// The lines without an end.
    open: Vec<String>,
    /// Whether not all of it is known.
    pub(crate) is_cut: bool,
    /// See [`BotText`].
    pub(crate) is_answer: bool,
}

impl PlainBotText {
    /// How many of the bot's lines contain `key`, up to `enough`; those that `is_known` by other lines do not count.
    pub(crate) fn count(&self, key: &str, enough: usize, is_known: impl Fn(&str) -> bool) -> usize {
        self.most(|text| containing(text, key).filter(|line| !is_known(line)).take(enough).count())
    }

    /// How many of the bot's lines are `line`.
    pub(crate) fn count_whole(&self, line: &str) -> usize {
        self.most(|text| containing(text, line).filter(|other| *other == line).count())
    }

    /// Whether the bot has written this line to its standard error.
    pub(crate) fn is_of_errors(&self, line: &str) -> bool {
        let mut errors = self.readings.iter().map(|[_, errors]| errors);
        errors.any(|text| containing(text, line).any(|other| other == line))
    }

    /// A line without an end, and with more than letters, of which a part is at the byte `at` of `line`.
    pub(crate) fn open_at(&self, line: &str, at: usize) -> Option<&str> {
        let is_more = |open: &&str| open.contains(|c: char| !c.is_ascii_alphabetic() && c != ' ');
        let covers = |open: &&str| {
            line.match_indices(*open).any(|(start, _)| start <= at && at < start + open.len())
        };
        self.open().filter(is_more).find(covers)
    }

    /// The lines without an end.
    pub(crate) fn open(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(String::as_str)
    }

    fn most(&self, count: impl Fn(&str) -> usize) -> usize {
        let sum = |texts: &[String; 2]| texts.iter().map(|text| count(text)).sum();
        self.readings.iter().map(sum).max().unwrap_or_default()
    }
}

/// The lines of plain text that contain `key`.
fn containing<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = rest.find(key).filter(|_| !key.is_empty())?;
        let start = rest[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = rest[at..].find('\n').map_or(rest.len(), |end| at + end);
        let line = &rest[start..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line)
    })
}

/// Text as lines of lower-case ASCII, with blanks only between words or numbers.
fn plain(text: &str, reading: Reading) -> String {
    let text = if reading.knows_escapes { without_escapes(text) } else { Cow::Borrowed(text) };
    let mut plain = String::with_capacity(text.len());
    let mut has_gap = false;
    for c in text.chars() {
        let is_odd = !c.is_ascii() || c.is_ascii_control();
        match c {
            ' ' | '\t' => has_gap = true,
            _ if is_line_end(c) || is_odd && reading.breaks => {
                has_gap = false;
                if !plain.is_empty() && !plain.ends_with('\n') {
                    plain.push('\n');
                }
            }
            _ if is_odd => {}
            _ => {
                let is_word = c.is_ascii_alphanumeric();
                if has_gap && is_word && plain.ends_with(|c: char| c.is_ascii_alphanumeric()) {
                    plain.push(' ');
                }
                has_gap = false;
                plain.push(c.to_ascii_lowercase());
            }
        }
    }
    plain
}

/// A text that a program has printed as plain text.
pub(crate) fn plain_text(text: &str) -> String {
    plain(text, READINGS[0])
}

/// The same of one line.
pub(crate) fn plain_line(line: &str) -> String {
    plain(line, READINGS[0]).replace('\n', " ").trim().to_owned()
}

/// Whether some program takes this character for the end of a line.
fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// A text without what terminals take for commands, such as colours.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default();
    if first.len() == text.len() {
        return Cow::Borrowed(text);
    }
    let mut rest = first.to_owned();
    rest.extend(parts.map(after_command));
    Cow::Owned(rest)
}

/// What comes after a command of which this is the rest, without its escape character.
fn after_command(text: &str) -> &str {
    let is_parameter = |c: char| (' '..='?').contains(&c);
    let of_one = |text: &str| {
        text.chars().next().filter(|c| ('@'..='~').contains(c)).map_or(0, char::len_utf8)
    };
    if let Some(parameters) = text.strip_prefix('[') {
        let end = parameters.trim_start_matches(is_parameter);
        return &end[of_one(end)..];
    }
    if let Some(title) = text.strip_prefix(']') {
        // It ends with BEL or an escape character, which is the next command's here.
        let end = title.find(['\u{7}', '\n', '\r']).unwrap_or(title.len());
        let rest = &title[end..];
        return rest.strip_prefix('\u{7}').unwrap_or(rest);
    }
    let end = text.trim_start_matches(|c: char| (' '..='/').contains(&c));
    &end[end.chars().next().filter(|c| ('0'..='~').contains(c)).map_or(0, char::len_utf8)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_terminals_are_left_out() {
        for (text, expected) in [
            ("\x1b[1;32mScore = 5\x1b[0m\n", "Score = 5\n"),
            ("a\x1b(B\x1b]0;title\x07b\x1b]0;title\x1b\\c\n", "abc\n"),
            ("\x1b]0;title\nb\x1b", "\nb"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_escapes(text), expected);
        }
    }

    #[test]
    fn a_line_is_known_however_it_is_printed() {
        let key = plain_line("Score = 999");
        for said in [
            "Score = 999\n",
            "SCORE=999",
            "x\rscore\t=  999\n",
            "# Score = 999 (sic)\n",
            "Sco\u{1b}[0mre = 999\n",
            "Sc\u{f6}ore = 999\n",
            "x\u{b}Score = 999\n",
            "x\u{2028}Score = 999\n",
            "\u{1b}]Score = 999\u{7}\n",
        ] {
            let known = BotText::answer(said.as_bytes()).plain();
            assert_eq!(known.count(&key, 9, |_| false), 1, "{said:?}: {known:?}");
        }
        let known = BotText::answer(b"Score = 99\n9\nScore\n= 999\n").plain();
        assert_eq!(known.count(&key, 9, |_| false), 0);
    }

    #[test]
    fn a_number_is_known_by_its_whole_line() {
        let known = BotText::answer(b"12\n 4 \n1 2\nx\x0c4\xff\n4").plain();
        assert_eq!(["12", "4", "1", "2"].map(|line| known.count_whole(line)), [1, 3, 0, 0]);
        assert_eq!(known.open().collect::<Vec<_>>(), ["4"]);
    }

    #[test]
    fn a_bot_that_is_started_again_begins_a_new_line() {
        let mut said = BotText::default();
        said.errors(b"Score =");
        said.end();
        said.errors(b" 9\n");
        said.end();
        let known = said.plain();
        assert_eq!(known.count("score=9", 1, |_| false), 0, "{known:?}");
        assert_eq!(known.open_at("score=5", 0), Some("score="));
        assert_eq!(known.open_at("my score=5", 0), None);
        assert_eq!(BotText::answer(b"S").plain().open_at("score=5", 0), None);
    }
}
