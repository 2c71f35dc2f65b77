//! A program while others at its table are asked: it is stopped, or runs on under its limits.
//!
//! A stop is a signal, and a program can arrange for another one that continues it. So each program is sampled every hundredth of a
//! second on a thread of its table, and stopped again. One that exceeds a limit is killed at once, and loses in its next exchange.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::guard::Exceeded;
use crate::decide::sample::Sample;
use crate::decide::tuning::TUNING;
use crate::observe::root::Root;
use crate::observe::sampler::Sampler;
use crate::observe::walk;
use crate::spawn::leash::Leash;
use terms::limits::{Breach, Resources};

/// A program that may have to wait for others.
#[derive(Debug)]
pub(crate) struct Bystander {
    leash: Leash,
    limits: Resources,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    activity: Activity,
    sampler: Sampler,
    /// When to sample it next.
    next: Instant,
    /// The limit that it has exceeded, for which it is killed.
    breach: Option<Breach>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activity {
    /// It is asked, or has ended: nothing is to be done here.
    Asked,
    Stopped,
    /// It may run while others are asked.
    Pondering,
}

impl Bystander {
    pub(crate) fn new(root: Root, leash: Leash, limits: Resources) -> Self {
        let mut sampler = Sampler::new(root);
        leash.resume(&sampler.sample().pids());
        let (activity, next, breach) = (Activity::Asked, Instant::now(), None);
        let state = Mutex::new(State { activity, sampler, next, breach });
        Self { leash, limits, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has it run as it likes from now on. Returns the limit that it has exceeded in the meantime.
    pub(crate) fn resume(&self) -> Option<Breach> {
        let mut state = self.state();
        if state.activity == Activity::Stopped {
            let processes = state.sampler.sample().pids();
            self.leash.resume(&processes);
        }
        state.activity = Activity::Asked;
        state.breach
    }

    /// Stops the processes of this sample; the next samples show any others.
    pub(crate) fn stop(&self, sample: &Sample) {
        let mut state = self.state();
        state.activity = Activity::Stopped;
        state.next = Instant::now() + TUNING.bystander.interval;
        self.leash.stop(&sample.pids());
    }

    pub(crate) fn ponder(&self) {
        let mut state = self.state();
        state.activity = Activity::Pondering;
        state.next = Instant::now() + TUNING.limits.interval;
    }

    /// Samples it if that is due: stops again what runs, and kills what exceeds a limit. Returns when to call this again.
    pub(crate) fn tick(&self) -> Instant {
        let mut state = self.state();
        let now = Instant::now();
        let (interval, share) = match state.activity {
            Activity::Stopped => (TUNING.bystander.interval, TUNING.bystander.share),
            Activity::Pondering => (TUNING.limits.interval, TUNING.limits.share),
            Activity::Asked => return now + TUNING.bystander.interval,
        };
        if now < state.next {
            return state.next;
        }
        let sample = state.sampler.sample();
        // Before its memory is measured, so that it does not grow in the meantime.
        if state.activity == Activity::Stopped && walk::has_unstopped(&sample) {
            self.leash.stop(&sample.pids());
        }
        state.breach = state.breach.or(Exceeded::by(&self.limits, &sample, None, false).breach);
        if state.breach.is_some() {
            self.leash.kill(&sample.pids());
        }
        state.next = Instant::now() + interval.max(now.elapsed() * share);
        state.next
    }
}
