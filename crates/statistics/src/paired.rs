//! The paired comparison of two bots on the same boards: which one is better, and how surely.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::{MeanEstimate, deviation, holm, mean, sign_test, signed_rank_test};

/// The significance level.
const SIGNIFICANT: f64 = 0.05;

/// The power of a comparison with the suggested number of games.
const POWER: f64 = 0.8;

/// The fewest pairs for a verdict. An event of one board in twenty, such as a bonus, may outweigh the
/// differences on all other boards, and 60 boards miss it in fewer than 5 % of cases.
pub const MIN_PAIRS: usize = 60;

/// The statistics of differences: the first bot's points minus the second's, board by board.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paired {
    /// The number of boards that both have played.
    pub pairs: usize,
    /// The boards on which the first bot has more points.
    pub wins: u64,
    /// The boards on which both have equally many.
    pub draws: u64,
    /// The boards on which the first bot has fewer.
    pub losses: u64,
    /// The mean difference.
    pub mean: f64,
    /// Its 95 % interval; `None` with fewer than two pairs.
    pub interval: Option<(f64, f64)>,
    /// The two-sided p-value of the hypothesis that the true mean difference is 0.
    pub mean_p: f64,
    /// The two-sided p-value of Wilcoxon's signed-rank test.
    pub signed_rank_p: f64,
    /// The two-sided p-value of the sign test.
    pub sign_p: f64,
    /// The p-value of the verdict: the larger one of the mean's and the signed-rank test's, adjusted
    /// for the number of comparisons made.
    pub adjusted_p: f64,
    /// The verdict.
    pub conclusion: Conclusion,
    /// The number of pairs that would show a difference of this size in four of five comparisons;
    /// `None` if the mean difference is 0.
    pub pairs_to_settle: Option<u64>,
}

/// Whether the first bot is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// The mean difference is above 0, and the adjusted p-value below 5 %.
    Better,
    /// The mean difference is below 0, and the adjusted p-value below 5 %.
    Worse,
    /// Neither.
    NoDifferenceShown,
    /// Fewer than [`MIN_PAIRS`].
    TooFewGames,
}

impl Paired {
    /// Analyses the differences.
    pub fn of(differences: &[f64]) -> Self {
        let count = |keep: fn(f64) -> bool| {
            differences.iter().filter(|difference| keep(**difference)).count() as u64
        };
        let (wins, losses) = (count(|d| d > 0.0), count(|d| d < 0.0));
        let estimate = MeanEstimate::of(differences);
        let mean_p = estimate.map_or(1.0, |estimate| estimate.p);
        let signed_rank_p = signed_rank_test(differences);
        let paired = Self {
            pairs: differences.len(),
            wins,
            draws: differences.len() as u64 - wins - losses,
            losses,
            mean: mean(differences),
            interval: estimate.map(|estimate| estimate.interval),
            mean_p,
            signed_rank_p,
            sign_p: sign_test(wins, losses),
            adjusted_p: 1.0,
            conclusion: Conclusion::TooFewGames,
            pairs_to_settle: pairs_to_settle(differences),
        };
        paired.concluded(mean_p.max(signed_rank_p))
    }

    fn concluded(self, adjusted_p: f64) -> Self {
        let conclusion = match adjusted_p < SIGNIFICANT {
            _ if self.pairs < MIN_PAIRS => Conclusion::TooFewGames,
            true if self.mean > 0.0 => Conclusion::Better,
            true if self.mean < 0.0 => Conclusion::Worse,
            _ => Conclusion::NoDifferenceShown,
        };
        Self { adjusted_p, conclusion, ..self }
    }

    /// Adjusts the verdicts of several comparisons for their number.
    pub fn adjust<'a>(comparisons: impl Iterator<Item = &'a mut Self>) {
        let comparisons: Vec<&mut Self> = comparisons.collect();
        let ps: Vec<f64> =
            comparisons.iter().map(|paired| paired.mean_p.max(paired.signed_rank_p)).collect();
        for (paired, adjusted) in comparisons.into_iter().zip(holm(&ps)) {
            *paired = paired.clone().concluded(adjusted);
        }
    }

    /// The number of pairs missing for a verdict.
    pub fn missing_pairs(&self) -> usize {
        MIN_PAIRS.saturating_sub(self.pairs)
    }

    /// The number of further pairs that would settle an open comparison; `None` without a difference.
    pub fn more_pairs(&self) -> Option<u64> {
        let open =
            matches!(self.conclusion, Conclusion::NoDifferenceShown | Conclusion::TooFewGames);
        let needed = self.pairs_to_settle?.max(MIN_PAIRS as u64);
        open.then(|| needed.saturating_sub(self.pairs as u64)).filter(|more| *more > 0)
    }
}

/// n = ((z(1-α/2) + z(power)) σ / μ)², the size of a paired test by the normal distribution.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive; numbers beyond u64 saturate, and nobody plays that many"
)]
fn pairs_to_settle(differences: &[f64]) -> Option<u64> {
    let mean = mean(differences);
    if mean == 0.0 || differences.len() < 2 {
        return None;
    }
    let variance = deviation(differences).powi(2);
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
        let clear: Vec<f64> = (1..=60).map(f64::from).collect();
        assert_eq!(conclusion(&clear), Conclusion::Better);
        let reversed: Vec<f64> = clear.iter().map(|difference| -difference).collect();
        assert_eq!(conclusion(&reversed), Conclusion::Worse);
        let mixed: Vec<f64> =
            (1..=60).map(|n| f64::from(if n % 2 == 0 { n } else { -n })).collect();
        assert_eq!(conclusion(&mixed), Conclusion::NoDifferenceShown);
        assert_eq!(conclusion(&clear[..59]), Conclusion::TooFewGames);
        assert_eq!(Paired::of(&clear[..40]).missing_pairs(), 20);
        assert_eq!(conclusion(&[]), Conclusion::TooFewGames);
        assert_eq!(conclusion(&[0.0; 60]), Conclusion::NoDifferenceShown);
    }

    #[test]
    fn a_verdict_needs_a_side_and_less_than_5_percent() {
        let even = Paired::of(&[0.0; 60]);
        assert_eq!(even.concluded(0.01).conclusion, Conclusion::NoDifferenceShown);
        let clear: Vec<f64> = (1..=60).map(f64::from).collect();
        let clear = Paired::of(&clear);
        assert_eq!(clear.clone().concluded(0.049).conclusion, Conclusion::Better);
        assert_eq!(clear.concluded(0.05).conclusion, Conclusion::NoDifferenceShown);
    }

    #[test]
    fn a_verdict_needs_the_mean_and_the_signed_rank_test() {
        // A few high wins decide the mean, and the ranks show nothing.
        let high: Vec<f64> = (0..60).map(|n| if n < 18 { 10.0 } else { -1.0 }).collect();
        let found = Paired::of(&high);
        assert!(found.mean_p < 0.01 && found.signed_rank_p > 0.5, "{found:?}");
        assert_eq!(found.conclusion, Conclusion::NoDifferenceShown);
        // Many small wins decide the ranks, and the mean shows nothing.
        let many: Vec<f64> = (0..60).map(|n| if n < 5 { -900.0 } else { 50.0 }).collect();
        let found = Paired::of(&many);
        assert!(found.mean_p > 0.3 && found.signed_rank_p < 0.01, "{found:?}");
        assert_eq!(found.conclusion, Conclusion::NoDifferenceShown);
    }

    #[test]
    fn of_many_comparisons_a_verdict_needs_more() {
        let values: Vec<f64> = (0..100).map(|n| if n % 5 < 3 { 6.0 } else { -5.5 }).collect();
        let alone = Paired::of(&values);
        assert_eq!(alone.conclusion, Conclusion::Better);
        let mut among = vec![alone.clone(); 20];
        Paired::adjust(among.iter_mut());
        assert!(among.iter().all(|paired| paired.conclusion == Conclusion::NoDifferenceShown));
        let p = alone.mean_p.max(alone.signed_rank_p);
        assert!((among[0].adjusted_p - (20.0 * p).min(1.0)).abs() < 1e-12);
    }

    #[test]
    fn what_would_settle_a_difference_is_the_textbooks_size() {
        // μ = 1 and σ² = 101/100 · 25: (1.959964 + 0.841621)² · 25.2525 = 198.2.
        let differences: Vec<f64> = (0..100).map(|n| if n % 2 == 0 { 6.0 } else { -4.0 }).collect();
        let paired = Paired::of(&differences);
        assert_eq!(paired.pairs_to_settle, Some(199));
        assert_eq!(paired.more_pairs(), Some(99));
        let doubled: Vec<f64> = differences.iter().map(|difference| 2.0 * difference).collect();
        assert_eq!(Paired::of(&doubled).pairs_to_settle, Some(199), "the unit does not matter");
        let enough = Paired { pairs_to_settle: Some(100), ..paired };
        assert_eq!(enough.more_pairs(), None, "no more, whatever the verdict");
        assert_eq!(Paired::of(&[0.0; 20]).more_pairs(), None);
        let clear: Vec<f64> = (1..=60).map(f64::from).collect();
        assert_eq!(Paired::of(&clear).more_pairs(), None);
        assert_eq!(Paired::of(&[5.0, 5.0]).more_pairs(), Some(58));
    }

    #[test]
    fn wins_draws_and_losses_are_counted() {
        let paired = Paired::of(&[1.0, 2.0, 3.0, 0.0, -7.0, -5.0]);
        assert_eq!((paired.wins, paired.draws, paired.losses), (3, 1, 2));
        assert!((paired.mean + 1.0).abs() < 1e-12);
    }
}
