//! What a program prints that judges a game by itself: the score, and why it refused an answer.
//!
//! Such programs are written for people. They print `Score = 7`, `Total Cost = 7` or a bare number, to standard output or to
//! standard error. They refuse an answer with a score of 0 or -1 next to a reason, by a panic, or with no score at all.

mod pattern;

use std::collections::BTreeMap;

use regex_lite::Regex;
use rules::game::End;
use rules::game::judge::JudgeEnd;
use rules::score::Score;
use terms::bounds::{JUDGE_LINE, SUMMARY_LINES};
use terms::text::cut;
use terms::verdict::{BotExit, Verdict};

use self::pattern::Found;
pub use self::pattern::{ScorePattern, ScorePatternError};

/// Rust's exit status after a panic, by which scorers refuse answers that they cannot read. Cargo's failures have it too.
const PANIC: BotExit = BotExit::Code(101);

/// What a program has printed, and how it ended.
#[derive(Debug, Clone)]
pub(crate) struct Printed {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: BotExit,
}

impl Printed {
    /// The lines with something in them.
    fn lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.stdout.lines().chain(self.stderr.lines());
        lines.filter(|line| !line.trim().is_empty())
    }
}

impl ScorePattern {
    /// The end of a game by what the program has printed.
    ///
    /// # Errors
    /// What is wrong with the program: it ended in a way that says nothing of the answer.
    pub(crate) fn judge(&self, printed: &Printed) -> Result<JudgeEnd, String> {
        let (found, problem) = match self.find(printed) {
            Ok(found) => (found, None),
            Err(problem) => (None, Some(problem)),
        };
        let score = found.as_ref().map(|found| found.score);
        let is_refusal = score.is_some_and(is_refusal);
        let reason = self.reason(printed, found.as_ref());
        let verdict = match (printed.exit, score) {
            (BotExit::Code(0), Some(_)) if is_refusal && reason.is_beside_score => Verdict::Lost,
            (BotExit::Code(0), Some(_)) => Verdict::Completed,
            (BotExit::Code(0), None) => match problem {
                Some(problem) => return Err(problem),
                None if reason.text.is_empty() => return Err("printed nothing".to_owned()),
                None => Verdict::Lost,
            },
            (PANIC, None) if !is_of_cargo(printed) => Verdict::Lost,
            (BotExit::Code(_), Some(_)) if is_refusal => Verdict::Lost,
            (exit, _) => return Err(unbelievable(exit, score)),
        };
        let official = match (verdict, score) {
            (Verdict::Completed, Some(score)) => format!("Score {score}"),
            (_, None) if reason.text.is_empty() => "no score".to_owned(),
            (_, None) if printed.exit == BotExit::Code(0) => format!("no score: {}", reason.text),
            _ => reason.text,
        };
        Ok(end(verdict, official, score, printed))
    }

    /// The end of a game that the bot has lost by itself, in the program's words: a reason, the score or its last words.
    pub(crate) fn end_against(&self, verdict: Verdict, printed: &Printed) -> JudgeEnd {
        let found = self.find(printed).ok().flatten();
        let score = found.as_ref().map(|found| found.score);
        let reason = self.reason(printed, found.as_ref());
        let words = match score {
            Some(score) if !reason.is_certain => format!("Score {score}"),
            _ if reason.text.is_empty() => "the tester says nothing".to_owned(),
            _ => reason.text,
        };
        end(verdict, words, score, printed)
    }

    /// A lost game in these words.
    pub(crate) fn lost(&self, words: String, printed: &Printed) -> JudgeEnd {
        let score = self.find(printed).ok().flatten().map(|found| found.score);
        end(Verdict::Lost, words, score, printed)
    }

    /// Why the program refused an answer, in its own words: those next to the score, or else its last.
    fn reason(&self, printed: &Printed, found: Option<&Found<'_>>) -> Reason {
        if let Some(words) = found.and_then(|found| self.beside_score(found)) {
            return Reason {
                text: cut(words, JUDGE_LINE),
                is_beside_score: true,
                is_certain: true,
            };
        }
        let texts = [&printed.stderr, &printed.stdout];
        let words = texts.iter().find_map(|text| panic_message(text));
        let is_certain = words.is_some();
        let last = || texts.iter().find_map(|text| self.last_words(text)).map(str::to_owned);
        let text = words.or_else(last).unwrap_or_default();
        Reason { text: cut(&text, JUDGE_LINE), is_beside_score: false, is_certain }
    }

    /// The line before or after the score, and after or before other figures around it.
    fn beside_score<'a>(&self, found: &Found<'a>) -> Option<&'a str> {
        let is_words = |line: &&str| !self.is_in(line) && !is_figure(line);
        let before = found.before.lines().rev().map(str::trim).find(is_words);
        let after = found.after.lines().map(str::trim).find(is_words);
        let is_reason = |line: &&str| !line.is_empty() && !is_noise(line);
        after.filter(is_reason).or(before.filter(is_reason))
    }

    fn last_words<'a>(&self, text: &'a str) -> Option<&'a str> {
        let lines = text.lines().map(str::trim);
        lines.rev().find(|line| !line.is_empty() && !is_noise(line) && !self.is_in(line))
    }
}

/// An end in these words, with everything that the program has printed.
fn end(verdict: Verdict, official: String, score: Option<Score>, printed: &Printed) -> JudgeEnd {
    let status = ("exit".to_owned(), printed.exit.to_string());
    let end = End { metadata: BTreeMap::from([status]), ..End::new(official) };
    JudgeEnd { verdict, score, summary: kept_lines(printed), end }
}

/// Why a program refused an answer.
#[derive(Debug)]
struct Reason {
    text: String,
    /// Whether it stands next to the score.
    is_beside_score: bool,
    /// Whether it is more than the program's last words.
    is_certain: bool,
}

/// Whether a line is a figure next to the score, such as `Turns = 5`, `turn 2: 7 8` or `Time: 12 ms, Memory: 3 MB`, and no reason
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

/// Whether this is Cargo's own failure: it did not start the program, which panicked otherwise.
fn is_of_cargo(printed: &Printed) -> bool {
    let mut lines = printed.stderr.lines();
    let is_error = |line: &str| line.starts_with("error: ") || line.starts_with("error[");
    panic_message(&printed.stderr).is_none() && lines.any(is_error)
}

/// What runtimes add to the words of a program.
fn is_noise(line: &str) -> bool {
    line.starts_with("note: ") || line.starts_with("stack backtrace:")
}

/// A text without what terminals take for commands, such as colours. A progress line that is written again and again is a line
/// each time.
pub(crate) fn plain(text: &str) -> String {
    let commands = r"\x1b(?:\[[ -?]*[@-~]?|\][^\x07\n\r\x1b]*\x07?|[ -/]*[0-~]?)";
    let commands = Regex::new(commands).expect("it is right");
    commands.replace_all(text, "").replace("\r\n", "\n").replace('\r', "\n")
}

/// The last lines of what the program has printed, standard error after standard output.
fn kept_lines(printed: &Printed) -> Vec<String> {
    let lines: Vec<&str> = printed.lines().collect();
    let kept = &lines[lines.len().saturating_sub(SUMMARY_LINES)..];
    kept.iter().map(|line| line.chars().take(JUDGE_LINE).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn printed(stdout: &str, stderr: &str, code: i32) -> Printed {
        let exit = BotExit::Code(code);
        Printed { stdout: stdout.into(), stderr: stderr.into(), exit }
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
            (
                "[ERROR] cost = 5 is too large\n",
                "",
                0,
                Lost,
                None,
                "no score: [ERROR] cost = 5 is too large",
            ),
            // An answer with NaN in it can be the cause.
            ("Score = NaN\n", "", 0, Lost, None, "no score: Score = NaN"),
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
        let cargo = "   Compiling tools v0.1.0\nerror: could not compile `tools` (bin \"vis\") due to 1 previous error\n";
        let found = ScorePattern::default().judge(&printed("", cargo, 101));
        assert_eq!(found.expect_err(cargo), "exited with status 101 without a score");
        let panic = "error: bad\nthread 'main' panicked at src/bin/vis.rs:9:5:\nbad\n";
        let found = ScorePattern::default().judge(&printed("", panic, 101)).expect(panic);
        assert_eq!(found.verdict, Verdict::Lost);
        let killed = Printed { exit: BotExit::Signal(11), ..printed("Score = 0\n", "", 0) };
        assert!(ScorePattern::default().judge(&killed).is_err());
    }

    #[test]
    fn a_number_in_another_form_is_not_the_bots_loss() {
        for text in [
            "12,345,678\n",
            "Total Cost: 1_000\n",
            "Score = 5k\nok\n",
            "Your score is 5.\n",
            "SCORE 1234\n",
            "[INFO] Score = 7\n",
            "** Score:\t7 **\n",
            "{\"score\": 12}\n",
        ] {
            let found = ScorePattern::default().judge(&printed(text, "", 0));
            assert!(
                found.as_ref().is_err_and(|error| error.contains("is understood")),
                "{found:?}"
            );
        }
    }

    #[test]
    fn commands_of_terminals_are_left_out() {
        for (text, expected) in [
            ("\x1b[1;32mScore = 5\x1b[0m\r\n", "Score = 5\n"),
            ("a\x1b(B\x1b]0;title\x07b\x1b]0;title\x1b\\c\n", "abc\n"),
            ("\x1b]0;title\nb\x1b", "\nb"),
            ("plain\rtext", "plain\ntext"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }

    #[test]
    fn the_last_lines_are_kept() {
        let many = (0..500).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n\n");
        let kept = kept_lines(&printed(&many, &"x".repeat(1000), 0));
        assert_eq!((kept.len(), kept[0].as_str()), (SUMMARY_LINES, "line 401"));
        assert_eq!(kept[99].len(), JUDGE_LINE);
    }
}
