//! A scripted bot, whose output comes in pieces, gets a verdict in bounded steps.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::game::GAMES;
use rules::ruling::rule;
use terms::lines::{LineBuffer, Progress};
use terms::verdict::{BotExit, NoReply, Verdict};

/// More exchanges than any game has.
const BOUND: usize = 200;

fuzz_target!(|script: (u8, Vec<&[u8]>)| {
    let (choice, pieces) = script;
    let kind = &GAMES[usize::from(choice) % GAMES.len()];
    let mut game = (kind.parse)(&kind.bundled[0].1).expect("a bundled board");
    let mut pieces = pieces.into_iter();
    let mut lines = LineBuffer::default();
    let mut verdict = Verdict::Completed;
    let mut exchanges = 0;
    while let Some(exchange) = game.next_exchange() {
        assert_eq!(verdict, Verdict::Completed, "a game that is lost asks for no more");
        exchanges += 1;
        assert!(exchanges < BOUND);
        let rules = exchange.lines;
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
        verdict = rule(game.as_mut(), &lines.take(count), no_reply).verdict;
    }
    assert!(!game.official_result().is_empty(), "every game ends with a word");
});
