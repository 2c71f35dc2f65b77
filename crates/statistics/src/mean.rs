//! How far a mean can be trusted, from the values alone.

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::{mean, percentile, real};

/// The number of bootstrap samples.
const RESAMPLES: usize = 10_000;

/// With more values than this, skewness no longer matters and Student's interval stands alone.
const MAX_RESAMPLED: usize = 5000;

/// The mean of a sample, and what it says about the true mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanEstimate {
    /// The 95 % interval.
    pub interval: (f64, f64),
    /// The two-sided p-value of the hypothesis that the true mean is 0.
    pub p: f64,
}

impl MeanEstimate {
    /// Joins two intervals: Student's, and that of the studentised bootstrap (B. Efron, 1979; P.
    /// Hall, 1988), which follows the long tail of a skewed distribution. The p-value is
    /// the larger one of the two. The same values always give the same estimate. `None` with fewer
    /// than two values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = real(values.len());
        let (centre, error) = (mean(values), deviation(values) / n.sqrt());
        if values.len() < 2 {
            return None;
        }
        if error == 0.0 {
            let p = if centre == 0.0 { 1.0 } else { 0.0 };
            return Some(Self { interval: (centre, centre), p });
        }
        let student = StudentsT::new(0.0, 1.0, n - 1.0).expect("at least one degree of freedom");
        let (mut low, mut high) = (student.inverse_cdf(0.025), student.inverse_cdf(0.975));
        let t = centre / error;
        let mut p = 2.0 * student.sf(t.abs());
        if values.len() <= MAX_RESAMPLED {
            let resampled = resampled_ts(values, centre, deviation(values));
            let quantile = |fraction| percentile(&resampled, fraction).expect("many");
            (low, high) = (low.min(quantile(0.025)), high.max(quantile(0.975)));
            p = p.max(two_sided(&resampled, t));
        }
        Some(Self { interval: (centre - high * error, centre - low * error), p: p.min(1.0) })
    }
}

/// The standard deviation of values.
pub fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (real(values.len()) - 1.0).max(1.0)).sqrt()
}

/// Student's t of each bootstrap sample, around the mean of the values; sorted.
fn resampled_ts(values: &[f64], centre: f64, deviation: f64) -> Vec<f64> {
    let n = real(values.len());
    // Any fixed seed will do.
    let mut random = Pcg64Mcg::new(0x5eed);
    let t = |_| {
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..values.len() {
            let value = draw(values, &mut random) - centre;
            sum += value;
            squares += value * value;
        }
        let variance = (squares - sum * sum / n).max(0.0) / (n - 1.0);
        // A sample that misses every rare value would have almost no deviation, and an unbounded t.
        let error = variance.sqrt().max(deviation / n.sqrt()) / n.sqrt();
        sum / n / error
    };
    let mut ts: Vec<f64> = (0..RESAMPLES).map(t).collect();
    ts.sort_unstable_by(f64::total_cmp);
    ts
}

/// Twice the share of `sorted` that lies at least as far out as `t`, on its side.
fn two_sided(sorted: &[f64], t: f64) -> f64 {
    let below = sorted.partition_point(|other| *other < t);
    let above = sorted.len() - sorted.partition_point(|other| *other <= t);
    // The values themselves count as one of the samples, so that no p-value is 0.
    2.0 * (real(below.min(above)) + 1.0) / (real(sorted.len()) + 1.0)
}

fn draw(values: &[f64], random: &mut Pcg64Mcg) -> f64 {
    // The high half of the product is uniform below the number of values, but for a bias of n in 2^64.
    let place = (u128::from(random.next_u64()) * values.len() as u128) >> 64;
    values[usize::try_from(place).expect("below the number of values")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_as_wide_as_the_normal_one_for_many_values() {
        // Half of them 0, half of them 1: the standard error is 0.5 / sqrt(10,000).
        for count in [4000_u32, 10_000] {
            let values: Vec<f64> = (0..count).map(|n| f64::from(n % 2)).collect();
            let error = 0.5 / f64::from(count).sqrt();
            let (low, high) = MeanEstimate::of(&values).expect("values").interval;
            assert!((low - (0.5 - 1.96 * error)).abs() < 0.2 * error, "{low}");
            assert!((high - (0.5 + 1.96 * error)).abs() < 0.2 * error, "{high}");
            assert_eq!(MeanEstimate::of(&values), MeanEstimate::of(&values));
        }
    }

    #[test]
    fn it_is_never_narrower_than_students_and_leans_to_the_long_tail() {
        // scipy.stats.t.interval(0.95, 9, values.mean(), scipy.stats.sem(values))
        let values = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 5.0, 9.0, 30.0];
        let (low, high) = MeanEstimate::of(&values).expect("values").interval;
        assert!(low <= -0.263_6 && high >= 12.263_6, "{low} {high}");
        assert!(high - 6.0 > 1.5 * (6.0 - low), "{low} {high}");
    }

    #[test]
    fn a_sample_without_the_one_rare_value_has_a_bounded_t() {
        // A third of the samples hold zeros alone, and have no deviation of their own.
        let values: Vec<f64> = (0..60).map(|n| if n == 0 { 60.0 } else { 0.0 }).collect();
        let least = resampled_ts(&values, 1.0, deviation(&values))[0];
        // The mean of these is 1 too low, and their error is taken for the deviation divided by n.
        assert!((least + 60.0 / deviation(&values)).abs() < 1e-9, "{least}");
        let (low, high) = MeanEstimate::of(&values).expect("values").interval;
        assert!(low < 0.0 && (4.0..20.0).contains(&high), "{low} {high}");
    }

    #[test]
    fn each_resampled_t_is_that_of_its_values() {
        // By the number of threes among three draws: none and three have the least deviation, which is 1.
        let expected = [-(3.0_f64.sqrt()), 0.0, 1.0, 2.0 * 3.0_f64.sqrt()];
        let mut found = resampled_ts(&[0.0, 0.0, 3.0], 1.0, 3.0_f64.sqrt());
        found.dedup_by(|one, other| (*one - *other).abs() < 1e-9);
        assert_eq!(found.len(), 4, "{found:?}");
        for (t, expected) in found.iter().zip(expected) {
            assert!((t - expected).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn the_values_themselves_count_as_one_of_the_samples() {
        for (sorted, t, expected) in [
            ([-2.0, -1.0, 0.0, 1.0, 2.0], 1.5, 4.0 / 6.0),
            ([-2.0, -1.0, 0.0, 1.0, 2.0], -3.0, 2.0 / 6.0),
            ([1.0, 1.0, 2.0, 3.0, 4.0], 1.0, 2.0 / 6.0),
        ] {
            assert!((two_sided(&sorted, t) - expected).abs() < 1e-12, "{sorted:?} {t}");
        }
    }

    #[test]
    fn the_p_value_is_below_5_percent_where_the_interval_leaves_out_0() {
        for shift in 0..60 {
            let value = |n: i32| f64::from(n * n % 41) - 10.0 + f64::from(shift) * 0.25;
            let values: Vec<f64> = (0..30).map(value).collect();
            let MeanEstimate { interval: (low, high), p } =
                MeanEstimate::of(&values).expect("values");
            // Close to 5 % the two may round to different sides.
            if (p - 0.05).abs() > 0.002 {
                assert_eq!(p < 0.05, low > 0.0 || high < 0.0, "{shift}: {p} {low} {high}");
            }
        }
    }

    #[test]
    fn values_that_are_all_the_same_have_a_point_and_one_value_has_nothing() {
        let estimate = MeanEstimate::of(&[7.0; 3]).expect("values");
        assert_eq!((estimate.interval, estimate.p.to_bits()), ((7.0, 7.0), 0.0_f64.to_bits()));
        assert!((MeanEstimate::of(&[0.0; 3]).expect("values").p - 1.0).abs() < 1e-12);
        assert_eq!(MeanEstimate::of(&[7.0]), None);
        assert!(MeanEstimate::of(&[7.0, 8.0]).is_some(), "two values differ");
        assert_eq!(MeanEstimate::of(&[]), None);
    }
}
