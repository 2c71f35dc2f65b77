//! The referee's own thread.

use std::fs::File;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::walk::thread as parse;
use crate::decide::tuning::TUNING;
use crate::sys::proc::read_again;

thread_local! {
    /// The counters of this thread, for all of its games.
    static COUNTERS: Option<File> = File::open("/proc/thread-self/schedstat").ok();
}

/// The thread that referees.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RefereeThread {
    /// Whose wait for a core was last read, how long it was, and when that was.
    last: Option<(ThreadId, Duration, Instant)>,
}

impl RefereeThread {
    /// The calling thread.
    pub(crate) fn current(&mut self) -> Self {
        let this = thread::current().id();
        let is_recent = |(thread, _, when): (ThreadId, Duration, Instant)| {
            thread == this && when.elapsed() < TUNING.sampling.recent
        };
        if !self.last.is_some_and(is_recent) {
            let now = Instant::now();
            self.last = self.wait().map(|wait| (this, wait, now));
        }
        *self
    }

    /// The time for which this thread has waited for a core since its start.
    #[expect(clippy::unused_self, reason = "only the calling thread's file is open")]
    pub(crate) fn wait(self) -> Option<Duration> {
        COUNTERS.with(|file| read_again(file.as_ref()?, parse)).map(|thread| thread.wait)
    }

    /// As [`wait`](Self::wait), but at most: it may have done nothing else since the wait was last read.
    pub(crate) fn longest_wait(self) -> Option<Duration> {
        self.last.map(|(_, wait, when)| wait + when.elapsed())
    }
}

#[test]
fn a_wait_is_read_again_after_a_while_and_meanwhile_overrated() {
    let mut thread = RefereeThread::default();
    let (_, _, first) = thread.current().last.expect("known");
    thread::sleep(TUNING.sampling.recent);
    let (this, _, second) = thread.current().last.expect("known");
    assert!(second >= first + TUNING.sampling.recent);
    // As if the last one had just been read, with this wait.
    let wait = Duration::from_hours(1);
    thread.last = Some((this, wait, Instant::now() + TUNING.sampling.recent));
    assert!(thread.current().longest_wait() >= Some(wait), "it is not read again");
}
