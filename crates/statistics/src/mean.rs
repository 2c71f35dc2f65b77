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
}
