//! What an exchange cost a bot: the samples before and after it, and its certificate.

use std::mem;
use std::time::{Duration, Instant};

use super::BotProcess;
use super::clock::Clock;
use super::exchange::{ExchangeError, ExchangeState, Request};
use super::pin::RefereeCore;
use super::usage::{CpuTimes, LOOK, Sample};
use terms::certificate::Certificate;
use terms::millis::Millis;
use terms::verdict::NoReply;

/// The time for which a bot may think between two samples. Quick replies are not sampled one by one: what they used is
/// in the next certificate.
const UNSAMPLED: Duration = Duration::from_millis(1);

/// The time for which a bot may think, for free, while the referee finds out what an exchange cost. What it computes in a
/// longer one counts in the next exchange.
const FREE: Duration = Duration::from_millis(1);

/// By how much the CPU time of a process that runs may be out of date: a tick of the slowest usual clock.
const TICK: Duration = Duration::from_millis(10);

/// What a bot has computed while the referee was busy with it, beyond what is free.
#[derive(Debug, Default)]
pub(crate) struct Thought {
    /// What counts in the next exchange.
    due: Duration,
    /// What one look at it has shown too much, and may make up for what another one shows too little.
    in_doubt: Duration,
}

impl Thought {
    /// Notes what processes have computed from `then` to `now`, in a time of `took`.
    fn note(&mut self, then: &CpuTimes, now: &CpuTimes, took: Duration) {
        let since = |(pid, then): (&i32, &Duration)| now.get(pid)?.checked_sub(*then);
        let computed: Duration = then.iter().filter_map(since).sum();
        let beyond_free = (self.in_doubt + computed).saturating_sub(FREE);
        let due = beyond_free.min(took.saturating_sub(FREE));
        self.in_doubt = beyond_free.saturating_sub(due).min(TICK);
        self.due += due;
    }
}

/// What an exchange cost the bot.
#[derive(Debug)]
pub(crate) struct Cost {
    /// The bot's usage, unless the reply was quick.
    pub(crate) after: Option<Sample>,
    pub(crate) wall: Duration,
    pub(crate) no_reply: Option<NoReply>,
    pub(crate) certificate: Certificate,
}

impl BotProcess {
    /// Starts the clock of an exchange. That of the first one starts earlier by the CPU time that the bot has used
    /// since its start: this counts, but the time that the machine takes to report the start does not. That of a later
    /// one does so by what the bot has computed while the referee was busy with it.
    pub(crate) fn start_clock(&mut self, request: &Request<'_>) -> Clock {
        let (before, head_start) = match self.used.take() {
            Some(used) => (used, mem::take(&mut self.thought.due)),
            None => self.sampler.sample().without_computing(),
        };
        // Several cores may have computed at once.
        let head_start = head_start.min(self.spawned.elapsed());
        let thread = self.thread.current();
        Clock::start(request.limit, request.overtime, before, head_start, thread)
    }

    /// Samples the bot's usage, which may explain why the reply is missing. If the bot has many processes, those that
    /// cannot be read by `until` are estimated.
    pub(crate) fn measure(
        &mut self,
        request: &Request<'_>,
        state: &mut ExchangeState,
        no_reply: Option<NoReply>,
        until: Instant,
    ) -> Result<Cost, ExchangeError> {
        let wall = state.stop.duration_since(state.clock.start);
        self.referee_core.iter_mut().for_each(RefereeCore::end);
        if no_reply.is_none() && self.is_quick(request, &state.clock, wall) {
            self.unsampled += wall;
            let certificate = Certificate::default();
            return Ok(Cost { after: None, wall, no_reply, certificate });
        }
        let own_wait = state.clock.own_wait();
        let (replied, used) = (Instant::now(), state.clock.before.computed_by_now());
        // A bot that loses or is late is sampled more closely; one whose time is up has just been.
        let is_looked_at = no_reply.is_some() || state.clock.wants_account(wall);
        let after = match state.clock.last_look() {
            Some(look) if no_reply == Some(NoReply::Deadline) => look.clone(),
            _ if is_looked_at => Sample::below(self.keeper.pid),
            _ => self.sampler.sample(),
        };
        // Where there was no time to look at all processes, their number is an estimate in any case, and who is late ends.
        let is_ending = no_reply == Some(NoReply::Deadline);
        let soon = if after.is_whole() { until } else { until.min(Instant::now() + LOOK) };
        let breach = if after.is_whole() || !is_ending {
            self.guard.check(&after, Some(soon))
        } else {
            self.guard.check_quickly(&after, soon)
        };
        let no_reply = breach.map(NoReply::OverLimit).or(no_reply);
        if let Some(lack) = no_reply.and_then(|no_reply| self.guard.check_host(no_reply)) {
            return Err(lack.into());
        }
        let has_replied = no_reply.is_none();
        let certificate = self.certify(&mut state.clock, &after, wall, own_wait, has_replied);
        self.unsampled = Duration::ZERO;
        let took = replied.elapsed();
        if took > FREE {
            self.thought.note(&used, &after.computed_by_now(), took);
        }
        Ok(Cost { after: Some(after), wall, no_reply, certificate })
    }

    /// Whether a complete reply after `wall` leaves the last sample good enough for what comes next.
    fn is_quick(&self, request: &Request<'_>, clock: &Clock, wall: Duration) -> bool {
        self.has_begun
            && self.unsampled + wall < UNSAMPLED
            && !clock.wants_account(wall)
            && (!request.rules.until_exit || self.is_by_first())
    }

    /// The certificate of an exchange that took `wall`; with the parts of this time if it was late.
    fn certify(
        &self,
        clock: &mut Clock,
        after: &Sample,
        wall: Duration,
        own_wait: Option<Duration>,
        has_replied: bool,
    ) -> Certificate {
        let used = after.since(&clock.before, self.unsampled + wall);
        let idle = wall.saturating_sub(used.cpu.unwrap_or_default().0);
        let mut certificate = Certificate {
            referee_wait: own_wait.map(|wait| Millis(wait.min(idle))),
            // A bot that has ended no longer shows its memory.
            peak_memory: used.peak_memory.max(self.guard.peak_memory()),
            ..used
        };
        if clock.wants_account(wall) {
            let account =
                clock.account(self.keeper.pid, after.clone(), wall, own_wait, has_replied);
            certificate.parts = Some(account.0);
            certificate.wait = certificate.wait.max(Some(Millis(account.1)));
        }
        certificate
    }
}

#[test]
fn a_bot_that_thinks_while_the_referee_is_busy_with_it_pays_beyond_a_millisecond() {
    let ms = Duration::from_millis;
    let then = CpuTimes::from([(1, ms(100)), (2, ms(20)), (3, ms(70))]);
    // The third has ended; of a new one it is not known when it computed.
    for (first, second, took, expected) in
        [(100, 20, 9, 0), (101, 20, 9, 0), (103, 22, 9, 4), (103, 22, 4, 3)]
    {
        let now = CpuTimes::from([(1, ms(first)), (2, ms(second)), (4, ms(30))]);
        let mut thought = Thought::default();
        thought.note(&then, &now, ms(took));
        assert_eq!(thought.due, ms(expected), "{first} {second} {took}");
    }
}

#[test]
fn what_a_running_process_has_computed_may_show_later() {
    let ms = Duration::from_millis;
    let mut thought = Thought::default();
    let mut look = |computed| {
        let now = CpuTimes::from([(1, ms(computed))]);
        thought.note(&CpuTimes::from([(1, ms(0))]), &now, ms(7));
        mem::take(&mut thought.due).as_millis()
    };
    // It runs all the time, which is 7 ms.
    assert_eq!([11, 3, 7, 7].map(&mut look), [6, 6, 6, 6]);
    assert_eq!([40, 0, 0, 0].map(look), [6, 6, 2, 0], "of two cores, too, no more than a tick");
}
