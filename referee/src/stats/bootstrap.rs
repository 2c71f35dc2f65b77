//! How far a mean can be trusted, from the values alone.

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

use super::{percentile, real};

/// How often the values are drawn anew; fewer times if there are very many of them.
const RESAMPLES: usize = 10_000;
const FEWEST_RESAMPLES: usize = 1000;

/// How many draws are made in all, so that a hundred thousand values take a second and not a minute.
const DRAWS: usize = 50_000_000;

/// The 95 % interval of the mean by the percentile bootstrap (B. Efron, 1979): the values are drawn
/// with replacement, and the interval holds the middle 95 % of the means of the draws. The same values
/// give the same interval always. `None` of nothing.
pub fn mean_interval(values: &[f64]) -> Option<(f64, f64)> {
    if values.is_empty() {
        return None;
    }
    let resamples = (DRAWS / values.len()).clamp(FEWEST_RESAMPLES, RESAMPLES);
    // Any fixed seed will do.
    let mut random = Pcg64Mcg::new(0x5eed);
    let mut means: Vec<f64> = (0..resamples).map(|_| resample(values, &mut random)).collect();
    means.sort_unstable_by(f64::total_cmp);
    let bound = |fraction| percentile(&means, fraction);
    bound(0.025).zip(bound(0.975))
}

/// The mean of as many values as there are, each drawn from all.
fn resample(values: &[f64], random: &mut Pcg64Mcg) -> f64 {
    let count = values.len() as u64;
    let draw = |_| {
        // The high half of the product is uniform below `count`, but for a bias of `count` in 2^64.
        let place = (u128::from(random.next_u64()) * u128::from(count)) >> 64;
        values[usize::try_from(place).expect("below the number of values")]
    };
    (0..count).map(draw).sum::<f64>() / real(values.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_as_wide_as_the_normal_one_for_many_values() {
        // Half of them 0, half of them 1: the standard error is 0.5 / sqrt(10,000).
        let values: Vec<f64> = (0..10_000).map(|n| f64::from(n % 2)).collect();
        let (low, high) = mean_interval(&values).expect("values");
        assert!((low - (0.5 - 1.96 * 0.005)).abs() < 0.0005, "{low}");
        assert!((high - (0.5 + 1.96 * 0.005)).abs() < 0.0005, "{high}");
        assert_eq!(mean_interval(&values), mean_interval(&values));
    }

    #[test]
    fn one_value_is_its_own_interval_and_none_has_none() {
        assert_eq!(mean_interval(&[7.0]), Some((7.0, 7.0)));
        assert_eq!(mean_interval(&[]), None);
    }
}
