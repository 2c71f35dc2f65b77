//! What a program prints that judges a game by itself: the score, and why it refused an answer.
//!
//! Such programs are written for people. They print `Score = 7`, `Total Cost = 7` or a bare number, to standard output or to
//! standard error. They refuse an answer with a score of 0 or -1 beside a reason, by a panic, or with no score at all.

use std::collections::BTreeMap;

use regex_lite::Regex;
use serde::{Deserialize, Serialize, Serializer};

use rules::game::End;
use rules::game::judge::JudgeEnd;
use rules::score::Score;
use terms::verdict::{BotExit, Verdict};

/// The most lines of a program's output that are kept, its last ones.
const KEPT_LINES: usize = 100;

/// The longest line that is kept, in characters.
const KEPT_CHARS: usize = 300;

/// Rust's exit status after a panic, by which scorers refuse answers that they cannot read.
const PANIC: BotExit = BotExit::Code(101);

/// What a program has printed, and how it ended.
#[derive(Debug, Clone)]
pub(crate) struct Printed {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: BotExit,
    /// What the bot has written, if the program may have printed that too.
    pub(crate) said: String,
}

impl Printed {
    /// Whether this line of standard output is the bot's: some testers print everything that it writes, and no score if they refuse it.
    fn is_echo(&self, line: &str) -> bool {
        let lines = |text| str::lines(text).map(str::trim).filter(|line| !line.is_empty());
        let said: Vec<&str> = lines(&self.said).collect();
        let count = |all: &[&str]| all.iter().filter(|&&other| other == line).count();
        let printed: Vec<&str> = lines(&self.stdout).collect();
        let last = &printed[printed.len().saturating_sub(KEPT_LINES)..];
        last.len() > 1
            && last.iter().all(|line| said.contains(line))
            && count(&printed) <= count(&said)
    }
}

/// How the score is found: by the user's pattern, or by the patterns of most testers.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct ScorePattern {
    /// The patterns, tried in turn.
    patterns: Vec<Regex>,
    /// Finds a line that is meant as a score, but has a number in a form that `patterns` do not know.
    unclear: Option<Regex>,
}

/// Why a text is not a pattern that finds a score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScorePatternError {
    /// It is not a pattern.
    #[error("{0}")]
    Malformed(String),
    /// It does not say where the score is.
    #[error("the pattern has no group `(?P<score>…)`")]
    NoGroup,
}

impl Default for ScorePattern {
    /// The patterns of most testers, tried in turn.
    fn default() -> Self {
        let number = r"(?P<score>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)";
        let label = r"(?:(?:final|total|raw) )?(?:score|cost)";
        let patterns = [
            format!(r"(?mi)^\s*{label}\s*[=:]\s*{number}\s*(?:,\D.*|\(.*)?$"),
            format!(r"(?m)^\s*{number}\s*$"),
        ];
        let regex = |pattern: &String| Regex::new(pattern).expect("it is right");
        let unclear = format!(
            r"(?mi)^\s*(?:{label}\s*[=:]\s*\S*\d.*|[-+]?\d{{1,3}}(?:[,_' ]\d{{3}})+(?:\.\d+)?\s*)$"
        );
        Self { patterns: patterns.iter().map(regex).collect(), unclear: Some(regex(&unclear)) }
    }
}

impl TryFrom<String> for ScorePattern {
    type Error = ScorePatternError;

    /// A pattern of the user's.
    fn try_from(pattern: String) -> Result<Self, ScorePatternError> {
        let pattern = Regex::new(&pattern);
        let pattern = pattern.map_err(|error| ScorePatternError::Malformed(error.to_string()))?;
        if pattern.capture_names().flatten().all(|name| name != "score") {
            return Err(ScorePatternError::NoGroup);
        }
        Ok(Self { patterns: vec![pattern], unclear: None })
    }
}

impl Serialize for ScorePattern {
    /// The user's pattern, if there is one.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.patterns[..] {
            [pattern] => serializer.serialize_str(pattern.as_str()),
            _ => serializer.serialize_none(),
        }
    }
}

impl ScorePattern {
    /// The text with the score, and the score: the last match in standard error, or else in standard output, which some
    /// testers fill with what the bot wrote: such lines do not count.
    fn find<'a>(&self, printed: &'a Printed) -> Option<(&'a str, Score)> {
        self.numbers(printed).find_map(|(text, number)| Some((text, number.parse().ok()?)))
    }

    /// What each pattern finds as a score in standard error and in standard output.
    fn numbers<'a>(&self, printed: &'a Printed) -> impl Iterator<Item = (&'a str, &'a str)> {
        let texts = [printed.stderr.as_str(), printed.stdout.as_str()];
        let tries = self.patterns.iter().flat_map(move |pattern| texts.map(|text| (pattern, text)));
        tries.filter_map(|(pattern, text)| {
            let found = pattern.captures_iter(text).last()?;
            let is_echo =
                std::ptr::eq(text, printed.stdout.as_str()) && printed.is_echo(found[0].trim());
            if is_echo { None } else { Some((text, found.name("score")?.as_str())) }
        })
    }

    /// Why what stands for the score is not one: it is too large, or in an unknown form.
    fn not_understood(&self, printed: &Printed) -> Option<String> {
        let error = self.numbers(printed).find_map(|(_, number)| number.parse::<Score>().err());
        if let Some(error) = error {
            return Some(error.to_string());
        }
        let is_of_bot = |line: &str| printed.said.lines().any(|said| said.trim() == line);
        let unclear = self.unclear.as_ref()?;
        let lines = printed.stderr.lines().chain(printed.stdout.lines()).map(str::trim);
        let line = lines.filter(|line| unclear.is_match(line) && !is_of_bot(line)).last()?;
        Some(format!(
            "printed `{line}`, in which no score is understood: a number such as 1360 or 53800.5; `score` in the settings is the \
             pattern that finds it"
        ))
    }

    /// Whether a line has a score.
    fn is_in(&self, line: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_match(line))
    }

    /// The end of a game by what the program has printed.
    ///
    /// # Errors
    /// What is wrong with the program: it ended in a way that says nothing of the answer.
    pub(crate) fn judge(&self, printed: &Printed) -> Result<JudgeEnd, String> {
        let found = self.find(printed);
        let score = found.map(|(_, score)| score);
        let is_refusal = score.is_some_and(is_refusal);
        let reason = self.reason(printed, found.map(|(text, _)| text));
        let verdict = match (printed.exit, score) {
            (BotExit::Code(0), Some(_)) if is_refusal && reason.is_beside_score => Verdict::Lost,
            (BotExit::Code(0), Some(_)) => Verdict::Completed,
            (BotExit::Code(0), None) => match self.not_understood(printed) {
                Some(problem) => return Err(problem),
                None if reason.text.is_empty() => return Err("printed nothing".to_owned()),
                None => Verdict::Lost,
            },
            (PANIC, None) => Verdict::Lost,
            (BotExit::Code(_), Some(_)) if is_refusal => Verdict::Lost,
            (exit, _) => return Err(unbelievable(exit, score)),
        };
        let official = match (verdict, score) {
            (Verdict::Completed, Some(score)) => format!("Score {score}"),
            (_, None) if printed.exit == BotExit::Code(0) => format!("no score: {}", reason.text),
            _ => reason.text,
        };
        Ok(self.end(verdict, official, printed))
    }

    /// An end in these words, beside everything that the program has said.
    pub(crate) fn end(&self, verdict: Verdict, official: String, printed: &Printed) -> JudgeEnd {
        let score = self.find(printed).map(|(_, score)| score);
        let status = ("exit".to_owned(), printed.exit.to_string());
        let end = End { metadata: BTreeMap::from([status]), ..End::new(official) };
        JudgeEnd { verdict, score, summary: kept_lines(printed), end }
    }

    /// Why the program refused an answer, in its own words: those beside the score that is in `text`, or else its last.
    pub(crate) fn reason(&self, printed: &Printed, text: Option<&str>) -> Reason {
        if let Some(words) = text.and_then(|text| self.beside_score(text)) {
            return Reason { text: words.to_owned(), is_beside_score: true, is_certain: true };
        }
        let texts = [&printed.stderr, &printed.stdout];
        let words = texts.iter().find_map(|text| panic_message(text));
        let is_certain = words.is_some();
        let last = || texts.iter().find_map(|text| self.last_words(text)).map(str::to_owned);
        let text = words.or_else(last).unwrap_or_default();
        Reason { text, is_beside_score: false, is_certain }
    }

    /// What a program says of a bot that has failed: a reason, its score or its last words.
    pub(crate) fn words(&self, printed: &Printed) -> String {
        let found = self.find(printed);
        let reason = self.reason(printed, found.map(|(text, _)| text));
        match found {
            Some((_, score)) if !reason.is_certain => format!("Score {score}"),
            _ => reason.text,
        }
    }

    /// The line before or after the last score, and after or before other figures around it.
    fn beside_score<'a>(&self, text: &'a str) -> Option<&'a str> {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let at = lines.iter().rposition(|line| self.is_in(line))?;
        let is_words = |line: &&&str| !self.is_in(line) && !is_figure(line);
        let before = lines[..at].iter().rev().find(is_words);
        let after = lines[at + 1..].iter().find(is_words);
        let is_reason = |line: &&&str| !line.is_empty() && !is_noise(line);
        after.filter(is_reason).or(before.filter(is_reason)).copied()
    }

    fn last_words<'a>(&self, text: &'a str) -> Option<&'a str> {
        let lines = text.lines().map(str::trim);
        lines.rev().find(|line| !line.is_empty() && !is_noise(line) && !self.is_in(line))
    }
}

/// Why a program refused an answer.
#[derive(Debug)]
pub(crate) struct Reason {
    pub(crate) text: String,
    /// Whether it stands beside the score.
    is_beside_score: bool,
    /// Whether it is more than the program's last words.
    is_certain: bool,
}

/// Whether a line is a figure beside the score, such as `Turns = 5`, `turn 2: 7 8` or `Time: 12 ms, Memory: 3 MB`, and no reason
/// such as `Illegal move in turn: 5`.
fn is_figure(line: &str) -> bool {
    const TROUBLE: [&str; 5] = ["error", "fail", "illegal", "invalid", "wrong"];
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let is_value = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [] => false,
            [number, unit] if is_number(number) => is_number(unit) || unit.chars().count() <= 5,
            [one] => is_number(one.trim_end_matches(|c: char| c.is_alphabetic() || c == '%')),
            words => words.iter().all(|word| is_number(word)),
        }
    };
    line.split(',').all(|part| {
        let Some((label, value)) = part.split_once(['=', ':']) else { return false };
        let label = label.trim().to_lowercase();
        let is_count = part.contains('=') || label.starts_with("number of");
        is_value(value) && (is_count || !TROUBLE.iter().any(|word| label.contains(word)))
    })
}

/// A text without what sets a terminal's colours.
pub(crate) fn without_colors(text: &str) -> String {
    let codes = Regex::new(r"\x1b\[[0-9;:?]*[A-Za-z]").expect("it is right");
    codes.replace_all(text, "").into_owned()
}

/// Whether a score may stand for "no score".
fn is_refusal(score: Score) -> bool {
    score == Score::ZERO || score == Score::from(-1)
}

fn unbelievable(exit: BotExit, score: Option<Score>) -> String {
    match score {
        Some(score) => format!("{exit}, ignoring its score {score}"),
        None => format!("{exit} without a score"),
    }
}

/// What a panic of Rust says, and where.
fn panic_message(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !line.contains(" panicked at "));
    let head = lines.next()?.trim().trim_end_matches(':');
    let message = lines.next().map(str::trim).filter(|line| !is_noise(line)).unwrap_or_default();
    Some(if message.is_empty() { head.to_owned() } else { format!("{head}: {message}") })
}

/// What runtimes add to the words of a program.
fn is_noise(line: &str) -> bool {
    line.starts_with("note: ") || line.starts_with("stack backtrace:")
}

/// The last lines of what the program has printed, standard error after standard output.
fn kept_lines(printed: &Printed) -> Vec<String> {
    let lines = printed.stdout.lines().chain(printed.stderr.lines());
    let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    let kept = &lines[lines.len().saturating_sub(KEPT_LINES)..];
    kept.iter().map(|line| line.chars().take(KEPT_CHARS).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(stdout: &str, stderr: &str, code: i32) -> Printed {
        let exit = BotExit::Code(code);
        Printed { stdout: stdout.into(), stderr: stderr.into(), exit, said: String::new() }
    }

    #[test]
    fn what_the_bot_wrote_is_no_score() {
        for (stdout, stderr, said, score) in [
            ("? 1\n4\n", "[WA] too many\n", "? 1\n\n4\n7\n", None),
            ("? 1\n4\n4\n", "", "? 1\n4\n", Some("4")),
            ("? 1\n4\n17\n", "", "? 1\n4\n", Some("17")),
            ("4\n", "turn 1\n", "? 1\n4\n", Some("4")),
            ("? 1\n4\n", "Score = 9\n", "? 1\n4\n", Some("9")),
        ] {
            let printed = Printed { said: said.to_owned(), ..printed(stdout, stderr, 0) };
            let end = ScorePattern::default().judge(&printed).expect(stdout);
            let found = end.score.map(|score| score.to_string());
            assert_eq!(found.as_deref(), score, "{stdout:?}: {end:?}");
        }
    }

    #[test]
    fn programs_for_people_are_understood() {
        use Verdict::{Completed, Lost};
        let panic = "\nthread 'main' panicked at src/bin/vis.rs:9:5:\nline 3: bad\nnote: run with `RUST_BACKTRACE=1`\n";
        for (stdout, stderr, code, how, score, official) in [
            (
                "574618043\n",
                "turn 1: 0.5\nturn 2: 7 8\n",
                0,
                Completed,
                Some("574618043"),
                "Score 574618043",
            ),
            ("1 1 5\n0\n", "1873\n", 0, Completed, Some("1873"), "Score 1873"),
            ("", "Score = 28400\n", 0, Completed, Some("28400"), "Score 28400"),
            ("Score = 1\nScore = 2.50\n", "", 0, Completed, Some("2.50"), "Score 2.50"),
            ("5\n", "Total Cost = 31\n", 0, Completed, Some("31"), "Score 31"),
            ("final score: 1e3\n", "", 0, Completed, Some("1000"), "Score 1000"),
            ("Score = 0.5, RunTime = 12 ms\n", "", 0, Completed, Some("0.5"), "Score 0.5"),
            ("Score: 42 (of 50)\n", "", 0, Completed, Some("42"), "Score 42"),
            ("Turns = 5\nTotal Cost = 0\n", "", 0, Completed, Some("0"), "Score 0"),
            ("turn 1: 7 8\nScore = 0\nTime: 12 ms\n", "", 0, Completed, Some("0"), "Score 0"),
            (
                "",
                "Score = 0\nRate = 0.0\nNumber of wrong answers = 3\n",
                0,
                Completed,
                Some("0"),
                "Score 0",
            ),
            ("Bad move\nTurns = 5\nScore = 0\n", "", 0, Lost, Some("0"), "Bad move"),
            (
                "Invalid move in turn: 5\nScore = 0\n",
                "",
                0,
                Lost,
                Some("0"),
                "Invalid move in turn: 5",
            ),
            ("Score = 0\n", "", 0, Completed, Some("0"), "Score 0"),
            ("Score = 0\nParse error: xx\n", "", 0, Lost, Some("0"), "Parse error: xx"),
            ("ERROR: too short\nScore  = -1\n", "", 0, Lost, Some("-1"), "ERROR: too short"),
            ("", "Error: no path\nScore = 0\nScore = 0\n", 101, Lost, Some("0"), "Error: no path"),
            (
                "",
                panic,
                101,
                Lost,
                None,
                "thread 'main' panicked at src/bin/vis.rs:9:5: line 3: bad",
            ),
            ("Wrong answer\n", "", 0, Lost, None, "no score: Wrong answer"),
        ] {
            let case = format!("{stdout:?} {stderr:?} {code}");
            let end = ScorePattern::default().judge(&printed(stdout, stderr, code)).expect(&case);
            let found = end.score.map(|score| score.to_string());
            assert_eq!(
                (end.verdict, found.as_deref(), end.end.official.as_str()),
                (how, score, official),
                "{case}"
            );
        }
    }

    const UNCLEAR: &str = "printed `Score = 1,234`, in which no score is understood: a number such as 1360 or 53800.5; \
        `score` in the settings is the pattern that finds it";

    #[test]
    fn a_number_in_another_form_is_not_the_bots_loss_unless_the_bot_wrote_it() {
        for text in ["12,345,678\n", "Total Cost: 1_000\n", "Score = 5k\nok\n"] {
            let found = ScorePattern::default().judge(&printed(text, "", 0));
            assert!(
                found.as_ref().is_err_and(|error| error.contains("is understood")),
                "{found:?}"
            );
        }
        let of_bot =
            Printed { said: "Score = 1,234\n".into(), ..printed("Score = 1,234\n", "", 0) };
        let end = ScorePattern::default().judge(&of_bot).expect("the tester's word");
        assert_eq!(end.verdict, Verdict::Lost);
        assert_eq!(without_colors("\x1b[1;32mScore = 5\x1b[0m\n"), "Score = 5\n");
    }

    #[test]
    fn a_program_that_fails_is_not_believed() {
        for (stdout, code, problem) in [
            ("Score = 5\n", 1, "exited with status 1, ignoring its score 5"),
            ("usage: vis IN OUT\n", 2, "exited with status 2 without a score"),
            (" \n", 0, "printed nothing"),
            (
                "Score = 1e400\n",
                0,
                "the score 1e400 is too large: scores are below 7.9e28 and above -7.9e28",
            ),
            ("Score = 1,234\n", 0, UNCLEAR),
        ] {
            let found = ScorePattern::default().judge(&printed(stdout, "", code));
            assert_eq!(found.expect_err(stdout), problem);
        }
        let killed = Printed { exit: BotExit::Signal(11), ..printed("Score = 0\n", "", 0) };
        assert!(ScorePattern::default().judge(&killed).is_err());
    }

    #[test]
    fn a_pattern_of_ones_own_takes_the_place_of_the_usual_ones() {
        let pattern =
            ScorePattern::try_from(r"points: (?P<score>\d+)".to_owned()).expect("a pattern");
        let end =
            pattern.judge(&printed("points: 3, points: 4\nScore = 9\n", "", 0)).expect("well");
        assert_eq!(end.score, Some(4.into()));
        for (pattern, problem) in [("(", "open group"), (r"points: (\d+)", "(?P<score>…)")] {
            let found = ScorePattern::try_from(pattern.to_owned()).expect_err(pattern).to_string();
            assert!(found.contains(problem), "{found}");
        }
    }

    #[test]
    fn the_last_lines_are_kept() {
        let many = (0..500).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n\n");
        let kept = kept_lines(&printed(&many, &"x".repeat(1000), 0));
        assert_eq!((kept.len(), kept[0].as_str()), (KEPT_LINES, "line 401"));
        assert_eq!(kept[99].len(), KEPT_CHARS);
    }
}
