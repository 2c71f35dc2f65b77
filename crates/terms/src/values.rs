//! Values in settings as users write them: times, sizes, counts, and the limits of a game.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
use jiff::SignedDuration;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::limits::{LimitKind, Limits, Resources};
use crate::text::{exact_duration, exact_size};

/// A time limit as a user writes it: a number with a unit, more than zero and at most
/// [`MAX`](Self::MAX).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limit(pub Duration);

impl Limit {
    /// Longer than any bot needs, and short enough for arithmetic not to overflow.
    pub const MAX: Duration = Duration::from_hours(1000);
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let duration: SignedDuration = text.parse().map_err(|_| {
            format!("`{text}` is not a duration; write a number with a unit, such as 50ms or 20s")
        })?;
        if !duration.is_positive() {
            return Err(format!("`{text}` must be more than zero"));
        }
        let duration = duration.unsigned_abs();
        if duration > Self::MAX {
            let problem = "is more than 1000h; the profile `unlimited` has no limits";
            return Err(format!("`{text}` {problem}"));
        }
        Ok(Self(duration))
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&exact_duration(self.0))
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        typed(deserializer)?.parse().map_err(D::Error::custom)
    }
}

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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let size =
            text.parse::<ByteSize>().ok().filter(|_| !text.ends_with(|c: char| c.is_ascii_digit()));
        match size.map(|size| size.as_u64()) {
            Some(0) => Err(format!("`{text}` must be more than zero")),
            Some(bytes) => Ok(Self(bytes)),
            None => Err(format!(
                "`{text}` is not a size; write a number with a unit, such as 768MiB or 64kB, or `none`"
            )),
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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim().parse().ok().filter(|&number| number > 0);
        let wrong = || format!("`{text}` is not a whole number of at least 1, or `none`");
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

impl<T: fmt::Display> Serialize for Bound<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<T: FromStr<Err = String>> FromStr for Bound<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "none" { Ok(Self::None) } else { text.parse().map(Self::At) }
    }
}

impl<'de, T: FromStr<Err = String>> Deserialize<'de> for Bound<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        typed(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The text of a value. A number has no unit, which is the error of its parser.
fn typed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number, a text with a unit, or \"none\"")]
    enum Typed {
        Whole(i64),
        Number(f64),
        Text(String),
    }

    Ok(match Typed::deserialize(deserializer)? {
        Typed::Whole(number) => number.to_string(),
        Typed::Number(number) => number.to_string(),
        Typed::Text(text) => text,
    })
}

impl<T> Bound<T> {
    /// The limit, if there is one.
    pub fn limit(self) -> Option<T> {
        match self {
            Self::None => None,
            Self::At(limit) => Some(limit),
        }
    }
}

/// The limits of a game, each of which may be unset: a table `[limits.NAME]`, or flags.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "the limits of a game: `turn = \"50ms\"` below the line `[limits.samegame]`"
)]
pub struct GameLimits {
    /// The time for the first reply.
    pub first_turn: Option<Limit>,
    /// The time for each later reply.
    pub turn: Option<Limit>,
    /// The time for all replies together.
    pub total: Option<Limit>,
    /// The memory of all the bot's processes together.
    pub memory: Option<Bound<Size>>,
    /// The stack of each of the bot's processes.
    pub stack: Option<Bound<Size>>,
}

/// More than any stack, and the largest number that plans can hold.
const UNLIMITED: u64 = i64::MAX as u64;

impl GameLimits {
    /// The limits on time.
    pub fn times(&self) -> Limits {
        let limit = |kind| match kind {
            LimitKind::FirstTurn => self.first_turn,
            LimitKind::Turn => self.turn,
            LimitKind::Total => self.total,
        };
        Limits::from_kinds(|kind| limit(kind).map(|limit| limit.0))
    }

    /// These limits on resources, and the others where there are none here.
    pub fn resources(&self, others: Resources) -> Resources {
        let bytes = |bound: Bound<Size>| bound.limit().map(|size| size.0);
        Resources {
            memory: self.memory.map_or(others.memory, bytes),
            stack: self.stack.map(|stack| bytes(stack).unwrap_or(UNLIMITED)),
            ..others
        }
    }

    /// The name of a limit on a resource that is set here.
    pub fn resource(&self) -> Option<&'static str> {
        self.memory.map(|_| "memory").or(self.stack.map(|_| "stack"))
    }

    /// These limits, and the others' where there are none here.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            first_turn: self.first_turn.or(others.first_turn),
            turn: self.turn.or(others.turn),
            total: self.total.or(others.total),
            memory: self.memory.or(others.memory),
            stack: self.stack.or(others.stack),
        }
    }
}

impl From<Limits> for GameLimits {
    fn from(times: Limits) -> Self {
        let time = |kind| times.of(kind).map(Limit);
        let (first_turn, turn) = (time(LimitKind::FirstTurn), time(LimitKind::Turn));
        Self { first_turn, turn, total: time(LimitKind::Total), ..Self::default() }
    }
}

/// Reads one text, or a list of them.
///
/// # Errors
/// When the value is neither.
pub fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a text, or a list of texts")]
    enum Words {
        One(String),
        Several(Vec<String>),
    }

    Ok(match Words::deserialize(deserializer)? {
        Words::One(word) => vec![word],
        Words::Several(words) => words,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_a_unit_and_are_more_than_zero() {
        for (text, nanos) in
            [("50ms", 50_000_000), ("1.5s", 1_500_000_000), ("2 m", 120_000_000_000)]
        {
            assert_eq!(text.parse(), Ok(Limit(Duration::from_nanos(nanos))), "{text}");
        }
        for text in ["50ms", "20s", "1500ms"] {
            assert_eq!(text.parse::<Limit>().expect(text).to_string(), text);
        }
        for text in ["", "50", "0ms", "0s", "-1s", "fast", "1e9", "1001h", "9999999999999h"] {
            assert!(text.parse::<Limit>().is_err(), "{text:?}");
        }
    }

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
