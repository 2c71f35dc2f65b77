//! Whose fault a late reply is.

use std::time::Duration;

use crate::decide::clock::Phase;
use terms::certificate::Parts;
use terms::verdict::{Culprit, NoReply};

/// What is known of a late exchange.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Late<'a> {
    pub(crate) no_reply: Option<NoReply>,
    pub(crate) phase: Phase,
    pub(crate) awaits_input: bool,
    pub(crate) wall: Duration,
    /// Where the time went, if it was measured.
    pub(crate) parts: Option<&'a Parts>,
}

impl Late<'_> {
    /// The host is to blame if the reply would have come within `limit` without delays that the program did not cause.
    /// Unexplained time does not excuse the program.
    pub(crate) fn culprit(self, limit: Duration) -> Culprit {
        let excused = self.parts.map(Parts::excused).unwrap_or_default();
        let was_kept = match self.no_reply {
            None => true,
            Some(_) => self.phase == Phase::Starved && !self.awaits_input,
        };
        if was_kept && self.wall.saturating_sub(excused) <= limit {
            Culprit::Host
        } else {
            Culprit::Bot
        }
    }
}
