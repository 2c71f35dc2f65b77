//! Two bots on the same boards: which one is better, and how sure that is.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::{mean, mean_interval, real, sign_test, signed_rank_test};

/// A p-value below this is no accident.
const SIGNIFICANT: f64 = 0.05;

/// How likely a difference is to be found by as many games as are said to settle it.
const POWER: f64 = 0.8;

/// With fewer pairs the signed-rank test cannot come below 5 %: of five pairs all on one side p is
/// 2 / 2⁵.
const FEWEST_PAIRS: usize = 6;

/// What differences say, the first bot's points less the second's on each board.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paired {
    /// The number of boards that both have played.
    pub pairs: usize,
    /// Those on which the first bot has more points.
    pub wins: u64,
    /// Those on which they are equal.
    pub draws: u64,
    /// Those on which it has fewer.
    pub losses: u64,
    /// The mean difference.
    pub mean: f64,
    /// Its 95 % interval, by bootstrap; `None` without pairs.
    pub interval: Option<(f64, f64)>,
    /// The two-sided p-value of Wilcoxon's signed-rank test.
    pub signed_rank_p: f64,
    /// The two-sided p-value of the sign test.
    pub sign_p: f64,
    /// The verdict.
    pub conclusion: Conclusion,
    /// How many pairs in all would show a difference of this size in four of five comparisons; `None`
    /// if there is no difference at all.
    pub pairs_to_settle: Option<u64>,
}

/// Whether the first bot is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// The interval lies above 0, and the signed-rank test agrees.
    Better,
    /// The interval lies below 0, and the signed-rank test agrees.
    Worse,
    /// Neither.
    NoDifferenceShown,
    /// Fewer pairs than any difference could be shown with.
    TooFewGames,
}

impl Paired {
    /// Looks at the differences.
    pub fn of(differences: &[f64]) -> Self {
        let count = |keep: fn(f64) -> bool| {
            differences.iter().filter(|difference| keep(**difference)).count() as u64
        };
        let (wins, losses) = (count(|d| d > 0.0), count(|d| d < 0.0));
        let interval = mean_interval(differences);
        let signed_rank_p = signed_rank_test(differences);
        Self {
            pairs: differences.len(),
            wins,
            draws: differences.len() as u64 - wins - losses,
            losses,
            mean: mean(differences),
            interval,
            signed_rank_p,
            sign_p: sign_test(wins, losses),
            conclusion: Conclusion::of(differences.len(), interval, signed_rank_p),
            pairs_to_settle: pairs_to_settle(differences),
        }
    }

    /// How many more pairs would settle it, if it is open and there is a difference to be settled.
    pub fn more_pairs(&self) -> Option<u64> {
        let open =
            matches!(self.conclusion, Conclusion::NoDifferenceShown | Conclusion::TooFewGames);
        let needed = self.pairs_to_settle?.max(FEWEST_PAIRS as u64);
        open.then(|| needed.saturating_sub(self.pairs as u64)).filter(|more| *more > 0)
    }
}

impl Conclusion {
    fn of(pairs: usize, interval: Option<(f64, f64)>, signed_rank_p: f64) -> Self {
        let Some((low, high)) = interval.filter(|_| pairs >= FEWEST_PAIRS) else {
            return Self::TooFewGames;
        };
        match signed_rank_p < SIGNIFICANT {
            true if low > 0.0 => Self::Better,
            true if high < 0.0 => Self::Worse,
            _ => Self::NoDifferenceShown,
        }
    }
}

/// n = ((z(1-α/2) + z(power)) σ / μ)², the size of a paired test by the normal distribution.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive; what is beyond u64 saturates, and nobody plays it"
)]
fn pairs_to_settle(differences: &[f64]) -> Option<u64> {
    let mean = mean(differences);
    if mean == 0.0 || differences.len() < 2 {
        return None;
    }
    let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
    let variance = squares / real(differences.len() - 1);
    let normal = Normal::standard();
    let quantiles = normal.inverse_cdf(1.0 - SIGNIFICANT / 2.0) + normal.inverse_cdf(POWER);
    Some((quantiles.powi(2) * variance / mean.powi(2)).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_one_of_four() {
        let conclusion = |differences: &[f64]| Paired::of(differences).conclusion;
        let clear: Vec<f64> = (1..=30).map(f64::from).collect();
        assert_eq!(conclusion(&clear), Conclusion::Better);
        let reversed: Vec<f64> = clear.iter().map(|difference| -difference).collect();
        assert_eq!(conclusion(&reversed), Conclusion::Worse);
        let mixed: Vec<f64> =
            (1..=30).map(|n| f64::from(if n % 2 == 0 { n } else { -n })).collect();
        assert_eq!(conclusion(&mixed), Conclusion::NoDifferenceShown);
        assert_eq!(conclusion(&clear[..5]), Conclusion::TooFewGames);
        assert_eq!(conclusion(&[]), Conclusion::TooFewGames);
        assert_eq!(conclusion(&[0.0; 20]), Conclusion::NoDifferenceShown);
    }

    #[test]
    fn what_would_settle_a_difference_is_the_textbooks_size() {
        // μ = 1 and σ² = 101/100 · 25: (1.959964 + 0.841621)² · 25.2525 = 198.2.
        let differences: Vec<f64> = (0..100).map(|n| if n % 2 == 0 { 6.0 } else { -4.0 }).collect();
        let paired = Paired::of(&differences);
        assert_eq!(paired.pairs_to_settle, Some(199));
        assert_eq!(paired.more_pairs(), Some(99));
        assert_eq!(Paired::of(&[0.0; 20]).more_pairs(), None);
        let clear: Vec<f64> = (1..=30).map(f64::from).collect();
        assert_eq!(Paired::of(&clear).more_pairs(), None);
        assert_eq!(Paired::of(&[5.0, 5.0]).more_pairs(), Some(4));
    }

    #[test]
    fn wins_draws_and_losses_are_counted() {
        let paired = Paired::of(&[1.0, 2.0, 0.0, -7.0]);
        assert_eq!((paired.wins, paired.draws, paired.losses), (2, 1, 1));
        assert!((paired.mean + 1.0).abs() < 1e-12);
    }
}
