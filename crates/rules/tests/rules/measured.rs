//! The games of SameGame that were measured on the original, and what the rules make of them. Tests of the whole program
//! read them too.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use rules::game::{Answer, Game, GameKind};
use rules::score::Score;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use terms::lines::{LineBuffer, Progress};
use terms::verdict::{BotExit, NoReply};

/// One game measured on the original referee.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) board: Vec<String>,
    pub(crate) outputs: Vec<String>,
    pub(crate) expected: Expected,
}

/// The original's result.
#[derive(Deserialize, Debug, Clone, PartialEq, Eq)]
#[serde(untagged)]
pub(crate) enum Expected {
    Result { summary: Vec<String>, won: bool, score: i64 },
    Crash { referee_crash: String },
}

impl Case {
    /// The result that is right here: where the original crashes on a message of only line
    /// breaks, the message is empty, and the bot that says no more is timed out.
    pub(crate) fn expected(&self) -> (Vec<String>, bool, Score) {
        match &self.expected {
            Expected::Result { summary, won, score } => (summary.clone(), *won, (*score).into()),
            Expected::Crash { referee_crash } => {
                assert!(referee_crash.contains("ArrayIndexOutOfBounds"), "{referee_crash}");
                let summary = [
                    "Performed action x=0, y=1 (color 2, region size 2).",
                    "¤RED¤[ERROR] Timeout!§RED§",
                ];
                (summary.map(str::to_owned).to_vec(), false, Score::ZERO)
            }
        }
    }
}

/// All 627 games.
pub(crate) fn cases() -> Vec<Case> {
    let cases = packed_lines("samegame-cases.jsonl.gz");
    assert_eq!(cases.len(), 627);
    cases
}

/// The values in a packed file of `tests/data`, one per line.
pub(crate) fn packed_lines<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let lines = BufReader::new(GzDecoder::new(File::open(data(name)).expect("the measured cases")));
    lines.lines().map(|line| serde_json::from_str(&line.expect("gzip")).expect("a case")).collect()
}

/// A file that comes with the tests.
pub(crate) fn data(name: &str) -> PathBuf {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let data = above.map(|folder| folder.join("tests/data")).find(|data| data.is_dir());
    data.expect("the workspace").join(name)
}

/// Summary, whether the bot won, and score.
pub(crate) type Outcome = (Vec<String>, bool, Score);

/// A step of a bot.
#[derive(Debug, Clone)]
pub(crate) enum BotAction {
    Read(usize),
    Write(Vec<u8>),
    Stderr(Vec<u8>),
    SleepMs(u64),
    Exit(u64),
    Signal(u64),
    CloseStdin,
    CloseStdout,
}

impl BotAction {
    fn from_json(step: &Value) -> Self {
        let number = || step[1].as_u64().expect("a number");
        let bytes = || BASE64_STANDARD.decode(step[1].as_str().expect("text")).expect("base64");
        match step[0].as_str().expect("a name") {
            "read" => Self::Read(usize::try_from(number()).expect("a few lines")),
            "write" => Self::Write(bytes()),
            "stderr" => Self::Stderr(bytes()),
            "sleep_ms" => Self::SleepMs(number()),
            "exit" => Self::Exit(number()),
            "signal" => Self::Signal(number()),
            "close_stdin" => Self::CloseStdin,
            "close_stdout" => Self::CloseStdout,
            name => panic!("unknown step {name}"),
        }
    }

    /// Whether it takes more than the 50 ms of a turn.
    pub(crate) fn is_too_long(&self) -> bool {
        matches!(self, Self::SleepMs(millis) if *millis > 50)
    }
}

/// A measured game of a bot that does more than answer.
#[derive(Deserialize)]
pub(crate) struct StepCase {
    pub(crate) id: String,
    pub(crate) board: Vec<String>,
    steps: Vec<Value>,
    expected: Measured,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Measured {
    Result {
        summary: Vec<String>,
        won: bool,
        score: i64,
    },
    /// The original died.
    Crash {
        crash: bool,
    },
}

impl StepCase {
    pub(crate) fn steps(&self) -> Vec<BotAction> {
        self.steps.iter().map(BotAction::from_json).collect()
    }

    /// The result that is right here: where the original crashes, a reply ends before the character
    /// that does it.
    pub(crate) fn expected(&self) -> Outcome {
        match &self.expected {
            Measured::Result { summary, won, score } => (summary.clone(), *won, (*score).into()),
            Measured::Crash { crash } => {
                assert!(crash, "{}", self.id);
                let cut = self.steps().into_iter().map(|step| match step {
                    BotAction::Write(bytes) => BotAction::Write(without_what_crashes(&bytes)),
                    step => step,
                });
                play_steps(&self.board, &cut.collect::<Vec<_>>())
            }
        }
    }
}

/// A line up to what the original's game does not survive.
fn without_what_crashes(line: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(line);
    let kept = text.split(['\u{85}', '\u{2028}', '\u{2029}']).next().expect("a first piece");
    let words: Vec<&str> = kept.split_whitespace().collect();
    match words[..] {
        [x, y, message] if message.replace("\\n", "").is_empty() => format!("{x} {y}\n"),
        _ => format!("{}\n", kept.trim_end()),
    }
    .into_bytes()
}

pub(crate) fn step_cases() -> Vec<StepCase> {
    let cases = packed_lines("samegame-cases-2.jsonl.gz");
    assert_eq!(cases.len(), 572);
    cases
}

fn game(board: &[String]) -> Game {
    let kind = GameKind::named("samegame").expect("a game");
    let case = (kind.parse)(&board.join("\n")).expect("a board");
    case.opening().expect("its rules are here")
}

/// Plays without a process; a bot whose steps are over exits.
pub(crate) fn play_steps(board: &[String], steps: &[BotAction]) -> Outcome {
    let mut game = game(board);
    let mut steps = steps.iter();
    let mut lines = LineBuffer::default();
    let mut ended = None;
    let mut unread = 0;
    while let Some(ask) = game.next_ask() {
        let rules = ask.lines;
        unread += ask.input.lines().count();
        let no_reply = loop {
            match lines.progress(&rules) {
                Progress::Complete(_) => break None,
                Progress::TooLong => break Some(NoReply::LineTooLong),
                Progress::Incomplete if ended.is_some() => break ended,
                Progress::Incomplete => {}
            }
            match steps.next() {
                Some(BotAction::Write(bytes)) => lines.push(bytes),
                Some(BotAction::Read(lines)) => match unread.checked_sub(*lines) {
                    Some(rest) => unread = rest,
                    None => break Some(NoReply::Deadline),
                },
                Some(step) if step.is_too_long() => break Some(NoReply::Deadline),
                Some(BotAction::CloseStdout) => ended = Some(NoReply::StdoutClosed),
                Some(BotAction::Exit(_) | BotAction::Signal(_)) | None => {
                    ended = Some(NoReply::Ended(BotExit::Unknown));
                }
                Some(BotAction::Stderr(_) | BotAction::SleepMs(_) | BotAction::CloseStdin) => {}
            }
        };
        let reply = lines.take(rules.count);
        game.answer(Answer::new(&reply, no_reply)).expect("its rules are here");
    }
    let won = game.official().starts_with("Endgame.");
    (game.summary().to_vec(), won, game.score(0).expect("it counts points"))
}

/// The runs of Square Remover that were measured on the original tester.
pub(crate) mod squares {
    use std::sync::Arc;

    use rules::game::{GameKind, SeedOptions};
    use serde::Deserialize;

    #[derive(Deserialize)]
    pub(crate) struct Run {
        pub(crate) seed: i64,
        pub(crate) mode: String,
        pub(crate) input: String,
        pub(crate) tester_output: String,
    }

    pub(crate) fn runs() -> Vec<Run> {
        let file = super::data("square-remover-cases.jsonl");
        let text = std::fs::read_to_string(file).expect("the measured runs");
        let runs: Result<Vec<Run>, _> = text.lines().map(serde_json::from_str).collect();
        let runs = runs.expect("runs");
        assert_eq!(runs.len(), 52);
        runs
    }

    pub(crate) fn kind() -> Arc<GameKind> {
        GameKind::named("square-remover").expect("a game")
    }

    pub(crate) fn case(seed: i64) -> String {
        kind().test_case(seed, SeedOptions::default()).expect("a case")
    }
}
