//! The result of a bot in a run.

use super::Listed;
use crate::figures::{mean_digits, two_digits};
use crate::suite;
use results::suite::{Bests, Summary, Tally};
use statistics::{MeanTest, Moments, Risk};

/// What the means of a game's runs are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Yours/best, from 0 to 1.
    Share,
    /// Scores: nobody knows a best score.
    Score,
}

impl Unit {
    /// The unit for these runs of a game, each with the index of a bot.
    pub(super) fn of<'a>(mut bots: impl Iterator<Item = (&'a Summary, usize)>) -> Self {
        let has_share = bots.any(|(summary, bot)| summary.bots[bot].ratio().is_some());
        if has_share { Self::Share } else { Self::Score }
    }

    /// A mean for people.
    pub(super) fn shown(self, mean: f64) -> String {
        match self {
            Self::Share => suite::share(mean),
            Self::Score => {
                let digits = mean_digits(0).max(two_digits(mean));
                format!("{mean:.digits$}")
            }
        }
    }
}

/// A mean and its interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mean {
    pub(super) mean: f64,
    pub(super) interval: (f64, f64),
}

impl Mean {
    /// The mean of this bot, by index; `None` without a board that has a value.
    pub(super) fn of(summary: &Summary, bot: usize, unit: Unit, bests: &Bests) -> Option<Self> {
        let tally = &summary.bots[bot];
        let (mean, values) = match unit {
            Unit::Share => (tally.ratio()?, summary.board_ratios(bot, bests)),
            Unit::Score => (tally.mean()?, summary.board_means(bot)),
        };
        // One board has no interval. No share is below 0 or above 1.
        let mut moments = Moments::default();
        for value in values {
            moments.push([value, 0.0]);
        }
        let (low, high) = MeanTest::of(&moments, Risk::Strict).interval.unwrap_or((mean, mean));
        let interval = match unit {
            Unit::Share => (low.clamp(0.0, mean), high.clamp(mean, 1.0)),
            Unit::Score => (low.min(mean), high.max(mean)),
        };
        Some(Self { mean, interval })
    }
}

/// A bot in a run.
pub(super) struct Entry<'a> {
    pub(super) run: &'a Listed,
    pub(super) bot: &'a Tally,
    pub(super) mean: Option<Mean>,
    /// Where it is in the list of runs.
    pub(super) place: (usize, usize),
}
