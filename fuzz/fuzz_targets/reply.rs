//! Whatever a bot replies, the rules come to a result, and the score follows from the gains.
#![no_main]

use libfuzzer_sys::fuzz_target;
use referee::game::GAMES;
use referee::lines::Lines;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let kind = &GAMES[usize::from(choice) % GAMES.len()];
    let boards = kind.bundled;
    let board = boards[usize::from(choice) / GAMES.len() % boards.len()].1;
    let mut game = (kind.parse)(board).expect("a bundled board");
    let mut replies = bytes.split(|&byte| byte == 0);
    let mut sum = game.score();
    while game.next_exchange().is_some() {
        let Some(reply) = replies.next() else { break };
        match game.accept(&Lines::split(&[reply, b"\n"].concat())) {
            Ok(played) => sum += played.gain,
            Err(_) => break,
        }
        assert_eq!(game.score(), sum);
    }
});
