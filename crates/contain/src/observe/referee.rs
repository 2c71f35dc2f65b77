//! The referee's own thread.

use std::fs::File;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::walk::thread as parse;
use crate::decide::tuning::TUNING;
use crate::sys::proc::read_again;

/// The counters of the thread that referees, whose file stays open.
#[derive(Debug, Clone, Default)]
pub(crate) struct RefereeThread {
    file: Option<(ThreadId, Arc<File>)>,
    /// The wait for a core that was last read, and when.
    last: Option<(Duration, Instant)>,
}

impl RefereeThread {
    /// The counters of the calling thread.
    pub(crate) fn current(&mut self) -> Self {
        let id = thread::current().id();
        if self.file.as_ref().is_none_or(|(of, _)| *of != id) {
            let file = File::open("/proc/thread-self/schedstat").ok();
            *self = Self { file: file.map(|file| (id, file.into())), last: None };
        }
        if self.last.is_none_or(|(_, when)| when.elapsed() >= TUNING.sampling.recent) {
            let now = Instant::now();
            self.last = self.wait().map(|wait| (wait, now));
        }
        self.clone()
    }

    /// The time for which this thread has waited for a core since its start.
    pub(crate) fn wait(&self) -> Option<Duration> {
        let (_, file) = self.file.as_ref()?;
        read_again(file, parse).map(|thread| thread.wait)
    }

    /// As [`wait`](Self::wait), but at most: it may have done nothing else since the wait was last read.
    pub(crate) fn longest_wait(&self) -> Option<Duration> {
        self.last.map(|(wait, when)| wait + when.elapsed())
    }
}

#[test]
fn a_wait_is_read_again_after_a_while_and_meanwhile_overrated() {
    let mut thread = RefereeThread::default();
    let (_, first) = thread.current().last.expect("known");
    thread::sleep(TUNING.sampling.recent);
    let (_, second) = thread.current().last.expect("known");
    assert!(second >= first + TUNING.sampling.recent);
    // As if the last one had just been read, with this wait.
    let wait = Duration::from_hours(1);
    thread.last = Some((wait, Instant::now() + TUNING.sampling.recent));
    assert!(thread.current().longest_wait() >= Some(wait), "it is not read again");
}
