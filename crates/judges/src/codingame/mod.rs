//! Referees of CodinGame's SDK, unmodified, over the protocol that CodinGame's own runner speaks.
//!
//! Learnt from the public sources of the engine, 2.4 to 4.7.8, and from genuine games. The referee asks for the bot's
//! output block by block: see [`blocks`]. A question for 0 lines is a frame for viewers: the bot is not asked, and text
//! that comes with it goes to the bot with the next question, since the runner sends it too. Summaries arrive one turn
//! late; here they come with the question that follows them, or with the end.

// Public for the fuzz targets alone.
#[doc(hidden)]
pub mod blocks;
mod contribution;
mod engine;
mod official;
mod properties;
mod survey;
mod test_case;

use std::mem;
use std::path::PathBuf;
use std::time::Duration;

use self::blocks::{Scanner, StepOutput, Then};
pub use self::contribution::{Contribution, ContributionError, TestCase};
pub use self::engine::EngineVersion;
use self::engine::LateReplies;
pub use self::survey::{Survey, survey};
pub use self::test_case::{TestCaseContent, parse_test_case};
use serde::{Deserialize, Serialize};

use crate::command::JudgeCommand;
use crate::process::Process;
use rules::game::judge::{Case, JudgeEnd, Question, Reading, Steps};
use rules::game::{Answer, JudgeFailure, Place, Referee, Seat, Step};
use terms::bounds::JUDGE_FRAMES;
use terms::text::quote;
use terms::verdict::Verdict;

/// A game whose referee is built with the SDK.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Codingame {
    /// The command that starts the referee.
    #[serde(skip)]
    pub command: JudgeCommand,
    /// The folder of its contribution.
    #[serde(skip_serializing)]
    pub project: Option<PathBuf>,
    /// The metadata that is the score, if the game has one.
    pub criteria: Option<String>,
    /// The league, if the game has leagues.
    pub league: Option<u32>,
    /// The version of its engine, if that is known.
    pub engine: Option<EngineVersion>,
}

impl Codingame {
    /// The runner's agents read into 10,000 bytes, and know a line by its terminator alone.
    pub const READING: Reading = Reading { max_bytes: Some(10_000), eof_ends_line: false };

    /// Starts the referee of one game on `case`.
    ///
    /// # Errors
    /// When the referee does not start.
    pub fn start(&self, case: &Case, place: &Place) -> Result<Box<dyn Referee>, JudgeFailure> {
        let mut command = self.command.clone();
        if !command.words.iter().any(|word| word.starts_with("-Dgame.mode=")) {
            set_property(&mut command, "-Dgame.mode=solo");
        }
        if let Some(league) = self.league {
            set_property(&mut command, &format!("-Dleague.level={league}"));
        }
        let process = Process::start(&command, place)?;
        Ok(Box::new(Running::new(process, case, self)))
    }
}

/// Adds a property, which Java takes before the main class.
fn set_property(command: &mut JudgeCommand, property: &str) {
    let is_java = |word: &String| word.rsplit('/').next() == Some("java");
    if let Some(java) = command.words.iter().position(is_java) {
        return command.words.insert(java + 1, property.to_owned());
    }
    // A script that starts Java: its launcher reads this variable.
    let options = command.env.entry("JDK_JAVA_OPTIONS".to_owned()).or_default();
    if !options.is_empty() {
        options.push(' ');
    }
    options.push_str(property);
}

/// A running referee.
struct Running {
    process: Process,
    criteria: Option<String>,
    /// What to send next.
    outgoing: String,
    /// Whether each output begins with the time that the bot took.
    wants_times: bool,
    /// Lines for the bot from frames for viewers.
    held_input: String,
    /// Lines of the summary since the last question.
    summary: Vec<String>,
    frames: u32,
    /// The limit of the last question.
    limit: Duration,
    late: LateReplies,
    /// Whether the bot has failed to reply: it is not asked again.
    is_silent: bool,
    steps: Steps,
}

impl Running {
    fn new(process: Process, case: &Case, game: &Codingame) -> Self {
        Self {
            process,
            criteria: game.criteria.clone(),
            outgoing: init(case) + GET_GAME_INFO,
            wants_times: false,
            held_input: String::new(),
            summary: Vec::new(),
            frames: 0,
            limit: Duration::ZERO,
            late: LateReplies::new(game.engine),
            is_silent: false,
            steps: Steps::new(Codingame::READING, false),
        }
    }

    /// One step of the referee.
    fn hear(&mut self) -> Result<StepOutput, JudgeFailure> {
        let outgoing = mem::take(&mut self.outgoing);
        let mut scanner = Scanner::default();
        let lines = self.process.step(outgoing.as_bytes(), |lines| scanner.whole(lines))?;
        let said = scanner.read(&lines).map_err(|problem| self.process.trouble(problem))?;
        self.wants_times |= said.wants_times;
        Ok(said)
    }

    /// The bot's next question, unless this one is not for the bot.
    fn question(
        &mut self,
        input: &[String],
        info: &[String],
    ) -> Result<Option<Question>, JudgeFailure> {
        let (lines, limit) =
            question_info(info).map_err(|problem| self.process.trouble(problem))?;
        for line in input {
            self.held_input.push_str(line);
            self.held_input.push('\n');
        }
        if lines == 0 {
            return self.frame().map(|()| None);
        }
        if self.is_silent {
            self.frame()?;
            self.outgoing = format!("{SET_PLAYER_TIMEOUT}{GET_GAME_INFO}");
            return Ok(None);
        }
        self.process.count_question()?;
        self.limit = limit;
        self.late.asked(limit);
        Ok(Some(Question {
            input: mem::take(&mut self.held_input),
            lines: Some(lines),
            limit: Some(limit),
            summary: mem::take(&mut self.summary),
            ..Question::default()
        }))
    }

    /// Answers a frame for viewers.
    fn frame(&mut self) -> Result<(), JudgeFailure> {
        self.frames += 1;
        if self.frames > JUDGE_FRAMES {
            return Err(self
                .process
                .trouble(format!("showed more than {JUDGE_FRAMES} frames without an end")));
        }
        self.outgoing = self.output(&[], Duration::ZERO) + GET_GAME_INFO;
        Ok(())
    }

    /// The block of a bot's output.
    fn output(&self, lines: &[String], elapsed: Duration) -> String {
        let count = lines.len() + usize::from(self.wants_times);
        let mut text = format!("[[SET_PLAYER_OUTPUT] {count}]\n");
        if self.wants_times {
            text.push_str(&elapsed.as_millis().to_string());
            text.push('\n');
        }
        for line in lines {
            text.extend(line.chars().map(on_one_line));
            text.push('\n');
        }
        text
    }

    fn end(&mut self, metadata: &[String], scores: &[String]) -> Result<JudgeEnd, JudgeFailure> {
        let summary = mem::take(&mut self.summary);
        let end = official::end(self.criteria.as_deref(), metadata, scores, summary);
        let end = end.map_err(|problem| self.process.trouble(problem))?;
        self.process.end(Duration::ZERO);
        let is_late = end.verdict == Verdict::Lost && self.late.are_too_many();
        Ok(if is_late { JudgeEnd { verdict: Verdict::Timeout, ..end } } else { end })
    }
}

impl Referee for Running {
    fn begin(&mut self) -> Result<Step, JudgeFailure> {
        loop {
            let said = self.hear()?;
            self.summary.extend(said.summary);
            match said.then {
                Then::Ask(info) => {
                    if let Some(question) = self.question(&said.input, &info)? {
                        return Ok(self.steps.ask(question));
                    }
                }
                Then::End { metadata, scores } => {
                    let end = self.end(&metadata, &scores)?;
                    return Ok(self.steps.end(end));
                }
                Then::Fail(trace) => return Err(self.process.failed(&trace)),
                Then::Nothing => return Err(self.process.trouble("wrote nothing that is a step")),
            }
        }
    }

    fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
        let block = match answer {
            // A reply that counts although the host made it late has used all of its time, and no more.
            Answer::Reply { lines, elapsed } => {
                let elapsed = elapsed.min(self.limit);
                self.late.answered(whole_millis(elapsed), self.limit);
                self.output(&lines.to_text(), elapsed)
            }
            Answer::NoReply { .. } => {
                self.is_silent = true;
                SET_PLAYER_TIMEOUT.to_owned()
            }
        };
        self.outgoing = block + GET_GAME_INFO;
        self.begin()
    }
}

const GET_GAME_INFO: &str = "[[GET_GAME_INFO] 0]\n";
const SET_PLAYER_TIMEOUT: &str = "[[SET_PLAYER_TIMEOUT] 0]\n";

/// The time as the engine is told of it.
fn whole_millis(time: Duration) -> Duration {
    Duration::new(time.as_secs(), time.subsec_millis() * 1_000_000)
}

/// The block that starts a game of one player on a test case. As in the runner, trailing empty lines are dropped; a text
/// that is nothing else is one empty line.
fn init(case: &Case) -> String {
    let text = match case {
        Case::Seed(seed) => seed.to_string(),
        Case::Text(text) => text.clone(),
    };
    let kept = text.trim_end_matches('\n');
    let lines = kept.split('\n').count() + 1;
    format!("[[INIT] {lines}]\n1\n{kept}\n")
}

/// The number of lines and the limit that a question asks for.
fn question_info(info: &[String]) -> Result<(u32, Duration), String> {
    let wrong = |what: &str, text: &str| format!("asked with {} as {what}", quote(text.as_bytes()));
    let [player, lines, limit] = info else {
        return Err(format!("asked with {} lines of NEXT_PLAYER_INFO instead of 3", info.len()));
    };
    if player != "0" {
        return Err(wrong("the player, and this game has one", player));
    }
    let lines = lines.parse().map_err(|_| wrong("the number of lines", lines))?;
    let limit: i64 = limit.parse().map_err(|_| wrong("the limit in ms", limit))?;
    // A time bank may be used up to the last millisecond, and beyond.
    Ok((lines, Duration::from_millis(u64::try_from(limit).unwrap_or(0))))
}

/// Java's scanner ends a line at these characters too, which would make one line of a bot's reply two.
fn on_one_line(letter: char) -> char {
    match letter {
        '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => char::REPLACEMENT_CHARACTER,
        _ => letter,
    }
}

/// A folder with these files.
#[cfg(test)]
fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("room");
        std::fs::write(path, text).expect("room");
    }
    folder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_case_is_sent_without_its_trailing_empty_lines() {
        for (text, expected) in [
            ("7", "[[INIT] 2]\n1\n7\n"),
            ("1 2\n3 4\n\n", "[[INIT] 3]\n1\n1 2\n3 4\n"),
            ("a\n\nb", "[[INIT] 4]\n1\na\n\nb\n"),
            ("", "[[INIT] 2]\n1\n\n"),
        ] {
            assert_eq!(init(&Case::Text(text.to_owned())), expected, "{text:?}");
        }
        assert_eq!(init(&Case::Seed(-7)), "[[INIT] 2]\n1\n-7\n");
    }

    #[test]
    fn a_question_names_lines_and_a_limit() {
        let read = |info: &[&str]| {
            question_info(&info.iter().map(|&line| line.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(read(&["0", "3", "550"]), Ok((3, Duration::from_millis(550))));
        assert_eq!(read(&["0", "0", "-4"]), Ok((0, Duration::ZERO)));
        for (info, expected) in [
            (&["0", "1"][..], "2 lines of NEXT_PLAYER_INFO"),
            (&["1", "1", "50"], "`1` as the player"),
            (&["0", "99999999999", "50"], "`99999999999` as the number of lines"),
            (&["0", "-1", "50"], "`-1` as the number of lines"),
            (&["0", "1", "soon"], "`soon` as the limit"),
        ] {
            let problem = read(info).expect_err(expected);
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn properties_are_for_java() {
        let command = |words: &[&str]| JudgeCommand {
            words: words.iter().map(|&word| word.to_owned()).collect(),
            folder: ".".into(),
            env: [].into(),
            limits: crate::JudgeLimits::default(),
        };
        let mut java = command(&["env", "/usr/bin/java", "-cp", "x", "Main"]);
        set_property(&mut java, "-Dleague.level=2");
        assert_eq!(java.words, ["env", "/usr/bin/java", "-Dleague.level=2", "-cp", "x", "Main"]);
        let mut script = command(&["./judge"]);
        set_property(&mut script, "-Dleague.level=3");
        assert_eq!(script.env["JDK_JAVA_OPTIONS"], "-Dleague.level=3");
    }
}
