//! Watches a bot that has not answered by its limit, and finds out where the time went.
//!
//! The rule: the host is at fault only for time that no thread of the bot's tree caused, and that delayed the
//! answer. docs/timing.md has the theory and its limits.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::Sample;
use super::ended::ProcessTree;
use super::procfs::state;
use super::snapshot::Snapshot;
use super::thread::Thread;
use super::track::{TICK, Track};
use crate::bot::teardown::has_left_survivors;

/// Sampling may use 1/5 of the referee's time: this is the ratio of pauses to samples.
const LOOKING_SHARE: u32 = 4;

/// The time until the next sample of a stopped bot.
const STOPPED_STEP: Duration = Duration::from_millis(2);

/// The shortest wait of a thread to mention.
pub(super) const WORTH_A_WORD: Duration = Duration::from_millis(1);

/// A look before the limit may take 1/25 of it: an answer that comes meanwhile is read later.
const BRIEF: u32 = 25;

/// How long after an answer to find out which threads fall asleep. One that has answered may first wait for a core.
const SETTLING: Duration = Duration::from_millis(50);

/// The watch on a bot in one exchange that is late, or may become so.
#[derive(Debug)]
pub(in crate::bot) struct Watch {
    start: Instant,
    limit: Duration,
    /// When to stop in any case.
    give_up: Instant,
    pub(super) threads: BTreeMap<i32, Track>,
    pub(super) tree: ProcessTree,
    pub(super) stop: Stop,
    pub(super) waits_for_disk: bool,
    /// Whether the bot would still have had time when the watch ended.
    given_up: bool,
    /// The number of times that the counters may not have shown everything.
    doubts: u32,
}

/// The time for which others have stopped the bot.
#[derive(Debug, Default)]
pub(super) struct Stop {
    pub(super) so_far: Duration,
    /// Whether the bot is still stopped. If it is never continued, nothing shows who stopped it.
    pub(super) goes_on: bool,
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
        let is_whole = self.last_sample().is_some_and(Sample::is_whole);
        if let Some(doubt) = self.doubt(now, elapsed).filter(|_| is_whole) {
            return Some((now + doubt).min(self.give_up));
        }
        let longest = if self.stop.goes_on { STOPPED_STEP } else { Self::STEPS.1 };
        // Sampling many threads takes long.
        let step = missing.clamp(Self::STEPS.0, longest).max(begin.elapsed() * LOOKING_SHARE);
        (!missing.is_zero()).then(|| (now + step).min(self.give_up))
    }

    /// The sample of the last look.
    pub(in crate::bot) fn last_sample(&self) -> Option<&Sample> {
        self.tree.last_sample()
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

    /// Looks at a bot before its limit, since threads and processes that end by then do not show later. If that takes
    /// too long, nothing is recorded.
    pub(in crate::bot) fn look_early(&mut self, keeper: Pid, before: &Sample) {
        let sample = Sample::of_tree(keeper.as_raw_pid(), Instant::now() + self.limit / BRIEF);
        if sample.is_whole() {
            self.observe(sample, before, keeper, Instant::now());
            // Whether the bot is stopped matters only when it is late.
            self.stop = Stop::default();
        }
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
        self.tree.advance(sample, before, elapsed);
    }

    /// Waits, after an answer, until each thread that may have been awaited has fallen asleep, or has run on for longer
    /// than it takes to do so.
    pub(in crate::bot) fn see_who_sleeps(&mut self) {
        let bot = self.tree.bot();
        let may_be_awaited = |(tid, track): &(&i32, &mut Track)| {
            track.is_runnable && track.waited(true) >= WORTH_A_WORD && bot != Some(**tid)
        };
        let open = self.threads.iter_mut().filter(may_be_awaited);
        let mut open: Vec<_> = open.map(|(tid, track)| (Thread::of(*tid), *tid, track)).collect();
        let until = Instant::now() + SETTLING;
        let mut pause = Self::STEPS.0;
        while !open.is_empty() && Instant::now() < until {
            sleep(pause);
            let begin = Instant::now();
            open.retain_mut(|(then, tid, track)| {
                let ran = Thread::of(*tid).since(Some(then)).run;
                let runs = state(&format!("/proc/{tid}/stat")) == 'R';
                track.is_runnable = runs || ran >= TICK;
                runs && ran < TICK
            });
            pause = Self::STEPS.0.max(begin.elapsed() * LOOKING_SHARE);
        }
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
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::{scope, sleep};

    use rustix::thread::gettid;

    use super::*;

    /// The number of a thread that does this.
    fn started<'a>(scope: &'a std::thread::Scope<'a, '_>, act: impl FnOnce() + Send + 'a) -> i32 {
        let (tell, told) = std::sync::mpsc::channel();
        scope.spawn(move || {
            tell.send(gettid().as_raw_pid()).expect("it listens");
            act();
        });
        told.recv().expect("it tells")
    }

    #[test]
    fn only_a_thread_that_falls_asleep_after_the_answer_was_awaited() {
        let is_over = AtomicBool::new(false);
        scope(|scope| {
            let sleeper = started(scope, || {
                while !is_over.load(Ordering::Relaxed) {
                    sleep(Duration::from_millis(1));
                }
            });
            let hog = started(scope, || {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            let limit = Duration::from_millis(50);
            let mut watch = Watch::new(Instant::now(), limit, limit);
            for tid in [sleeper, hog] {
                let mut track = Track::new(true);
                (track.wait, track.is_runnable) = (limit, true);
                watch.threads.insert(tid, track);
            }
            // It may be caught awake for a moment.
            while watch.threads[&sleeper].is_runnable {
                watch.see_who_sleeps();
            }
            assert!(watch.threads[&hog].is_runnable, "it runs on");
            is_over.store(true, Ordering::Relaxed);
        });
    }
}
