//! Every game that was measured on the original referee, twice: the rules alone, and a match with a process; some of
//! them through the program.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use proptest::prelude::*;
use referee::bot::{BotCommand, Host};
use referee::config::Config;
use referee::game::{GAMES, Game, GameKind};
use referee::gamelog::End;
use referee::limits::{LimitKind, Limits, MatchRules};
use referee::lines::{LineBuffer, Progress};
use referee::play::Match;
use referee::ruling::rule;
use referee::score::Score;
use referee::verdict::{BotExit, NoReply};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{
    self, Case, bot_line, for_each_in_parallel, json, packed_lines, referee, summary,
};

/// Summary, whether the bot won, and score.
type Outcome = (Vec<String>, bool, Score);

/// A step of a bot.
#[derive(Debug, Clone)]
enum Step {
    Read(usize),
    Write(Vec<u8>),
    Stderr(Vec<u8>),
    SleepMs(u64),
    Exit(u64),
    Signal(u64),
    CloseStdin,
    CloseStdout,
}

impl Step {
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

    /// The step in the form of the bundled bot `script`.
    fn to_script(&self) -> Value {
        match self {
            Self::Read(lines) => json!(["read", lines]),
            Self::Write(bytes) => json!(["write", bytes]),
            Self::Stderr(bytes) => json!(["stderr", bytes]),
            // A wait beyond the measured limit is beyond any limit.
            Self::SleepMs(millis) if self.is_too_long() => json!(["sleep_ms", 1000 * millis]),
            Self::SleepMs(millis) => json!(["sleep_ms", millis]),
            Self::Exit(status) => json!(["exit", status]),
            Self::Signal(number) => json!(["signal", number]),
            Self::CloseStdin => json!(["close_stdin", 0]),
            Self::CloseStdout => json!(["close_stdout", 0]),
        }
    }

    /// Whether it takes more than the 50 ms of a turn.
    fn is_too_long(&self) -> bool {
        matches!(self, Self::SleepMs(millis) if *millis > 50)
    }
}

/// A measured game of a bot that does more than answer.
#[derive(Deserialize)]
struct StepCase {
    id: String,
    board: Vec<String>,
    steps: Vec<Value>,
    expected: Measured,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Measured {
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
    fn steps(&self) -> Vec<Step> {
        self.steps.iter().map(Step::from_json).collect()
    }

    /// The result that is right here: where the original crashes, a reply ends before the character
    /// that does it.
    fn expected(&self) -> Outcome {
        match &self.expected {
            Measured::Result { summary, won, score } => (summary.clone(), *won, (*score).into()),
            Measured::Crash { crash } => {
                assert!(crash, "{}", self.id);
                let cut = self.steps().into_iter().map(|step| match step {
                    Step::Write(bytes) => Step::Write(without_what_crashes(&bytes)),
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

fn step_cases() -> Vec<StepCase> {
    let cases = packed_lines("samegame-cases-2.jsonl.gz");
    assert_eq!(cases.len(), 572);
    cases
}

fn game(board: &[String]) -> Box<dyn Game> {
    let kind = GameKind::named("samegame").expect("a game");
    (kind.parse)(&board.join("\n")).expect("a board")
}

/// Plays without a process; a bot whose steps are over exits.
fn play_steps(board: &[String], steps: &[Step]) -> Outcome {
    let mut game = game(board);
    let mut steps = steps.iter();
    let mut lines = LineBuffer::default();
    let mut ended = None;
    let mut unread = 0;
    while let Some(exchange) = game.next_exchange() {
        let rules = exchange.lines;
        unread += game.input().lines().count();
        let no_reply = loop {
            match lines.progress(&rules) {
                Progress::Complete(_) => break None,
                Progress::TooLong => break Some(NoReply::LineTooLong),
                Progress::Incomplete if ended.is_some() => break ended,
                Progress::Incomplete => {}
            }
            match steps.next() {
                Some(Step::Write(bytes)) => lines.push(bytes),
                Some(Step::Read(lines)) => match unread.checked_sub(*lines) {
                    Some(rest) => unread = rest,
                    None => break Some(NoReply::Deadline),
                },
                Some(step) if step.is_too_long() => break Some(NoReply::Deadline),
                Some(Step::CloseStdout) => ended = Some(NoReply::StdoutClosed),
                Some(Step::Exit(_) | Step::Signal(_)) | None => {
                    ended = Some(NoReply::Ended(BotExit::Unknown));
                }
                Some(Step::Stderr(_) | Step::SleepMs(_) | Step::CloseStdin) => {}
            }
        };
        rule(game.as_mut(), &lines.take(rules.count), no_reply);
    }
    let won = game.official_result().starts_with("Endgame.");
    (game.summary().to_vec(), won, game.score().expect("it counts points"))
}

/// Writes its outputs turn by turn and then exits.
fn answers(case: &Case) -> Vec<Step> {
    let bytes = |output: &String| Step::Write(output.clone().into_bytes());
    case.outputs.iter().map(bytes).collect()
}

#[test]
fn the_rules_agree_with_the_original_in_all_627_games() {
    for case in support::cases() {
        assert_eq!(play_steps(&case.board, &answers(&case)), case.expected(), "{}", case.id);
    }
}

#[test]
fn the_rules_agree_with_the_original_in_the_572_games_of_bots_that_do_more_than_answer() {
    for case in step_cases() {
        assert_eq!(play_steps(&case.board, &case.steps()), case.expected(), "{}", case.id);
    }
}

/// Plays a match in this very process, with a bundled bot and a limit for its later turns.
pub(crate) fn matched(kind: &GameKind, board: &str, bot: &[&OsStr], turn: Duration) -> End {
    // One launcher for all matches.
    static HOST: LazyLock<Host> = LazyLock::new(Host::hold);
    LazyLock::force(&HOST);
    let config = Config::resolve([]).expect("the defaults");
    let confinement = config.confinement(None).expect("some method");
    let limits = Limits::from_kinds(|kind| match kind {
        LimitKind::Turn => Some(turn),
        LimitKind::FirstTurn | LimitKind::Total => Some(Duration::from_mins(1)),
    });
    let words = [&["bot".as_ref()][..], bot].concat();
    let command = BotCommand::new(env!("CARGO_BIN_EXE_referee"), words, confinement);
    let rules = MatchRules { limits, ..config.rules };
    Match::new(kind, board, &command).rules(rules).play(drop).expect("it is refereed")
}

/// A measured game as a process plays it, whose first turn may take a minute.
struct Played {
    id: String,
    board: String,
    /// What the bundled bot `script` does.
    script: Value,
    /// The limit of each later turn: so long that only a bot that never answers passes it.
    turn: Duration,
    expected: Outcome,
}

/// All 1,199 games.
fn played() -> Vec<Played> {
    let minute = Duration::from_mins(1);
    let answers = support::cases().into_iter().map(|case| {
        let (script, expected) = (json!(case.outputs), case.expected());
        Played { id: case.id, board: case.board.join("\n"), script, turn: minute, expected }
    });
    let steps = step_cases().into_iter().map(|case| {
        let script = json!(case.steps().iter().map(Step::to_script).collect::<Vec<_>>());
        let expected = case.expected();
        let is_late = expected.0.iter().any(|line| line.contains("Timeout!"));
        let turn = if is_late { Duration::from_secs(5) } else { minute };
        Played { id: case.id, board: case.board.join("\n"), script, turn, expected }
    });
    answers.chain(steps).collect()
}

impl Played {
    fn write_script(&self, folder: &Path) -> PathBuf {
        let file = folder.join(format!("{}.json", self.id));
        fs::write(&file, self.script.to_string()).expect("written");
        file
    }

    /// Plays in this very process, with a bot that follows the script.
    fn check_match(&self, folder: &Path) {
        let file = self.write_script(folder);
        let words = ["script".as_ref(), file.as_os_str()];
        let kind = GameKind::named("samegame").expect("a game");
        let end = matched(&kind, &self.board, &words, self.turn);
        assert_eq!(
            end.metadata["Score"],
            end.score.map(|score| score.to_string()).expect("points"),
            "{}",
            self.id
        );
        assert_eq!(
            (end.summary, end.won, end.score.expect("points")),
            self.expected,
            "{}",
            self.id
        );
    }

    /// Plays through the program.
    fn check_program(&self, folder: &Path) {
        let (file, id) = (self.write_script(folder), &self.id);
        let board = folder.join(format!("{id}.txt"));
        fs::write(&board, &self.board).expect("written");
        let output = referee()
            .args(["play", "--format", "json", "--bot"])
            .arg(bot_line(&["@script".as_ref(), file.as_os_str()]))
            .args(["--board".as_ref(), board.as_os_str()])
            .args(["--first-turn", "60s", "--turn", &format!("{}s", self.turn.as_secs())])
            .output()
            .expect("runs");
        let (lines, won, score) = &self.expected;
        let result = json(&output);
        assert_eq!(summary(&result), *lines, "{id}");
        assert_eq!((&result["won"], &result["score"]), (&json!(won), &json!(score)), "{id}");
        assert_eq!(result["metadata"]["Score"], score.to_string(), "{id}");
        assert_eq!(output.status.code(), Some(i32::from(!won)), "{id}");
    }
}

/// Plays every `step`th of the games, in this very process.
pub(crate) fn matches_agree_with_the_original(step: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let games: Vec<Played> = played().into_iter().step_by(step).collect();
    for_each_in_parallel(&games, |game| game.check_match(folder.path()));
}

/// The tests above apply the rules to all games; processes play the others in `heavy`.
#[test]
fn matches_agree_with_the_original_in_200_games() {
    matches_agree_with_the_original(6);
}

/// What the program adds to a match does not depend on the game, so that one in forty will do.
#[test]
fn the_program_agrees_with_the_original_in_30_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let games: Vec<Played> = played().into_iter().step_by(40).collect();
    assert_eq!(games.len(), 30);
    for_each_in_parallel(&games, |game| game.check_program(folder.path()));
}

/// Output with everything that splits or spoils lines, in either game.
fn outputs() -> impl Strategy<Value = Vec<u8>> {
    let long = |byte: u8, lengths: std::ops::Range<usize>| {
        lengths.prop_map(move |length| vec![byte; length])
    };
    let piece = prop_oneof![
        4 => proptest::sample::select(vec![
            "0\n", "0 1\n", "\r", "\n", "\r\n", "7", "x", " ", "0 0 \u{2028}y", "\u{85}", "\u{2029}\n",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
        1 => proptest::sample::select(vec![&b"\xff"[..], b"\xe2\x80", b"\xa8\n", b"\xc2", b"\x85"])
            .prop_map(<[u8]>::to_vec),
        1 => long(b'0', 1..70),
        1 => long(b' ', 9_990..10_003),
        1 => long(b'x', 2_000..2_001),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// What the game says of an output that arrives in these chunks, after which the bot exits.
fn judge<'c>(
    mut game: Box<dyn Game>,
    mut chunks: impl Iterator<Item = &'c [u8]>,
) -> (String, Score) {
    let mut lines = LineBuffer::default();
    while let Some(exchange) = game.next_exchange() {
        let rules = exchange.lines;
        let (count, no_reply) = loop {
            match lines.progress(&rules) {
                Progress::Complete(count) => break (count, None),
                Progress::TooLong => break (rules.count, Some(NoReply::LineTooLong)),
                Progress::Incomplete => {}
            }
            match chunks.next() {
                Some(chunk) => lines.push(chunk),
                None if rules.eof_ends_line && !lines.held().partial().is_empty() => {
                    lines.end_partial();
                }
                None => break (rules.count, Some(NoReply::Ended(BotExit::Unknown))),
            }
        };
        rule(game.as_mut(), &lines.take(count), no_reply);
    }
    (game.summary().join("\n"), game.score().expect("it counts points"))
}

proptest! {
    #[test]
    fn a_verdict_does_not_depend_on_how_the_output_arrives(
        output in outputs(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(output.len() + 1)).collect();
        cuts.extend([0, output.len()]);
        cuts.sort_unstable();
        for kind in GAMES.iter() {
            let game = || (kind.parse)(&kind.bundled[0].1).expect("a test case");
            let whole = judge(game(), [output.as_slice()].into_iter());
            let cut = judge(game(), cuts.windows(2).map(|pair| &output[pair[0]..pair[1]]));
            prop_assert_eq!(&whole, &cut);
            let bytes = judge(game(), output.chunks(1));
            prop_assert_eq!(&whole, &bytes);
        }
    }
}
