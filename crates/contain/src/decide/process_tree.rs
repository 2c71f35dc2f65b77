//! The threads and processes that have ended while a bot was watched: their CPU time, and what is not known of them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::sample::Sample;
use super::tuning::TUNING;

/// A program's processes from sample to sample.
#[derive(Debug, Default)]
pub(crate) struct ProcessTree {
    /// The cores of the machine, if known.
    cores: Option<u32>,
    /// The last sample, and the CPU time of each process by then.
    last: Option<(Sample, BTreeMap<i32, Duration>)>,
    /// The time of the exchange at the last sample.
    looked: Duration,
    /// The CPU time of processes that have ended.
    gone: Duration,
    /// The time between looks during which a thread or a process ended. It may have waited then.
    pub(crate) unseen: Duration,
    /// Whether a process, here or of an earlier game, may have computed uncounted time.
    pub(crate) is_incomplete: bool,
}

impl ProcessTree {
    /// A tree that was not sampled yet, on a machine of this many cores.
    pub(crate) fn new(cores: Option<u32>) -> Self {
        Self { cores, ..Self::default() }
    }

    /// Adds a sample, taken when the exchange had lasted for `elapsed`.
    pub(crate) fn advance(&mut self, sample: Sample, before: &Sample, elapsed: Duration) {
        let times = sample.own_times_since(before);
        let last = self.last.as_ref().map_or(before, |(last, _)| last);
        if sample.has_lost_since(last) {
            self.unseen += elapsed.saturating_sub(self.looked);
        }
        if let Some((last, were)) = &self.last {
            let gone = were.iter().filter(|(pid, _)| !times.contains_key(pid));
            let gone: Vec<Duration> = gone.map(|(_, time)| *time).collect();
            self.is_incomplete |= !gone.is_empty() && !sample.has_waited_since(last);
            self.gone += gone.iter().sum::<Duration>();
        }
        self.looked = elapsed;
        self.last = Some((sample, times));
    }

    /// The CPU time of the tree since `before`, of living and of ended processes.
    pub(crate) fn computed(&self, before: &Sample) -> Duration {
        let Some((last, _)) = &self.last else { return Duration::ZERO };
        let time = last.tree_time_since(before);
        // What no look has shown was computed between looks, on whichever core.
        let unseen = self.cores.map_or(Duration::MAX, |cores| self.unseen.saturating_mul(cores));
        time.own + time.children_seen(self.gone, unseen)
    }

    /// The sample of the last look.
    pub(crate) fn last_sample(&self) -> Option<&Sample> {
        self.last.as_ref().map(|(sample, _)| sample)
    }

    /// The bot's own process number, if it was there at the last look.
    pub(crate) fn bot(&self) -> Option<i32> {
        self.last_sample().and_then(Sample::bot)
    }
}

impl Sample {
    /// Whether a thread or a process has ended since `last`, perhaps one that is in neither sample.
    fn has_lost_since(&self, last: &Self) -> bool {
        let own: Duration = self.own_times_since(last).values().sum();
        let threads: Duration =
            self.threads_since(last, Duration::MAX).map(|(_, thread)| thread.run).sum();
        last.threads.keys().any(|tid| !self.threads.contains_key(tid))
            // A system may tell of processes alone.
            || !self.threads.is_empty() && own > threads + TUNING.blame.of_ended_threads
            || self.has_waited_since(last)
    }
}

#[cfg(test)]
impl ProcessTree {
    /// A tree of which one sample was taken.
    pub(crate) fn of(sample: Sample) -> Self {
        Self { last: Some((sample, BTreeMap::new())), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::sample::Thread;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// A process that has computed for `own`, with threads that ran for these times.
    fn sample(own: u64, threads: &[(i32, u64)]) -> Sample {
        let thread = |&(tid, run)| (tid, Thread { run: ms(run), ..Thread::default() });
        let threads = threads.iter().map(thread).collect();
        Sample { threads, ..Sample::of_process(1, ms(own)) }
    }

    #[test]
    fn time_in_which_a_thread_ended_is_not_all_known() {
        let before = sample(100, &[(1, 90)]);
        for (second, unseen) in [
            (sample(120, &[(1, 91), (2, 19)]), 0),
            (sample(121, &[(1, 92)]), 30),
            // It came and went between two looks.
            (sample(121, &[(1, 92), (2, 9)]), 30),
        ] {
            let mut tree = ProcessTree::default();
            tree.advance(sample(110, &[(1, 91), (2, 9)]), &before, ms(20));
            assert_eq!(tree.unseen, ms(0));
            tree.advance(second, &before, ms(50));
            assert_eq!(tree.unseen, ms(unseen));
        }
    }
}
