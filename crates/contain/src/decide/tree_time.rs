//! The CPU time of a whole process tree, including threads that have ended and children that were waited for.
//!
//! The kernel's count for a process includes its threads that have ended. The time of a child passes to the parent that
//! waits for it, in whole ticks of the clock.

use std::time::Duration;

use super::sample::{Computed, CpuTimes, Sample};

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
        let processes = vec![super::sample::Process { pid, threads: 1, ..Default::default() }];
        Self { processes, computed: [(pid, computed)].into(), ..Self::default() }
    }
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
