//! The samples of one thread while its program is late.

use std::time::Duration;

use super::moment::Moment;
use super::tuning::TUNING;

/// The history of one thread since the start of the exchange.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Track {
    pub(crate) run: Duration,
    pub(crate) wait: Duration,
    /// The moment since which the counters have not moved although it could run.
    pub(crate) still_since: Option<Moment>,
    /// The part of that time before the counters moved again.
    seen_still: Duration,
    /// The current wait, which does not show yet: a thread that could run, and whose counters have not moved for a
    /// tick, is waiting. It may have waited for all the time that its counters do not explain.
    hidden: Duration,
    /// Whether every sample showed the program's original scheduling.
    pub(crate) is_as_started: bool,
    /// Whether it could run at the last sample.
    pub(crate) is_runnable: bool,
    pub(crate) core: Option<usize>,
}

impl Track {
    pub(crate) fn new(is_as_started: bool) -> Self {
        Self { is_as_started, ..Self::default() }
    }

    /// Adds the counters `run` and `wait` at `now`, when the exchange had lasted for `elapsed`.
    pub(crate) fn advance(
        &mut self,
        counters: (Duration, Duration),
        is_runnable: bool,
        now: Moment,
        elapsed: Duration,
    ) {
        let has_moved = counters != (self.run, self.wait);
        (self.run, self.wait) = counters;
        self.is_runnable = is_runnable;
        self.still_since = match self.still_since {
            Some(since) if is_runnable && !has_moved => Some(since),
            _ => is_runnable.then_some(now),
        };
        let stalled = self.still_since.map_or(Duration::ZERO, |since| now - since);
        if stalled >= TUNING.blame.tick {
            self.hidden = elapsed.saturating_sub(self.run + self.wait);
            self.seen_still = self.seen_still.max(self.wait + stalled);
        } else {
            self.hidden = Duration::ZERO;
        }
    }

    /// The time that it has waited: including the wait that does not show yet or, once the program has answered, waits
    /// that were seen but never showed, since the core itself was taken away.
    pub(crate) fn waited(&self, has_replied: bool) -> Duration {
        if has_replied { self.wait.max(self.seen_still) } else { self.wait + self.hidden }
    }
}
