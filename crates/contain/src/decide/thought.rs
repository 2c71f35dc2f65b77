//! What a program computes while the referee samples it.

use std::time::Duration;

use super::sample::CpuTimes;
use super::tuning::TUNING;

/// What a program has computed between exchanges, beyond what is free.
#[derive(Debug, Default)]
pub(crate) struct Thought {
    /// What counts in the next exchange.
    due: Duration,
    /// An overestimate from one sample, to be offset against a later underestimate.
    in_doubt: Duration,
}

impl Thought {
    /// Notes what processes have computed from `then` to `now`, in a time of `took`.
    pub(crate) fn note(&mut self, then: &CpuTimes, now: &CpuTimes, took: Duration) {
        let since = |(pid, then): (&i32, &Duration)| now.get(pid)?.checked_sub(*then);
        let computed: Duration = then.iter().filter_map(since).sum();
        let free = TUNING.sampling.free;
        let beyond_free = (self.in_doubt + computed).saturating_sub(free);
        let due = beyond_free.min(took.saturating_sub(free));
        self.in_doubt = beyond_free.saturating_sub(due).min(TUNING.blame.tick);
        self.due += due;
    }

    /// Takes what counts in the next exchange.
    pub(crate) fn take_due(&mut self) -> Duration {
        std::mem::take(&mut self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_bot_that_thinks_while_the_referee_is_busy_with_it_pays_beyond_a_millisecond() {
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
        let mut thought = Thought::default();
        let mut note = |computed| {
            let now = CpuTimes::from([(1, ms(computed))]);
            thought.note(&CpuTimes::from([(1, ms(0))]), &now, ms(7));
            thought.take_due().as_millis()
        };
        // It runs all the time, which is 7 ms.
        assert_eq!([11, 3, 7, 7].map(&mut note), [6, 6, 6, 6]);
        assert_eq!([40, 0, 0, 0].map(note), [6, 6, 2, 0], "of two cores, too, no more than a tick");
    }
}
