//! The uncertainty of a mean difference, with and without an allowance for unseen boards.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::{Moments, Risk, real};

/// How much of the squared range of the scores, divided by the number of boards, is added to the variance: half a board
/// more than those seen, on which the two bots differ by the whole range.
pub(crate) const UNSEEN: f64 = 0.5;

/// A mean difference, and what it says about the true one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanTest {
    /// The mean difference.
    pub mean: f64,
    /// Student's interval, of 95 % unless another [`Risk`] was asked for; `None` with fewer than two boards.
    pub interval: Option<(f64, f64)>,
    /// The two-sided p-value of the hypothesis that the true mean is 0, by Student's test.
    pub mean_p: f64,
    /// The interval with the allowance for boards that were not seen.
    pub guarded_interval: Option<(f64, f64)>,
    /// The p-value with this allowance.
    pub guarded_p: f64,
}

impl MeanTest {
    /// Tests the mean difference.
    pub fn of(moments: &Moments, risk: Risk) -> Self {
        let (n, seen) = (real(moments.count()), moments.variance());
        let (interval, mean_p) = student(moments, seen, risk);
        let guarded = seen + UNSEEN * moments.range().powi(2) / n.max(1.0);
        let (guarded_interval, guarded_p) = student(moments, guarded, risk);
        Self { mean: moments.mean(), interval, mean_p, guarded_interval, guarded_p }
    }
}

/// Student's interval of the mean and the p-value, with this variance of a difference.
fn student(moments: &Moments, variance: f64, risk: Risk) -> (Option<(f64, f64)>, f64) {
    let (n, mean) = (real(moments.count()), moments.mean());
    if moments.count() < 2 {
        return (None, 1.0);
    }
    let error = (variance / n).sqrt();
    if error == 0.0 {
        return (Some((mean, mean)), if mean == 0.0 { 1.0 } else { 0.0 });
    }
    let student = StudentsT::new(0.0, 1.0, n - 1.0).expect("at least one degree of freedom");
    let half = student.inverse_cdf(1.0 - risk.both() / 2.0) * error;
    let p = 2.0 * student.sf((mean / error).abs());
    (Some((mean - half, mean + half)), p.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[[f64; 2]], risk: Risk) -> MeanTest {
        let mut moments = Moments::default();
        for pair in pairs {
            moments.push(*pair);
        }
        MeanTest::of(&moments, risk)
    }

    #[track_caller]
    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }

    #[test]
    fn the_plain_interval_is_students() {
        // scipy.stats.t.interval(0.95, 9, values.mean(), scipy.stats.sem(values)), and ttest_1samp
        let values = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 5.0, 9.0, 30.0];
        let found = of(&values.map(|value| [value, 0.0]), Risk::Strict);
        let (low, high) = found.interval.expect("values");
        assert!((low + 0.263_6).abs() < 1e-3 && (high - 12.263_6).abs() < 1e-3, "{found:?}");
        assert!(found.mean_p > 0.05 && found.mean_p < 0.07, "{found:?}");
        let (low, _) = of(&values.map(|value| [value, 0.0]), Risk::Loose).interval.expect("values");
        assert!(low > 0.0, "a narrower interval for a greater chance");
    }

    #[test]
    fn two_boards_have_an_interval_and_one_has_none() {
        let found = of(&[[1.0, 0.0], [3.0, 0.0]], Risk::Strict);
        // 2 ± t₀.₉₇₅(1) · √2 / √2
        let (low, high) = found.interval.expect("values");
        assert_close(low, 2.0 - 12.706_204_7);
        assert_close(high, 2.0 + 12.706_204_7);
        assert_eq!(of(&[[1.0, 0.0]], Risk::Strict).interval, None);
    }

    #[test]
    fn the_allowance_is_half_a_board_with_the_whole_range() {
        // s² = 1, the range is 10, and n = 3: the guarded variance is 1 + 0.5 · 100 / 3.
        let found = of(&[[11.0, 10.0], [2.0, 2.0], [1.0, 2.0]], Risk::Strict);
        let half = |interval: Option<(f64, f64)>| interval.map(|(low, high)| (high - low) / 2.0);
        let wider =
            half(found.guarded_interval).expect("values") / half(found.interval).expect("values");
        assert_close(wider, (1.0_f64 + 50.0 / 3.0).sqrt());
        let (low, high) = found.guarded_interval.expect("values");
        assert_close(f64::midpoint(low, high), found.mean);
        assert!(found.guarded_p >= found.mean_p);
    }

    #[test]
    fn a_p_value_is_below_5_percent_where_its_interval_leaves_out_0() {
        for shift in 0..60 {
            let value = |n: i32| f64::from(n * n % 41) - 10.0 + f64::from(shift) * 0.25;
            let pairs: Vec<_> = (0..30).map(|n| [value(n), 0.0]).collect();
            let found = of(&pairs, Risk::Strict);
            for (interval, p) in
                [(found.interval, found.mean_p), (found.guarded_interval, found.guarded_p)]
            {
                let (low, high) = interval.expect("values");
                assert_eq!(p < 0.05, low > 0.0 || high < 0.0, "{shift}: {found:?}");
            }
        }
    }

    #[test]
    fn equal_differences_have_a_point_and_one_board_has_nothing() {
        let found = of(&[[7.0, 0.0]; 3], Risk::Strict);
        assert_eq!((found.interval, found.mean_p.to_bits()), (Some((7.0, 7.0)), 0.0_f64.to_bits()));
        assert!(found.guarded_p > 0.05, "three boards are few: {found:?}");
        assert_close(of(&[[7.0, 7.0]; 3], Risk::Strict).guarded_p, 1.0);
        assert_eq!(of(&[[7.0, 0.0]], Risk::Strict).guarded_interval, None);
        assert_eq!(of(&[], Risk::Strict).interval, None);
    }
}
