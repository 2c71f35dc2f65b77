//! The clock of an exchange: its deadline, and by how much the referee itself may have been late.

use std::mem;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::usage::{Delays, OwnThread, Sample, Watch};
use terms::certificate::Parts;

/// How long a reply is awaited beyond its limit, to find out how late it is and why.
/// Whether a late reply counts is not decided here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overtime {
    /// Always wait this long.
    Always(Duration),
    /// Wait up to this long, while the bot would still have time but for the delays that others caused.
    WhileStarved(Duration),
}

/// When an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// No later than its limit. A `wall` beyond the limit then means that the referee woke late and
    /// found the reply.
    Limit,
    /// When its limit had certainly passed.
    Overtime,
    /// When the overtime had ended too, though the bot would still have had time but for others' delays.
    Starved,
}

/// The clock of one exchange.
#[derive(Debug)]
pub(super) struct Clock {
    limit: Option<Duration>,
    overtime: Overtime,
    /// When to sample the bot next; `None` is never.
    pub(super) deadline: Option<Instant>,
    /// The number of [`EARLY_LOOKS`] that were due by now.
    early_looks: usize,
    /// Whether the limit has passed without a reply.
    in_overtime: bool,
    watch: Option<Watch>,
    /// The bot's usage before the exchange.
    pub(super) before: Sample,
    has_listened: bool,
    own_wait: OwnWait,
    /// The start of the last poll, and its deadline.
    last_wait: (Instant, Instant),
    /// When that poll ended.
    listened: Instant,
    /// The time for which the machine has stood still, as timers show.
    delays: Delays,
    /// Standstills that may or may not have cost the bot time.
    standstill: Option<Standstill>,
    pub(super) start: Instant,
}

/// Standstills of the machine in short succession.
#[derive(Debug)]
struct Standstill {
    /// Their part of the clock's delays.
    delays: Delays,
    /// A sample of the bot just after the first standstill.
    bot: Option<Sample>,
    /// The end of the last standstill, or of the sampling after it.
    since: Instant,
}

/// A timer later than this, though its process did not wait for a core, shows that the machine stood still.
const STAND_STILL: Duration = Duration::from_millis(2);

/// How often the referee wakes while a bot thinks, to notice that the machine stands still.
const HEARTBEAT: Duration = Duration::from_millis(10);

/// When to look before the limit at a bot of several threads or processes, in tenths of the limit.
const EARLY_LOOKS: [u32; 5] = [5, 6, 7, 8, 9];

impl Clock {
    /// Starts the clock as if it had run for `head_start` already.
    pub(super) fn start(
        limit: Option<Duration>,
        overtime: Overtime,
        before: Sample,
        head_start: Duration,
        thread: OwnThread,
    ) -> Self {
        let own_wait = OwnWait::start(thread);
        let now = Instant::now();
        let start = now.checked_sub(head_start).unwrap_or(now);
        Self {
            limit,
            overtime,
            deadline: limit.and_then(|limit| start.checked_add(limit)),
            early_looks: 0,
            in_overtime: false,
            watch: None,
            before,
            has_listened: false,
            own_wait,
            last_wait: (start, start),
            listened: start,
            delays: Delays::default(),
            standstill: None,
            start,
        }
    }

    /// Notes that the referee is about to poll, no later than until `wake`. Returns the poll's deadline.
    pub(super) fn listen(&mut self, wake: Instant) -> Instant {
        if mem::replace(&mut self.has_listened, true) {
            self.own_wait.restart();
        }
        let now = Instant::now();
        let wake = self.next_look().map_or(wake, |look| wake.min(look));
        self.last_wait = (now, wake.min(now + HEARTBEAT));
        self.last_wait.1
    }

    /// Notes that the poll has ended. No program can delay a timer: if the timer is late by more than the time
    /// that the referee then waited for a core, the machine stood still.
    pub(super) fn woke(&mut self, now: Instant) {
        self.listened = now;
        let (since, wake) = self.last_wait;
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

    fn next_look(&self) -> Option<Instant> {
        let tenths = EARLY_LOOKS.get(self.early_looks)?;
        self.start.checked_add(self.limit?.checked_mul(*tenths)? / 10)
    }

    /// Whether it is time for a look before the limit, which this answers once.
    pub(super) fn is_look_due(&mut self) -> bool {
        let is_due = self.next_look().is_some_and(|look| Instant::now() >= look);
        self.early_looks += usize::from(is_due);
        is_due && !self.in_overtime
    }

    /// Looks at the bot before the limit.
    pub(super) fn look_early(&mut self, keeper: Pid) {
        let Some(limit) = self.limit else { return };
        let (Overtime::Always(patience) | Overtime::WhileStarved(patience)) = self.overtime;
        let start = self.start;
        let watch = self.watch.get_or_insert_with(|| Watch::new(start, limit, patience));
        watch.look_early(keeper, &self.before);
    }

    /// Withdraws the excuse of a standstill if the bot slept through it: if the bot slept just after the standstill
    /// and had not run [`STAND_STILL`] later. Then it awaits a clock, which ran on.
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

    /// The time that the referee waited for a core, as far as that has delayed the reply.
    pub(super) fn own_wait(&self) -> Option<Duration> {
        self.own_wait.so_far()
    }

    /// Whether the limit has passed without a reply.
    pub(super) fn in_overtime(&self) -> bool {
        self.in_overtime
    }

    pub(super) fn has_passed(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// The referee's delay in reading a reply that may have arrived in time, up to the usual delay of waking;
    /// a longer delay must have another explanation.
    fn overslept(&self, wall: Duration) -> Duration {
        let limit = self.limit.filter(|_| !self.in_overtime);
        limit.map(|limit| wall.saturating_sub(limit).min(STAND_STILL)).unwrap_or_default()
    }

    /// Whether to go on when a deadline has passed without a reply. Sampling takes time, so the overtime ends only
    /// after a poll that lasted until its end.
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

    /// Ends the wait for a bot that has been killed at its deadline, since the referee stood still.
    pub(super) fn give_up(&mut self, keeper: Pid) {
        if let Some(limit) = self.limit {
            self.in_overtime = true;
            let start = self.start;
            let watch = self.watch.get_or_insert_with(|| Watch::new(start, limit, Duration::ZERO));
            watch.give_up(keeper, &self.before, self.delays);
        }
    }

    /// The bot as of the last look at it, if it was looked at.
    pub(super) fn last_look(&self) -> Option<&Sample> {
        self.watch.as_ref()?.last_sample()
    }

    pub(super) fn phase(&self) -> Phase {
        match &self.watch {
            Some(watch) if watch.is_given_up() => Phase::Starved,
            _ if self.in_overtime => Phase::Overtime,
            _ => Phase::Limit,
        }
    }

    /// Whether an exchange that took `wall` was late or disturbed, so that its certificate needs parts.
    pub(super) fn wants_account(&self, wall: Duration) -> bool {
        let is_late = self.in_overtime || self.limit.is_some_and(|limit| wall > limit);
        is_late || !self.delays.machine.is_zero()
    }

    /// The parts of `wall`, and the longest wait of a thread, for an exchange after which `after` was
    /// sampled and during which the referee waited `own_wait` for a core.
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
        if has_replied && self.limit.is_some_and(|limit| wall > limit) {
            watch.see_who_sleeps();
        }
        let parts = watch.parts(&self.before, wall, delays, has_replied);
        (parts, watch.longest_wait(has_replied).min(wall))
    }
}

/// The referee's own wait for a core since the start of the exchange or, after a poll without result,
/// since the last poll. It may have delayed sending the input or seeing the reply by this time; waits
/// in between delayed nobody. After quick turns it may be a little longer than this says.
#[derive(Debug)]
struct OwnWait {
    thread: OwnThread,
    start: Option<Duration>,
}

impl OwnWait {
    fn start(thread: OwnThread) -> Self {
        Self { start: thread.longest_wait(), thread }
    }

    fn restart(&mut self) {
        self.start = self.thread.wait();
    }

    fn so_far(&self) -> Option<Duration> {
        self.thread.wait().zip(self.start).map(|(now, start)| now.saturating_sub(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn clock(limit: Option<Duration>, head_start: Duration) -> Clock {
        let overtime = Overtime::Always(Duration::ZERO);
        Clock::start(limit, overtime, Sample::default(), head_start, OwnThread::default().current())
    }

    /// The delays after a poll that ended this much later than it should have.
    fn delays_of_a_poll_late_by(late: Duration) -> Delays {
        let mut clock = clock(None, Duration::ZERO);
        let deadline = clock.listen(Instant::now() + HOUR);
        clock.woke(deadline + late);
        clock.delays
    }

    #[test]
    fn a_timer_late_by_more_than_the_referees_wait_for_a_core_shows_a_standstill() {
        assert_eq!(delays_of_a_poll_late_by(STAND_STILL / 2).machine, Duration::ZERO);
        let delays = delays_of_a_poll_late_by(HOUR);
        // On a busy machine the referee may really have waited.
        assert!((HOUR / 2..=HOUR).contains(&delays.machine), "{delays:?}");
        assert_eq!(
            delays.unseen, HEARTBEAT,
            "the machine may have stopped right after the last poll"
        );
    }

    #[test]
    fn a_head_start_counts_towards_the_limit() {
        let limit = Duration::from_millis(50);
        let before = Instant::now();
        let clock = clock(Some(limit), HOUR);
        assert!(clock.start.elapsed() >= HOUR && clock.has_passed(before));
        assert!(!clock.has_passed(clock.start + Duration::from_millis(49)));
        assert!(clock.has_passed(clock.start + limit));
    }

    #[test]
    fn looks_before_the_limit_are_for_turns_that_last_so_long() {
        let limit = Duration::from_secs(100);
        let looks = |head_start| {
            let mut clock = clock(Some(limit), head_start);
            (0..10).filter(|_| clock.is_look_due()).count()
        };
        let thought = [49, 51, 71, 91].map(|tenth| looks(Duration::from_secs(tenth)));
        assert_eq!(thought, [0, 1, 3, 5]);
        assert_eq!(clock(None, HOUR).next_look(), None);
    }
}
