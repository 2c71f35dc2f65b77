//! Whatever a bot replies, the rules come to a result, the score follows from the gains, and a replay
//! shows the boards of the rules.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::game::GAMES;
use terms::lines::Lines;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let kind = &GAMES[usize::from(choice) % GAMES.len()];
    let boards = &kind.bundled;
    let board = &boards[usize::from(choice) / GAMES.len() % boards.len()].1;
    let mut game = (kind.parse)(board).expect("a bundled board");
    let mut replies = bytes.split(|&byte| byte == 0);
    let mut sum = game.score().expect("it counts points");
    while game.next_exchange().is_some() {
        let Some(reply) = replies.next() else { break };
        let reply = Lines::split(&[reply, b"\n"].concat());
        let mut shown = game.picture();
        game.frames(&reply).iter().for_each(|frame| shown.apply(frame));
        match game.accept(&reply) {
            Ok(played) => sum = sum + played.gain.expect("points"),
            Err(_) => break,
        }
        assert_eq!(game.score(), Some(sum));
        assert_eq!(game.picture(), shown);
    }
});
