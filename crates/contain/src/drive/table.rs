//! Programs at one table, of which one is asked at a time. The others are stopped, or run on under their limits.
//!
//! A stop is a signal, and a program can arrange for another one that continues it. So each program is sampled every hundredth of a
//! second on a thread of its table, and stopped again. One that exceeds a limit is killed at once, and loses in its next exchange.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::decide::sample::Sample;
use crate::decide::tuning::TUNING;
use crate::drive::guard::Exceeded;
use crate::observe::{self, Root, Sampler};
use crate::spawn::Leash;
use terms::limits::{Breach, Resources};

/// Watches the programs at one table that are not asked, until it is dropped.
#[derive(Debug)]
pub struct TableWatch {
    join: Option<Sender<Arc<Bystander>>>,
    thread: Option<JoinHandle<()>>,
}

impl TableWatch {
    /// Starts the thread that watches.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn start() -> std::io::Result<Self> {
        let (join, joining) = mpsc::channel::<Arc<Bystander>>();
        let thread = thread::Builder::new().name("table-watch".to_owned()).spawn(move || {
            let mut all: Vec<Arc<Bystander>> = Vec::new();
            let mut next = Instant::now();
            loop {
                match joining.recv_timeout(next.saturating_duration_since(Instant::now())) {
                    Ok(bystander) => all.push(bystander),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                let idle = Instant::now() + TUNING.bystander.interval;
                next = all.iter().map(|it| it.tick()).min().unwrap_or(idle).max(Instant::now());
            }
        })?;
        Ok(Self { join: Some(join), thread: Some(thread) })
    }

    /// Watches this program too.
    pub(crate) fn watch(&self, bystander: Arc<Bystander>) {
        if let Some(join) = &self.join {
            // The thread ends only when this is dropped.
            let _ = join.send(bystander);
        }
    }
}

impl Drop for TableWatch {
    fn drop(&mut self) {
        self.join = None;
        if let Some(thread) = self.thread.take() {
            // A panic of it has been reported.
            let _ = thread.join();
        }
    }
}

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
        if state.activity == Activity::Stopped && observe::has_unstopped(&sample) {
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
