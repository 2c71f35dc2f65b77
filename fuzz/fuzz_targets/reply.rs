//! Whatever a bot replies, the rules come to a result, and a replay shows the boards and the scores of the rules.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::game::{Answer, GAMES};
use terms::lines::Lines;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let kind = &GAMES[usize::from(choice) % GAMES.len()];
    let boards = &kind.bundled;
    let board = &boards[usize::from(choice) / GAMES.len() % boards.len()].1;
    let case = (kind.parse)(board).expect("a bundled board");
    let mut game = case.opening().expect("its rules are here");
    let mut replies = bytes.split(|&byte| byte == 0);
    let mut sum = game.score(0).expect("it counts points");
    while game.next_ask().is_some() {
        let Some(reply) = replies.next() else { break };
        let reply = Lines::split(&[reply, b"\n"].concat());
        let view = game.view().expect("it has a picture");
        let mut shown = view.picture();
        for frame in view.frames(&reply) {
            shown.apply(&frame);
            sum = sum + frame.gain;
        }
        let effect = game.answer(Answer::new(&reply, None)).expect("its rules are here");
        if effect.wrong_line.is_some() {
            break;
        }
        assert_eq!(game.score(0), Some(sum));
        assert_eq!(game.view().expect("it has a picture").picture(), shown);
    }
});
