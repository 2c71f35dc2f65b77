//! The clock of an exchange: its deadline, and by how much the referee itself may have been late.

use std::time::Duration;

use crate::decide::sample::{Moment, Observation, Sample};
use crate::decide::tuning::TUNING;
use crate::decide::watch::{Delays, Watch};
use terms::certificate::Parts;

/// How long a reply is awaited beyond its limit, to find out how late it is and why.
/// Whether a late reply counts is not decided here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Overtime {
    /// Always wait this long.
    Always(Duration),
    /// Wait up to this long, while the program would still have time without the delays that others caused.
    WhileStarved(Duration),
}

impl Overtime {
    fn patience(self) -> Duration {
        let (Self::Always(patience) | Self::WhileStarved(patience)) = self;
        patience
    }
}

/// When an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Phase {
    /// No later than its limit. A `wall` beyond the limit then means that the referee woke late and
    /// found the reply.
    Limit,
    /// When its limit had certainly passed.
    Overtime,
    /// When the overtime had ended too, though the program would still have had time without the delays of others.
    Starved,
}

/// The clock of one exchange.
#[derive(Debug)]
pub(crate) struct Clock {
    limit: Option<Duration>,
    overtime: Overtime,
    pub(crate) start: Moment,
    /// When the program's time is up, or when to sample it next once it is late; `None` is never.
    pub(crate) deadline: Option<Moment>,
    /// Whether the limit has passed without a reply.
    in_overtime: bool,
    watch: Option<Watch>,
    /// The program's usage before the exchange.
    before: Sample,
    /// When the last poll ended.
    polled: Moment,
    /// The time for which the machine has stalled, as timers show.
    delays: Delays,
}

impl Clock {
    /// Starts the clock of an exchange that began at `start`.
    pub(crate) fn new(
        limit: Option<Duration>,
        overtime: Overtime,
        start: Moment,
        before: Sample,
    ) -> Self {
        Self {
            limit,
            overtime,
            start,
            deadline: limit.map(|limit| start + limit),
            in_overtime: false,
            watch: None,
            before,
            polled: start,
            delays: Delays::default(),
        }
    }

    /// Starts again at `start`, with the same sample unless there is a new one.
    pub(crate) fn restart(&mut self, start: Moment, before: Option<Sample>) {
        let before = before.unwrap_or_else(|| std::mem::take(&mut self.before));
        *self = Self::new(self.limit, self.overtime, start, before);
    }

    /// Whether a poll that should have ended at `due` ended so late that the machine may have stalled.
    pub(crate) fn is_late(due: Moment, woke: Moment) -> bool {
        woke - due >= TUNING.clock.standstill
    }

    /// Notes that a poll lasted from `since` to `now`, but should have ended at `due`. No program can delay a timer: if the
    /// timer is late by more than the time that the referee then waited for a core, the machine stalled. The time for which
    /// it waited for a core before it sent the input is not the program's either.
    pub(crate) fn woke(
        &mut self,
        [since, due, now]: [Moment; 3],
        own_wait: Option<Duration>,
        before_input: Duration,
    ) {
        self.polled = now;
        self.delays.referee = before_input;
        let late = now - due.max(since);
        let still = late.saturating_sub(own_wait.unwrap_or(late));
        if still >= TUNING.clock.standstill {
            self.delays.machine += still;
        }
    }

    /// Takes in a sample from before the limit, since threads that end by then do not show later.
    pub(crate) fn note(&mut self, sample: Sample, now: Moment) {
        if let Some(limit) = self.limit {
            let elapsed = now - self.start;
            let (watch, before) = self.watch(limit, self.overtime.patience());
            let observation = Observation { sample, ..Observation::default() };
            watch.observe(observation, before, elapsed, false);
        }
    }

    /// The watch, begun with these if there was none, and the sample before the exchange.
    fn watch(&mut self, limit: Duration, patience: Duration) -> (&mut Watch, &Sample) {
        let start = self.start;
        let begin = || Watch::new(start, limit, patience);
        (self.watch.get_or_insert_with(begin), &self.before)
    }

    /// Whether the limit has passed without a reply.
    pub(crate) fn in_overtime(&self) -> bool {
        self.in_overtime
    }

    /// Notes that the limit has passed without a reply.
    pub(crate) fn begin_overtime(&mut self) {
        self.in_overtime = true;
    }

    pub(crate) fn has_passed(&self, now: Moment) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// The referee's delay in reading a reply that may have arrived in time, up to the usual delay of waking;
    /// a longer delay must have another explanation.
    fn overslept(&self, wall: Duration) -> Duration {
        let limit = self.limit.filter(|_| !self.in_overtime);
        limit
            .map(|limit| wall.saturating_sub(limit).min(TUNING.clock.standstill))
            .unwrap_or_default()
    }

    /// Whether to go on after a deadline has passed without a reply, by an observation that lasted for `time`. Sampling
    /// takes time, so the overtime ends only after a poll that lasted until its end.
    pub(crate) fn goes_on(&mut self, observation: Observation, time: [Moment; 2]) -> bool {
        let Some(limit) = self.limit else { return true };
        let (delays, polled, overtime) = (self.delays, self.polled, self.overtime);
        let (watch, before) = self.watch(limit, overtime.patience());
        let next = watch.look(observation, before, delays, polled, time);
        let is_certain = matches!(overtime, Overtime::Always(_));
        self.deadline =
            if is_certain && next.is_none() { watch.next_late_poll(polled, time[1]) } else { next };
        self.deadline.is_some()
    }

    /// The last sample since the limit or shortly before it, if there was one.
    pub(crate) fn last_sample(&self) -> Option<&Sample> {
        self.watch.as_ref()?.last_sample()
    }

    /// The program's usage before the exchange.
    pub(crate) fn before(&self) -> &Sample {
        &self.before
    }

    /// Takes the program's usage before the exchange, which is over.
    pub(crate) fn take_before(&mut self) -> Sample {
        std::mem::take(&mut self.before)
    }

    pub(crate) fn phase(&self) -> Phase {
        match &self.watch {
            Some(watch) if watch.is_given_up() => Phase::Starved,
            _ if self.in_overtime => Phase::Overtime,
            _ => Phase::Limit,
        }
    }

    /// Whether an exchange that took `wall` was late or disturbed, so that its certificate needs parts.
    pub(crate) fn wants_account(&self, wall: Duration) -> bool {
        let is_late = self.in_overtime || self.limit.is_some_and(|limit| wall > limit);
        is_late || !self.delays.machine.is_zero()
    }

    /// Takes in the observation after an exchange that took `wall`.
    pub(crate) fn observe_end(
        &mut self,
        observation: Observation,
        wall: Duration,
        has_replied: bool,
    ) {
        let (watch, before) = self.watch(wall, Duration::ZERO);
        watch.observe(observation, before, wall, has_replied);
    }

    /// The parts of `wall`, and the longest wait of a thread, for an exchange whose end was observed and during which the
    /// referee waited `own_wait` for a core.
    pub(crate) fn account(
        &self,
        wall: Duration,
        own_wait: Option<Duration>,
    ) -> Option<(Parts, Duration)> {
        let watch = self.watch.as_ref()?;
        let referee = own_wait.unwrap_or_default().max(self.overslept(wall));
        let delays = Delays { referee, ..self.delays };
        let parts = watch.parts(&self.before, wall, delays);
        Some((parts, watch.longest_wait().min(wall)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn clock(limit: Option<Duration>) -> Clock {
        let overtime = Overtime::Always(Duration::ZERO);
        let (start, before) = (Moment(HOUR), Sample::default());
        Clock::new(limit, overtime, start, before)
    }

    /// The delays after a poll that ended this much later than it should have, while the referee waited for a core.
    fn delays_of_a_poll_late_by(late: Duration, own_wait: Duration) -> Delays {
        let mut clock = clock(None);
        let due = clock.start + TUNING.clock.heartbeat;
        clock.woke([clock.start, due, due + late], Some(own_wait), Duration::ZERO);
        clock.delays
    }

    #[test]
    fn a_timer_late_by_more_than_the_referees_wait_for_a_core_shows_a_stall() {
        let standstill = TUNING.clock.standstill;
        let late = |late, own_wait| delays_of_a_poll_late_by(late, own_wait).machine;
        assert_eq!(late(standstill / 2, Duration::ZERO), Duration::ZERO);
        assert_eq!(late(HOUR + standstill / 2, HOUR), Duration::ZERO, "it waited for a core");
        let second = Duration::from_secs(1);
        let delays = delays_of_a_poll_late_by(HOUR + second, second);
        assert_eq!(delays.machine, HOUR);
    }

    #[test]
    fn a_limit_counts_from_the_start() {
        let clock = clock(Some(Duration::from_millis(50)));
        assert!(!clock.has_passed(clock.start + Duration::from_millis(49)));
        assert!(clock.has_passed(clock.start + Duration::from_millis(50)));
    }

    #[test]
    fn a_bot_that_got_its_input_late_has_its_whole_limit() {
        let limit = Duration::from_millis(50);
        for (before_input, goes_on) in [(limit / 2, true), (Duration::ZERO, false)] {
            let mut clock = clock(Some(limit));
            clock.overtime = Overtime::WhileStarved(HOUR);
            let now = clock.start + limit;
            clock.woke([clock.start, now, now], None, before_input);
            assert_eq!(clock.goes_on(Observation::default(), [now, now]), goes_on);
        }
    }
}
