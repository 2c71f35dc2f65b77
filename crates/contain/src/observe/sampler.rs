//! Samples of one bot, turn after turn, at the cost of a few reads.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use crate::decide::sample::{Process, Sample};
use crate::decide::tuning::TUNING;
use crate::observe::{Root, below, computed, process, thread, thread as parse};
use crate::sys::proc::{Stat, read_again};

/// Samples one bot again and again.
///
/// Most bots are one process with one thread. Its files in /proc are kept open, so that the
/// sample after each turn costs a few reads; larger bots are walked through every time.
#[derive(Debug)]
pub(crate) struct Sampler {
    root: Root,
    /// Opened for the first sample: most judges are never sampled.
    files: OnceCell<Option<Files>>,
    /// The CPU time of the keeper's children at the last walk through the whole tree.
    adopted: Duration,
}

/// The open files of a bot in /proc, and their last figures.
#[derive(Debug)]
struct Files {
    pid: i32,
    /// The keeper's children, if there is a keeper.
    keepers_children: Option<File>,
    children: File,
    schedstat: File,
    stat: File,
    status: File,
    /// The memory at this number of page faults: without a new one it is unchanged.
    memory: Option<(u64, Process)>,
}

impl Sampler {
    pub(crate) fn new(root: Root) -> Self {
        Self { root, files: OnceCell::new(), adopted: Duration::ZERO }
    }

    /// A sample without the number of open files.
    pub(crate) fn sample(&mut self) -> Sample {
        if let Some(quick) = self.quick_sample() {
            return Sample { adopted: self.adopted, ..quick };
        }
        let sample = below(self.root);
        self.adopted = sample.adopted;
        sample
    }

    /// A sample with the CPU time set to zero, and that time.
    pub(crate) fn first(&mut self) -> (Sample, Duration) {
        self.sample().without_computing()
    }

    /// A sample, if the bot is one process with one thread.
    fn quick_sample(&mut self) -> Option<Sample> {
        self.files();
        self.files.get_mut()?.as_mut()?.sample()
    }

    fn files(&self) -> Option<&Files> {
        self.files.get_or_init(|| Files::open(self.root)).as_ref()
    }
}

impl Files {
    fn open(root: Root) -> Option<Self> {
        let &[pid] = root.first_processes().as_slice() else { return None };
        let open = |path: String| File::open(path).ok();
        Some(Self {
            pid,
            keepers_children: match root {
                Root::Keeper(keeper) => {
                    Some(open(format!("/proc/{keeper}/task/{keeper}/children"))?)
                }
                Root::Program(..) => None,
            },
            children: open(format!("/proc/{pid}/task/{pid}/children"))?,
            schedstat: open(format!("/proc/{pid}/task/{pid}/schedstat"))?,
            stat: open(format!("/proc/{pid}/stat"))?,
            status: open(format!("/proc/{pid}/status"))?,
            memory: None,
        })
    }

    /// `None` if the bot is not one process with one thread.
    fn sample(&mut self) -> Option<Sample> {
        let is_only = |text: &str| (text.trim_ascii_end().parse() == Ok(self.pid)).then_some(());
        // In this order: what the process leaves behind moves from its list to the keeper's.
        read_again(&self.children, |text| text.is_empty().then_some(()))?;
        if let Some(children) = &self.keepers_children {
            read_again(children, is_only)?;
        }
        let stat = read_again(&self.stat, Stat::parse).filter(|stat| stat.threads == 1)?;
        let counters = read_again(&self.schedstat, thread)?;
        let memory = match self.memory {
            Some((faults, memory)) if faults == stat.page_faults => memory,
            _ => read_again(&self.status, |text| Some(process(self.pid, text)))?,
        };
        self.memory = Some((stat.page_faults, memory));
        Some(Sample {
            processes: vec![memory],
            threads: BTreeMap::from([(self.pid, counters)]),
            page_faults: Some(stat.page_faults),
            peak_memory: (memory.peak > 0).then_some(memory.peak),
            computed: BTreeMap::from([(self.pid, computed(self.pid, &stat))]),
            adopted: Duration::ZERO,
            unvisited: Vec::new(),
        })
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
