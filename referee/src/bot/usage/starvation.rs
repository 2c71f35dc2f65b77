//! Tells a bot that is slow from one that is kept waiting, when it has not answered by its limit.

use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::Sample;

/// The longest tick of a scheduler (100 Hz): counters of a running thread may be behind by so much.
const TICK: Duration = Duration::from_millis(10);

/// Watches a bot that has not answered by its limit, to learn whether it is slow or kept waiting.
///
/// The limit holds for the time without the waits for a core. As long as that is not used up, there
/// is a reason to look on; [`look`](Self::look) tells until when.
#[derive(Debug)]
pub(in crate::bot) struct Starvation {
    start: Instant,
    limit: Duration,
    /// When to stop looking in any case.
    give_up: Instant,
    /// Since when the counters have stood still, and at what CPU time and wait.
    still: Option<(Instant, (Duration, Duration))>,
    /// A wait that goes on and does not show yet.
    hidden_wait: Duration,
    given_up: bool,
    /// How often there was reason to doubt that the counters show all.
    doubts: u32,
}

impl Starvation {
    /// The shortest and the longest time to look on for.
    const STEPS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

    pub(in crate::bot) fn new(start: Instant, limit: Duration, patience: Duration) -> Self {
        let give_up = start + limit + patience;
        Self {
            start,
            limit,
            give_up,
            still: None,
            hidden_wait: Duration::ZERO,
            given_up: false,
            doubts: 0,
        }
    }

    /// Whether the patience ended before the bot had had its time.
    pub(in crate::bot) fn is_given_up(&self) -> bool {
        self.given_up
    }

    /// A wait that the counters do not show yet.
    pub(in crate::bot) fn hidden_wait(&self) -> Duration {
        self.hidden_wait
    }

    /// Looks at a bot whose exchange began at `before`. Returns when to look again, or `None` when the
    /// case is clear.
    pub(in crate::bot) fn look(&mut self, keeper: Pid, before: &Sample) -> Option<Instant> {
        let sample = Sample::below(keeper);
        let now = Instant::now();
        let elapsed = now - self.start;
        let certificate = sample.since(before, elapsed);
        let runnable = sample.is_runnable();
        let (ran, waited) = (certificate.cpu?.0, sample.host_wait(&certificate)?);
        let stalled = match self.still {
            Some((since, counters)) if runnable && counters == (ran, waited) => now - since,
            _ => {
                self.still = Some((now, (ran, waited)));
                Duration::ZERO
            }
        };
        // Time that is neither CPU nor wait is sleep, or a wait that does not show. Who could run, and
        // whose counters have stood still for a tick, waits.
        let unexplained = elapsed.saturating_sub(ran + waited);
        self.hidden_wait = if stalled >= TICK { unexplained } else { Duration::ZERO };
        let kept_waiting = waited + self.hidden_wait;
        let missing = self.limit.saturating_sub(elapsed.saturating_sub(kept_waiting));
        if now >= self.give_up {
            self.given_up = !missing.is_zero();
            return None;
        }
        if let Some(doubt) = self.doubt(runnable && unexplained > 2 * TICK, stalled) {
            return Some((now + doubt).min(self.give_up));
        }
        let step = missing.clamp(Self::STEPS.0, Self::STEPS.1);
        (!missing.is_zero()).then(|| (now + step).min(self.give_up))
    }

    /// How long to look on to learn whether a bot that could run does. A short look tells for most:
    /// by then they have run on or gone to sleep. A bot that has done neither gets a whole tick.
    fn doubt(&mut self, could_run: bool, stalled: Duration) -> Option<Duration> {
        let step = match self.doubts {
            0 => Self::STEPS.0,
            1 if !stalled.is_zero() => TICK,
            _ => return None,
        };
        let doubts = could_run && stalled < TICK;
        self.doubts += u32::from(doubts);
        doubts.then_some(step)
    }
}
