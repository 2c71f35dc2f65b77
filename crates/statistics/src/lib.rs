//! Statistics for programs that are measured: how fast, how often they fail, and which of two is better.
//!
//! For few and dear measurements: intervals and tests rather than means alone, a verdict that allows for rare
//! results that were not seen, and an interval that may be looked at after every result.
//!
//! ```
//! use statistics::{PairedBoard, Conclusion, Estimate, Paired, Risk};
//!
//! // The points of one program and of another, on 70 boards that both have played.
//! let board = |n: u32| PairedBoard::finished(f64::from(12 + n % 7), 13.0);
//! let paired = Paired::of(&(0..70).map(board).collect::<Vec<_>>(), Risk::Strict);
//! assert_eq!((paired.wins, paired.losses), (50, 10));
//! assert_eq!(paired.conclusion, Conclusion::Better);
//!
//! // None of 40 games was lost: up to 9 % of all games may be.
//! assert!(Estimate::exact(0, 40, Risk::Strict).high < 0.09);
//! ```
//!
//! [`Paired`] compares after the last result, a [`ConfidenceSequence`] after each one, [`Ratings`] orders any number of
//! programs that play against each other, [`Estimate`] bounds how often something happens, and a [`Distribution`] keeps any
//! number of times in a small space. Nothing here knows where its
//! numbers come from: no game, no file, no clock.

mod conclusion;
mod evidence;
mod holm;
mod mean;
mod needed;
mod paired;
mod proportion;
mod ratings;
mod risk;
mod sequential;
mod sign_test;
mod times;

pub use self::conclusion::{Conclusion, Tendency};
pub use self::evidence::{Evidence, LossRate, Lost, Moments, PairedBoard};
pub use self::holm::holm;
pub use self::mean::MeanTest;
pub use self::needed::Needed;
pub use self::paired::{CERTAIN, Finished, MIN_PAIRS, Paired, boards_to_find};
pub use self::proportion::Estimate;
pub use self::ratings::{Game, MIN_SEEDS, Rating, Ratings, Seat};
pub use self::risk::Risk;
pub use self::sequential::{ConfidenceSequence, Decided, boards_to_exclude};
pub use self::sign_test::sign_test;
pub use self::times::Distribution;

/// A count as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "games are counted, not grains of sand")]
pub fn real(count: usize) -> f64 {
    count as f64
}

/// The mean; 0 without values. Of equal values it is the value itself, which their sum divided by their number need not be.
pub fn mean(values: &[f64]) -> f64 {
    let Some(first) = values.first() else { return 0.0 };
    first + values.iter().map(|value| value - first).sum::<f64>() / real(values.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_equal_values_is_the_value() {
        for (value, count) in [(0.1, 3), (0.1, 10), (100.0 / 3.0, 7), (-1e28, 9)] {
            assert_eq!(mean(&vec![value; count]).to_bits(), f64::to_bits(value), "{value} {count}");
        }
        assert!((mean(&[1.0, 2.0, 6.0]) - 3.0).abs() < 1e-12);
        assert_eq!(mean(&[]).to_bits(), 0.0_f64.to_bits());
    }
}
