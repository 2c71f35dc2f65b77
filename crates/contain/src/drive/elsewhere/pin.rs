//! Cores of a bot's own, which only Linux gives.

use std::io;

use crate::confine::pinning::Pinning;

/// A thread on the cores of a bot.
#[derive(Debug)]
pub(crate) enum BesideBot {}

impl BesideBot {
    /// Moves this thread to the bot's cores.
    pub(crate) fn join(_pinning: &Pinning) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
