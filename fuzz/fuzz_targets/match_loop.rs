//! A scripted bot, whose output comes in pieces, gets a verdict in bounded steps.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::game::{Answer, GAMES};
use terms::lines::{LineBuffer, Progress};
use terms::verdict::{BotExit, NoReply, Verdict};

/// More exchanges than any game has.
const BOUND: usize = 200;

fuzz_target!(|script: (u8, Vec<&[u8]>)| {
    let (choice, pieces) = script;
    let kind = &GAMES[usize::from(choice) % GAMES.len()];
    let case = (kind.parse)(&kind.bundled[0].1).expect("a bundled board");
    let mut game = case.opening().expect("its rules are here");
    let mut pieces = pieces.into_iter();
    let mut lines = LineBuffer::default();
    let mut verdict = Verdict::Completed;
    let mut exchanges = 0;
    while let Some(ask) = game.next_ask() {
        assert_eq!(verdict, Verdict::Completed, "a game that is lost asks for no more");
        exchanges += 1;
        assert!(exchanges < BOUND);
        let rules = ask.lines;
        let (count, no_reply) = loop {
            match lines.progress(&rules) {
                Progress::Complete(count) => break (count, None),
                Progress::TooLong => break (rules.count, Some(NoReply::LineTooLong)),
                Progress::Incomplete => match pieces.next() {
                    Some(piece) => lines.push(piece),
                    None => break (rules.count, Some(NoReply::Ended(BotExit::Code(0)))),
                },
            }
        };
        let effect = game.answer(Answer::new(&lines.take(count), no_reply));
        verdict = effect.expect("its rules are here").verdict;
    }
    assert!(!game.official().is_empty(), "every game ends with a word");
});
