//! The parameters of a game of several players: text, numbers and truth values by name.

use std::collections::BTreeMap;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use toml::Value;

use super::properties;

/// Parameters, as the setting `params` has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Params(BTreeMap<String, String>);

impl Params {
    /// The lines that the engine reads as these parameters.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().map(|(name, value)| properties::line(name, value))
    }
}

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = BTreeMap::<String, Value>::deserialize(deserializer)?;
        let read = |(name, value): (String, Value)| {
            if name == "seed" {
                return Err(D::Error::custom("the seed is not a parameter: use --seed"));
            }
            let text = match value {
                Value::String(text) => text,
                Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => value.to_string(),
                Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
                    let problem = format!("`{name}` must be text, a number, true or false");
                    return Err(D::Error::custom(problem));
                }
            };
            Ok((name, text))
        };
        values.into_iter().map(read).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_single_values() {
        let read = |text: &str| toml::from_str::<Params>(text);
        let params = read("size = 12\nratio = 0.5\nfast = true\nnote = 'x'").expect("four");
        let lines: Vec<String> = params.lines().collect();
        assert_eq!(lines, ["fast=true", "note=x", "ratio=0.5", "size=12"]);
        for (text, expected) in [("a = [1]", "`a` must be text"), ("seed = 7", "use --seed")] {
            let problem = read(text).expect_err(text).to_string();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
