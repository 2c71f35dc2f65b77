//! A test case that is taken is one that can be written down and taken again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::game::GAMES;

fuzz_target!(|text: &str| {
    for kind in GAMES.iter() {
        if let Ok(case) = (kind.parse)(text) {
            let again = (kind.parse)(&case.text).expect("a game's own test case");
            assert_eq!(again.text, case.text);
        }
    }
});
