//! The other end of a bot's pipes, where that is a program: none is here, since testers need Linux.
#![expect(clippy::unused_self, reason = "as on Linux")]

use super::process::BotProcess;

impl BotProcess {
    /// The size of a pipe cannot be set here.
    pub(crate) fn narrow_pipes(&mut self) {}
}
