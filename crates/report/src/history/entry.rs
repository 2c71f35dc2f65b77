//! The result of a bot in a run.

use super::Listed;
use results::suite::{Bests, Summary, Tally};
use statistics::{MeanTest, Moments, Risk};

/// A mean of yours/best, from 0 to 1, and its interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) mean: f64,
    pub(super) interval: (f64, f64),
}

impl Share {
    /// The mean of this bot, by index; `None` if none of its boards has a known best score.
    pub(super) fn of(summary: &Summary, bot: usize, bests: &Bests) -> Option<Self> {
        let mean = summary.bots[bot].ratio()?;
        // One board has no interval. No share is below 0 or above 1.
        let mut moments = Moments::default();
        for ratio in summary.board_ratios(bot, bests) {
            moments.push([ratio, 0.0]);
        }
        let (low, high) = MeanTest::of(&moments, Risk::Strict).interval.unwrap_or((mean, mean));
        Some(Self { mean, interval: (low.clamp(0.0, mean), high.clamp(mean, 1.0)) })
    }
}

/// A bot in a run.
pub(super) struct Entry<'a> {
    pub(super) run: &'a Listed,
    pub(super) bot: &'a Tally,
    pub(super) share: Option<Share>,
}
