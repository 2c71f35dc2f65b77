//! Ratings of many bots from games of two or more seats.
//!
//! The model is R. A. Bradley's and M. E. Terry's (1952), for all pairs of seats of a game: a bot of strength a beats one
//! of strength b with odds of exp(a - b), and a tie is half a win. A game of N seats has N - 1 pairs for each seat, so each
//! pair weighs 1 / (N - 1). Strengths have the maximum likelihood, so the order of games does not matter.
//!
//! Games of one seed resemble each other, up to exact copies where bots are deterministic and the map is symmetric. The pairs of
//! a game resemble each other as well. So the variance is a sandwich whose unit is the seed: the gradient of the likelihood is
//! summed over all games of a seed before it is squared. `docs/statistics.md` has the formulas and how often the
//! intervals hold.

mod game;
mod matrix;
mod pairs;

use std::collections::BTreeMap;
use std::f64::consts::LN_10;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

pub use self::game::{Game, Seat};
use self::matrix::Matrix;
use self::pairs::Pairs;
use super::{Risk, mean, real};

/// The points of Elo's scale that multiply the odds by e.
const ELO: f64 = 400.0 / LN_10;

/// The fewest seeds for an interval of a bot's rating.
pub const MIN_SEEDS: usize = 20;

/// The ratings of all bots.
///
/// ```
/// use statistics::{Game, Ratings, Seat};
///
/// // The first bot wins three of four games against the second, on each of 25 seeds.
/// let game = |n: usize| Game {
///     seed: n / 4,
///     seats: vec![
///         Seat { bot: 0, result: if n % 4 == 3 { 0.0 } else { 1.0 } },
///         Seat { bot: 1, result: if n % 4 == 3 { 1.0 } else { 0.0 } },
///     ],
/// };
/// let ratings = Ratings::of(2, &(0..100).map(game).collect::<Vec<_>>());
/// let [first, second] = ratings.scaled(None)[..] else { unreachable!() };
/// // 400 log10(3) points apart, up to the virtual game.
/// assert!((first.elo - second.elo - 190.3).abs() < 0.5);
/// assert!((first.elo + second.elo).abs() < 1e-9);
/// ```
#[derive(Debug, Clone)]
pub struct Ratings {
    strengths: Vec<f64>,
    /// The covariance of the strengths, each less the mean of its group.
    covariance: Matrix,
    pairs: Pairs,
    /// The number of seeds on which each bot has played another one.
    seeds: Vec<usize>,
}

/// The rating of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rating {
    /// The bots with a common scale have the same number, from 0: those that a chain of games connects.
    pub group: usize,
    /// The rating on Elo's scale.
    pub elo: f64,
    /// Half the width of its 95 % interval. `None` with fewer than [`MIN_SEEDS`] seeds, and for an unbounded rating.
    pub margin: Option<f64>,
    /// Whether only virtual games keep it finite: no win or no loss connects it to the bots that the scale's zero is of.
    pub is_unbounded: bool,
    /// The number of seeds on which the bot has played another one.
    pub seeds: usize,
}

impl Ratings {
    /// Rates the bots 0 to `bots` - 1.
    ///
    /// # Panics
    /// When a game has a bot beyond these.
    pub fn of(bots: usize, games: &[Game]) -> Self {
        let mut by_seed: BTreeMap<usize, Vec<&Game>> = BTreeMap::new();
        for game in games {
            by_seed.entry(game.seed).or_default().push(game);
        }
        let pairs = Pairs::of(bots, games);
        let strengths = pairs.strengths();
        let mut squares = Matrix::new(bots);
        let mut seeds = vec![0; bots];
        for games in by_seed.values() {
            let gradient = pairs::gradient(&strengths, games);
            for (&one, a) in &gradient {
                seeds[one] += 1;
                for (&other, b) in &gradient {
                    squares[(one, other)] += a * b;
                }
            }
        }
        let inverse = pairs.information(&strengths).inverse();
        let covariance = inverse.times(&squares).times(&inverse);
        Self { strengths, covariance, pairs, seeds }
    }

    /// The ratings by bot. The bounded ratings of each group have the mean 0, or with an anchor, its own has that bot at the given
    /// rating.
    pub fn scaled(&self, anchor: Option<(usize, f64)>) -> Vec<Rating> {
        (0..self.strengths.len()).map(|bot| self.rating(bot, anchor)).collect()
    }

    fn rating(&self, bot: usize, anchor: Option<(usize, f64)>) -> Rating {
        let (group, seeds) = (self.pairs.group(bot), self.seeds[bot]);
        let anchor = anchor.filter(|(anchor, _)| self.pairs.group(*anchor) == group);
        let (zero, at) = match anchor {
            Some((anchor, at)) => (vec![anchor], at),
            None => (self.pairs.center(group), 0.0),
        };
        let is_unbounded = !zero.iter().any(|other| self.pairs.are_comparable(bot, *other));
        let strengths: Vec<f64> = zero.iter().map(|other| self.strengths[*other]).collect();
        let elo = at + ELO * (self.strengths[bot] - mean(&strengths));
        let margin = match anchor {
            Some((anchor, _)) => self.margin_of_difference(bot, anchor),
            None => margin(self.variance(bot, &zero), seeds),
        };
        Rating { group, elo, margin: margin.filter(|_| !is_unbounded), is_unbounded, seeds }
    }

    /// The variance of a bot's strength less the mean of these bots'.
    fn variance(&self, bot: usize, zero: &[usize]) -> f64 {
        let of = |a, b| self.covariance[(a, b)];
        let with = |bot| mean(&zero.iter().map(|other| of(bot, *other)).collect::<Vec<_>>());
        let of_zero: Vec<f64> = zero.iter().map(|other| with(*other)).collect();
        of(bot, bot) - 2.0 * with(bot) + mean(&of_zero)
    }

    /// By how much the first bot is rated higher, and half the width of the 95 % interval of that; `None` for bots without a
    /// common scale.
    pub fn difference(&self, one: usize, other: usize) -> Option<(f64, Option<f64>)> {
        let has_scale = self.pairs.group(one) == self.pairs.group(other);
        let margin =
            self.margin_of_difference(one, other).filter(|_| self.pairs.are_comparable(one, other));
        has_scale.then(|| (ELO * (self.strengths[one] - self.strengths[other]), margin))
    }

    fn margin_of_difference(&self, one: usize, other: usize) -> Option<f64> {
        margin(self.variance(one, &[other]), self.seeds[one].min(self.seeds[other]))
    }
}

/// Half the width of the 95 % interval of what has this variance, in Elo.
fn margin(variance: f64, seeds: usize) -> Option<f64> {
    let student = (seeds >= MIN_SEEDS)
        .then(|| StudentsT::new(0.0, 1.0, real(seeds - 1)).expect("some degrees of freedom"))?;
    let quantile = student.inverse_cdf(1.0 - Risk::Strict.both() / 2.0);
    Some(ELO * quantile * variance.max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games of two bots by seed: the seed, the bots, and the result of the first one.
    fn games(list: &[(usize, [usize; 2], f64)]) -> Vec<Game> {
        let game = |&(seed, [one, other], result): &(usize, [usize; 2], f64)| Game {
            seed,
            seats: vec![Seat { bot: one, result }, Seat { bot: other, result: 1.0 - result }],
        };
        list.iter().map(game).collect()
    }

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9 * expected.abs().max(1.0)
    }

    #[test]
    fn two_bots_are_apart_by_the_odds_with_a_quarter_of_a_virtual_game() {
        // One seed after the other: won, won, lost, even.
        let results = [1.0, 1.0, 0.0, 0.5];
        let list: Vec<_> = (0..40).map(|n| (n, [0, 1], results[n % 4])).collect();
        let ratings = Ratings::of(2, &games(&list));
        let (wins, losses) = (25.125_f64, 15.125);
        let (difference, margin) = ratings.difference(0, 1).expect("a scale");
        assert!(close(difference, 400.0 * (wins / losses).log10()), "{difference}");
        // The variance is Σ(s - p)² / (n p q)², with n = 40.25; t(39) at 97.5 % is 2.0227.
        let p = wins / 40.25;
        let squares = 20.0 * (1.0 - p).powi(2) + 10.0 * p.powi(2) + 10.0 * (0.5 - p).powi(2);
        let expected = 2.022_690_9 * ELO * squares.sqrt() / (40.25 * p * (1.0 - p));
        let margin = margin.expect("forty seeds");
        assert!((margin - expected).abs() < 1e-4, "{margin} {expected}");
        let [first, second] = ratings.scaled(None)[..] else { panic!("two bots") };
        assert!(close(first.elo, difference / 2.0) && close(second.elo, -difference / 2.0));
        assert!(close(first.margin.expect("an interval"), margin / 2.0));
        let [first, second] = ratings.scaled(Some((1, 1500.0)))[..] else { panic!("two bots") };
        assert!(close(first.elo, 1500.0 + difference) && close(second.elo, 1500.0));
        assert!(close(first.margin.expect("an interval"), margin));
        assert_eq!(second.margin, Some(0.0));
    }

    #[test]
    fn a_bot_that_has_won_all_its_games_is_finite_and_has_no_interval() {
        let mut list = Vec::new();
        for seed in 0..30 {
            list.extend([(seed, [0, 1], 1.0), (seed, [0, 2], 1.0)]);
            list.push((seed, [1, 2], if seed % 3 == 0 { 1.0 } else { 0.0 }));
        }
        let ratings = Ratings::of(3, &games(&list));
        let [best, one, other] = ratings.scaled(None)[..] else { panic!("three bots") };
        assert!(best.elo.is_finite() && best.elo > other.elo + 500.0, "{best:?}");
        assert!(best.is_unbounded && best.margin.is_none());
        assert!(!one.is_unbounded && one.margin.is_some() && other.margin.is_some());
        assert!(close(one.elo + other.elo, 0.0), "only virtual games say how far the best one is");
        let without_best =
            games(&list.iter().filter(|it| it.1[0] != 0).copied().collect::<Vec<_>>());
        let apart = Ratings::of(3, &without_best).scaled(None)[1].margin.expect("an interval");
        assert!((one.margin.expect("an interval") / apart - 1.0).abs() < 0.05, "{one:?} {apart}");
        // Seen from it, nothing is known of the others.
        let anchored = ratings.scaled(Some((0, 2000.0)));
        assert!(anchored[1].is_unbounded && anchored[2].margin.is_none());
        assert!(!anchored[0].is_unbounded);
        assert_eq!(ratings.difference(0, 1).expect("a scale").1, None);
    }

    #[test]
    fn of_bots_that_only_wins_connect_no_rating_has_an_interval() {
        for bots in [2, 3] {
            let pairs = (1..bots).map(|bot| [bot - 1, bot]);
            let list: Vec<_> =
                pairs.flat_map(|pair| (0..60).map(move |seed| (seed, pair, 1.0))).collect();
            let rated = Ratings::of(bots, &games(&list)).scaled(None);
            assert!(rated.iter().all(|it| it.is_unbounded && it.margin.is_none()), "{rated:?}");
            assert!(rated[0].elo > rated[1].elo + 500.0, "{rated:?}");
            assert!(close(rated.iter().map(|it| it.elo).sum::<f64>(), 0.0), "{rated:?}");
        }
    }

    #[test]
    fn bots_that_no_game_connects_have_no_common_scale() {
        let list: Vec<_> = (0..25)
            .flat_map(|seed| {
                let result = f64::from(u32::from(seed % 4 != 0));
                [(seed, [0, 2], result), (seed, [1, 3], result)]
            })
            .collect();
        let ratings = Ratings::of(5, &games(&list));
        let groups: Vec<_> = ratings.scaled(None).iter().map(|it| it.group).collect();
        assert_eq!(groups, [0, 1, 0, 1, 2]);
        assert_eq!(ratings.difference(0, 1), None);
        let anchored = ratings.scaled(Some((2, 1000.0)));
        assert!(close(anchored[2].elo, 1000.0) && close(anchored[1].elo + anchored[3].elo, 0.0));
        assert_eq!((anchored[4].seeds, anchored[4].margin), (0, None));
    }

    #[test]
    fn there_is_no_interval_below_twenty_seeds_of_the_bot_itself() {
        let mut list: Vec<_> =
            (0..40).map(|n| (n, [0, 1], if n % 2 == 0 { 0.0 } else { 1.0 })).collect();
        list.extend((0..19).flat_map(|n| [(n, [2, 1], 0.0), (n, [2, 1], 1.0)]));
        let rated = Ratings::of(3, &games(&list)).scaled(None);
        assert_eq!(rated.iter().map(|it| it.seeds).collect::<Vec<_>>(), [40, 40, 19]);
        assert!(rated[0].margin.is_some() && rated[2].margin.is_none());
        assert!(!rated[2].is_unbounded);
    }

    #[test]
    fn no_bots_and_no_games_are_no_problem() {
        assert!(Ratings::of(0, &[]).scaled(None).is_empty());
        let alone = Ratings::of(1, &[]).scaled(None);
        assert!(close(alone[0].elo, 0.0) && alone[0].margin.is_none());
    }
}
