//! Late replies under engine 4.7 and later: the engine forgives two, and of the third one the game says what it likes.

use std::time::Duration;

use judges::codingame::Codingame;
use judges::{JudgeCommand, JudgeLimits};
use rules::game::judge::{Answer, Case, Ending, JudgeEnd, Judges as _, Place, Step};
use terms::lines::Lines;

/// A game of four turns that counts as the engine does: limits of 50 ms, and 50 ms of grace on the wire.
const JUDGE: &str = r#"
import sys
def block(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)
def hear(command):
    line = ""
    while command not in line:
        line = sys.stdin.readline()
    return [sys.stdin.readline().strip() for _ in range(int(line.rstrip("]\n").split(" ")[1]))]
def end(won, words):
    block("INFOS", words)
    block("METADATA", '{"Points":"7"}')
    block("SCORES", f"0 {won}")
    sys.exit()
late = 0
for turn in range(4):
    hear("GET_GAME_INFO")
    block("MONITORING")
    block("NEXT_PLAYER_INPUT", "go")
    block("NEXT_PLAYER_INFO", "0", "1", "100")
    elapsed, reply = hear("SET_PLAYER_OUTPUT")
    late += int(elapsed) > 50
    if late > 2:
        end(0, "You dawdle.")
    if reply == "bad":
        end(0, "What a move.")
end(1, "Done.")
"#;

/// Plays with a bot that takes these times, in microseconds.
fn play(engine: &str, replies: &[(u64, &str)]) -> JudgeEnd {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = JudgeLimits {
        start: Duration::from_mins(1),
        step: Duration::from_mins(1),
        ..JudgeLimits::default()
    };
    let command = JudgeCommand {
        words: ["python3", "-c", JUDGE].map(str::to_owned).to_vec(),
        folder: folder.path().to_owned(),
        env: [].into(),
        limits,
    };
    let game = Codingame { command, criteria: None, league: None, engine: engine.parse().ok() };
    let mut judge = game.start(&Case::Seed(1), &Place::default()).expect("starts");
    let mut replies = replies.iter();
    loop {
        match judge.next().expect("a good judge") {
            Step::Ask(_) => {
                let (elapsed, reply) = replies.next().expect("it is over by now");
                let lines = Lines::split(format!("{reply}\n").as_bytes());
                let elapsed = Duration::from_micros(*elapsed);
                judge.answer(Answer::Reply { lines: &lines, elapsed }).expect("it listens");
            }
            Step::End(end) => return end,
        }
    }
}

#[test]
fn a_third_late_reply_is_a_timeout_in_the_words_of_the_game() {
    let [quick, late] = [(50_999, "ok"), (51_000, "ok")];
    for (engine, replies, how, official) in [
        ("4.7.7", [late, late, quick, late], Ending::Timeout, "You dawdle."),
        ("4.7.2", [late, late, late, quick], Ending::Timeout, "You dawdle."),
        ("4.7.7", [late, quick, late, quick], Ending::Completed, "Done."),
        ("4.7.7", [late, late, quick, (9, "bad")], Ending::Lost, "What a move."),
        ("4.7.7", [late, late, (9, "bad"), quick], Ending::Lost, "What a move."),
        ("unknown", [late, late, late, quick], Ending::Lost, "You dawdle."),
    ] {
        let end = play(engine, &replies);
        assert_eq!((end.how, end.official.as_str()), (how, official), "{engine} {replies:?}");
    }
}
