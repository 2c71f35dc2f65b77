//! Shows how a bot keeps its deadlines.

mod data;
mod document;

use std::io;
use std::time::Duration;

use serde::Serialize;

pub(super) use self::data::{HostReport, host};
pub(super) use self::document::document;
use super::document::Document;
use super::format::Report;
use super::histogram::Histogram;
use super::junit::Suites;
use super::rows::Rows;
use results::host::HostCheck;
use results::timing::{Analysis, KindStats, Thresholds, Timed};
use terms::limits::LimitKind;
use terms::millis::Millis;

/// The times of bots on this machine, with a check of the machine.
#[derive(Debug, Clone)]
pub struct TimingReport {
    /// The times of each bot; empty where only the machine is checked.
    pub measured: Vec<BotTiming>,
    /// The limits that the times were compared with.
    pub thresholds: Thresholds,
    /// How much the machine disturbs the measurement.
    pub host: HostCheck,
}

/// The times of a bot. In JSON its fields are a contract.
#[derive(Debug, Clone, Serialize)]
pub struct BotTiming {
    /// The measured bot, by its name in reports.
    pub bot: String,
    /// The name of the game that it played.
    pub game: String,
    /// The profile that the limits come from.
    pub profile: &'static str,
    /// How long beyond their limit replies were awaited.
    #[serde(rename = "patience_ms")]
    pub patience: Option<Millis>,
    /// How many games were to be played; those that were are in the analysis.
    pub planned: usize,
    /// Every turn.
    #[serde(skip)]
    pub turns: Vec<Timed>,
    /// Games that were not played to their end, and why.
    pub lost: Vec<String>,
    /// Percentiles, margins and the risk of a timeout.
    #[serde(flatten)]
    pub analysis: Analysis,
}

impl BotTiming {
    /// Whether the bot broke no limit itself, and lost no game.
    fn passes(&self) -> bool {
        !self.analysis.is_broken_by_bot() && self.lost.is_empty()
    }

    /// The slowest turns, slowest first.
    fn slowest(&self) -> impl Iterator<Item = &Timed> {
        self.analysis.slowest.iter().map(|&index| &self.turns[index])
    }

    /// The times of each kind of turn.
    fn histograms(&self) -> impl Iterator<Item = Histogram> {
        let drawn = |stats: &KindStats| {
            let name = kind_name(stats.kind);
            Histogram::of(name, stats.kind, &stats.times, stats.limits)
        };
        self.analysis.by_kind.iter().map(drawn)
    }
}

/// A row for each turn.
impl Report for TimingReport {
    fn document(&self) -> Document {
        document(self)
    }

    fn value(&self) -> impl Serialize {
        data::InJson::of(self)
    }

    fn rows(&self) -> io::Result<Option<Rows<'_>>> {
        Ok(Some(data::rows(self)))
    }

    fn tests(&self) -> io::Result<Option<Suites>> {
        Ok(Some(data::tests(self)))
    }
}

impl TimingReport {
    /// Whether each bot broke no limit itself, and lost no game.
    pub fn passes(&self) -> bool {
        self.measured.iter().all(BotTiming::passes)
    }

    /// The smallest limit in use, if any limit applies.
    fn smallest_limit(&self) -> Option<Duration> {
        let limit = |kind| {
            let stats = self.measured.iter().flat_map(|bot| &bot.analysis.by_kind);
            let measured =
                stats.filter(|stats| stats.kind == kind).filter_map(|stats| stats.limits);
            let least = measured.map(|limits| limits.least).min();
            least.or(self.thresholds.limits.of(kind))
        };
        LimitKind::ALL.into_iter().filter_map(limit).min()
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
