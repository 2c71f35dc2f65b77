//! The totals of a bot's games: of all, and of those on one board.
//!
//! Games that were not played are counted apart; they enter no sum and no mean.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::is_default;
use crate::metrics::RunMetrics;
use crate::suite::outcome::{Outcome, SuiteVerdict};
use crate::suite::plan::Plan;
use rules::score::{Direction, Score};
use statistics::real;
use terms::verdict::Verdict;

/// The totals of one bot.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tally {
    /// The bot whose games are counted.
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
    /// The number of lost games that the host's delays ended.
    #[serde(skip_serializing_if = "is_default")]
    pub lost_to_host: usize,
    /// The number of games in which it was late by its own fault, even if that was forgiven.
    pub late: usize,
    /// The sum of the scores of the games that it won.
    pub sum: Score,
    /// The number of games on boards with another known score.
    pub compared: usize,
    /// Σ yours/best over the games on boards with another known score.
    pub ratio_sum: f64,
    /// The number of boards on which nobody has a better score, in this run or among what is known.
    pub bests: usize,
    /// The number of those on which nobody else has that score.
    pub uniques: usize,
    /// The mean of the logarithms of its scores to the base 10, over the games that it won with a score above 0.
    pub mean_log10: Option<f64>,
    /// What it has in the measure of the run, if that [is relative](rules::measure::Measure::is_relative).
    #[serde(skip)]
    pub value: Option<f64>,
    /// Its mean place in percent, in a game of several players: the mean of its boards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<f64>,
    /// Its totals, if it has played all boards several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<Totals>,
    /// The number of games with a reply after its limit that counts, since the referee or the host may have made it late.
    #[serde(skip_serializing_if = "is_default")]
    pub excused: usize,
    /// The numbers that the bot said, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, RunMetrics>,
    /// Its values of `--param`, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
    /// Which scores are better.
    #[serde(skip_serializing_if = "Direction::is_higher")]
    pub better: Direction,
    /// The number of games that it won without a score.
    #[serde(skip_serializing_if = "is_default")]
    pub without_score: usize,
}

/// The total of a bot on a fixed set of boards, which its randomness alone changes: each of its rounds has one game on each board.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Totals {
    /// The number of boards.
    pub boards: usize,
    /// The number of rounds.
    pub rounds: usize,
    /// The mean of the rounds' totals.
    pub mean: f64,
    /// Student's interval of the mean.
    pub interval: (f64, f64),
    /// The number of decimals of the scores.
    #[serde(skip)]
    pub decimals: usize,
}

impl Tally {
    /// Adds a game.
    pub fn add(&mut self, outcome: &Outcome) {
        if !outcome.is_played() {
            self.not_played += 1;
            return;
        }
        self.games += 1;
        self.won += usize::from(outcome.won);
        self.lost += usize::from(!outcome.won);
        self.timeouts += usize::from(outcome.verdict == SuiteVerdict::Played(Verdict::Timeout));
        self.lost_to_host += usize::from(outcome.is_failed_by_host());
        self.late += usize::from(outcome.times.bot_overruns > 0);
        self.excused += usize::from(outcome.won && outcome.times.host_overruns > 0);
        self.sum = self.sum + outcome.won_score().unwrap_or_default();
        self.without_score += usize::from(outcome.won && outcome.score.is_none());
        for (name, said) in &outcome.said {
            if let Some(numbers) = said.numbers {
                let so_far = self.said.get(name).copied();
                self.said.insert(name.clone(), RunMetrics::add(so_far, numbers));
            }
        }
    }

    /// The mean score: losses count as 0 where higher scores are better, and do not count where lower ones are. None if the sum
    /// is beyond what a score can hold.
    pub fn mean(&self) -> Option<f64> {
        let games = match self.better {
            Direction::Higher => self.games,
            Direction::Lower => self.won,
        };
        let games = games - self.without_score;
        let mean = self.sum.as_f64() / real(games);
        (games > 0 && !self.sum.is_at_limit()).then_some(mean)
    }

    /// The share of the best: the mean over games of yours/best, or of best/yours where lower scores are better, from 0 to 1. A
    /// lost game counts as 0.
    pub fn ratio(&self) -> Option<f64> {
        (self.compared > 0).then(|| self.ratio_sum / real(self.compared))
    }

    /// The same in Marathon style: 1,000,000 if every game is the best known.
    pub fn marathon(&self) -> Option<f64> {
        self.ratio().map(|ratio| 1e6 * ratio)
    }
}

impl Outcome {
    /// Yours/best, or best/yours where lower scores are better; `None` without a best score, or if it means nothing.
    pub fn ratio(&self, best: Option<Score>, better: Direction) -> Option<f64> {
        Points::of(self, better).ratio_sum(Some(best?), better)
    }
}

/// The games of a bot on a board.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Points {
    /// The games that were played.
    pub games: u32,
    /// Those that were lost.
    pub lost: u32,
    /// Those that were won without a score.
    pub without_score: u32,
    /// The sum of the scores of games that were won.
    pub sum: Score,
    /// The sum of those above 0, and of their reciprocals.
    above_zero: (Score, f64),
    /// The sum of their logarithms to the base 10.
    log10: f64,
    /// The number of scores that are not above 0.
    not_above_zero: u32,
    /// The best score of a game that was won.
    pub(super) best: Option<Score>,
    /// The best score that would have counted under the official rules, and its game.
    record: Option<(Score, usize)>,
    /// The number of places in percent, and their sum. One of a game that the host has disturbed says nothing.
    places: (u32, f64),
}

impl Points {
    fn of(outcome: &Outcome, better: Direction) -> Self {
        let mut points = Self::default();
        points.add(outcome, better);
        points
    }

    /// Adds a game, if it was played.
    pub fn add(&mut self, outcome: &Outcome, better: Direction) {
        if !outcome.is_played() {
            return;
        }
        self.games += 1;
        self.lost += u32::from(!outcome.won);
        self.without_score += u32::from(outcome.won && outcome.score.is_none());
        if let Some(place) = outcome.place().filter(|_| !outcome.is_lost_by_host()) {
            self.places = (self.places.0 + 1, self.places.1 + place);
        }
        let Some(score) = outcome.won_score() else { return };
        self.sum = self.sum + score;
        if score > Score::ZERO {
            let (sum, reciprocals) = self.above_zero;
            self.above_zero = (sum + score, reciprocals + score.as_f64().recip());
            self.log10 += score.as_f64().log10();
        } else {
            self.not_above_zero += 1;
        }
        self.best = Some(self.best.map_or(score, |best| better.better(best, score)));
        if outcome.counts && self.record.is_none_or(|(best, _)| better.is_better(score, best)) {
            self.record = Some((score, outcome.game));
        }
    }

    /// The mean place of a bot, from its games on each board.
    pub fn mean_place(boards: impl Iterator<Item = Self>) -> Option<f64> {
        let places = boards.filter(|points| points.places.0 > 0);
        let places: Vec<f64> =
            places.map(|Self { places: (games, sum), .. }| sum / f64::from(games)).collect();
        (!places.is_empty()).then(|| statistics::mean(&places))
    }

    /// The number of scores above 0, and the sum of their logarithms to the base 10.
    pub(super) fn log10(self) -> (u32, f64) {
        let no_logarithm = self.lost + self.without_score + self.not_above_zero;
        (self.games - no_logarithm, self.log10)
    }

    /// The mean, as in [`Tally::mean`]; `None` without a game that counts.
    pub fn mean(self, better: Direction) -> Option<f64> {
        let games = match better {
            Direction::Higher => self.games,
            Direction::Lower => self.games - self.lost,
        };
        let games = games - self.without_score;
        let is_known = games > 0 && !self.sum.is_at_limit();
        is_known.then(|| self.sum.as_f64() / f64::from(games))
    }

    /// Σ yours/best over the games, or Σ best/yours where lower scores are better. A lost game is 0. Where higher scores are
    /// better and nobody has more than 0, a won one is 1. `None` if a ratio means nothing: a game that was won has no score, or
    /// lower scores are better and the best is below 0.
    pub(super) fn ratio_sum(self, best: Option<Score>, better: Direction) -> Option<f64> {
        if self.without_score > 0 || self.above_zero.0.is_at_limit() {
            return None;
        }
        let Some(best) = best else { return Some(0.0) };
        let (above_zero, reciprocals) = self.above_zero;
        match better {
            Direction::Higher if best <= Score::ZERO => Some(f64::from(self.games - self.lost)),
            Direction::Higher => Some(above_zero.as_f64() / best.as_f64()),
            Direction::Lower if best < Score::ZERO => None,
            Direction::Lower => Some(f64::from(self.not_above_zero) + best.as_f64() * reciprocals),
        }
    }

    /// The mean of yours/best, or of best/yours; `None` without a game, or if it means nothing.
    pub(super) fn ratio(self, best: Option<Score>, better: Direction) -> Option<f64> {
        let sum = self.ratio_sum(best, better).filter(|_| self.games > 0)?;
        Some(sum / f64::from(self.games))
    }

    /// The best score that would have counted, and the board of its game by its index in the plan.
    pub(super) fn record(self, plan: &Plan) -> Option<(Score, usize)> {
        let (score, game) = self.record.filter(|(_, game)| plan.has(*game))?;
        Some((score, plan.assignment(game).board))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(better: Direction, scores: &[Option<i64>]) -> Points {
        let mut points = Points::default();
        for score in scores {
            // A lost game was given a score that would be the best.
            let given = score.unwrap_or(if better.is_higher() { 1_000_000 } else { -1_000_000 });
            let json = format!(
                r#"{{"game":1,"bot":"b","board":"x","board_id":"","record_id":"","repeat":1,"verdict":"completed",
                "won":{},"score":{given},"counts":{},"official":"","turns":1}}"#,
                score.is_some(),
                score.is_some()
            );
            points.add(&serde_json::from_str(&json).expect("an outcome"), better);
        }
        points
    }

    #[test]
    fn a_share_of_the_best_is_turned_where_lower_is_better() {
        use Direction::{Higher, Lower};
        for (better, scores, best, share) in [
            (Higher, &[Some(50), Some(100), None][..], 100, Some(0.5)),
            (Higher, &[Some(-5), None], -5, Some(0.5)),
            (Lower, &[Some(50), Some(100), None], 50, Some(0.5)),
            (Lower, &[Some(0), Some(7), None, None], 0, Some(0.25)),
            (Lower, &[Some(-5), Some(7)], -5, None),
        ] {
            let points = points(better, scores);
            assert_eq!(points.ratio(Some(best.into()), better), share, "{better:?} {scores:?}");
            assert_eq!(points.best, Some(best.into()), "{better:?} {scores:?}");
            assert_eq!(points.record.map(|(score, _)| score), Some(best.into()));
        }
    }

    #[test]
    fn a_sum_that_no_score_can_hold_has_no_mean() {
        let json = r#"{"game":1,"bot":"b","board":"x","board_id":"","record_id":"","repeat":1,"verdict":"completed",
            "won":true,"score":50000000000000000000000000000,"counts":true,"official":"","turns":1}"#;
        let outcome: Outcome = serde_json::from_str(json).expect("an outcome");
        let (mut tally, mut points) = (Tally::default(), Points::default());
        for mean in [Some(5e28), None] {
            tally.add(&outcome);
            points.add(&outcome, Direction::Higher);
            assert_eq!(tally.mean(), mean);
            assert_eq!(points.mean(Direction::Higher), mean);
            assert_eq!(points.ratio(outcome.score, Direction::Higher), mean.map(|_| 1.0));
        }
    }
}
