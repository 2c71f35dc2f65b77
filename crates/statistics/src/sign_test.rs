//! The sign test: whether one of two bots wins more boards than it loses.

use statrs::distribution::{Binomial, DiscreteCDF as _};

/// The two-sided p-value of `wins` against `losses` if both are equally likely, as in
/// `scipy.stats.binomtest`; draws do not count. 1 without wins or losses.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    let coins = Binomial::new(0.5, wins + losses).expect("a half is a probability");
    (2.0 * coins.cdf(wins.min(losses))).min(1.0)
}
