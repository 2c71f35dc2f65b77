//! Which process has written a reply, which the system does not tell.
#![expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as on Linux")]

use super::pipes::Captured;
use super::process::{BotProcess, ExchangeError};
use crate::decide::sample::Sample;
use terms::verdict::NoReply;

impl BotProcess {
    /// Why the reply that was just taken does not count: nothing tells that it does not.
    pub(crate) fn outlived(
        &mut self,
        _after: &Sample,
        _stderr: &mut Captured,
    ) -> Result<Option<NoReply>, ExchangeError> {
        Ok(None)
    }

    /// Whether the first process has certainly written all output.
    pub(crate) fn is_by_first(&self) -> bool {
        false
    }
}
