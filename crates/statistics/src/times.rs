//! Many measured times in a small space.

use std::time::Duration;

use hdrhistogram::Histogram;

/// A histogram of times, to three digits in a fixed space; the smallest and the largest are exact.
///
/// ```
/// use std::time::Duration;
/// use statistics::Distribution;
///
/// let mut times = Distribution::default();
/// (1..=1000).for_each(|ms| times.record(Duration::from_millis(ms)));
/// assert_eq!((times.count(), times.max()), (1000, Duration::from_secs(1)));
/// assert!(times.percentile(99.0).abs_diff(Duration::from_millis(990)) < Duration::from_millis(2));
/// ```
#[derive(Debug, Clone)]
pub struct Distribution {
    histogram: Histogram<u64>,
    range: Option<(Duration, Duration)>,
}

impl Default for Distribution {
    fn default() -> Self {
        // In nanoseconds, up to what `Limit::MAX` allows.
        let histogram = Histogram::new_with_bounds(1, 3_600_000_000_000_000, 3);
        Self { histogram: histogram.expect("valid bounds"), range: None }
    }
}

impl Distribution {
    /// Adds a time.
    pub fn record(&mut self, time: Duration) {
        self.histogram.saturating_record(nanos(time));
        let (min, max) = self.range.unwrap_or((time, time));
        self.range = Some((min.min(time), max.max(time)));
    }

    /// The number of times.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The least; zero without any.
    pub fn min(&self) -> Duration {
        self.range.unwrap_or_default().0
    }

    /// The largest; zero without any.
    pub fn max(&self) -> Duration {
        self.range.unwrap_or_default().1
    }

    /// The time that `percent` of all do not exceed.
    pub fn percentile(&self, percent: f64) -> Duration {
        // 99.9 / 100 is a little above 0.999, and so is its part of 1000.
        let quantile = (percent / 100.0).next_down();
        let time = Duration::from_nanos(self.histogram.value_at_quantile(quantile));
        time.clamp(self.min(), self.max())
    }

    /// The number of times above `low` and not above `high`, to three digits. Adjoining ranges have no time in common.
    pub fn count_between(&self, low: Duration, high: Duration) -> u64 {
        let up_to = |time| self.histogram.count_between(0, nanos(time));
        up_to(high).saturating_sub(if low.is_zero() { 0 } else { up_to(low) })
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_keep_three_digits() {
        let mut times = Distribution::default();
        for millis in 1..=1000 {
            times.record(Duration::from_millis(millis));
        }
        assert_eq!(times.count(), 1000);
        let near = |time: Duration, millis: f64| {
            assert!((time.as_secs_f64() * 1e3 / millis - 1.0).abs() < 0.001, "{time:?}");
        };
        near(times.min(), 1.0);
        near(times.percentile(50.0), 500.0);
        near(times.percentile(99.0), 990.0);
        near(times.percentile(99.9), 999.0);
        near(times.max(), 1000.0);
        let between = |low, high| {
            times.count_between(Duration::from_micros(low), Duration::from_micros(high))
        };
        assert_eq!((between(0, 3500), between(3500, 10_500)), (3, 7));
        assert_eq!((between(0, 3000), between(3000, 10_000)), (3, 7), "a time at an edge");
        assert_eq!(Distribution::default().max(), Duration::ZERO);
        assert_eq!(Distribution::default().percentile(50.0), Duration::ZERO);
    }
}
