//! Any log, of this referee or from elsewhere, can be read, refereed again and shown, or is refused;
//! what is read is what is written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use report::view::film::Film;
use report::view::page;
use results::gamelog::{self, Event, foreign};
use results::replay::{self, replay};
use rules::game::GAMES;

fuzz_target!(|bytes: &[u8]| {
    if let Some(game) = foreign::read(bytes) {
        let kind = &GAMES[0];
        let board = (kind.parse)(&kind.bundled[0].1).expect("a bundled board");
        let refereed =
            replay::foreign::referee(&game, kind, &board, "fuzz").expect("its rules are here");
        replay(&refereed.log).expect("a log of our own");
    }
    let Ok(log) = gamelog::read(bytes) else { return };
    let _ = replay(&log);
    let _ = Film::of_log(log.clone()).map(|film| page::page(&film));
    let mut written = serde_json::to_vec(&Event::Start(log.start.clone())).expect("JSON");
    for turn in &log.turns {
        written.push(b'\n');
        serde_json::to_writer(&mut written, &Event::Turn(turn.clone())).expect("JSON");
    }
    written.push(b'\n');
    let again = gamelog::read(&written).expect("a log of our own");
    assert_eq!((again.start, again.turns), (log.start, log.turns));
});
