//! Proportions of games that passed or failed, and predictions from them.

use statrs::function::beta::beta_reg;

use super::Risk;

/// A proportion and its interval.
///
/// ```
/// use statistics::{Estimate, Risk};
///
/// let lost = Estimate::exact(3, 60, Risk::Strict);
/// assert_eq!(lost.estimate, 0.05);
/// assert!(lost.low < 0.02 && 0.13 < lost.high);
/// assert!(Estimate::exact(0, 60, Risk::Strict).high < 0.05);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// The observed proportion.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// The proportion of `hits` among `trials` with the exact interval of C. J. Clopper and E. S. Pearson (1934), which leaves out
    /// at most the chance of `risk` at either end. Without a hit, or with hits only, it has one end to leave out, and leaves
    /// out both chances there: none of 60 is at most 4.9 %.
    #[expect(clippy::cast_precision_loss, reason = "games are counted, not grains of sand")]
    pub fn exact(hits: u64, trials: u64, risk: Risk) -> Self {
        let (k, n) = (hits as f64, trials as f64);
        let is_open = hits == 0 || hits == trials;
        let chance = if is_open { risk.both() } else { risk.both() / 2.0 };
        let estimate = if trials == 0 { 0.0 } else { k / n };
        // The chance of k or more hits at the rate p is the regularised incomplete beta function.
        let (low, high) = match hits {
            // Of no trials the chance is its power of infinity, 0.
            0 => (0.0, 1.0 - chance.powf(1.0 / n)),
            _ if hits == trials => (chance.powf(1.0 / n), 1.0),
            _ => (
                root(|p| beta_reg(k, n - k + 1.0, p) - chance),
                root(|p| beta_reg(k + 1.0, n - k, p) - (1.0 - chance)),
            ),
        };
        Self { estimate, low, high }
    }

    /// The length of the interval.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// Trials needed, at the observed rate, until the chance of at least one hit in `runs` lies in a 95 %
    /// interval no wider than `width`. Rounded up to two digits, since no more are known; `None` if a
    /// million would not suffice.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "games are counted, not grains of sand"
    )]
    pub fn trials_to_tell(hits: u64, trials: u64, runs: i32, width: f64) -> Option<u64> {
        let rate = hits as f64 / trials.max(1) as f64;
        let is_enough = |count: &u64| {
            let hits = (rate * *count as f64).round() as u64;
            Self::exact(hits, *count, Risk::Strict).at_least_once(runs).width() <= width
        };
        let rounded =
            (0..5).flat_map(|power| (10..100).map(move |digits| digits * 10_u64.pow(power)));
        rounded.into_iter().find(is_enough)
    }

    /// The chance of at least one hit in `runs` independent runs.
    #[must_use]
    pub fn at_least_once(self, runs: i32) -> Self {
        let once = |p: f64| 1.0 - (1.0 - p).powi(runs);
        Self { estimate: once(self.estimate), low: once(self.low), high: once(self.high) }
    }
}

/// Where a function that rises between 0 and 1 is 0.
fn root(rising: impl Fn(f64) -> f64) -> f64 {
    let halve = |(low, high): (f64, f64), _| {
        let middle = f64::midpoint(low, high);
        if rising(middle) < 0.0 { (middle, high) } else { (low, middle) }
    };
    let (low, high) = (0..60).fold((0.0, 1.0), halve);
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }

    #[test]
    fn the_exact_interval_is_that_of_the_textbook() {
        // scipy.stats.binomtest(hits, trials).proportion_ci(method="exact"), and 1 - 0.05 ** (1 / 60).
        for (hits, trials, low, high) in [
            (1, 60, 0.000_421_874_5, 0.089_399_050_1),
            (5, 10, 0.187_086_028_4, 0.812_913_971_6),
            (0, 60, 0.0, 0.048_702_913_3),
            (60, 60, 0.951_297_086_7, 1.0),
        ] {
            let found = Estimate::exact(hits, trials, Risk::Strict);
            close(found.low, low);
            close(found.high, high);
        }
        close(Estimate::exact(3, 4, Risk::Strict).estimate, 0.75);
        assert_eq!(
            Estimate::exact(0, 0, Risk::Strict),
            Estimate { estimate: 0.0, low: 0.0, high: 1.0 }
        );
        close(Estimate::exact(0, 60, Risk::Loose).high, 1.0 - 0.1_f64.powf(1.0 / 60.0));
    }

    #[test]
    fn as_many_trials_tell_as_are_said_to() {
        for (hits, trials) in [(0, 5), (1, 40), (3, 10), (0, 0)] {
            let enough = Estimate::trials_to_tell(hits, trials, 40, 0.2).expect("not for ever");
            let width = |count: u64| {
                let hits = (hits * count + trials / 2) / trials.max(1);
                Estimate::exact(hits, count, Risk::Strict).at_least_once(40).width()
            };
            assert!(width(enough) <= 0.2, "{enough} for {hits} of {trials}");
            assert!(enough < 20 || width(enough * 9 / 10) > 0.2, "{enough} for {hits} of {trials}");
        }
        assert_eq!(Estimate::trials_to_tell(0, 5, 40, 0.2), Some(540));
        assert_eq!(Estimate::trials_to_tell(0, 5, 40, 0.0), None);
    }

    #[test]
    fn at_least_once_is_not_never() {
        let at_least_once =
            |hits, runs| Estimate::exact(hits, 4, Risk::Strict).at_least_once(runs).estimate;
        close(at_least_once(1, 2), 1.0 - 0.75 * 0.75);
        close(at_least_once(0, 40), 0.0);
    }
}
