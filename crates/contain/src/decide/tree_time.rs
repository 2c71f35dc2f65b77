//! The CPU time of a whole process tree, including threads that have ended and children that were waited for.
//!
//! The kernel's count for a process includes its threads that have ended. The time of a child passes to the parent that
//! waits for it, in whole ticks of the clock; the rest of a tick is lost.

use std::collections::BTreeMap;
use std::time::Duration;

use super::sample::{Computed, Sample};
use super::tuning::TUNING;

/// The CPU time of a tree between two samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TreeTime {
    /// The time of living processes.
    pub(crate) own: Duration,
    /// The time of children that were waited for, as the kernel rounds it.
    children: Duration,
    /// Whether any child was waited for.
    has_waited: bool,
}

impl TreeTime {
    pub(crate) fn all(self) -> Duration {
        self.own + self.children
    }

    /// The CPU time of reaped children, of which `seen` was sampled while they lived, and the rest is at most `unseen`.
    /// Adds the kernel's rounding, unless `seen` already accounts for the total.
    pub(crate) fn children_seen(self, seen: Duration, unseen: Duration) -> Duration {
        let counted = if self.children <= seen + TUNING.blame.child_rounding {
            let short =
                if self.has_waited && seen.is_zero() { TUNING.blame.child_rounding } else { seen };
            self.children.max(short)
        } else {
            self.children + TUNING.blame.child_rounding
        };
        counted.min(seen.saturating_add(unseen))
    }
}

impl Sample {
    /// The CPU time of the tree since `before`.
    pub(crate) fn tree_time_since(&self, before: &Self) -> TreeTime {
        let was = |pid: &i32| before.computed.get(pid).copied().unwrap_or_default();
        let sum = |part: fn(&Computed, &Computed) -> Duration| -> Duration {
            self.computed.iter().map(|(pid, now)| part(now, &was(pid))).sum()
        };
        let adopted = self.adopted.children.saturating_sub(before.adopted.children);
        let children = adopted + sum(|now, was| now.children.saturating_sub(was.children));
        // All the time of a child passes to its parent at once, including that from before.
        let gone = before.computed.iter().filter(|(pid, _)| !self.computed.contains_key(pid));
        let earlier: Duration = gone.map(|(_, was)| was.all()).sum();
        TreeTime {
            own: sum(|now, was| now.own.saturating_sub(was.own)),
            children: children.saturating_sub(earlier),
            has_waited: self.has_waited_since(before),
        }
    }

    /// Whether a process, or the keeper for a reaped one, has waited for a child since `before`.
    pub(crate) fn has_waited_since(&self, before: &Self) -> bool {
        self.adopted.child_faults > before.adopted.child_faults
            || self.computed.iter().any(|(pid, now)| {
                let was = before.computed.get(pid).copied().unwrap_or_default();
                now.child_faults > was.child_faults
            })
    }

    /// The own CPU time of each process since `before`.
    pub(crate) fn own_times_since(&self, before: &Self) -> BTreeMap<i32, Duration> {
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
        Self { processes, computed: BTreeMap::from([(pid, computed)]), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(processes: &[(i32, u64, u64, u64)]) -> Sample {
        let ms = Duration::from_millis;
        let computed = |&(pid, own, children, child_faults)| {
            (pid, Computed { own: ms(own), children: ms(children), child_faults })
        };
        Sample { computed: processes.iter().map(computed).collect(), ..Sample::default() }
    }

    #[test]
    fn a_child_that_was_waited_for_counts_once() {
        let before = sample(&[(1, 100, 0, 0), (2, 30, 0, 0)]);
        let after = sample(&[(1, 110, 70, 9)]);
        let time = after.tree_time_since(&before);
        assert_eq!(time.all(), Duration::from_millis(10 + 70 - 30));
        let ms = Duration::from_millis;
        let seen = |seen| time.children_seen(ms(seen), Duration::MAX);
        assert_eq!(seen(10), ms(40) + TUNING.blame.child_rounding);
        assert_eq!(seen(38), ms(40));
        assert_eq!(seen(45), ms(45));
        assert_eq!(time.children_seen(ms(25), ms(10)), ms(35), "they had no time for more");
    }

    #[test]
    fn a_short_child_shows_in_page_faults_alone() {
        let time = sample(&[(1, 110, 0, 9)]).tree_time_since(&sample(&[(1, 100, 0, 3)]));
        assert_eq!(
            (time.all(), time.children_seen(Duration::ZERO, Duration::MAX)),
            (Duration::from_millis(10), TUNING.blame.child_rounding)
        );
        let time = sample(&[(1, 110, 0, 3)]).tree_time_since(&sample(&[(1, 100, 0, 3)]));
        assert_eq!(time.children_seen(Duration::ZERO, Duration::MAX), Duration::ZERO);
    }
}
