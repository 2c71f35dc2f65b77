//! Games that were measured on the original referee, through the program. The tests of the crate of the rules apply these to
//! all of them.

use proptest::prelude::*;
use referee::game::{Answer, GAMES, Game};
use referee::lines::{LineBuffer, Progress};
use referee::score::Score;
use referee::verdict::{BotExit, NoReply};

use crate::measured::{BotAction, Outcome, cases, step_cases};
use support::prelude::*;

impl BotAction {
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
}

/// A measured game as a process plays it, whose first turn may take a minute.
struct MeasuredGame {
    id: String,
    board: String,
    /// What the bundled bot `script` does.
    script: Value,
    /// The limit of each later turn, which only a bot that never answers passes.
    turn: Duration,
    expected: Outcome,
}

/// All 1,199 games.
fn played() -> Vec<MeasuredGame> {
    let minute = Duration::from_mins(1);
    let answers = cases().into_iter().map(|case| {
        let (script, expected) = (json!(case.outputs), case.expected());
        MeasuredGame { id: case.id, board: case.board.join("\n"), script, turn: minute, expected }
    });
    let steps = step_cases().into_iter().map(|case| {
        let script = json!(case.steps().iter().map(BotAction::to_script).collect::<Vec<_>>());
        let expected = case.expected();
        let is_late = expected.0.iter().any(|line| line.contains("Timeout!"));
        let turn = if is_late { Duration::from_secs(5) } else { minute };
        MeasuredGame { id: case.id, board: case.board.join("\n"), script, turn, expected }
    });
    answers.chain(steps).collect()
}

impl MeasuredGame {
    fn write_script(&self, folder: &Path) -> PathBuf {
        let file = folder.join(format!("{}.json", self.id));
        fs::write(&file, self.script.to_string()).expect("written");
        file
    }

    /// Plays through the program.
    fn check(&self, folder: &Path) {
        let (file, id) = (self.write_script(folder), &self.id);
        let board = folder.join(format!("{id}.txt"));
        fs::write(&board, &self.board).expect("written");
        let output = referee()
            .play(["--format", "json", "--bot"])
            .arg(bot_line(&["@script".as_ref(), file.as_os_str()]))
            .args(["--board".as_ref(), board.as_os_str()])
            .args(["--first-turn", "60s", "--turn", &format!("{}s", self.turn.as_secs())])
            .run();
        let (lines, won, score) = &self.expected;
        let result = output.json();
        assert_eq!(summary(&result), *lines, "{id}");
        assert_eq!((&result["won"], &result["score"]), (&json!(won), &json!(score)), "{id}");
        assert_eq!(result["metadata"]["Score"], score.to_string(), "{id}");
        assert_eq!(output.status.code(), Some(i32::from(!won)), "{id}");
    }
}

/// Plays every `step`th of the games.
fn games_agree_with_the_original(step: usize) {
    let folder = tempdir().expect("a folder");
    let games: Vec<MeasuredGame> = played().into_iter().step_by(step).collect();
    for_each_in_parallel(&games, |game| game.check(folder.path()));
}

#[test]
fn the_program_agrees_with_the_original_in_150_games() {
    games_agree_with_the_original(8);
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
fn judge<'c>(mut game: Game, mut chunks: impl Iterator<Item = &'c [u8]>) -> (String, Score) {
    let mut lines = LineBuffer::default();
    while let Some(ask) = game.next_ask() {
        let rules = ask.lines;
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
        let reply = lines.take(count);
        game.answer(Answer::new(&reply, no_reply)).expect("its rules are here");
    }
    (game.summary().join("\n"), game.score(0).expect("it counts points"))
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
            let case = (kind.parse)(&kind.bundled[0].1).expect("a test case");
            let game = || case.opening().expect("its rules are here");
            let whole = judge(game(), [output.as_slice()].into_iter());
            let cut = judge(game(), cuts.windows(2).map(|pair| &output[pair[0]..pair[1]]));
            prop_assert_eq!(&whole, &cut);
            let bytes = judge(game(), output.chunks(1));
            prop_assert_eq!(&whole, &bytes);
        }
    }
}

/// All games that were measured on the original; the first set plays one in eight.
mod heavy {
    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn the_program_agrees_with_the_original_in_all_1199_games() {
        super::games_agree_with_the_original(1);
    }
}
