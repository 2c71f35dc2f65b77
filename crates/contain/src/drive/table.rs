//! Programs at one table, of which one is asked at a time.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::decide::sample::Sample;
use crate::decide::tuning::TUNING;
use crate::drive::guard::Exceeded;
use crate::drive::process::BotProcess;
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
    pub fn add(&self, bot: &mut BotProcess) {
        if let Some(join) = &self.join {
            // The thread ends only when this is dropped.
            let _ = join.send(bot.bystander());
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

impl BotProcess {
    fn bystander(&mut self) -> Arc<Bystander> {
        let (root, running) = (self.root, &self.running);
        let limits = self.guard.limits();
        let new = || Arc::new(Bystander::new(root, running.leash(), limits));
        Arc::clone(self.bystander.get_or_insert_with(new))
    }

    /// Lets it finish what it does after its reply, for this time at most, then stops all its processes until the next
    /// exchange, or its end. It has finished when none of its threads has run in two samples in a row. What it computes in this time
    /// counts in no exchange. Returns how long it ran on.
    pub fn pause(&mut self, at_most: Duration) -> Duration {
        let begun = Instant::now();
        // Samples of a program that holds up the referee end with it.
        self.running.set_deadline(begun.checked_add(at_most));
        let mut nap = TUNING.bystander.first_nap;
        let mut last = self.meter.sampler.sample();
        let ran_on = loop {
            let sample = self.meter.sampler.sample();
            let has_run = sample.threads != last.threads || observe::can_run(&sample);
            let ran_on = begun.elapsed();
            last = sample;
            if !has_run || ran_on >= at_most {
                break ran_on;
            }
            thread::sleep(nap.min(at_most.saturating_sub(ran_on)));
            nap = TUNING.bystander.longest_nap.min(2 * nap);
        };
        self.bystander().stop(&last);
        self.running.set_deadline(None);
        self.meter.set_used(last);
        ran_on
    }

    /// Lets it run while others are asked.
    pub fn ponder(&mut self) {
        self.bystander().ponder();
    }

    /// Has it run as it likes. What it has exceeded in the meantime ends its next exchange.
    pub(crate) fn resume(&mut self) {
        if let Some(bystander) = &self.bystander {
            self.guard.exceeded_while_idle(bystander.resume());
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
