//! Samples of a program's processes and moments of an exchange, as plain values.
//!
//! The CPU time of a whole tree includes threads that have ended and children that were waited for: the kernel's count for a process
//! includes its threads that have ended, and the time of a child passes to the parent that waits for it, in whole ticks of the clock.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Add, Sub};
use std::time::Duration;

use terms::certificate::Certificate;
use terms::millis::Millis;

/// A moment, as the time since an epoch that its owner has chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    any(test, feature = "serde"),
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub(crate) struct Moment(
    #[cfg_attr(any(test, feature = "serde"), serde(with = "crate::decide::trace::nanos"))]
    pub(crate) Duration,
);

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time))
    }
}

/// The time since an earlier moment; zero since a later one.
impl Sub for Moment {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// A process at one time; memory in bytes.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) threads: u64,
    /// Resident memory and swapped pages.
    pub(crate) resident: u64,
    /// The peak resident memory.
    pub(crate) peak: u64,
    pub(crate) open_files: u64,
}

/// Counters of one thread, since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Thread {
    #[cfg_attr(any(test, feature = "serde"), serde(with = "crate::decide::trace::nanos"))]
    pub(crate) run: Duration,
    /// The time for which it could run but had no core.
    #[cfg_attr(any(test, feature = "serde"), serde(with = "crate::decide::trace::nanos"))]
    pub(crate) wait: Duration,
    pub(crate) switches: u64,
}

impl Thread {
    fn within(self, wall: Duration) -> Self {
        Self { run: self.run.min(wall), wait: self.wait.min(wall), ..self }
    }

    /// The usage since `before`. Counters that went back show that the id now belongs to another thread.
    pub(crate) fn since(self, before: Option<&Self>) -> Self {
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

/// The CPU time of one process since its start.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Computed {
    /// Its own, with threads that have ended.
    #[cfg_attr(any(test, feature = "serde"), serde(with = "crate::decide::trace::nanos"))]
    pub(crate) own: Duration,
    /// The time of children that it has waited for, which the kernel counts in hundredths of a second, user and system
    /// time separately, each rounded down.
    #[cfg_attr(any(test, feature = "serde"), serde(with = "crate::decide::trace::nanos"))]
    pub(crate) children: Duration,
}

impl Computed {
    pub(super) fn all(self) -> Duration {
        self.own + self.children
    }
}

/// CPU times of processes, by their numbers.
pub(crate) type CpuTimes = BTreeMap<i32, Duration>;

/// Counters of all threads of a program at one time. What the system does not report is absent.
#[derive(Debug, Default, Clone)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sample {
    /// The program's first process comes first.
    pub(crate) processes: Vec<Process>,
    /// By thread id.
    pub(crate) threads: BTreeMap<i32, Thread>,
    pub(crate) page_faults: Option<u64>,
    pub(crate) peak_memory: Option<u64>,
    /// By process number.
    pub(crate) computed: BTreeMap<i32, Computed>,
    /// The CPU time of children that the keeper has reaped.
    #[cfg_attr(any(test, feature = "serde"), serde(with = "crate::decide::trace::nanos"))]
    pub(crate) adopted: Duration,
    /// Processes left over when the time for sampling was up.
    pub(crate) unvisited: Vec<i32>,
}

/// A sample, and which of its threads could run.
#[derive(Debug, Default, Clone)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Observation {
    pub(crate) sample: Sample,
    pub(crate) runnable: BTreeSet<i32>,
}

impl Sample {
    /// The number of processes and threads.
    pub(crate) fn tasks(&self) -> u64 {
        let visited: u64 = self.processes.iter().map(|process| process.threads).sum();
        visited + self.unvisited.len() as u64
    }

    /// The resident memory of all processes, in bytes; pages that they share count for each of them.
    pub(crate) fn resident(&self) -> u64 {
        self.processes.iter().map(|process| process.resident).sum()
    }

    /// The highest memory that one of the processes had at one time, in bytes.
    pub(crate) fn largest_peak(&self) -> u64 {
        self.processes.iter().map(|process| process.peak).max().unwrap_or(0)
    }

    /// The highest number of files that one of the processes has open.
    pub(crate) fn open_files(&self) -> u64 {
        self.processes.iter().map(|process| process.open_files).max().unwrap_or(0)
    }

    /// Whether there was time to sample all processes.
    pub(crate) fn is_whole(&self) -> bool {
        self.unvisited.is_empty()
    }

    /// The numbers of the processes.
    pub(crate) fn pids(&self) -> Vec<i32> {
        self.processes.iter().map(|process| process.pid).collect()
    }

    /// The number of the program's first process, until it has been reaped.
    pub(crate) fn bot(&self) -> Option<i32> {
        self.processes.first().map(|bot| bot.pid)
    }

    /// The usage since `before`, in an exchange that took `wall`. New threads and processes count
    /// from their start. No thread ran or waited for longer than `wall`: any excess is from before, when
    /// it did not show yet.
    pub(crate) fn since(&self, before: &Self, wall: Duration) -> Certificate {
        let known = !self.threads.is_empty();
        // A system may tell of processes alone.
        let has_times = known || !self.computed.is_empty();
        let deltas = || self.threads_since(before, wall).map(|(_, thread)| thread);
        let cpu = has_times.then(|| {
            let threads: Duration = deltas().map(|thread| thread.run).sum();
            threads.max(self.tree_time_since(before))
        });
        Certificate {
            cpu: cpu.map(Millis),
            busiest_cpu: deltas().map(|thread| thread.run).max().map(Millis),
            wait: deltas().map(|thread| thread.wait).max().map(Millis),
            referee_wait: None,
            parts: None,
            context_switches: known.then(|| deltas().map(|thread| thread.switches).sum()),
            page_faults: self
                .page_faults
                .zip(before.page_faults)
                .map(|(now, before)| now.saturating_sub(before)),
            peak_memory: self.peak_memory,
        }
    }

    /// The usage of each thread since `before`.
    pub(crate) fn threads_since(
        &self,
        before: &Self,
        wall: Duration,
    ) -> impl Iterator<Item = (i32, Thread)> {
        self.threads
            .iter()
            .map(move |(tid, now)| (*tid, now.since(before.threads.get(tid)).within(wall)))
    }
}

impl Sample {
    /// The CPU time of the tree since `before`.
    pub(crate) fn tree_time_since(&self, before: &Self) -> Duration {
        let since = |pid: &i32, now: &Computed| {
            let was = before.computed.get(pid).copied().unwrap_or_default();
            now.children.saturating_sub(was.children)
        };
        let own: Duration = self.own_times_since(before).values().sum();
        let adopted = self.adopted.saturating_sub(before.adopted);
        let children: Duration = self.computed.iter().map(|(pid, now)| since(pid, now)).sum();
        // All the time of a child passes to its parent at once, including that from before.
        let gone = before.computed.iter().filter(|(pid, _)| !self.computed.contains_key(pid));
        let earlier: Duration = gone.map(|(_, was)| was.all()).sum();
        own + (adopted + children).saturating_sub(earlier)
    }

    /// The own CPU time of each process since `before`.
    pub(crate) fn own_times_since(&self, before: &Self) -> CpuTimes {
        let since = |pid: &i32, now: &Computed| {
            let was = before.computed.get(pid).copied().unwrap_or_default();
            now.own.saturating_sub(was.own)
        };
        self.computed.iter().map(|(pid, now)| (*pid, since(pid, now))).collect()
    }

    /// This sample with the bot's CPU time set to zero, and that time.
    pub(crate) fn without_computing(mut self) -> (Self, Duration) {
        let all = self.computed.values().map(|computed| computed.all()).sum();
        self.computed.clear();
        for thread in self.threads.values_mut() {
            thread.run = Duration::ZERO;
        }
        (self, all)
    }
}

#[cfg(test)]
impl Sample {
    /// A sample of one process with this CPU time.
    pub(crate) fn of_process(pid: i32, own: Duration) -> Self {
        let computed = Computed { own, ..Computed::default() };
        let processes = vec![Process { pid, threads: 1, ..Default::default() }];
        Self { processes, computed: [(pid, computed)].into(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Millis {
        Millis(Duration::from_millis(millis))
    }

    fn thread(run: u64, wait: u64, switches: u64) -> Thread {
        Thread { run: Duration::from_millis(run), wait: Duration::from_millis(wait), switches }
    }

    fn sample(threads: &[(i32, Thread)]) -> Sample {
        Sample {
            threads: threads.iter().copied().collect(),
            page_faults: Some(7),
            peak_memory: Some(4096),
            ..Sample::default()
        }
    }

    #[test]
    fn threads_that_come_and_go_are_counted() {
        let before = sample(&[(1, thread(100, 10, 5)), (2, thread(50, 5, 5))]);
        let after = sample(&[(1, thread(110, 12, 7)), (3, thread(20, 8, 2))]);
        let usage = after.since(&before, Duration::from_secs(1));
        assert_eq!(usage.cpu, Some(ms(30)));
        assert_eq!(usage.busiest_cpu, Some(ms(20)));
        assert_eq!(usage.wait, Some(ms(8)));
        assert_eq!(usage.context_switches, Some(4));
        assert_eq!(usage.page_faults, Some(0));
    }

    #[test]
    fn a_thread_id_that_was_used_again_counts_from_its_start() {
        let usage = sample(&[(1, thread(3, 1, 2))])
            .since(&sample(&[(1, thread(100, 10, 5))]), Duration::from_secs(1));
        assert_eq!(usage.cpu, Some(ms(3)));
    }

    #[test]
    fn no_thread_ran_or_waited_for_longer_than_the_exchange() {
        let after = sample(&[(1, thread(30, 20, 2))]);
        let usage = after.since(&Sample::default(), Duration::from_millis(5));
        assert_eq!((usage.cpu, usage.wait), (Some(ms(5)), Some(ms(5))));
    }

    #[test]
    fn what_the_system_does_not_report_is_absent() {
        assert_eq!(
            Sample::default().since(&Sample::default(), Duration::ZERO),
            Certificate::default()
        );
    }

    #[test]
    fn a_child_that_was_waited_for_counts_once() {
        let ms = Duration::from_millis;
        let sample = |processes: &[(i32, u64, u64)]| {
            let computed = |&(pid, own, children): &(i32, u64, u64)| {
                (pid, Computed { own: ms(own), children: ms(children) })
            };
            Sample { computed: processes.iter().map(computed).collect(), ..Sample::default() }
        };
        let before = sample(&[(1, 100, 0), (2, 30, 0)]);
        let after = sample(&[(1, 110, 70)]);
        assert_eq!(after.tree_time_since(&before), ms(10 + 70 - 30));
    }
}
