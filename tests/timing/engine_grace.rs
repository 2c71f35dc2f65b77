//! Late replies under engine 4.7 and later: the engine forgives two, and of the third one the game says what it likes.

use judges::codingame::Codingame;
use judges::{JudgeCommand, JudgeLimits};
use referee::game::judge::Case;
use referee::game::{Answer, Next, Placement};
use referee::lines::Lines;
use referee::verdict::Verdict;
use support::prelude::*;

/// Plays with a bot that takes these times, in microseconds: the verdict, the words of the game, and the remark.
fn play(engine: &str, replies: &[(u64, &str)]) -> (Verdict, String, Option<String>) {
    let double = double().into_os_string().into_string().expect("UTF-8");
    let limits = JudgeLimits {
        start: Duration::from_mins(1),
        step: Duration::from_mins(1),
        ..JudgeLimits::default()
    };
    let command = JudgeCommand {
        words: vec![double, "engine-grace".to_owned()],
        folder: env!("CARGO_MANIFEST_DIR").into(),
        env: [].into(),
        limits,
    };
    let game = Codingame { command, engine: engine.parse().ok(), ..Codingame::default() };
    let mut judge = game.start(&Case::Seed(1.into()), &Placement::default()).expect("starts");
    let mut replies = replies.iter();
    let mut step = judge.begin().expect("a good judge");
    while let Next::Ask(_) = step.next {
        let (elapsed, reply) = replies.next().expect("it is over by now");
        let lines = Lines::split(format!("{reply}\n").as_bytes());
        let answer = Answer::new(&lines, None).after(Duration::from_micros(*elapsed));
        step = judge.answer(0, answer).expect("a good judge");
    }
    match step.next {
        Next::End(end) => (step.ruling.verdict, end.official, step.ruling.remark),
        Next::Ask(_) => unreachable!("it was answered"),
    }
}

#[test]
fn a_third_late_reply_is_a_timeout_in_the_words_of_the_game() {
    let [quick, late] = [(50_999, "ok"), (51_000, "ok")];
    for (engine, replies, verdict, official) in [
        ("4.7.7", [late, late, quick, late], Verdict::Timeout, "You dawdle."),
        ("4.7.2", [late, late, late, quick], Verdict::Timeout, "You dawdle."),
        ("4.7.7", [late, quick, late, quick], Verdict::Completed, "Done."),
        ("4.7.7", [late, late, quick, (9, "bad")], Verdict::Lost, "What a move."),
        ("4.7.7", [late, late, (9, "bad"), quick], Verdict::Lost, "What a move."),
        ("unknown", [late, late, late, quick], Verdict::Lost, "You dawdle."),
    ] {
        let (found, words, remark) = play(engine, &replies);
        assert_eq!((found, words.as_str()), (verdict, official), "{engine} {replies:?}");
        let turns = if replies[2] == quick { [1, 2, 4] } else { [1, 2, 3] };
        let late = turns.map(|turn| format!("turn {turn} took 51 ms of 50 ms")).join(", ");
        let rule = "the engine allows 50 ms more, but from the third such reply on it is a timeout";
        match verdict {
            Verdict::Timeout => assert_eq!(remark, Some(format!("{late}: {rule}"))),
            Verdict::Lost => assert_eq!(remark, Some(format!("the judge says `{official}`"))),
            _ => assert_eq!(remark, None),
        }
    }
}
