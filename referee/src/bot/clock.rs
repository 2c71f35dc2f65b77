//! The clock of an exchange: its deadline, and by how much the referee itself may have been late.

use std::mem;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::usage::{self, Sample, Starvation};

/// How long a reply is awaited beyond its limit, so that it can be said how late it was and why.
/// What a late reply is worth is not decided here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// So long in any case.
    Always(Duration),
    /// At most so long, and only while the bot would still have time had it not been kept waiting for
    /// a core.
    WhileStarved(Duration),
}

/// When an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// At its limit at the latest. A `wall` beyond the limit means here that the reply was found when
    /// the referee woke late.
    Limit,
    /// When its limit had passed for certain.
    Overtime,
    /// When the patience had ended too, and the bot was still being kept waiting for a core.
    Starved,
}

/// The clock of one exchange.
#[derive(Debug)]
pub(super) struct Clock {
    limit: Option<Duration>,
    overtime: Overtime,
    /// When to look at the bot next; `None` is never.
    pub(super) deadline: Option<Instant>,
    /// Whether the limit has passed without a reply.
    in_overtime: bool,
    starvation: Option<Starvation>,
    /// What the bot had used before.
    pub(super) before: Sample,
    has_listened: bool,
    own_wait: OwnWait,
    pub(super) start: Instant,
}

impl Clock {
    pub(super) fn start(limit: Option<Duration>, overtime: Overtime, before: Sample) -> Self {
        let own_wait = OwnWait::start();
        let start = Instant::now();
        Self {
            limit,
            overtime,
            deadline: limit.and_then(|limit| start.checked_add(limit)),
            in_overtime: false,
            starvation: None,
            before,
            has_listened: false,
            own_wait,
            start,
        }
    }

    /// The referee is about to listen to the bot.
    pub(super) fn listen(&mut self) {
        if mem::replace(&mut self.has_listened, true) {
            self.own_wait = OwnWait::start();
        }
    }

    /// How long the referee has waited for a core, as far as that has delayed the reply.
    pub(super) fn own_wait(&self) -> Option<Duration> {
        self.own_wait.so_far()
    }

    pub(super) fn has_passed(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// How late the referee was to look at a reply that may have been there in time.
    pub(super) fn overslept(&self, wall: Duration) -> Duration {
        let limit = self.limit.filter(|_| !self.in_overtime);
        limit.map(|limit| wall.saturating_sub(limit)).unwrap_or_default()
    }

    /// Whether to look on when a deadline has passed without a reply.
    pub(super) fn goes_on(&mut self, keeper: Pid) -> bool {
        let Some(limit) = self.limit else { return true };
        let first = !mem::replace(&mut self.in_overtime, true);
        let next = match self.overtime {
            Overtime::Always(patience) => {
                (first && !patience.is_zero()).then(|| self.start + limit + patience)
            }
            Overtime::WhileStarved(patience) => {
                let starvation = || Starvation::new(self.start, limit, patience);
                self.starvation.get_or_insert_with(starvation).look(keeper, &self.before)
            }
        };
        self.deadline = next;
        next.is_some()
    }

    pub(super) fn phase(&self) -> Phase {
        match &self.starvation {
            Some(starvation) if starvation.is_given_up() => Phase::Starved,
            _ if self.in_overtime => Phase::Overtime,
            _ => Phase::Limit,
        }
    }

    pub(super) fn hidden_wait(&self) -> Duration {
        self.starvation.as_ref().map(Starvation::hidden_wait).unwrap_or_default()
    }
}

/// The time that the referee itself waits for a core, from the start of the exchange or, where it
/// had listened in vain, from when it listened again. By so much it may have been late to send the
/// input or to see the reply; waits in between delayed nobody.
#[derive(Debug)]
struct OwnWait(Option<Duration>);

impl OwnWait {
    fn start() -> Self {
        Self(usage::own_wait())
    }

    fn so_far(&self) -> Option<Duration> {
        usage::own_wait().zip(self.0).map(|(now, start)| now.saturating_sub(start))
    }
}
