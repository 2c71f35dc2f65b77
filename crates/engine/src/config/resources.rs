//! Settings for a bot's resources, as users write them.

use std::fmt;
use std::str::FromStr;

use bytesize::ByteSize;
use serde::Deserialize;
use serde::de::Error as _;

use super::over::{Over, over_by_field};
use super::{Limit, ValueError};
use terms::limits::Resources;
use terms::millis::Millis;
use terms::text::exact_size;

/// A limit that can be lifted with the word `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound<T> {
    /// There is no limit.
    None,
    /// The limit.
    At(T),
}

/// A number of bytes with a unit: 768MiB, 64kB, 512B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(pub u64);

impl FromStr for Size {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let text = text.trim();
        let size =
            text.parse::<ByteSize>().ok().filter(|_| !text.ends_with(|c: char| c.is_ascii_digit()));
        match size.map(|size| size.as_u64()) {
            Some(0) => Err(format!("`{text}` must be more than zero").into()),
            Some(bytes) => Ok(Self(bytes)),
            None => Err(format!(
                "`{text}` is not a size; write a number with a unit, such as 768MiB or 64kB, or none"
            )
            .into()),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&exact_size(self.0))
    }
}

/// A number of processes or files, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(pub u64);

impl FromStr for Count {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let number = text.trim().parse().ok().filter(|&number| number > 0);
        let wrong = || format!("`{text}` is not a whole number of at least 1, or none").into();
        number.map(Self).ok_or_else(wrong)
    }
}

impl<T: fmt::Display> fmt::Display for Bound<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::At(limit) => limit.fmt(f),
        }
    }
}

impl<T: FromStr<Err = ValueError>> FromStr for Bound<T> {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        if text.trim() == "none" { Ok(Self::None) } else { text.parse().map(Self::At) }
    }
}

impl<'de, T: FromStr<Err = ValueError>> Deserialize<'de> for Bound<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a number, a text with a unit, or \"none\"")]
        enum Typed {
            Number(i64),
            Text(String),
        }
        let text = match Typed::deserialize(deserializer)? {
            Typed::Number(number) => number.to_string(),
            Typed::Text(text) => text,
        };
        text.parse().map_err(D::Error::custom)
    }
}

/// Limits on a bot's resources, each of which may be unset.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ResourceTable {
    processes: Option<Bound<Count>>,
    open_files: Option<Bound<Count>>,
    cpu_time: Option<Bound<Limit>>,
    file_size: Option<Bound<Size>>,
    turn_output: Option<Bound<Size>>,
    game_output: Option<Bound<Size>>,
    game_stderr: Option<Bound<Size>>,
    pub(super) log_size: Option<Bound<Size>>,
}

over_by_field!(ResourceTable:
    processes, open_files, cpu_time, file_size, turn_output, game_output, game_stderr, log_size
);

impl<T> Bound<T> {
    pub(super) fn from_limit(limit: Option<T>) -> Self {
        limit.map_or(Self::None, Self::At)
    }

    pub(super) fn limit(self) -> Option<T> {
        match self {
            Self::None => None,
            Self::At(limit) => Some(limit),
        }
    }
}

impl ResourceTable {
    /// The settings that resolve to these resources.
    pub(super) fn from_resources(resources: &Resources) -> Self {
        let size = |bytes: Option<u64>| Some(Bound::from_limit(bytes.map(Size)));
        let count = |count: Option<u64>| Some(Bound::from_limit(count.map(Count)));
        Self {
            processes: count(resources.processes),
            open_files: count(resources.open_files),
            cpu_time: Some(Bound::from_limit(resources.cpu_time.map(|time| Limit(time.0)))),
            file_size: size(resources.file_size),
            turn_output: size(resources.turn_output),
            game_output: size(resources.game_output),
            game_stderr: size(resources.game_stderr),
            log_size: None,
        }
    }

    pub(super) fn resources(self, memory: Option<Bound<Size>>) -> Resources {
        let size = |bound: Option<Bound<Size>>| bound?.limit().map(|size| size.0);
        let count = |bound: Option<Bound<Count>>| bound?.limit().map(|count| count.0);
        Resources {
            memory: size(memory),
            processes: count(self.processes),
            open_files: count(self.open_files),
            cpu_time: self.cpu_time.and_then(Bound::limit).map(|limit| Millis(limit.0)),
            file_size: size(self.file_size),
            turn_output: size(self.turn_output),
            game_output: size(self.game_output),
            game_stderr: size(self.game_stderr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_and_are_more_than_zero() {
        for (text, bytes) in [("768MiB", 805_306_368), ("64kB", 64_000), ("512 B", 512)] {
            assert_eq!(text.parse(), Ok(Bound::At(Size(bytes))), "{text}");
        }
        assert_eq!("none".parse(), Ok(Bound::<Size>::None));
        for text in ["", "512", "0MB", "-1MB", "much", "1.5"] {
            assert!(text.parse::<Bound<Size>>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn counts_are_whole_and_more_than_zero() {
        assert_eq!("512".parse(), Ok(Bound::At(Count(512))));
        for text in ["", "0", "-1", "1.5", "many"] {
            assert!(text.parse::<Bound<Count>>().is_err(), "{text:?}");
        }
    }
}
