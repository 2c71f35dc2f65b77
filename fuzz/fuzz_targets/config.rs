//! A settings file that is taken comes to settings.
#![no_main]

use libfuzzer_sys::fuzz_target;
use referee::config::{Config, ConfigFile, Overrides};

fuzz_target!(|text: &str| {
    if let Ok(file) = text.parse::<ConfigFile>() {
        assert!(Config::resolve(&file, &Overrides::default()).is_ok());
    }
});
