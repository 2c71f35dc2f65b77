//! The referee's own thread, of whose waits for a core the system does not tell.
#![expect(clippy::unused_self, reason = "as on Linux")]

use std::time::Duration;

/// The counters of the thread that referees.
#[derive(Debug, Clone, Default)]
pub(crate) struct RefereeThread {}

impl RefereeThread {
    /// The counters of the calling thread.
    pub(crate) fn current(&mut self) -> Self {
        Self {}
    }

    /// The time for which this thread has waited for a core: unknown.
    pub(crate) fn wait(&self) -> Option<Duration> {
        None
    }

    /// As [`wait`](Self::wait), but at most: unknown too.
    pub(crate) fn longest_wait(&self) -> Option<Duration> {
        None
    }
}
