//! Faults that reach beyond the bot's own process, of which there are none where they are not Linux's.

use std::io;
use std::thread;
use std::time::Duration;

use clap::Subcommand;

#[derive(Subcommand, Clone)]
pub(crate) enum Hostile {
    /// Computes for ever
    Spin,
}

impl Hostile {
    pub(crate) fn act(&self) -> io::Result<()> {
        match self {
            Self::Spin => loop {
                std::hint::spin_loop();
            },
        }
    }
}

pub(crate) fn hang() -> ! {
    loop {
        thread::sleep(Duration::from_hours(1));
    }
}
