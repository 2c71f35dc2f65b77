//! Estimates the boards needed to show a difference before playing any.

use serde::Serialize;

use super::{Moments, Risk, boards_to_exclude, boards_to_find};

/// The boards that it takes to show a mean difference, if differences and scores vary as on boards already played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Needed {
    /// For a comparison at the end, which then shows it in four cases of five.
    pub compared: u64,
    /// Until a look after each board decides; `None` beyond ten million.
    pub until_decided: Option<u64>,
}

impl Needed {
    /// What a mean difference of this size takes; `None` if it is 0, or with fewer than two boards to go by.
    pub fn of(moments: &Moments, difference: f64, risk: Risk) -> Option<Self> {
        let (variance, range) = (moments.variance(), moments.range());
        (moments.count() >= 2 && difference != 0.0).then(|| Self {
            compared: boards_to_find(difference, variance, range, risk),
            until_decided: boards_to_exclude(difference.abs(), variance, range, risk),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_differences_take_more_boards_and_a_greater_risk_fewer() {
        let mut moments = Moments::default();
        (0..100).for_each(|n| moments.push([1000.0 + f64::from(n % 7) * 30.0, 1000.0]));
        let needed = |difference, risk| Needed::of(&moments, difference, risk).expect("boards");
        let strict = needed(10.0, Risk::Strict);
        assert_eq!(strict.compared, boards_to_find(10.0, moments.variance(), 180.0, Risk::Strict));
        assert!(strict.until_decided.is_some_and(|boards| boards > strict.compared / 2));
        assert!(needed(5.0, Risk::Strict).compared > 3 * strict.compared);
        let loose = needed(10.0, Risk::Loose);
        assert!(loose.compared < strict.compared && loose.until_decided < strict.until_decided);
        assert_eq!(Needed::of(&moments, 0.0, Risk::Strict), None);
        assert_eq!(Needed::of(&Moments::default(), 1.0, Risk::Strict), None);
    }
}
