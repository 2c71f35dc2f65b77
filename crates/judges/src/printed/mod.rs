//! What a program prints that judges a game by itself: the score, and why it refused an answer.
//!
//! Such programs are written for people. They print `Score = 7`, `Total Cost = 7` or a bare number, to standard output or to
//! standard error. They refuse an answer with a score that the settings name, by a panic, or with no score at all.

mod pattern;

use std::collections::BTreeMap;

use regex_lite::Regex;
use rules::game::End;
use rules::game::judge::JudgeEnd;
use rules::score::Score;
use rules::score::in_toml::written;
use terms::bounds::{JUDGE_LINE, SUMMARY_LINES};
use terms::text::cut;
use terms::verdict::{BotExit, Verdict};

use self::pattern::Found;
pub use self::pattern::ScorePattern;

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

/// How a program's output is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Printing {
    /// How the score is found.
    pub(crate) score: ScorePattern,
    /// The score that means a refused answer.
    pub(crate) refused: Option<Score>,
}

impl Printing {
    /// The end of a game by what the program has printed.
    ///
    /// # Errors
    /// What is wrong with the program: it ended in a way that says nothing of the answer.
    pub(crate) fn judge(&self, printed: &Printed) -> Result<JudgeEnd, String> {
        let (found, problem) = match self.score.find(printed) {
            Ok(found) => (found, None),
            Err(problem) => (None, Some(problem)),
        };
        let score = found.as_ref().map(|found| found.score);
        let reason = self.reason(printed, found.as_ref());
        let verdict = match (printed.exit, score) {
            (BotExit::Code(_), Some(_)) if self.is_refusal(score) => Verdict::Lost,
            (BotExit::Code(0), Some(_)) => Verdict::Completed,
            (BotExit::Code(0), None) => match problem {
                Some(problem) => return Err(problem),
                None if reason.is_empty() => return Err("printed nothing".to_owned()),
                None => Verdict::Lost,
            },
            (PANIC, None) if !is_of_cargo(printed) => Verdict::Lost,
            (exit, Some(score)) => {
                let remedy = match self.refused {
                    Some(_) => String::new(),
                    None => format!(
                        "; if that means a refused answer, add `refused = {}` to its settings",
                        written(score)
                    ),
                };
                return Err(format!("{exit}, ignoring its score {score}{remedy}"));
            }
            (exit, None) => return Err(format!("{exit} without a score")),
        };
        let official = match (verdict, score) {
            (Verdict::Completed, Some(score)) => format!("Score {score}"),
            (_, Some(score)) if reason.is_empty() => format!("refused, score {score}"),
            (_, None) if reason.is_empty() => "no score".to_owned(),
            (_, None) if printed.exit == BotExit::Code(0) => format!("no score: {reason}"),
            _ => reason,
        };
        Ok(end(verdict, official, score, printed))
    }

    /// The end of a game that the bot has lost by itself, in the program's words: a reason, the score or its last words.
    pub(crate) fn end_against(&self, verdict: Verdict, printed: &Printed) -> JudgeEnd {
        let found = self.score.find(printed).ok().flatten();
        let score = found.as_ref().map(|found| found.score);
        let reason = self.reason(printed, found.as_ref());
        let has_panicked = panic_message(&printed.stderr).is_some();
        let words = match score {
            Some(score) if !has_panicked && !self.is_refusal(Some(score)) => {
                format!("Score {score}")
            }
            _ if reason.is_empty() => "the tester says nothing".to_owned(),
            _ => reason,
        };
        end(verdict, words, score, printed)
    }

    /// A lost game in these words.
    pub(crate) fn lost(&self, words: String, printed: &Printed) -> JudgeEnd {
        let score = self.score.find(printed).ok().flatten().map(|found| found.score);
        end(Verdict::Lost, words, score, printed)
    }

    fn is_refusal(&self, score: Option<Score>) -> bool {
        score.is_some() && score == self.refused
    }

    /// Why the program refused an answer, in its own words: what it says of a panic, the nearest line after the score or before it, or
    /// else its last line.
    fn reason(&self, printed: &Printed, found: Option<&Found<'_>>) -> String {
        let texts = [&printed.stderr, &printed.stdout];
        let is_reason =
            |line: &&str| !line.is_empty() && !is_noise(line) && !self.score.is_in(line);
        let beside_score = |found: &Found<'_>| {
            let mut after = found.after.lines().map(str::trim);
            let mut before = found.before.lines().rev().map(str::trim);
            after.find(is_reason).or_else(|| before.find(is_reason)).map(str::to_owned)
        };
        let last =
            |text: &String| text.lines().rev().map(str::trim).find(is_reason).map(str::to_owned);
        let words = texts.iter().find_map(|text| panic_message(text));
        let words = words.or_else(|| found.and_then(beside_score));
        let words = words.or_else(|| texts.into_iter().find_map(last));
        cut(&words.unwrap_or_default(), JUDGE_LINE)
    }
}

/// An end in these words, with everything that the program has printed.
fn end(verdict: Verdict, official: String, score: Option<Score>, printed: &Printed) -> JudgeEnd {
    let status = ("exit".to_owned(), printed.exit.to_string());
    let end = End { metadata: BTreeMap::from([status]), ..End::new(official) };
    JudgeEnd { verdict, score, summary: kept_lines(printed), end }
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

    fn judge(
        stdout: &str,
        stderr: &str,
        code: i32,
        refused: Option<i64>,
    ) -> Result<JudgeEnd, String> {
        let refused = refused.map(Score::from);
        Printing { refused, ..Printing::default() }.judge(&printed(stdout, stderr, code))
    }

    /// What a program prints to standard output and standard error, with `/` for the end of a line; its exit code; the score that
    /// means a refusal; then whether the answer counts, its score and the official words. `PANIC` is Rust's.
    const PRINTED: &str = "\
574618043/ | turn 1: 0.5/turn 2: 7 8/ | 0 | 0 | completed | 574618043 | Score 574618043
1 1 5/0/ | 1873/ | 0 | 0 | completed | 1873 | Score 1873
| Score = 28400/ | 0 | 0 | completed | 28400 | Score 28400
Score = 1/Score = 2.50/ | | 0 | | completed | 2.50 | Score 2.50
5/ | Total Cost = 31/ | 0 | | completed | 31 | Score 31
final score: 1e3/ | | 0 | | completed | 1000 | Score 1000
Score = 0.5, RunTime = 12 ms/ | | 0 | 0 | completed | 0.5 | Score 0.5
Score: 42 (of 50)/ | | 0 | | completed | 42 | Score 42
| Out of range: 99/Score = 0/ | 0 | | completed | 0 | Score 0
| Score = 0/illegal/ | 0 | -1 | completed | 0 | Score 0
| Out of range: 99/Score = 0/ | 0 | 0 | lost | 0 | Out of range: 99
Score = 0/Duplicate cell: 3 4/ | | 0 | 0 | lost | 0 | Duplicate cell: 3 4
Score = 0/ | Too many operations: 1001/ | 0 | 0 | lost | 0 | Too many operations: 1001
Score = 0.0/ | | 0 | 0 | lost | 0.0 | refused, score 0.0
| Invalid edge//Score = -1.0/ | 0 | -1 | lost | -1.0 | Invalid edge
| Error: no path/Score = 0/Score = 0/ | 101 | 0 | lost | 0 | Error: no path
| PANIC | 101 | | lost | | thread 'main' panicked at vis.rs:9:5: line 3: bad
Score = 0/ | PANIC | 101 | 0 | lost | 0 | thread 'main' panicked at vis.rs:9:5: line 3: bad
Wrong answer/ | | 0 | | lost | | no score: Wrong answer
Score = NaN/ | | 0 | | lost | | no score: Score = NaN";

    #[test]
    fn programs_for_people_are_understood() {
        let panic =
            "/thread 'main' panicked at vis.rs:9:5:/line 3: bad/note: run with `RUST_BACKTRACE=1`/";
        for row in PRINTED.lines() {
            let columns: Vec<&str> = row.split('|').map(str::trim).collect();
            let &[stdout, stderr, code, refused, how, score, official] = &columns[..] else {
                panic!("seven columns: {row}")
            };
            let [stdout, stderr] =
                [stdout, stderr].map(|text| text.replace("PANIC", panic).replace('/', "\n"));
            let code = code.parse().expect("a number");
            let end = judge(&stdout, &stderr, code, refused.parse().ok()).expect(row);
            let found = end.score.map(|score| score.to_string()).unwrap_or_default();
            let verdict = if how == "lost" { Verdict::Lost } else { Verdict::Completed };
            let found = (end.verdict, found.as_str(), end.end.official.as_str());
            assert_eq!(found, (verdict, score, official), "{row}");
        }
    }

    const UNCLEAR: &str = "printed `Score = 1,234`, in which no score is understood: a number such as 1360 or 53800.5; \
        `score` in the settings is the pattern that finds it";

    #[test]
    fn a_program_that_fails_is_not_believed() {
        for (stdout, code, problem) in [
            (
                "Score = 5\n",
                1,
                "exited with status 1, ignoring its score 5; if that means a refused answer, add `refused = 5` to its settings",
            ),
            ("usage: vis IN OUT\n", 2, "exited with status 2 without a score"),
            (" \n", 0, "printed nothing"),
            (
                "Score = 1e400\n",
                0,
                "the score 1e400 is too large: scores are below 7.9e28 and above -7.9e28",
            ),
            ("Score = 1,234\n", 0, UNCLEAR),
        ] {
            assert_eq!(judge(stdout, "", code, None).expect_err(stdout), problem);
        }
        let cargo = "   Compiling tools v0.1.0\nerror: could not compile `tools` (bin \"vis\") due to 1 previous error\n";
        let found = judge("", cargo, 101, None);
        assert_eq!(found.expect_err(cargo), "exited with status 101 without a score");
        let panic = "error: bad\nthread 'main' panicked at src/bin/vis.rs:9:5:\nbad\n";
        let found = judge("", panic, 101, None).expect(panic);
        assert_eq!(found.verdict, Verdict::Lost);
        let killed = Printed { exit: BotExit::Signal(11), ..printed("Score = 0\n", "", 0) };
        assert!(Printing::default().judge(&killed).is_err());
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
            let found = judge(text, "", 0, None);
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
