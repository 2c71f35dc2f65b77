//! Properties of a test case that is only text here, read from it as its settings say.

use std::collections::BTreeMap;

use regex_lite::Regex;
use serde::{Serialize, Serializer};

/// How the properties of a case are read from its text.
#[derive(Debug, Clone)]
pub struct Traits {
    /// The setting.
    text: String,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    /// The names of the numbers of the first line, in order; `_` skips one.
    FirstLine(Vec<String>),
    /// The groups of a pattern.
    Pattern(Regex),
}

impl Traits {
    /// Reads the setting: names, or a pattern with named groups.
    ///
    /// # Errors
    /// What is wrong with the pattern.
    pub fn parse(text: &str) -> Result<Self, regex_lite::Error> {
        if text.contains("(?P<") || text.contains("(?<") {
            let pattern = Regex::new(text)?;
            return Ok(Self { text: text.to_owned(), source: Source::Pattern(pattern) });
        }
        let names = text.split_whitespace().map(str::to_owned).collect();
        Ok(Self { text: text.to_owned(), source: Source::FirstLine(names) })
    }

    /// The properties of the case in `text` that are whole numbers.
    pub fn of(&self, text: &str) -> BTreeMap<String, u32> {
        let number = |(name, value): (&str, &str)| Some((name.to_owned(), value.parse().ok()?));
        match &self.source {
            Source::FirstLine(names) => {
                let words = text.lines().next().unwrap_or_default().split_whitespace();
                let pairs = names.iter().map(String::as_str).zip(words);
                pairs.filter(|(name, _)| *name != "_").filter_map(number).collect()
            }
            Source::Pattern(pattern) => {
                let Some(found) = pattern.captures(text) else { return BTreeMap::new() };
                let names = pattern.capture_names().flatten();
                let pairs = names.filter_map(|name| Some((name, found.name(name)?.as_str())));
                pairs.filter_map(number).collect()
            }
        }
    }
}

impl Serialize for Traits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(setting: &str, text: &str) -> Vec<(String, u32)> {
        let traits = Traits::parse(setting).expect("a good setting");
        traits.of(text).into_iter().collect()
    }

    #[test]
    fn traits_are_numbers_of_the_first_line_or_groups_of_a_pattern() {
        let found = |pairs: &[(&str, u32)]| {
            pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect::<Vec<_>>()
        };
        assert_eq!(of("n _ k", "10 x 3 4\n5\n"), found(&[("k", 3), ("n", 10)]));
        assert_eq!(of("n m", "0.5 7\n"), found(&[("m", 7)]));
        assert_eq!(of("n", ""), []);
        let pattern = r"(?m)^colors=(?P<colors>\d+)";
        assert_eq!(of(pattern, "8\ncolors=5\n"), found(&[("colors", 5)]));
        assert_eq!(of(pattern, "8\n"), []);
        assert!(Traits::parse("(?P<a>").is_err());
    }
}
