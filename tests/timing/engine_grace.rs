//! Late replies under engine 4.7 and later: the engine forgives two, and of the third one the game says what it likes.

use judges::codingame::Codingame;
use judges::{JudgeCommand, JudgeLimits};
use referee::game::judge::{Answer, Case, Ending, JudgeEnd, Judges as _, Place, Step};
use referee::lines::Lines;
use support::prelude::*;

/// Plays with a bot that takes these times, in microseconds.
fn play(engine: &str, replies: &[(u64, &str)]) -> JudgeEnd {
    let double = double().into_os_string().into_string().expect("UTF-8");
    let limits = JudgeLimits {
        start: Duration::from_mins(1),
        step: Duration::from_mins(1),
        ..JudgeLimits::default()
    };
    let command = JudgeCommand {
        words: vec![double, "late".to_owned()],
        folder: env!("CARGO_MANIFEST_DIR").into(),
        env: [].into(),
        limits,
    };
    let game = Codingame {
        command,
        criteria: None,
        league: None,
        engine: engine.parse().ok(),
        project: None,
    };
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
