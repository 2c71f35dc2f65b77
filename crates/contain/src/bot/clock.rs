//! The clock of an exchange: its deadline, and by how much the referee itself may have been late.

use std::mem;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::usage::{self, Delays, Sample, Watch};
use terms::certificate::Parts;

/// How long a reply is awaited beyond its limit, so that it can be said how late it was and why.
/// What a late reply is worth is not decided here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// So long in any case.
    Always(Duration),
    /// At most so long, and only while the bot would still have time had it not been kept waiting or stopped by
    /// others.
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
    /// When the patience had ended too, and the bot would still have had time without what others did to it.
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
    watch: Option<Watch>,
    /// What the bot had used before.
    pub(super) before: Sample,
    has_listened: bool,
    own_wait: OwnWait,
    /// When the last wait for the bot began, and when it was to end at the latest.
    nap: (Instant, Instant),
    /// When that wait ended.
    listened: Instant,
    /// For how long the machine has stood still, as timers show.
    delays: Delays,
    /// Standstills of which it is not clear yet whether the bot has lost time by them.
    standstill: Option<Standstill>,
    pub(super) start: Instant,
}

/// Standstills of the machine, one soon after the other.
#[derive(Debug)]
struct Standstill {
    /// What they have added to the clock's delays.
    delays: Delays,
    /// The bot just after the first one.
    bot: Option<Sample>,
    /// The end of the last one, or of the first look at the bot.
    since: Instant,
}

/// A timer that is later than this, though its process did not wait for a core, shows that the machine stood still.
const STAND_STILL: Duration = Duration::from_millis(2);

/// How often the referee wakes while a bot thinks, to notice that the machine stands still.
const HEARTBEAT: Duration = Duration::from_millis(10);

impl Clock {
    /// Starts the clock as if it had run for `head_start` already.
    pub(super) fn start(
        limit: Option<Duration>,
        overtime: Overtime,
        before: Sample,
        head_start: Duration,
    ) -> Self {
        let own_wait = OwnWait::start();
        let now = Instant::now();
        let start = now.checked_sub(head_start).unwrap_or(now);
        Self {
            limit,
            overtime,
            deadline: limit.and_then(|limit| start.checked_add(limit)),
            in_overtime: false,
            watch: None,
            before,
            has_listened: false,
            own_wait,
            nap: (start, start),
            listened: start,
            delays: Delays::default(),
            standstill: None,
            start,
        }
    }

    /// The referee is about to listen to the bot, until `wake` at the latest. Returns until when it may.
    pub(super) fn listen(&mut self, wake: Instant) -> Instant {
        if mem::replace(&mut self.has_listened, true) {
            self.own_wait = OwnWait::start();
        }
        let now = Instant::now();
        self.nap = (now, wake.min(now + HEARTBEAT));
        self.nap.1
    }

    /// The referee has listened. Nobody's program keeps a timer from ringing: one that is late, but for the time
    /// that the referee then waited for a core, has rung when the machine ran on.
    pub(super) fn woke(&mut self, now: Instant) {
        self.listened = now;
        let (since, wake) = self.nap;
        let late = now.saturating_duration_since(wake.max(since));
        if late >= STAND_STILL {
            let still = late.saturating_sub(self.own_wait().unwrap_or(late));
            if still >= STAND_STILL {
                let unseen = wake.saturating_duration_since(since);
                self.delays.machine += still;
                self.delays.unseen += unseen;
                let standstill = self.standstill.get_or_insert_with(|| Standstill {
                    delays: Delays::default(),
                    bot: None,
                    since: now,
                });
                standstill.delays.machine += still;
                standstill.delays.unseen += unseen;
                standstill.since = now;
            }
        }
    }

    /// Withdraws the excuse of a standstill that the bot slept through: it slept just after it, and had not run
    /// [`STAND_STILL`] later. What it waits for is a clock, and that ran on.
    pub(super) fn settle_standstill(&mut self, keeper: Pid) {
        let Some(standstill) = &mut self.standstill else { return };
        match &standstill.bot {
            None => {
                standstill.bot = Some(Sample::below_until(keeper, self.deadline));
                standstill.since = Instant::now();
            }
            Some(bot) if standstill.since.elapsed() >= STAND_STILL => {
                let now = Sample::below_until(keeper, self.deadline);
                if now.has_slept_since(bot, self.deadline) {
                    self.delays.machine -= standstill.delays.machine;
                    self.delays.unseen -= standstill.delays.unseen;
                }
                self.standstill = None;
            }
            Some(_) => {}
        }
    }

    /// How long the referee has waited for a core, as far as that has delayed the reply.
    pub(super) fn own_wait(&self) -> Option<Duration> {
        self.own_wait.so_far()
    }

    pub(super) fn has_passed(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// How late the referee was to look at a reply that may have been there in time; more than a machine needs
    /// to wake it is for others to explain.
    fn overslept(&self, wall: Duration) -> Duration {
        let limit = self.limit.filter(|_| !self.in_overtime);
        limit.map(|limit| wall.saturating_sub(limit).min(STAND_STILL)).unwrap_or_default()
    }

    /// Whether to look on when a deadline has passed without a reply. A look takes time, so the patience ends only
    /// when the bot was listened to until then.
    pub(super) fn goes_on(&mut self, keeper: Pid) -> bool {
        let Some(limit) = self.limit else { return true };
        self.in_overtime = true;
        let (patience, is_certain) = match self.overtime {
            Overtime::Always(patience) => (patience, true),
            Overtime::WhileStarved(patience) => (patience, false),
        };
        let start = self.start;
        let watch = self.watch.get_or_insert_with(|| Watch::new(start, limit, patience));
        let listened = self.listened;
        let next = watch.look(keeper, &self.before, self.delays, listened);
        self.deadline = if is_certain { next.or_else(|| watch.look_on(listened)) } else { next };
        self.deadline.is_some()
    }

    pub(super) fn phase(&self) -> Phase {
        match &self.watch {
            Some(watch) if watch.is_given_up() => Phase::Starved,
            _ if self.in_overtime => Phase::Overtime,
            _ => Phase::Limit,
        }
    }

    /// Whether an exchange that took `wall` was late or disturbed, so that it is to be told where the time went.
    pub(super) fn wants_account(&self, wall: Duration) -> bool {
        let is_late = self.in_overtime || self.limit.is_some_and(|limit| wall > limit);
        is_late || !self.delays.machine.is_zero()
    }

    /// What `wall` is made of, and the longest wait of a thread, by the end of an exchange after which `after` was
    /// sampled and the referee had waited `own_wait` for a core.
    pub(super) fn account(
        &mut self,
        keeper: Pid,
        after: Sample,
        wall: Duration,
        own_wait: Option<Duration>,
        has_replied: bool,
    ) -> (Parts, Duration) {
        let referee = own_wait.unwrap_or_default().max(self.overslept(wall));
        let delays = Delays { referee, ..self.delays };
        let start = self.start;
        let watch = self.watch.get_or_insert_with(|| Watch::new(start, wall, Duration::ZERO));
        watch.observe(after, &self.before, keeper, start + wall);
        let parts = watch.parts(&self.before, wall, delays, has_replied);
        (parts, watch.longest_wait(has_replied).min(wall))
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
