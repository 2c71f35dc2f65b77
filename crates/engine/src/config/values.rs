//! Values as a user writes them.

use std::path::PathBuf;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::Error as _;

use terms::seed::Seed;

/// A factor that relaxes limits, 1 to 1000.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Factor(pub(super) f64);

impl TryFrom<f64> for Factor {
    type Error = String;

    fn try_from(factor: f64) -> Result<Self, String> {
        if (1.0..=1000.0).contains(&factor) {
            Ok(Self(factor))
        } else {
            Err(format!("{factor} is not in 1 to 1000"))
        }
    }
}

/// A seed, or a range of seeds with both ends included: `7`, `1..10`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SeedRange {
    /// The smallest seed; the range includes it.
    pub first: Seed,
    /// The last one, not less than the first.
    pub last: Seed,
}

impl SeedRange {
    /// The seeds in order.
    pub fn seeds(self) -> impl Iterator<Item = Seed> + Clone {
        self.first.to(self.last)
    }
}

impl FromStr for SeedRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let number = |text: &str| text.trim().parse::<Seed>().ok();
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Self { first, last }),
            (Some(first), Some(last)) => {
                Err(format!("`{text}` runs backwards; write {last}..{first}"))
            }
            (Some(first), None) if last.trim().is_empty() => Err(format!(
                "`{text}` does not say where it ends; write for example {first}..{}",
                first.after(99).unwrap_or(Seed::MAX)
            )),
            _ => Err(format!("`{text}` is neither a number nor a range such as 1..10")),
        }
    }
}

impl<'de> Deserialize<'de> for SeedRange {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Seeds as a user writes them: a list of seeds and ranges, such as `1,5,9..20`, or a file of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeedsSource {
    /// Seeds and ranges as written after `--seed`.
    List(Vec<SeedRange>),
    /// A file with seeds, separated by commas, spaces or lines.
    File(PathBuf),
}

/// What is wrong in a file of seeds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}: {problem}")]
#[non_exhaustive]
pub struct SeedsFileError {
    /// Where it is: the line, from 1.
    pub line: usize,
    /// What is wrong in it.
    pub problem: String,
}

impl SeedsSource {
    /// Reads the content of a file: seeds and ranges between commas or white space; `#` begins a comment.
    ///
    /// # Errors
    /// The first problem.
    pub fn parse_file(text: &str) -> Result<Vec<SeedRange>, SeedsFileError> {
        let mut seeds = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.split('#').next().unwrap_or_default();
            let words = content.split(|c: char| c == ',' || c.is_whitespace());
            for word in words.filter(|word| !word.is_empty()) {
                seeds.push(word.parse().map_err(|problem| SeedsFileError { line, problem })?);
            }
        }
        Ok(seeds)
    }
}

impl FromStr for SeedsSource {
    type Err = String;

    /// What begins as a number does is a list, and everything else a file.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return text.split(',').map(str::parse).collect::<Result<_, _>>().map(Self::List);
        }
        Ok(Self::File(text.into()))
    }
}

impl<'de> Deserialize<'de> for SeedsSource {
    /// Reads a text as after `--seed`, a number, or a list of both.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Seeds {
            Number(i64),
            Text(String),
        }

        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected seeds such as \"1,5,9..20\", a list, or a file")]
        enum Written {
            One(Seeds),
            Several(Vec<Seeds>),
        }

        let text = |seeds: Seeds| match seeds {
            Seeds::Number(number) => number.to_string(),
            Seeds::Text(text) => text,
        };
        let written = match Written::deserialize(deserializer)? {
            Written::One(seeds) => text(seeds),
            Written::Several(list) => list.into_iter().map(text).collect::<Vec<_>>().join(","),
        };
        written.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_a_list_or_a_file_of_them() {
        let range = |first, last| SeedRange { first: Seed::of(first), last: Seed::of(last) };
        let list = [range(1, 1), range(-5, -5), range(9, 20)];
        assert_eq!("1,-5, 9..20".parse(), Ok(SeedsSource::List(list.into())));
        assert_eq!(SeedsSource::parse_file("1 -5 # two\n\n9..20,\n"), Ok(list.into()));
        assert_eq!("seeds.txt".parse(), Ok(SeedsSource::File("seeds.txt".into())));
        for text in ["", "1,", "1,,2", "5..1", "1-3", "-x"] {
            assert!(text.parse::<SeedsSource>().is_err(), "{text:?}");
        }
        let error = SeedsSource::parse_file("1\n2 x").expect_err("no seed");
        assert!(error.to_string().starts_with("2: `x` is neither"), "{error}");
    }

    #[test]
    fn settings_write_seeds_as_numbers_or_texts() {
        let read = |value: &str| {
            let set: toml::Table = format!("seeds = {value}").parse().expect("TOML");
            SeedsSource::deserialize(set["seeds"].clone()).map_err(|error| error.to_string())
        };
        for (value, expected) in
            [("7", "7"), ("[1, -2]", "1,-2"), ("['1..5', 7]", "1..5,7"), ("'s.txt'", "s.txt")]
        {
            assert_eq!(read(value), expected.parse(), "{value}");
        }
        for (value, problem) in
            [("[]", "is neither a number"), ("true", "expected seeds such as"), ("[[1]]", "a list")]
        {
            let error = read(value).expect_err(value);
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn a_range_of_seeds_has_both_ends() {
        for (text, first, last) in [("7", 7, 7), ("-3..4", -3, 4), ("1..1", 1, 1)] {
            let (first, last) = (Seed::of(first), Seed::of(last));
            assert_eq!(text.parse(), Ok(SeedRange { first, last }), "{text}");
        }
        let beyond = ["18446744073709551616", "5..18446744073709551616", "-9223372036854775809"];
        for text in ["", "x", "4..1", "1..", "1...3", "1-3"].into_iter().chain(beyond) {
            assert!(text.parse::<SeedRange>().is_err(), "{text:?}");
        }
        let largest = "9223372036854775808..18446744073709551615".parse::<SeedRange>();
        assert_eq!(largest.map(|range| range.last), Ok(Seed::MAX));
    }
}
