//! A settings file that is taken comes to settings.
#![no_main]

use engine::config::{Config, Layer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(file) = text.parse::<Layer>() {
        assert!(Config::resolve([file]).is_ok());
    }
});
