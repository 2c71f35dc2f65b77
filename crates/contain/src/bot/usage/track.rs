//! What is seen of one thread while its bot is late.

use std::time::{Duration, Instant};

/// The longest tick of a scheduler (100 Hz): counters of a running thread may be behind by so much.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// What was seen of one thread since the start of the exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct Track {
    pub(super) run: Duration,
    pub(super) wait: Duration,
    /// Since when the counters have stood still while it could run.
    pub(super) still_since: Option<Instant>,
    /// What of that was seen before the counters moved again.
    seen_still: Duration,
    /// The wait that goes on and does not show yet: who could run, and whose counters have stood still for a tick,
    /// waits. It may have waited for all the time that they do not explain.
    hidden: Duration,
    /// Whether it was scheduled as the bot was at its start whenever it was looked at.
    pub(super) is_as_started: bool,
    /// Whether it wanted a core when it was last looked for.
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

    /// How long it has waited: with what does not show yet, or, once it has answered, what was seen and never came to
    /// show, since the core itself was taken away.
    pub(super) fn waited(&self, has_replied: bool) -> Duration {
        if has_replied { self.wait.max(self.seen_still) } else { self.wait + self.hidden }
    }
}
