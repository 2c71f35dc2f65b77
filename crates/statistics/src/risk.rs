//! How often a verdict may be wrong.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The false-positive rate in each direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Risk {
    /// 2.5 %, so that 5 % of equal bots are called different.
    #[default]
    #[serde(rename = "2.5%")]
    Strict,
    /// 5 %, which suffices to ask whether a bot is better.
    #[serde(rename = "5%")]
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

impl FromStr for Risk {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let risks = [Self::Strict, Self::Loose];
        let found = risks.into_iter().find(|risk| risk.to_string() == text);
        found.ok_or_else(|| format!("`{text}` is neither 2.5% nor 5%"))
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
            assert_eq!((risk.to_string().as_str(), text.parse()), (text, Ok(risk)));
            let json = format!("\"{text}\"");
            assert_eq!(serde_json::to_string(&risk).expect("JSON"), json);
            assert_eq!(serde_json::from_str::<Risk>(&json).expect("a risk"), risk);
            assert_eq!((risk.interval_name(), risk.is_default()), (interval, is_default));
        }
        assert_eq!("1%".parse::<Risk>(), Err("`1%` is neither 2.5% nor 5%".to_owned()));
        let error = serde_json::from_str::<Risk>("\"1%\"").expect_err("no such risk").to_string();
        assert!(["`1%`", "`2.5%`", "`5%`"].iter().all(|name| error.contains(name)), "{error}");
    }
}
