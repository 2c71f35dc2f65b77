//! What a program has used, from one exchange to the next.

use std::time::{Duration, Instant};

use crate::decide::exchange::Start;
use crate::decide::sample::{Moment, Sample};
use crate::observe::{RefereeThread, Root, Sampler};

/// Measures one program.
#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) sampler: Sampler,
    thread: RefereeThread,
    /// The program's usage at the last sample; between exchanges it has nothing to do.
    used: Option<Sample>,
    /// The time that it has thought since then.
    unsampled: Duration,
    /// Whether its first exchange is over, which has its start in it.
    pub(crate) has_begun: bool,
    /// The time just before its start, from which moments are counted.
    spawned: Instant,
}

/// The referee's wait for a core before it sent the input of an exchange and, after a poll without result, since the end of
/// the last poll. It may have delayed sending the input or seeing the reply by this time; waits in between delayed nothing.
/// After quick turns it may be a little longer than this reports.
#[derive(Debug)]
pub(crate) struct OwnWait {
    thread: RefereeThread,
    start: Option<Duration>,
    /// The wait from before the input was sent, once a poll had no result.
    before_input: Option<Duration>,
    /// Whether to start again before the next poll.
    is_due: bool,
}

impl OwnWait {
    /// Starts again if the last poll had news but no result.
    pub(crate) fn before_poll(&mut self) {
        if std::mem::take(&mut self.is_due) {
            self.restart();
        }
    }

    /// Starts again, unless there was news, which may be the reply.
    pub(crate) fn after_poll(&mut self, has_news: bool) {
        self.is_due = has_news;
        if !has_news {
            self.restart();
        }
    }

    fn restart(&mut self) {
        let now = self.thread.wait();
        if self.before_input.is_none() {
            self.before_input = self.until(now);
        }
        self.start = now;
    }

    /// Notes that the first poll had no result, and ended this `late`.
    pub(crate) fn note_first_poll(&mut self, late: Duration) {
        if self.before_input.is_none() {
            self.before_input = self.since_poll().map(|wait| wait.saturating_sub(late));
        }
    }

    /// The wait since the end of the last poll without result, or since the start.
    pub(crate) fn since_poll(&self) -> Option<Duration> {
        self.until(self.thread.wait())
    }

    fn until(&self, now: Option<Duration>) -> Option<Duration> {
        now.zip(self.start).map(|(now, start)| now.saturating_sub(start))
    }

    /// The wait that is known from before the input was sent.
    pub(crate) fn before_input(&self) -> Duration {
        self.before_input.unwrap_or_default()
    }

    /// Both.
    pub(crate) fn so_far(&self) -> Option<Duration> {
        self.since_poll().map(|wait| wait + self.before_input())
    }
}

impl Meter {
    pub(crate) fn new(root: Root, spawned: Instant) -> Self {
        Self {
            sampler: Sampler::new(root),
            thread: RefereeThread::default(),
            used: None,
            unsampled: Duration::ZERO,
            has_begun: false,
            spawned,
        }
    }

    /// A moment of the program's clock.
    pub(crate) fn moment(&self, at: Instant) -> Moment {
        Moment(at.saturating_duration_since(self.spawned))
    }

    /// The present moment.
    pub(crate) fn now(&self) -> Moment {
        Moment(self.spawned.elapsed())
    }

    /// When a moment is.
    pub(crate) fn instant(&self, moment: Moment) -> Option<Instant> {
        self.spawned.checked_add(moment.0)
    }

    /// Starts to measure an exchange. The first one starts earlier by the CPU time that the program has used since its start:
    /// this counts, but the time that the machine takes to report the start does not.
    pub(crate) fn start(&mut self, spoke: Option<Moment>) -> (Start, OwnWait) {
        let (before, head_start) = match self.used.take() {
            Some(used) => (used, Duration::ZERO),
            None => self.sampler.first(),
        };
        let unsampled = self.has_begun.then_some(self.unsampled);
        let (at, own_wait) = self.start_clock(head_start);
        (Start { at, before, unsampled, spoke }, own_wait)
    }

    /// Starts to measure the exchange again; with a new sample if it is the first.
    pub(crate) fn restart(&mut self) -> (Moment, Option<Sample>, OwnWait) {
        let (before, head_start) = if self.has_begun {
            (None, Duration::ZERO)
        } else {
            let (sample, head_start) = self.sampler.first();
            (Some(sample), head_start)
        };
        let (at, own_wait) = self.start_clock(head_start);
        (at, before, own_wait)
    }

    fn start_clock(&mut self, head_start: Duration) -> (Moment, OwnWait) {
        let thread = self.thread.current();
        let own_wait =
            OwnWait { start: thread.longest_wait(), thread, before_input: None, is_due: false };
        // Several cores may have computed at once, for longer than the program has run.
        (Moment(self.now().0.saturating_sub(head_start)), own_wait)
    }

    /// Notes that a quick reply was not sampled.
    pub(crate) fn add_unsampled(&mut self, wall: Duration) {
        self.unsampled += wall;
    }

    /// Notes that no thinking is unsampled.
    pub(crate) fn reset_unsampled(&mut self) {
        self.unsampled = Duration::ZERO;
    }

    /// Notes the usage from which the next exchange counts.
    pub(crate) fn set_used(&mut self, used: Sample) {
        self.unsampled = Duration::ZERO;
        self.used = Some(used);
    }

    /// The CPU time since the last exchange, which is then sampled again.
    pub(crate) fn take_idle_cpu(&mut self) -> Option<Duration> {
        let before = self.used.take()?;
        let now = self.sampler.sample();
        let cpu = now.since(&before, Duration::MAX).cpu;
        self.unsampled = Duration::ZERO;
        self.used = Some(now);
        cpu.map(|cpu| cpu.0)
    }

    /// Ends an exchange, by whose end the program had used this.
    pub(crate) fn end(&mut self, used: Sample) {
        self.used = Some(used);
        self.has_begun = true;
    }
}
