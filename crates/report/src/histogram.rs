//! The times of turns as bars, for the terminal and pages.

use std::time::Duration;

use statistics::Distribution;
use terms::limits::{LimitKind, LimitRange};
use terms::text::plural;

/// Times as bars in steps of 1, 2, 5, 10, … from the smallest to the largest. If all turns have one limit, a bar ends there,
/// so that those beyond it hold only late turns.
#[derive(Debug)]
pub(crate) struct Histogram {
    /// The kind of turn.
    pub(crate) name: &'static str,
    /// The number of turns in words; of games, if one limit holds for all turns of a game.
    pub(crate) count: String,
    /// The limit, or several ones, in words.
    pub(crate) limit: String,
    pub(crate) bars: Vec<Bar>,
    /// The count of the longest bar, at least 1.
    pub(crate) most: u64,
}

#[derive(Debug)]
pub(crate) struct Bar {
    /// The upper bound of its times; the lower one is the upper bound of the bar before.
    pub(crate) up_to: Duration,
    /// The number of times in it.
    pub(crate) count: u64,
    /// Whether its times are beyond the limit.
    pub(crate) is_late: bool,
    /// Whether it is the last one within the limit, and ends there.
    pub(crate) ends_at_limit: bool,
}

impl Histogram {
    pub(crate) fn of(
        name: &'static str,
        kind: LimitKind,
        times: &Distribution,
        limits: Option<LimitRange>,
    ) -> Self {
        let noun = if kind == LimitKind::Total { "game" } else { "turn" };
        let count = plural(times.count(), noun);
        // Among several limits, no bar is on one side of all.
        let limit = limits.and_then(LimitRange::single);
        let micros = (0..12).flat_map(|power| [1, 2, 5].map(|step| step * 10_u64.pow(power)));
        let mut edges: Vec<Duration> = micros.map(Duration::from_micros).collect();
        edges.extend(limit);
        edges.sort_unstable();
        edges.dedup();
        let lows = std::iter::once(Duration::ZERO).chain(edges.iter().copied());
        let ranges = lows.zip(edges.iter().copied());
        let ranges = ranges.filter(|&(low, high)| high >= times.min() && low < times.max());
        let bar = |(low, up_to)| Bar {
            up_to,
            count: times.count_between(low, up_to),
            is_late: limit.is_some_and(|limit| up_to > limit),
            ends_at_limit: limit == Some(up_to),
        };
        let bars: Vec<Bar> = ranges.map(bar).collect();
        let most = bars.iter().map(|bar| bar.count).max().unwrap_or(1).max(1);
        let limit = limits.map_or("no limit".to_owned(), |limits| match limits.single() {
            Some(_) => format!("limit {limits}"),
            None => format!("limits {limits}"),
        });
        Self { name, count, limit, bars, most }
    }

    /// The length of a bar if the longest one has `longest`; even a single turn gets a visible one.
    pub(crate) fn length(&self, bar: &Bar, longest: usize) -> usize {
        let length = (bar.count * longest as u64).div_ceil(self.most);
        usize::try_from(length).unwrap_or(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_hold_every_time_and_end_at_the_limit() {
        let mut times = Distribution::default();
        for micros in [90, 110, 150, 900, 60_000] {
            times.record(Duration::from_micros(micros));
        }
        let limit = LimitRange::from(Duration::from_millis(30));
        let histogram = Histogram::of("turns", LimitKind::Turn, &times, Some(limit));
        let bars = &histogram.bars;
        assert_eq!([0, 1].map(|index| histogram.length(&bars[index], 41)), [21, 41]);
        assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), 5);
        assert_eq!((bars[0].up_to, bars[0].count), (Duration::from_micros(100), 1));
        assert_eq!((bars[1].up_to, bars[1].count), (Duration::from_micros(200), 2));
        let last_in_time = bars.iter().find(|bar| bar.ends_at_limit).expect("a bar at the limit");
        assert_eq!(last_in_time.up_to, Duration::from_millis(30));
        assert!(bars.iter().all(|bar| bar.is_late == (bar.up_to > last_in_time.up_to)));
        let several = LimitRange { most: Duration::from_millis(50), ..limit };
        let histogram = Histogram::of("turns", LimitKind::Turn, &times, Some(several));
        assert_eq!(histogram.limit, "limits 30 ms to 50 ms");
        assert!(histogram.bars.iter().all(|bar| !bar.is_late));
        let beyond = LimitRange::from(Duration::from_millis(70));
        let histogram = Histogram::of("turns", LimitKind::Turn, &times, Some(beyond));
        let last = histogram.bars.last().expect("some");
        assert!((last.up_to, last.count) == (beyond.least, 1) && !last.is_late, "60 ms of 70 ms");
        assert!(
            Histogram::of("turns", LimitKind::Turn, &Distribution::default(), None).bars.is_empty()
        );
    }
}
