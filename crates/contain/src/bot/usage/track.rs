//! The samples of one thread while its bot is late.

use std::time::{Duration, Instant};

/// The longest tick of a scheduler (100 Hz), by which counters of a running thread may lag.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// The history of one thread since the start of the exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct Track {
    pub(super) run: Duration,
    pub(super) wait: Duration,
    /// The time since which the counters have stood still although it could run.
    pub(super) still_since: Option<Instant>,
    /// The part of that time before the counters moved again.
    seen_still: Duration,
    /// The current wait, which does not show yet: a thread that could run, and whose counters have stood still for a
    /// tick, is waiting. It may have waited for all the time that its counters do not explain.
    hidden: Duration,
    /// Whether every sample showed the bot's original scheduling.
    pub(super) is_as_started: bool,
    /// Whether it could run at the last sample.
    pub(super) is_runnable: bool,
    pub(super) core: Option<usize>,
}

impl Track {
    pub(super) fn new(is_as_started: bool) -> Self {
        Self {
            run: Duration::ZERO,
            wait: Duration::ZERO,
            still_since: None,
            seen_still: Duration::ZERO,
            hidden: Duration::ZERO,
            is_as_started,
            is_runnable: false,
            core: None,
        }
    }

    pub(super) fn advance(
        &mut self,
        counters: (Duration, Duration),
        is_runnable: bool,
        now: Instant,
        elapsed: Duration,
    ) {
        let has_moved = counters != (self.run, self.wait);
        (self.run, self.wait) = counters;
        self.still_since = match self.still_since {
            Some(since) if is_runnable && !has_moved => Some(since),
            _ => is_runnable.then_some(now),
        };
        let stalled = self.still_since.map_or(Duration::ZERO, |since| now - since);
        let is_hidden = stalled >= TICK;
        self.hidden =
            if is_hidden { elapsed.saturating_sub(self.run + self.wait) } else { Duration::ZERO };
        if is_hidden {
            self.seen_still = self.seen_still.max(self.wait + stalled);
        }
    }

    /// The time that it has waited: including the wait that does not show yet or, once the bot has answered, waits that
    /// were seen but never showed, since the core itself was taken away.
    pub(super) fn waited(&self, has_replied: bool) -> Duration {
        if has_replied { self.wait.max(self.seen_still) } else { self.wait + self.hidden }
    }
}
