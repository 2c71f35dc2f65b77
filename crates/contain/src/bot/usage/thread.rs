//! What one thread has used.

use std::fs::File;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::procfs::{read, read_again};

/// Counters of one thread, since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) run: Duration,
    pub(super) wait: Duration,
    pub(super) switches: u64,
}

impl Thread {
    pub(super) fn read(path: &str) -> Option<Self> {
        Self::parse(&read(path)?)
    }

    /// The counters of any thread of any process by now; zero if it has ended.
    pub(super) fn of(tid: i32) -> Self {
        Self::read(&format!("/proc/{tid}/schedstat")).unwrap_or_default()
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split_whitespace().map(str::parse::<u64>);
        let mut next = || fields.next()?.ok();
        let (run, wait, switches) = (next()?, next()?, next()?);
        Some(Self { run: Duration::from_nanos(run), wait: Duration::from_nanos(wait), switches })
    }

    pub(super) fn within(self, wall: Duration) -> Self {
        Self { run: self.run.min(wall), wait: self.wait.min(wall), ..self }
    }

    /// The usage since `before`. Counters that went back show that the id now belongs to another thread.
    pub(super) fn since(self, before: Option<&Self>) -> Self {
        match before.filter(|before| before.switches <= self.switches) {
            Some(before) => Self {
                run: self.run.saturating_sub(before.run),
                wait: self.wait.saturating_sub(before.wait),
                switches: self.switches - before.switches,
            },
            None => self,
        }
    }
}

/// The counters of the thread that referees, whose file stays open.
#[derive(Debug, Clone, Default)]
pub(in crate::bot) struct OwnThread {
    file: Option<(ThreadId, Arc<File>)>,
    /// The wait for a core that was last read, and when.
    last: Option<(Duration, Instant)>,
}

/// For how long a wait need not be read again, which takes a large share of a quick turn's time.
const RECENT: Duration = Duration::from_micros(500);

impl OwnThread {
    /// The counters of the calling thread.
    pub(in crate::bot) fn current(&mut self) -> Self {
        let id = thread::current().id();
        if self.file.as_ref().is_none_or(|(of, _)| *of != id) {
            let file = File::open("/proc/thread-self/schedstat").ok();
            *self = Self { file: file.map(|file| (id, file.into())), last: None };
        }
        if self.last.is_none_or(|(_, when)| when.elapsed() >= RECENT) {
            let now = Instant::now();
            self.last = self.wait().map(|wait| (wait, now));
        }
        self.clone()
    }

    /// The time for which this thread has waited for a core since its start.
    pub(in crate::bot) fn wait(&self) -> Option<Duration> {
        let (_, file) = self.file.as_ref()?;
        read_again(file, Thread::parse).map(|thread| thread.wait)
    }

    /// As [`wait`](Self::wait), but at most: it may have done nothing else since the wait was last read.
    pub(in crate::bot) fn longest_wait(&self) -> Option<Duration> {
        self.last.map(|(wait, when)| wait + when.elapsed())
    }
}

#[test]
fn a_wait_is_read_again_after_a_while_and_meanwhile_overrated() {
    let mut thread = OwnThread::default();
    let (_, first) = thread.current().last.expect("known");
    thread::sleep(RECENT);
    let (_, second) = thread.current().last.expect("known");
    assert!(second >= first + RECENT);
    // As if the last one had just been read, with this wait.
    let wait = Duration::from_hours(1);
    thread.last = Some((wait, Instant::now() + RECENT));
    assert!(thread.current().longest_wait() >= Some(wait), "it is not read again");
}
