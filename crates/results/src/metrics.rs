//! What a bot says about itself: lines on its standard error that begin with `@referee ` or `[DATA] `.
//!
//! The first kind continues with words of the form `name=value`, such as `@referee depth=12 phase=endgame`, the second one
//! with one name and its value, as users of psytester write them: `[DATA] depth = 12`.
//! A line of any other form is ordinary standard error, and so is one that is not UTF-8 or too
//! long. Everything is bounded: the length of lines, names and values, and the number of names in a game.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use terms::bounds::{METRIC_LINE, METRIC_NAME, METRIC_NAMES, METRIC_VALUE};

/// The beginning of a line of data.
const MARK: &str = "@referee ";

/// The beginning of a line of data in psytester's way.
const DATA_MARK: &str = "[DATA]";

/// Whole numbers below this are exact, and are written without a fraction.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A value that a bot has given to a name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum MetricValue {
    /// A number, which is finite. A whole one that a number cannot hold exactly, such as a hash, is text.
    Number(f64),
    /// Anything else, without blanks or control characters.
    Text(String),
}

impl MetricValue {
    fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > METRIC_VALUE || text.contains(char::is_control) {
            return None;
        }
        // `inf` and `nan` are numbers in Rust, but not in JSON.
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        let number = number.filter(|number| number.abs() < EXACT || !is_whole(text));
        Some(number.map_or_else(|| Self::Text(text.to_owned()), Self::Number))
    }

    /// The number; `None` for text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) => None,
        }
    }
}

impl fmt::Display for MetricValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Serialize for MetricValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serialize_number(number, serializer),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn serialize_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if number.fract() == 0.0 && number.abs() < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}

/// The last value of each name in an exchange.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metrics(pub BTreeMap<String, MetricValue>);

impl Metrics {
    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The values of one name in a game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameMetrics {
    /// The value in the last report of this name.
    pub last: MetricValue,
    /// The summary of the values, if all of them were numbers.
    #[serde(flatten)]
    pub numbers: Option<MetricNumbers>,
}

/// The summary of some numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MetricNumbers {
    /// The least one.
    #[serde(serialize_with = "serialize_number")]
    pub min: f64,
    /// The largest one.
    #[serde(serialize_with = "serialize_number")]
    pub max: f64,
    /// The arithmetic mean of all reported values.
    #[serde(serialize_with = "serialize_number")]
    pub mean: f64,
}

/// Finds the lines of data in incoming standard error.
#[derive(Debug, Default)]
struct LineParser {
    /// The beginning of an unfinished line.
    line: Vec<u8>,
    /// Whether the rest of the line is text, since the line was too long or a part of it is missing.
    is_text: bool,
    names: BTreeSet<String>,
}

impl LineParser {
    /// Adds the standard error of an exchange. A line counts for the exchange in which it ended. If
    /// bytes were dropped after `bytes`, the line torn by this is text.
    fn receive(&mut self, bytes: &[u8], dropped: u64) -> Vec<(String, MetricValue)> {
        let mut said = Vec::new();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let line = piece.strip_suffix(b"\n");
            self.add(line.unwrap_or(piece));
            if line.is_some() {
                self.end_line(&mut said);
            }
        }
        self.is_text |= dropped > 0;
        said
    }

    /// The data of an unfinished line, which the end of the bot ends.
    fn finish(&mut self) -> Vec<(String, MetricValue)> {
        let mut said = Vec::new();
        self.end_line(&mut said);
        said
    }

    fn add(&mut self, piece: &[u8]) {
        self.is_text |= self.line.len() + piece.len() > METRIC_LINE;
        if !self.is_text {
            self.line.extend_from_slice(piece);
        }
    }

    fn end_line(&mut self, said: &mut Vec<(String, MetricValue)>) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_text) {
            return;
        }
        for (name, value) in data(&line).unwrap_or_default() {
            let is_known = self.names.contains(name);
            if is_known || self.names.len() < METRIC_NAMES {
                self.names.insert(name.to_owned());
                said.push((name.to_owned(), value));
            }
        }
    }
}

/// The names and values of a line; `None` if it is text.
fn data(line: &[u8]) -> Option<Vec<(&str, MetricValue)>> {
    let line = std::str::from_utf8(line).ok()?;
    let Some(words) = line.strip_prefix(MARK) else { return Some(vec![pair_after_mark(line)?]) };
    let pairs = words.split_ascii_whitespace().map(|word| {
        let (name, value) = word.split_once('=')?;
        Some((name, MetricValue::parse(value)?)).filter(|_| is_name(name))
    });
    let pairs: Vec<_> = pairs.collect::<Option<_>>()?;
    (!pairs.is_empty()).then_some(pairs)
}

/// The name and the value in `[DATA] name = value`.
fn pair_after_mark(line: &str) -> Option<(&str, MetricValue)> {
    let pair = line.trim_start().strip_prefix(DATA_MARK)?;
    let (name, value) = pair.strip_prefix([' ', '\t'])?.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let is_one = is_name(name) && !value.contains([' ', '\t']);
    Some((name, MetricValue::parse(value)?)).filter(|_| is_one)
}

/// Whether this is written as a whole number.
fn is_whole(text: &str) -> bool {
    text.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(text: &str) -> bool {
    text.len() <= METRIC_NAME
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// The summary of the numbers of one name in the games of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RunMetrics {
    /// The games in which all values were numbers.
    pub games: u32,
    /// The summary of these numbers; the mean is the mean of the games' means.
    #[serde(flatten)]
    pub numbers: MetricNumbers,
}

impl RunMetrics {
    /// Adds up games, one after the other.
    pub fn add(so_far: Option<Self>, game: MetricNumbers) -> Self {
        let Some(Self { games, numbers: before }) = so_far else {
            return Self { games: 1, numbers: game };
        };
        let games = games + 1;
        let (min, max) = (before.min.min(game.min), before.max.max(game.max));
        // A difference of huge numbers is infinite.
        let mean = before.mean + (game.mean - before.mean) / f64::from(games);
        let mean = mean.max(min).min(max);
        Self { games, numbers: MetricNumbers { min, max, mean } }
    }
}

/// Collects what a bot says in a game, exchange by exchange.
#[derive(Debug, Default)]
pub struct MetricCollector {
    parser: LineParser,
    /// The last value of each name, and the summary of its values while all are numbers.
    said: BTreeMap<String, (MetricValue, Option<RunMetrics>)>,
}

impl MetricCollector {
    /// Adds the bot's standard error of an exchange, after which `dropped` more bytes were
    /// dropped. Returns the last value of each name.
    pub fn add(&mut self, bytes: &[u8], dropped: u64) -> Metrics {
        let said = self.parser.receive(bytes, dropped);
        self.add_all(&said);
        Metrics(said.into_iter().collect())
    }

    /// Adds the standard error after the last exchange, and sums up the game.
    pub fn finish(mut self, bytes: &[u8], dropped: u64) -> BTreeMap<String, GameMetrics> {
        self.add(bytes, dropped);
        let rest = self.parser.finish();
        self.add_all(&rest);
        let all = self.said.into_iter();
        let game = |(last, sum): (_, Option<RunMetrics>)| GameMetrics {
            last,
            numbers: sum.map(|sum| sum.numbers),
        };
        all.map(|(name, said)| (name, game(said))).collect()
    }

    fn add_all(&mut self, said: &[(String, MetricValue)]) {
        for (name, value) in said {
            let before = self.said.get(name).map(|(_, sum)| *sum);
            let sum = match (before, value.number()) {
                (Some(None), _) | (_, None) => None,
                (before, Some(number)) => {
                    let numbers = MetricNumbers { min: number, max: number, mean: number };
                    Some(RunMetrics::add(before.flatten(), numbers))
                }
            };
            self.said.insert(name.clone(), (value.clone(), sum));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(parser: &mut LineParser, bytes: &[u8]) -> Vec<String> {
        let said = parser.receive(bytes, 0).into_iter();
        said.map(|(name, value)| format!("{name}={}", serde_json::json!(value))).collect()
    }

    #[test]
    fn lines_of_names_and_values_are_data_and_all_others_text() {
        for (line, expected) in [
            ("@referee depth=12 phase=endgame", &["depth=12", "phase=\"endgame\""][..]),
            ("@referee  a=1\tb=-2.5e3 \r", &["a=1", "b=-2500"]),
            ("@referee a=1 a=2", &["a=1", "a=2"]),
            ("@referee a==b=c _x.y-z=é", &["a=\"=b=c\"", "_x.y-z=\"é\""]),
            (
                "@referee a=inf b=nan c=1e999 d=0x1",
                &["a=\"inf\"", "b=\"nan\"", "c=\"1e999\"", "d=\"0x1\""],
            ),
            ("@referee a=0.1 b=9007199254740993", &["a=0.1", "b=\"9007199254740993\""]),
            ("@referee", &[]),
            ("@referee ", &[]),
            (" @referee a=1", &[]),
            ("@refereea=1", &[]),
            ("@referee a=1 b", &[]),
            ("@referee a= b=1", &[]),
            ("@referee =1", &[]),
            ("@referee 1a=1", &[]),
            ("@referee a=\u{1b}[31m", &[]),
            ("@referee é=1", &[]),
            ("depth=12", &[]),
            ("[DATA] depth = 12", &["depth=12"]),
            (" [DATA]\tT=0.5\r", &["T=0.5"]),
            ("[DATA] a = b=c", &["a=\"b=c\""]),
            ("[DATA]a = 1", &[]),
            ("[DATA] a = 1 b = 2", &[]),
            ("[DATA] a b = 1", &[]),
            ("[DATA] a =", &[]),
            ("[DATA] = 1", &[]),
            ("[data] a = 1", &[]),
        ] {
            let line = format!("{line}\n");
            assert_eq!(received(&mut LineParser::default(), line.as_bytes()), expected, "{line:?}");
        }
        assert!(received(&mut LineParser::default(), b"@referee a=\xff\n").is_empty());
    }

    #[test]
    fn a_line_counts_where_it_ends_and_a_torn_one_does_not_count() {
        let mut parser = LineParser::default();
        assert!(received(&mut parser, b"text\n@refe").is_empty());
        assert!(received(&mut parser, b"ree a=1").is_empty());
        assert_eq!(received(&mut parser, b"2\n@referee b=3"), ["a=12"]);
        assert!(parser.receive(b"4", 1).is_empty());
        assert_eq!(received(&mut parser, b"5\n@referee c=6"), [] as [&str; 0]);
        assert_eq!(parser.finish(), [("c".to_owned(), MetricValue::Number(6.0))]);
        assert!(parser.finish().is_empty());
    }

    #[test]
    fn everything_is_bounded() {
        let mut parser = LineParser::default();
        let long = |name: usize, value: usize| {
            format!("@referee {}={}\n", "n".repeat(name), "v".repeat(value))
        };
        assert_eq!(received(&mut parser, long(32, 64).as_bytes()).len(), 1);
        assert!(received(&mut parser, long(33, 1).as_bytes()).is_empty());
        assert!(received(&mut parser, long(1, 65).as_bytes()).is_empty());
        for (bytes, values) in [(METRIC_LINE, 1), (METRIC_LINE + 1, 0)] {
            // Both ends of the words may have blanks.
            let line = format!("{:<bytes$}\n", "@referee a=1");
            assert_eq!(received(&mut parser, line.as_bytes()).len(), values, "{bytes} at once");
            let chunks = line.as_bytes().chunks(7);
            let said = chunks.flat_map(|chunk| received(&mut parser, chunk)).count();
            assert_eq!(said, values, "{bytes} in pieces");
        }
        for name in 0..40 {
            let said = received(&mut parser, format!("@referee x{name}=1\n").as_bytes());
            assert_eq!(said.len(), usize::from(name < 30), "two names were there before");
        }
        assert_eq!(received(&mut parser, b"@referee x0=2\n"), ["x0=2"], "a known name goes on");
    }

    #[test]
    fn each_game_of_a_run_weighs_the_same_in_the_mean() {
        let games = [(1.0, 3.0, 2.0), (0.0, 9.0, 4.0), (5.0, 20.0, 12.0)];
        let games = games.map(|(min, max, mean)| MetricNumbers { min, max, mean });
        let run = games.into_iter().fold(None, |so_far, game| Some(RunMetrics::add(so_far, game)));
        let numbers = MetricNumbers { min: 0.0, max: 20.0, mean: 6.0 };
        assert_eq!(run, Some(RunMetrics { games: 3, numbers }));
    }

    #[test]
    fn numbers_add_up_unless_a_text_is_among_them() {
        let mut collector = MetricCollector::default();
        for line in ["a=1", "a=4 b=1", "a=1 b=x", "b=3 c=1e308", "c=-1e308 c=0"] {
            collector.add(format!("@referee {line}\n").as_bytes(), 0);
        }
        let json = serde_json::to_string(&collector.finish(b"", 0)).expect("JSON");
        let expected = r#"{"a":{"last":1,"min":1,"max":4,"mean":2},"b":{"last":3},"c":"#;
        assert!(json.starts_with(expected) && !json.contains("null"), "{json}");
        let back: BTreeMap<String, GameMetrics> = serde_json::from_str(&json).expect("as written");
        assert_eq!(back["a"].numbers.expect("numbers").mean.to_bits(), 2.0_f64.to_bits());
        assert_eq!(back["b"].numbers, None);
    }
}
