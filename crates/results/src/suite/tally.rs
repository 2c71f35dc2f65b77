//! The totals of a bot's games: of all, and of those on one board.
//!
//! Games that were not played are counted apart; they enter no sum and no mean.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::outcome::{Outcome, SuiteVerdict};
use super::plan::Plan;
use crate::said::SaidInRun;
use terms::verdict::Verdict;

/// The totals of one bot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// The bot.
    pub bot: String,
    /// The number of games that it has played.
    pub games: usize,
    /// The number of games that could not be played.
    pub not_played: usize,
    /// The number of games that it won.
    pub won: usize,
    /// The number of games that it lost.
    pub lost: usize,
    /// The number of lost games that were timeouts.
    pub timeouts: usize,
    /// The number of games in which it was late by its own fault, even if that was forgiven.
    pub late: usize,
    /// The sum of the scores of the games that it won.
    pub sum: i64,
    /// The number of games on boards with another known score.
    pub compared: usize,
    /// Σ yours/best over the games on boards with another known score.
    pub ratio_sum: f64,
    /// The numbers that the bot said, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, SaidInRun>,
    /// Its values of `--param`, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
}

impl Tally {
    /// Adds a game, on a board whose best known score is `best`.
    pub fn add(&mut self, outcome: &Outcome, best: Option<i64>) {
        if !outcome.is_played() {
            self.not_played += 1;
            return;
        }
        self.games += 1;
        self.won += usize::from(outcome.won);
        self.lost += usize::from(!outcome.won);
        self.timeouts += usize::from(outcome.verdict == SuiteVerdict::Played(Verdict::Timeout));
        self.late += usize::from(outcome.times.bot_overruns > 0);
        self.sum += outcome.points();
        for (name, said) in &outcome.said {
            if let Some(numbers) = said.numbers {
                let so_far = self.said.get(name).copied();
                self.said.insert(name.clone(), SaidInRun::add(so_far, numbers));
            }
        }
        if let Some(best) = best {
            self.compared += 1;
            self.ratio_sum += Points::of(outcome).ratio_sum(best);
        }
    }

    /// The mean score, losses counted as 0.
    pub fn mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
        let mean = self.sum as f64 / self.games as f64;
        (self.games > 0).then_some(mean)
    }

    /// The share of the best: the mean of yours/best over games, from 0 to 1.
    pub fn ratio(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "games are counted, not grains of sand")]
        let mean = self.ratio_sum / self.compared as f64;
        (self.compared > 0).then_some(mean)
    }

    /// The same in Marathon style: 1,000,000 if every game is the best known.
    pub fn marathon(&self) -> Option<f64> {
        self.ratio().map(|ratio| 1e6 * ratio)
    }
}

/// The games of a bot on a board.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    /// The games that were played.
    pub games: u32,
    /// Those that were lost.
    pub lost: u32,
    /// The sum of the points.
    pub sum: i64,
    /// The sum of the points above 0.
    above_zero: i64,
    /// The highest points of a game, at least 0.
    pub(super) most: i64,
    /// The highest score that would have counted under the official rules, and its game.
    record: Option<(i64, usize)>,
}

impl Points {
    fn of(outcome: &Outcome) -> Self {
        let mut points = Self::default();
        points.add(outcome);
        points
    }

    /// Adds a game, if it was played.
    pub fn add(&mut self, outcome: &Outcome) {
        if !outcome.is_played() {
            return;
        }
        self.games += 1;
        self.lost += u32::from(!outcome.won);
        self.sum += outcome.points();
        self.above_zero += outcome.points().max(0);
        self.most = outcome.points().max(self.most);
        if outcome.counts && self.record.is_none_or(|(score, _)| outcome.score > score) {
            self.record = Some((outcome.score, outcome.game));
        }
    }

    /// The mean; `None` without a game.
    #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
    pub fn mean(self) -> Option<f64> {
        (self.games > 0).then(|| self.sum as f64 / f64::from(self.games))
    }

    /// Σ yours/best over the games. A lost game is 0; where nobody has scored more than 0, a won one is 1.
    #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
    pub(super) fn ratio_sum(self, best: i64) -> f64 {
        let won = self.games - self.lost;
        if best <= 0 { f64::from(won) } else { self.above_zero as f64 / best as f64 }
    }

    /// The mean of yours/best; `None` without a game.
    pub(super) fn ratio(self, best: i64) -> Option<f64> {
        (self.games > 0).then(|| self.ratio_sum(best) / f64::from(self.games))
    }

    /// The highest score that would have counted, and the board of its game by its index in the plan.
    pub(super) fn record(self, plan: &Plan) -> Option<(i64, usize)> {
        let (score, game) = self.record.filter(|(_, game)| plan.has(*game))?;
        Some((score, plan.assignment(game).board))
    }
}
