//! Wilcoxon's signed-rank test (F. Wilcoxon, 1945) of differences.

use statrs::distribution::{ContinuousCDF as _, Normal};

use super::real;

/// Up to this many differences the p-value is exact, as in `SciPy`.
const EXACT: usize = 50;

/// The two-sided p-value of differences if they are equally likely to be above and below 0.
///
/// Differences of 0 are left out, and equal ones share their ranks. Up to 50 differences the p-value
/// is exact, also with equal ones: all ways to give the ranks signs are counted. Above, it is the p-value of
/// the normal distribution, corrected for equal ones and not for continuity. This agrees with
/// `scipy.stats.wilcoxon`, apart from 14 to 50 differences with equal ones or zeros, where `SciPy`
/// approximates. 1 without differences.
pub fn signed_rank_test(differences: &[f64]) -> f64 {
    let ranked = Ranked::new(differences);
    if ranked.doubled.len() <= EXACT { ranked.exact() } else { ranked.normal() }
}

/// The ranks of the differences that are not 0, doubled so that shared ones are whole.
struct Ranked {
    doubled: Vec<usize>,
    /// The sum of the ranks above 0.
    positive: usize,
    /// Σ (t³ - t) over the groups of t equal differences.
    ties: f64,
}

impl Ranked {
    fn new(differences: &[f64]) -> Self {
        let mut sorted: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
        sorted.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
        let mut ranked = Self { doubled: Vec::with_capacity(sorted.len()), positive: 0, ties: 0.0 };
        for group in sorted.chunk_by(|a, b| a.abs().total_cmp(&b.abs()).is_eq()) {
            // The mean of the ranks first..=last, twice.
            let first = ranked.doubled.len() + 1;
            let rank = 2 * first + group.len() - 1;
            ranked.positive += rank * group.iter().filter(|d| **d > 0.0).count();
            ranked.doubled.extend(std::iter::repeat_n(rank, group.len()));
            ranked.ties += real(group.len()).powi(3) - real(group.len());
        }
        ranked
    }

    fn exact(&self) -> f64 {
        let total: usize = self.doubled.iter().sum();
        // For each sum of doubled ranks, the chance that the positive ones add up to it.
        let mut chances = vec![0.0; total + 1];
        chances[0] = 1.0;
        let mut highest = 0;
        for &rank in &self.doubled {
            highest += rank;
            for sum in (0..=highest).rev() {
                let with = if sum >= rank { chances[sum - rank] } else { 0.0 };
                chances[sum] = f64::midpoint(chances[sum], with);
            }
        }
        // The distribution is symmetric, so the smaller tail suffices.
        let tail = self.positive.min(total - self.positive);
        (2.0 * chances[..=tail].iter().sum::<f64>()).min(1.0)
    }

    fn normal(&self) -> f64 {
        let n = real(self.doubled.len());
        let mean = n * (n + 1.0) / 4.0;
        let deviation = ((n * (n + 1.0) * (2.0 * n + 1.0) - self.ties / 2.0) / 24.0).sqrt();
        let z = (real(self.positive) / 2.0 - mean) / deviation;
        (2.0 * Normal::standard().sf(z.abs())).min(1.0)
    }
}
