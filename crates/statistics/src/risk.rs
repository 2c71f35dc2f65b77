//! How often a verdict may be wrong.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The false-positive rate in each direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Risk {
    /// 2.5 %, so that 5 % of equal bots are called different.
    #[default]
    Strict,
    /// 5 %, which suffices to ask whether a bot is better.
    Loose,
}

impl Risk {
    /// Both chances together: the α of a two-sided test.
    pub fn both(self) -> f64 {
        match self {
            Self::Strict => 0.05,
            Self::Loose => 0.1,
        }
    }

    /// Whether this is the default, which files need not state.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The name of the interval that leaves out this much on either side.
    pub fn interval_name(self) -> &'static str {
        match self {
            Self::Strict => "95 % interval",
            Self::Loose => "90 % interval",
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Strict => "2.5%",
            Self::Loose => "5%",
        })
    }
}

/// A text is not a risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RiskError(String);

impl fmt::Display for RiskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is neither 2.5% nor 5%", self.0)
    }
}

impl Error for RiskError {}

impl FromStr for Risk {
    type Err = RiskError;

    fn from_str(text: &str) -> Result<Self, RiskError> {
        let risks = [Self::Strict, Self::Loose];
        let found = risks.into_iter().find(|risk| risk.to_string() == text);
        found.ok_or_else(|| RiskError(text.to_owned()))
    }
}

impl TryFrom<String> for Risk {
    type Error = RiskError;

    fn try_from(text: String) -> Result<Self, RiskError> {
        text.parse()
    }
}

impl From<Risk> for String {
    fn from(risk: Risk) -> Self {
        risk.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_risk_is_read_as_it_is_written_and_names_its_interval() {
        for (risk, text, interval, is_default) in [
            (Risk::Strict, "2.5%", "95 % interval", true),
            (Risk::Loose, "5%", "90 % interval", false),
        ] {
            assert_eq!((risk.to_string(), String::from(risk)), (text.to_owned(), text.to_owned()));
            assert_eq!((text.parse(), Risk::try_from(text.to_owned())), (Ok(risk), Ok(risk)));
            assert_eq!((risk.interval_name(), risk.is_default()), (interval, is_default));
        }
        let error = "1%".parse::<Risk>().expect_err("no such risk");
        assert_eq!(error.to_string(), "`1%` is neither 2.5% nor 5%");
    }
}
