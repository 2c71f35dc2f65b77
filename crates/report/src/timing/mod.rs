//! Shows how a bot keeps its deadlines: one file for each format.

mod csv;
pub(super) mod json;
mod junit;
mod markdown;
mod svg;
mod text;

use std::io::{self, Write};
use std::time::Duration;

use super::format::{Format, write_as};
use results::host::HostCheck;
use results::timing::{Analysis, KindStats, Thresholds, Timed};
use statistics::Distribution;
use terms::limits::LimitKind;
use terms::text::plural;

/// The times of a bot on this machine, or only a check of the machine.
#[derive(Debug, Clone)]
pub struct TimingReport {
    /// The bot; empty for a check of the machine only.
    pub bot: String,
    /// The game.
    pub game: &'static str,
    /// The profile that the limits come from.
    pub profile: &'static str,
    /// How long beyond their limit replies were awaited.
    pub patience: Option<Duration>,
    /// The analysis of the times; `None` for a check of the machine only.
    pub analysis: Option<Analysis>,
    /// How many games were to be played; those that were are in the analysis.
    pub planned: usize,
    /// Every turn.
    pub turns: Vec<Timed>,
    /// Games that were not played to their end, and why.
    pub lost: Vec<String>,
    /// The limits that the times were compared with.
    pub thresholds: Thresholds,
    /// How much the machine disturbs the measurement.
    pub host: HostCheck,
}

impl TimingReport {
    /// A report on the machine only.
    pub fn of_host(host: HostCheck, thresholds: Thresholds) -> Self {
        Self {
            bot: String::new(),
            game: "",
            profile: "",
            patience: None,
            analysis: None,
            planned: 0,
            turns: Vec::new(),
            lost: Vec::new(),
            thresholds,
            host,
        }
    }

    /// Whether the bot itself broke a limit.
    pub fn is_broken_by_bot(&self) -> bool {
        self.analysis.as_ref().is_some_and(Analysis::is_broken_by_bot)
    }

    /// Whether the bot passed, and how to say so; `None` for a check of the machine only.
    fn verdict(&self) -> Option<(bool, &'static str)> {
        self.analysis.as_ref().map(|analysis| match analysis.is_broken_by_bot() {
            true => (false, "breaks its limits"),
            false if !self.lost.is_empty() => (false, "loses games"),
            false => (true, "keeps its limits"),
        })
    }

    /// How many games were played, of how many if fewer than planned.
    fn games(&self, analysis: &Analysis) -> String {
        let planned = plural(self.planned as u64, "game");
        match analysis.games {
            games if games == self.planned => planned,
            games => format!("{games} of {planned}"),
        }
    }

    /// Writes the report.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        write_as!(format, self, out)
    }

    /// Histograms of all kinds of turns as an image.
    pub fn svg(&self) -> String {
        svg::histograms(self)
    }

    fn by_kind(&self) -> &[KindStats] {
        self.analysis.as_ref().map_or(&[], |analysis| &analysis.by_kind)
    }

    /// The smallest limit in use, if any limit applies.
    fn smallest_limit(&self) -> Option<Duration> {
        let kinds = [LimitKind::FirstTurn, LimitKind::Turn, LimitKind::Total];
        kinds.into_iter().filter_map(|kind| self.thresholds.limits.of(kind)).min()
    }
}

/// The name of a kind of turn.
pub(super) fn kind_name(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::FirstTurn => "first turn",
        LimitKind::Turn => "later turns",
        LimitKind::Total => "whole game",
    }
}

/// A bar of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bar {
    /// The upper bound of its times; the lower one is that of the bar before.
    pub(super) up_to: Duration,
    /// The number of times in it.
    pub(super) count: u64,
}

/// Bars in steps of 1, 2, 5, 10, … from the least time to the greatest; one of them ends at the
/// limit, so that the bars beyond it hold only late turns.
pub(super) fn bars(times: &Distribution, limit: Option<Duration>) -> Vec<Bar> {
    let micros = (0..12).flat_map(|power| [1, 2, 5].map(|step| step * 10_u64.pow(power)));
    let mut edges: Vec<Duration> = micros.map(Duration::from_micros).collect();
    edges.extend(limit.filter(|limit| *limit <= times.max()));
    edges.sort_unstable();
    edges.dedup();
    let mut low = Duration::ZERO;
    let mut bars = Vec::new();
    for up_to in edges {
        let count = times.count_between(low, up_to);
        if up_to >= times.min() && low < times.max() {
            bars.push(Bar { up_to, count });
        }
        low = up_to;
    }
    bars
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
        let bars = bars(&times, Some(Duration::from_millis(30)));
        assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), 5);
        assert_eq!(bars[0], Bar { up_to: Duration::from_micros(100), count: 1 });
        assert_eq!(bars[1], Bar { up_to: Duration::from_micros(200), count: 2 });
        assert!(bars.iter().any(|bar| bar.up_to == Duration::from_millis(30)));
        assert!(super::bars(&Distribution::default(), None).is_empty());
    }
}
