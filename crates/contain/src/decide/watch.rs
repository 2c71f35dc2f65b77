//! Watches a program that has not answered by its limit, and finds out where the time went.
//!
//! The rule: a late reply is the host's fault if it would have been in time without waits that the program did not cause.
//! docs/timing.md says what shows them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::decide::sample::{Moment, Observation, Sample};
use crate::decide::tuning::TUNING;
use terms::certificate::Parts;
use terms::millis::Millis;

/// The watch on a program in one exchange that lasts.
#[derive(Debug)]
pub(crate) struct Watch {
    start: Moment,
    limit: Duration,
    /// When to stop in any case.
    give_up: Moment,
    /// By thread id; threads that have ended stay.
    threads: BTreeMap<i32, Track>,
    /// The CPU time of each process when it was last sampled.
    processes: BTreeMap<i32, Duration>,
    last: Option<Sample>,
    /// Whether the program would still have had time when the watch ended.
    given_up: bool,
}

/// What one thread has done in the exchange, by the last sample of it.
#[derive(Debug, Clone, Copy, Default)]
struct Track {
    run: Duration,
    wait: Duration,
}

/// Delays that are not the program's, according to the clock.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Delays {
    /// The referee's waits for a core.
    pub(crate) referee: Duration,
    /// The time for which the machine stalled.
    pub(crate) machine: Duration,
}

impl Watch {
    pub(crate) fn new(start: Moment, limit: Duration, patience: Duration) -> Self {
        Self {
            start,
            limit,
            give_up: start + limit + patience,
            threads: BTreeMap::new(),
            processes: BTreeMap::new(),
            last: None,
            given_up: false,
        }
    }

    /// Whether the overtime ended before the program had had its full time.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up
    }

    /// Takes in an observation that began at `begun` and ended `now`, of a program whose exchange began at `before`, after
    /// `delays` that others caused. The last poll ended at `polled`. Returns when to observe again, or `None` when the case
    /// is clear.
    pub(crate) fn look(
        &mut self,
        observation: Observation,
        before: &Sample,
        delays: Delays,
        polled: Moment,
        [begun, now]: [Moment; 2],
    ) -> Option<Moment> {
        let missing = self.missing(observation, before, delays, now);
        if polled >= self.give_up {
            self.given_up = !missing.is_zero();
            return None;
        }
        let tuning = &TUNING.blame;
        // Sampling many threads takes long.
        let pause = (now - begun) * TUNING.sampling.late_share;
        let step = missing.clamp(tuning.shortest_step, tuning.longest_step).max(pause);
        (!missing.is_zero()).then(|| (now + step).min(self.give_up))
    }

    pub(crate) fn last_sample(&self) -> Option<&Sample> {
        self.last.as_ref()
    }

    /// Takes in an observation, and returns how much of its time the program has not had.
    fn missing(
        &mut self,
        observation: Observation,
        before: &Sample,
        delays: Delays,
        now: Moment,
    ) -> Duration {
        let elapsed = now - self.start;
        self.observe(observation, before, elapsed, false);
        let excused = self.parts(before, elapsed, delays).excused();
        self.limit.saturating_sub(elapsed.saturating_sub(excused))
    }

    /// When to wake again for a program whose answer is awaited in any case, if the last poll ended at `polled`.
    pub(crate) fn next_late_poll(&self, polled: Moment, now: Moment) -> Option<Moment> {
        (polled < self.give_up).then(|| (now + TUNING.blame.longest_step).min(self.give_up))
    }

    /// Takes in the state of the program when the exchange had lasted for `elapsed`, and whether it had replied by then.
    pub(crate) fn observe(
        &mut self,
        observation: Observation,
        before: &Sample,
        elapsed: Duration,
        has_replied: bool,
    ) {
        let Observation { sample, runnable } = observation;
        for (tid, thread) in sample.threads_since(before, elapsed) {
            let (run, wait) = (thread.run, thread.wait);
            // A wait shows only when it ends, so a thread that could run may be waiting since its counters end. Once the program
            // has replied, the threads that the reply waited for have run.
            let may_wait = !has_replied && runnable.contains(&tid);
            let hidden = elapsed.saturating_sub(run + wait);
            let wait = if may_wait { wait + hidden } else { wait };
            self.threads.insert(tid, Track { run, wait });
        }
        self.processes.extend(sample.own_times_since(before));
        self.last = Some(sample);
    }

    /// The parts of `wall`, as of the last observation.
    pub(crate) fn parts(&self, before: &Sample, wall: Duration, delays: Delays) -> Parts {
        let computed = self.computed(before);
        let idle = |track: &Track| wall.saturating_sub(track.run + track.wait);
        let idle = self.threads.values().map(idle).min().unwrap_or_default();
        let mut left = wall;
        let mut take = |time: Duration| {
            let part = time.min(left);
            left = left.saturating_sub(part);
            Millis(part)
        };
        Parts {
            // While the machine stalls, the kernel's clocks of threads may run on.
            computed: take(computed.saturating_sub(delays.machine)),
            taken: take(delays.machine),
            kept_waiting: take(self.kept_waiting().saturating_sub(delays.machine)),
            referee: take(delays.referee),
            asleep: take(idle),
            unknown: Millis(left),
        }
    }

    /// The CPU time of the program's processes since `before`, including those that have ended.
    fn computed(&self, before: &Sample) -> Duration {
        let counted = self.last.as_ref().map(|last| last.tree_time_since(before));
        let sampled: Duration = self.processes.values().sum();
        // The kernel adds a child's time to the process that waits for it, in ticks.
        sampled.max(counted.unwrap_or_default())
    }

    /// The time for which others kept the program's first thread, and one thread for which it may have waited, from a core:
    /// their waits, less what other threads of the tree computed.
    fn kept_waiting(&self) -> Duration {
        let run: Duration = self.threads.values().map(|track| track.run).sum();
        let bot = self.last.as_ref().and_then(Sample::bot);
        let first = bot.and_then(|bot| self.threads.get(&bot)).copied().unwrap_or_default();
        let others = self.threads.iter().filter(|(tid, _)| bot != Some(**tid));
        let by_strangers = |other: Track| {
            let others_computed = run.saturating_sub(first.run + other.run);
            (first.wait + other.wait).saturating_sub(others_computed)
        };
        let others = others.map(|(_, track)| *track).chain([Track::default()]);
        others.map(by_strangers).max().unwrap_or_default()
    }

    /// The longest wait of a thread for a core, regardless of which process had it.
    pub(crate) fn longest_wait(&self) -> Duration {
        self.threads.values().map(|track| track.wait).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::decide::sample::{Computed, Process, Thread};

    use super::*;

    const WALL: Duration = Duration::from_millis(100);

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// Threads of one process, the first with its number, that ran and waited for these times, while threads that have
    /// ended ran for `gone`.
    fn sample(threads: &[(u64, u64)], gone: u64) -> Sample {
        let thread =
            |&(run, wait): &(u64, u64)| Thread { run: ms(run), wait: ms(wait), switches: 1 };
        let run = threads.iter().map(|(run, _)| ms(*run)).sum::<Duration>() + ms(gone);
        let threads = (1..).zip(threads.iter().map(thread)).collect();
        Sample { threads, ..Sample::of_process(1, run) }
    }

    fn watch() -> Watch {
        Watch::new(Moment::default(), ms(50), ms(50))
    }

    fn parts(sample: Sample, delays: Delays) -> Parts {
        let mut watch = watch();
        let observation = Observation { sample, ..Observation::default() };
        watch.observe(observation, &Sample::default(), WALL, true);
        let parts = watch.parts(&Sample::default(), WALL, delays);
        assert_eq!(parts.wall(), WALL, "{parts:?}");
        parts
    }

    #[test]
    fn only_waits_in_which_nobody_of_the_tree_computed_are_the_hosts() {
        for (threads, gone, expected) in [
            (&[(20, 70)][..], 0, 70),
            (&[(20, 70), (10, 10)], 0, 70),
            (&[(5, 15), (20, 40)], 0, 55),
            (&[(5, 15), (20, 40), (30, 0)], 0, 25),
            (&[(0, 100), (80, 0)], 0, 20),
            (&[(0, 100)], 80, 20),
        ] {
            let kept = parts(sample(threads, gone), Delays::default()).kept_waiting;
            assert_eq!(kept, Millis(ms(expected)), "{threads:?} {gone}");
        }
    }

    #[test]
    fn a_machine_that_stands_still_lets_the_clocks_of_threads_run_on() {
        let delays = Delays { machine: ms(70), ..Delays::default() };
        let running = parts(sample(&[(95, 0)], 0), delays);
        assert_eq!((running.taken, running.computed), (Millis(ms(70)), Millis(ms(25))));
    }

    #[test]
    fn what_could_run_at_the_limit_is_looked_at_until_it_has_had_its_time() {
        let mut watch = watch();
        // It has slept, or still waits for its core.
        let mut look = |run, now, is_runnable| {
            let runnable = if is_runnable { BTreeSet::from([1]) } else { BTreeSet::new() };
            let seen = Observation { sample: sample(&[(run, 0)], 0), runnable };
            let now = Moment(ms(now));
            watch.look(seen, &Sample::default(), Delays::default(), now, [now; 2])
        };
        assert_eq!(look(3, 50, true), Some(Moment(ms(55))));
        assert_eq!(look(49, 96, true), Some(Moment(ms(97))));
        assert_eq!(look(50, 97, true), None);
        assert_eq!(look(3, 50, false), None);
    }

    #[test]
    fn threads_and_processes_that_have_ended_count_by_their_last_sample() {
        let mut watch = watch();
        let process = |pid| Process { pid, threads: 1, ..Process::default() };
        let computed = |own, children| Computed { own: ms(own), children: ms(children) };
        let with_child = Sample {
            processes: vec![process(1), process(2)],
            computed: [(1, computed(5, 0)), (2, computed(20, 0))].into(),
            ..sample(&[(5, 10), (20, 30)], 0)
        };
        // The child has ended after 8 ms more.
        let without = Sample { computed: [(1, computed(6, 28))].into(), ..sample(&[(6, 14)], 0) };
        for (sample, elapsed) in [(with_child, ms(60)), (without, ms(80))] {
            let observation = Observation { sample, ..Observation::default() };
            watch.observe(observation, &Sample::default(), elapsed, true);
        }
        let parts = watch.parts(&Sample::default(), ms(80), Delays::default());
        assert_eq!((parts.computed, parts.kept_waiting), (Millis(ms(34)), Millis(ms(44))));
        assert_eq!((parts.asleep, parts.unknown), (Millis(ms(2)), Millis::default()));
    }
}
