//! Watches a program that has not answered by its limit, and finds out where the time went.
//!
//! The rule: the host is at fault only for time that no thread of the program's tree caused, and that delayed the
//! answer. docs/timing.md has the theory and its limits.

use std::collections::BTreeMap;
use std::time::Duration;

use super::moment::Moment;
use super::process_tree::ProcessTree;
use super::sample::{Observation, Sample};
use super::track::Track;
use super::tuning::TUNING;

/// What is known of a program's surroundings when its exchange starts.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Surroundings {
    /// The cores of the machine, if known.
    pub(crate) cores: Option<u32>,
}

/// The watch on a program in one exchange that is late, or may become so.
#[derive(Debug)]
pub(crate) struct Watch {
    start: Moment,
    limit: Duration,
    /// When to stop in any case.
    give_up: Moment,
    pub(crate) threads: BTreeMap<i32, Track>,
    pub(crate) tree: ProcessTree,
    pub(crate) stop: Stop,
    pub(crate) waits_for_disk: bool,
    /// The core on which the referee was at the last observation.
    pub(crate) referee_core: Option<usize>,
    /// Whether the program would still have had time when the watch ended.
    given_up: bool,
    /// The number of times that the counters may not have shown everything.
    doubts: u32,
}

/// The time for which others have stopped the program.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    pub(crate) so_far: Duration,
    /// Whether the program is still stopped. If it is never continued, nothing shows what stopped it.
    pub(crate) goes_on: bool,
}

/// Delays that are not the program's, according to the clock.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Delays {
    /// The referee's waits for a core.
    pub(crate) referee: Duration,
    /// The time for which the machine stalled.
    pub(crate) machine: Duration,
    /// Further time for which the machine may have stalled before a timer could show it.
    pub(crate) unseen: Duration,
}

impl Watch {
    pub(crate) fn new(
        start: Moment,
        limit: Duration,
        patience: Duration,
        surroundings: Surroundings,
    ) -> Self {
        Self {
            start,
            limit,
            give_up: start + limit + patience,
            threads: BTreeMap::new(),
            tree: ProcessTree::new(surroundings.cores),
            stop: Stop::default(),
            waits_for_disk: false,
            referee_core: None,
            given_up: false,
            doubts: 0,
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
        let is_whole = self.last_sample().is_some_and(Sample::is_whole);
        if let Some(doubt) = self.doubt(now, now - self.start).filter(|_| is_whole) {
            return Some((now + doubt).min(self.give_up));
        }
        let tuning = &TUNING.blame;
        let longest = if self.stop.goes_on { tuning.stopped_step } else { tuning.longest_step };
        // Sampling many threads takes long.
        let pause = (now - begun) * TUNING.sampling.late_share;
        let step = missing.clamp(tuning.shortest_step, longest).max(pause);
        (!missing.is_zero()).then(|| (now + step).min(self.give_up))
    }

    pub(crate) fn last_sample(&self) -> Option<&Sample> {
        self.tree.last_sample()
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
        self.observe(observation, before, now);
        let parts = self.parts(before, elapsed, delays, false);
        let stopped = if self.stop.goes_on { self.stop.so_far } else { Duration::ZERO };
        let own = elapsed.saturating_sub(parts.excused() + stopped);
        self.limit.saturating_sub(own)
    }

    /// When to wake again for a program whose answer is awaited in any case, if the last poll ended at `polled`.
    pub(crate) fn next_late_poll(&self, polled: Moment, now: Moment) -> Option<Moment> {
        (polled < self.give_up).then(|| (now + TUNING.blame.longest_step).min(self.give_up))
    }

    /// Takes in an observation from before the limit, since threads and processes that end by then do not show later.
    pub(crate) fn sample_early(&mut self, observation: Observation, before: &Sample, now: Moment) {
        self.observe(observation, before, now);
        // Whether the program is stopped matters only when it is late.
        self.stop = Stop::default();
    }

    /// Takes in the state of the program at `now`.
    pub(crate) fn observe(&mut self, observation: Observation, before: &Sample, now: Moment) {
        let Observation { sample, snapshot } = observation;
        let elapsed = now - self.start;
        for track in self.threads.values_mut() {
            track.is_runnable = false;
        }
        for (tid, thread) in sample.threads_since(before, elapsed) {
            let Some(seen) = snapshot.threads.get(&tid) else { continue };
            let track = self.threads.entry(tid).or_insert_with(|| Track::new(seen.is_as_started));
            track.is_as_started &= seen.is_as_started;
            track.core = seen.core;
            track.advance((thread.run, thread.wait), seen.is_runnable, now, elapsed);
        }
        self.waits_for_disk |= snapshot.waits_for_disk;
        self.referee_core = snapshot.referee_core;
        self.stop.goes_on = snapshot.is_stopped;
        if snapshot.is_stopped {
            let explained = self.threads.values().map(|track| track.run + track.wait).max();
            self.stop.so_far = elapsed.saturating_sub(explained.unwrap_or_default());
        }
        self.tree.is_incomplete |= snapshot.forgets_children;
        self.tree.advance(sample, before, elapsed);
    }

    /// The threads that could run when the answer came, and may have been awaited: whether they fall asleep will tell.
    pub(crate) fn may_have_been_awaited(&self) -> Vec<i32> {
        let bot = self.tree.bot();
        let may_be = |(tid, track): &(&i32, &Track)| {
            track.is_runnable
                && track.waited(true) >= TUNING.blame.noticeable_wait
                && bot != Some(**tid)
        };
        self.threads.iter().filter(may_be).map(|(tid, _)| *tid).collect()
    }

    /// Notes whether a thread ran on after the answer.
    pub(crate) fn ran_on(&mut self, tid: i32, runs_on: bool) {
        if let Some(track) = self.threads.get_mut(&tid) {
            track.is_runnable = runs_on;
        }
    }

    /// How long to wait to learn whether a program that could run does run. A short wait suffices for most:
    /// by then they have run or gone to sleep. A program that has done neither gets a whole tick.
    fn doubt(&mut self, now: Moment, elapsed: Duration) -> Option<Duration> {
        let tick = TUNING.blame.tick;
        let is_open = |track: &&Track| {
            track.still_since.is_some() && elapsed.saturating_sub(track.run + track.wait) > 2 * tick
        };
        let open = self.threads.values().filter(is_open).filter_map(|track| track.still_since);
        let stalled = open.map(|since| now - since).max().filter(|stalled| *stalled < tick)?;
        let step = match self.doubts {
            0 => TUNING.blame.shortest_step,
            1 if !stalled.is_zero() => tick,
            _ => return None,
        };
        self.doubts += 1;
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::sample::{Snapshot, Thread, ThreadState};

    /// The first thread of a program, which could run and has had a core for 3 ms, and no trace of a wait.
    fn could_run(is_as_started: bool) -> Observation {
        let run = Duration::from_millis(3);
        let thread = Thread { run, ..Thread::default() };
        let sample =
            Sample { threads: BTreeMap::from([(1, thread)]), ..Sample::of_process(1, run) };
        let state = ThreadState { is_runnable: true, is_as_started, core: Some(0) };
        let threads = BTreeMap::from([(1, state)]);
        Observation { sample, snapshot: Snapshot { threads, ..Snapshot::default() } }
    }

    #[test]
    fn what_could_run_at_the_limit_is_looked_at_again_before_it_is_said_to_have_slept() {
        for is_as_started in [true, false] {
            let (start, limit) = (Moment::default(), Duration::from_millis(100));
            let mut watch = Watch::new(start, limit, limit, Surroundings::default());
            let before = Sample::of_process(1, Duration::ZERO);
            let (mut now, mut next) = (start, Some(start + limit));
            for _ in 0..3 {
                let Some(then) = next else { break };
                now = then;
                let seen = could_run(is_as_started);
                next = watch.look(seen, &before, Delays::default(), now, [now; 2]);
            }
            let parts = watch.parts(&before, now - start, Delays::default(), false);
            assert!(parts.asleep.0.is_zero(), "{parts:?}");
            assert_eq!(parts.has_own_scheduling, !is_as_started, "{parts:?}");
        }
    }
}
