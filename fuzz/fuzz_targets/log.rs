//! Any log can be read and refereed again, or is refused; what is read is what is written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use referee::gamelog::{self, Event};
use referee::replay::replay;

fuzz_target!(|bytes: &[u8]| {
    let Ok(log) = gamelog::read(bytes) else { return };
    let _ = replay(&log);
    let mut written = serde_json::to_vec(&Event::Start(log.start.clone())).expect("JSON");
    for turn in &log.turns {
        written.push(b'\n');
        serde_json::to_writer(&mut written, &Event::Turn(turn.clone())).expect("JSON");
    }
    written.push(b'\n');
    let again = gamelog::read(&written).expect("a log of our own");
    assert_eq!((again.start, again.turns), (log.start, log.turns));
});
