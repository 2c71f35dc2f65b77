//! The size below which a difference does not matter.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use rules::measure::Measure;

/// A mean difference that does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Margin {
    /// In percent of the opponent's mean points; in other measures, which are in percent already, as it is.
    Percent(f64),
    /// In points, or in the unit of the measure.
    Points(f64),
}

impl Default for Margin {
    fn default() -> Self {
        Self::Percent(0.5)
    }
}

impl Margin {
    /// The margin in this measure, against an opponent with this mean of points.
    pub fn of(self, measure: Measure, opponents_mean: f64) -> f64 {
        match self {
            Self::Percent(percent) if measure.is_points() => percent / 100.0 * opponents_mean.abs(),
            Self::Percent(points) | Self::Points(points) => points,
        }
    }
}

/// A text is not a margin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a percentage such as 0.5% nor points such as 20")]
pub struct MarginError(String);

impl FromStr for Margin {
    type Err = MarginError;

    fn from_str(text: &str) -> Result<Self, MarginError> {
        let number =
            |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
        let margin = match text.trim().strip_suffix('%') {
            Some(percent) => number(percent).map(Self::Percent),
            None => number(text).map(Self::Points),
        };
        margin.ok_or_else(|| MarginError(text.to_owned()))
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::Points(points) => write!(f, "{points}"),
        }
    }
}

impl TryFrom<String> for Margin {
    type Error = MarginError;

    fn try_from(text: String) -> Result<Self, MarginError> {
        text.parse()
    }
}

impl From<Margin> for String {
    fn from(margin: Margin) -> Self {
        margin.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_a_percentage_or_points() {
        for (text, points) in [("0.5%", 15.0), ("2 %", 60.0), ("20", 20.0), ("0", 0.0)] {
            let margin: Margin = text.parse().expect("a margin");
            assert!((margin.of(Measure::Points, 3000.0) - points).abs() < 1e-9, "{text}");
            assert_eq!(margin.to_string().parse(), Ok(margin));
            let given: f64 = text.trim_end_matches(['%', ' ']).parse().expect("a number");
            assert!((margin.of(Measure::Ratio, 3000.0) - given).abs() < 1e-9, "{text}");
        }
        for text in ["", "%", "-1", "five", "nan", "inf%"] {
            assert!(text.parse::<Margin>().is_err(), "{text}");
        }
    }
}
