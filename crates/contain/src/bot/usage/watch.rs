//! Watches a bot that has not answered by its limit, and finds out where the time went.
//!
//! The rule: the host is at fault only for time that no thread of the bot's tree caused, and that delayed the
//! answer. docs/timing.md has the theory and its limits.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::sched_getcpu;

use super::Sample;
use super::snapshot::Snapshot;
use super::track::{TICK, Track};
use crate::bot::teardown::has_left_survivors;
use terms::certificate::Parts;
use terms::millis::Millis;

/// Sampling may use 1/5 of the referee's time: this is the ratio of pauses to samples.
const LOOKING_SHARE: u32 = 4;

/// The time until the next sample of a stopped bot.
const STOPPED_STEP: Duration = Duration::from_millis(2);

/// The shortest wait of a thread to mention.
const WORTH_A_WORD: Duration = Duration::from_millis(1);

/// The watch on a bot in one late exchange.
#[derive(Debug)]
pub(in crate::bot) struct Watch {
    start: Instant,
    limit: Duration,
    /// When to stop in any case.
    give_up: Instant,
    threads: BTreeMap<i32, Track>,
    tree: ProcessTree,
    stop: Stop,
    waits_for_disk: bool,
    /// Whether the bot would still have had time when the watch ended.
    given_up: bool,
    /// The number of times that the counters may not have shown everything.
    doubts: u32,
}

/// The CPU time of processes that have ended.
#[derive(Debug, Default)]
struct ProcessTree {
    /// The last sample, and the CPU time of each process by then.
    last: Option<(Sample, BTreeMap<i32, Duration>)>,
    gone: Duration,
    /// Whether a process, here or of an earlier game, may have computed uncounted time.
    is_incomplete: bool,
}

/// The time for which others have stopped the bot.
#[derive(Debug, Default)]
struct Stop {
    so_far: Duration,
    /// Whether the bot is still stopped. If it is never continued, nothing shows who stopped it.
    goes_on: bool,
}

/// Delays that are not the bot's, as far as the clock knows.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::bot) struct Delays {
    /// The referee's own waits for a core.
    pub(in crate::bot) referee: Duration,
    /// The time for which the machine stood still.
    pub(in crate::bot) machine: Duration,
    /// Further time for which the machine may have stood still before a timer could show it.
    pub(in crate::bot) unseen: Duration,
}

impl Watch {
    /// The shortest and the longest time between samples.
    const STEPS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(5));

    pub(in crate::bot) fn new(start: Instant, limit: Duration, patience: Duration) -> Self {
        Self {
            start,
            limit,
            give_up: start + limit + patience,
            threads: BTreeMap::new(),
            tree: ProcessTree::default(),
            stop: Stop::default(),
            waits_for_disk: false,
            given_up: false,
            doubts: 0,
        }
    }

    /// Whether the overtime ended before the bot had had its full time.
    pub(in crate::bot) fn is_given_up(&self) -> bool {
        self.given_up
    }

    /// Samples a bot whose exchange began at `before`, after `delays` that others caused. The last poll ended at
    /// `listened`. Returns when to sample again, or `None` when the case is clear.
    pub(in crate::bot) fn look(
        &mut self,
        keeper: Pid,
        before: &Sample,
        delays: Delays,
        listened: Instant,
    ) -> Option<Instant> {
        let begin = Instant::now();
        let (now, missing) = self.missing(keeper, before, delays);
        let elapsed = now - self.start;
        if listened >= self.give_up {
            self.given_up = !missing.is_zero();
            return None;
        }
        if let Some(doubt) = self.doubt(now, elapsed) {
            return Some((now + doubt).min(self.give_up));
        }
        let longest = if self.stop.goes_on { STOPPED_STEP } else { Self::STEPS.1 };
        // Sampling many threads takes long.
        let step = missing.clamp(Self::STEPS.0, longest).max(begin.elapsed() * LOOKING_SHARE);
        (!missing.is_zero()).then(|| (now + step).min(self.give_up))
    }

    /// Samples a bot, and returns how much of its time it has not had.
    fn missing(&mut self, keeper: Pid, before: &Sample, delays: Delays) -> (Instant, Duration) {
        let sample = Sample::below(keeper);
        let now = Instant::now();
        let elapsed = now - self.start;
        self.observe(sample, before, keeper, now);
        let parts = self.parts(before, elapsed, delays, false);
        let stopped = if self.stop.goes_on { self.stop.so_far } else { Duration::ZERO };
        let own = elapsed.saturating_sub(parts.excused() + stopped);
        (now, self.limit.saturating_sub(own))
    }

    /// Ends the watch.
    pub(in crate::bot) fn give_up(&mut self, keeper: Pid, before: &Sample, delays: Delays) {
        self.given_up = !self.missing(keeper, before, delays).1.is_zero();
    }

    /// When to wake again for a bot whose answer is awaited in any case, if the last poll ended at `listened`.
    pub(in crate::bot) fn look_on(&self, listened: Instant) -> Option<Instant> {
        (listened < self.give_up).then(|| (Instant::now() + Self::STEPS.1).min(self.give_up))
    }

    /// Records the state of the bot at `now`.
    pub(in crate::bot) fn observe(
        &mut self,
        sample: Sample,
        before: &Sample,
        keeper: Pid,
        now: Instant,
    ) {
        let snapshot = Snapshot::at(&sample, keeper);
        let elapsed = now - self.start;
        for track in self.threads.values_mut() {
            track.is_runnable = false;
        }
        for (tid, thread) in sample.threads_since(before, elapsed) {
            let Some(seen) = snapshot.threads.get(&tid) else { continue };
            let track = self.threads.entry(tid).or_insert_with(|| Track::new(seen.is_as_started));
            track.is_as_started &= seen.is_as_started;
            (track.core, track.is_runnable) = (seen.core, seen.is_runnable);
            track.advance((thread.run, thread.wait), seen.is_runnable, now, elapsed);
        }
        self.waits_for_disk |= snapshot.waits_for_disk;
        self.stop.goes_on = snapshot.is_stopped;
        if snapshot.is_stopped {
            let explained = self.threads.values().map(|track| track.run + track.wait).max();
            self.stop.so_far = elapsed.saturating_sub(explained.unwrap_or_default());
        }
        self.tree.is_incomplete |= snapshot.forgets_children || has_left_survivors();
        self.tree.advance(sample, before);
    }

    /// How long to wait to learn whether a bot that could run does run. A short wait suffices for most:
    /// by then they have run or gone to sleep. A bot that has done neither gets a whole tick.
    fn doubt(&mut self, now: Instant, elapsed: Duration) -> Option<Duration> {
        let is_open = |track: &&Track| {
            track.is_as_started
                && track.still_since.is_some()
                && elapsed.saturating_sub(track.run + track.wait) > 2 * TICK
        };
        let open = self.threads.values().filter(is_open).filter_map(|track| track.still_since);
        let stalled = open.map(|since| now - since).max().filter(|stalled| *stalled < TICK)?;
        let step = match self.doubts {
            0 => Self::STEPS.0,
            1 if !stalled.is_zero() => TICK,
            _ => return None,
        };
        self.doubts += 1;
        Some(step)
    }

    /// The parts of `wall`, as of the last observation.
    pub(in crate::bot) fn parts(
        &self,
        before: &Sample,
        wall: Duration,
        delays: Delays,
        has_replied: bool,
    ) -> Parts {
        let tree = self.tree.computed(before);
        let stop = if self.stop.goes_on { Duration::ZERO } else { self.stop.so_far };
        // The kernel's threads that write and read for the bot may have its core.
        let waited = if self.tree.is_incomplete || self.waits_for_disk {
            Duration::ZERO
        } else {
            self.kept_waiting(tree, has_replied)
        };
        let idle = |track: &Track| wall.saturating_sub(track.run + track.waited(has_replied));
        let asleep = self.threads.values().map(idle).min().unwrap_or_default();
        // Time no thread's clock explains is counted here too.
        let unseen = delays.unseen.min(asleep.saturating_sub(delays.machine + stop));
        let mut left = wall;
        let mut take = |time: Duration| {
            let part = time.min(left);
            left = left.saturating_sub(part);
            Millis(part)
        };
        Parts {
            // While the machine stands still, the kernel's clocks of threads may run on.
            computed: take(tree.saturating_sub(delays.machine)),
            taken: take(delays.machine + stop + unseen),
            kept_waiting: take(waited.saturating_sub(delays.machine)),
            referee: take(delays.referee.saturating_sub(self.on_this_core(tree))),
            asleep: take(asleep),
            unknown: Millis(left),
            waits_for_disk: self.waits_for_disk,
            has_own_scheduling: self.has_own_scheduling(has_replied),
        }
    }

    /// Whether a thread that the bot has scheduled otherwise has waited for a core.
    fn has_own_scheduling(&self, has_replied: bool) -> bool {
        let waits = |track: &Track| track.waited(has_replied) >= WORTH_A_WORD;
        self.threads.values().any(|track| !track.is_as_started && waits(track))
    }

    /// The time for which others kept the bot's first thread, and one thread for which it may have waited, from a core:
    /// at most the time in which no other thread of the tree computed. The answer did not wait for a thread that still
    /// runs when it comes, unless that is the first.
    fn kept_waiting(&self, computed: Duration, has_replied: bool) -> Duration {
        let bot = self.tree.last.as_ref().and_then(|(sample, _)| sample.bot());
        let times = |track: &Track| (track.waited(has_replied), track.run);
        let excusable = |(tid, track): (&i32, &Track)| {
            let was_awaited = !has_replied || !track.is_runnable || bot == Some(*tid);
            (track.is_as_started && was_awaited).then(|| (*tid, times(track)))
        };
        let tracks: BTreeMap<i32, _> = self.threads.iter().filter_map(excusable).collect();
        let first = bot.and_then(|bot| tracks.get(&bot)).copied().unwrap_or_default();
        let others = tracks.iter().filter(|(tid, _)| bot != Some(**tid)).map(|(_, times)| *times);
        let by_strangers = |(wait, run): (Duration, Duration)| {
            (wait + first.0).saturating_sub(computed.saturating_sub(run + first.1))
        };
        others.chain([Default::default()]).map(by_strangers).max().unwrap_or_default()
    }

    /// The part of `computed` that may have delayed the referee on its own core.
    fn on_this_core(&self, computed: Duration) -> Duration {
        let here = sched_getcpu();
        let elsewhere =
            |track: &&Track| track.is_as_started && track.core.is_some_and(|core| core != here);
        let elsewhere: Duration =
            self.threads.values().filter(elsewhere).map(|track| track.run).sum();
        computed.saturating_sub(elsewhere)
    }

    /// The longest wait of a thread for a core, regardless of which process had it.
    pub(in crate::bot) fn longest_wait(&self, has_replied: bool) -> Duration {
        let waits = self.threads.values().map(|track| track.waited(has_replied));
        waits.max().unwrap_or_default()
    }
}

impl ProcessTree {
    fn advance(&mut self, sample: Sample, before: &Sample) {
        let times = sample.own_times_since(before);
        if let Some((last, were)) = &self.last {
            let gone = were.iter().filter(|(pid, _)| !times.contains_key(pid));
            let gone: Vec<Duration> = gone.map(|(_, time)| *time).collect();
            self.is_incomplete |= !gone.is_empty() && !sample.has_waited_since(last);
            self.gone += gone.iter().sum::<Duration>();
        }
        self.last = Some((sample, times));
    }

    /// The CPU time of the tree since `before`, of living and of ended processes.
    fn computed(&self, before: &Sample) -> Duration {
        let Some((last, _)) = &self.last else { return Duration::ZERO };
        let time = last.tree_time_since(before);
        time.own + time.children_seen(self.gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALL: Duration = Duration::from_millis(100);

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// A watch that has seen threads: how long each ran and waited, and whether it was scheduled as at its start.
    fn watch(threads: &[(u64, u64, bool)], gone: u64) -> Watch {
        let mut watch = Watch::new(Instant::now(), ms(50), ms(50));
        for (tid, &(run, wait, is_as_started)) in (1..).zip(threads) {
            let mut track = Track::new(is_as_started);
            (track.run, track.wait, track.core) = (ms(run), ms(wait), Some(usize::MAX));
            watch.threads.insert(tid, track);
        }
        let run = threads.iter().map(|(run, ..)| ms(*run)).sum::<Duration>() + ms(gone);
        watch.tree.last = Some((Sample::of_process(1, run), BTreeMap::new()));
        watch
    }

    fn parts(watch: &Watch, delays: Delays) -> Parts {
        let parts = watch.parts(&Sample::default(), WALL, delays, true);
        assert_eq!(parts.wall(), WALL, "{parts:?}");
        parts
    }

    #[test]
    fn only_waits_in_which_nobody_of_the_tree_computed_are_the_hosts() {
        for (threads, gone, expected) in [
            (&[(20, 70, true)][..], 0, 70),
            (&[(20, 70, true), (10, 10, true)], 0, 70),
            (&[(5, 15, true), (20, 40, true)], 0, 55),
            (&[(5, 15, true), (20, 40, true), (30, 0, true)], 0, 25),
            (&[(0, 100, true), (80, 0, true)], 0, 20),
            (&[(20, 70, false)], 0, 0),
            (&[(5, 95, false), (80, 20, true)], 0, 15),
            (&[(0, 100, true)], 80, 20),
        ] {
            let kept = parts(&watch(threads, gone), Delays::default()).kept_waiting;
            assert_eq!(kept, Millis(ms(expected)), "{threads:?} {gone}");
        }
    }

    #[test]
    fn waits_of_a_thread_that_the_bot_scheduled_are_named() {
        for (threads, expected) in [
            (&[(20, 70, true)][..], false),
            (&[(20, 70, false)], true),
            (&[(20, 0, false), (20, 70, true)], false),
        ] {
            let parts = parts(&watch(threads, 0), Delays::default());
            assert_eq!(parts.has_own_scheduling, expected, "{threads:?}");
        }
    }

    #[test]
    fn time_that_nobody_counted_excuses_nothing() {
        let mut watch = watch(&[(20, 70, true)], 0);
        watch.tree.is_incomplete = true;
        let parts = parts(&watch, Delays::default());
        assert_eq!((parts.excused(), parts.unknown), (Duration::ZERO, Millis(ms(70))));
        assert_eq!(parts.asleep, Millis(ms(10)));
    }

    #[test]
    fn a_referee_is_late_by_itself_where_no_hog_of_the_bots_was_on_its_core() {
        let delays = Delays { referee: ms(30), ..Delays::default() };
        let elsewhere = watch(&[(60, 0, true)], 0);
        assert_eq!(parts(&elsewhere, delays).referee, Millis(ms(30)));
        let moved = watch(&[(60, 0, false)], 0);
        assert_eq!(parts(&moved, delays).referee, Millis(Duration::ZERO), "it may have been there");
        let gone = watch(&[(0, 0, true)], 20);
        assert_eq!(parts(&gone, delays).referee, Millis(ms(10)));
    }

    #[test]
    fn a_machine_that_stands_still_lets_the_clocks_of_threads_run_on() {
        let delays = Delays { machine: ms(70), unseen: ms(10), ..Delays::default() };
        let running = parts(&watch(&[(95, 0, true)], 0), delays);
        assert_eq!((running.taken, running.computed), (Millis(ms(70)), Millis(ms(25))));
        let frozen = parts(&watch(&[(22, 0, true)], 0), delays);
        assert_eq!((frozen.taken, frozen.asleep), (Millis(ms(78)), Millis(ms(22))));
    }
}
