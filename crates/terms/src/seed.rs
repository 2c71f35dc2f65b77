//! Seeds, from which games make test cases.

use std::fmt;
use std::num::TryFromIntError;
use std::str::FromStr;

/// A seed: a whole number from -2^63, the smallest one of Java's generators, to 2^64 - 1, the largest one of contests' generators.
///
/// ```
/// use terms::seed::Seed;
///
/// let seed: Seed = "18446744073709551615".parse().expect("a seed");
/// assert_eq!(seed, Seed::MAX);
/// assert!(i64::try_from(seed).is_err());
/// assert_eq!(i64::try_from(Seed::from(-7)), Ok(-7));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(i128);

impl Seed {
    /// The smallest one.
    pub const MIN: Self = Self(i64::MIN as i128);

    /// The largest one.
    pub const MAX: Self = Self(u64::MAX as i128);

    /// This seed as a constant.
    pub const fn of(seed: i64) -> Self {
        Self(seed as i128)
    }

    /// The seed after `count` others.
    pub fn after(self, count: u64) -> Option<Self> {
        Some(Self(self.0 + i128::from(count))).filter(|seed| *seed <= Self::MAX)
    }

    /// The number of seeds from this one to `last`, both included, at most `usize::MAX`; 0 if it is beyond `last`.
    pub fn count_to(self, last: Self) -> usize {
        usize::try_from((last.0 - self.0 + 1).max(0)).unwrap_or(usize::MAX)
    }

    /// The seeds from this one to `last`, both included.
    pub fn to(self, last: Self) -> impl Iterator<Item = Self> + Clone {
        (self.0..=last.0).map(Self)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text is not a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSeed;

impl fmt::Display for NoSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a seed is a whole number from {} to {}", Seed::MIN, Seed::MAX)
    }
}

impl std::error::Error for NoSeed {}

impl FromStr for Seed {
    type Err = NoSeed;

    fn from_str(text: &str) -> Result<Self, NoSeed> {
        let seed = text.parse().map(Self).map_err(|_| NoSeed)?;
        if (Self::MIN..=Self::MAX).contains(&seed) { Ok(seed) } else { Err(NoSeed) }
    }
}

impl From<i32> for Seed {
    fn from(seed: i32) -> Self {
        Self(seed.into())
    }
}

impl From<i64> for Seed {
    fn from(seed: i64) -> Self {
        Self(seed.into())
    }
}

impl From<u64> for Seed {
    fn from(seed: u64) -> Self {
        Self(seed.into())
    }
}

impl TryFrom<Seed> for i64 {
    type Error = TryFromIntError;

    fn try_from(seed: Seed) -> Result<Self, TryFromIntError> {
        seed.0.try_into()
    }
}

impl TryFrom<Seed> for u64 {
    type Error = TryFromIntError;

    fn try_from(seed: Seed) -> Result<Self, TryFromIntError> {
        seed.0.try_into()
    }
}

/// A number.
#[cfg(feature = "serde")]
impl serde::Serialize for Seed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (i64::try_from(*self), u64::try_from(*self)) {
            (Ok(seed), _) => serializer.serialize_i64(seed),
            (_, Ok(seed)) => serializer.serialize_u64(seed),
            _ => Err(serde::ser::Error::custom(NoSeed)),
        }
    }
}

/// A number, or its text, since TOML has no number beyond 2^63 - 1.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Seed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged, expecting = "expected a seed")]
        enum Written {
            Signed(i64),
            Unsigned(u64),
            Text(String),
        }

        match Written::deserialize(deserializer)? {
            Written::Signed(seed) => Ok(seed.into()),
            Written::Unsigned(seed) => Ok(seed.into()),
            Written::Text(seed) => seed.parse().map_err(serde::de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_those_of_java_and_of_rust() {
        for text in
            ["-9223372036854775808", "-1", "0", "9223372036854775808", "18446744073709551615"]
        {
            assert_eq!(text.parse::<Seed>().expect(text).to_string(), text);
        }
        for text in ["", "x", "1.5", "-9223372036854775809", "18446744073709551616", "9e9"] {
            assert_eq!(text.parse::<Seed>(), Err(NoSeed), "{text}");
        }
        assert_eq!(format!("{:04}", Seed::of(7)), "0007");
    }

    #[test]
    fn ranges_of_seeds_have_both_ends() {
        assert_eq!(Seed::of(-1).to(Seed::of(1)).collect::<Vec<_>>(), [-1, 0, 1].map(Seed::of));
        assert_eq!(Seed::MAX.to(Seed::MAX).count(), 1);
        assert_eq!(
            (Seed::MIN.count_to(Seed::MAX), Seed::of(3).count_to(Seed::of(1))),
            (usize::MAX, 0)
        );
        assert_eq!((Seed::MAX.after(1), Seed::of(1).after(u64::MAX)), (None, None));
        assert_eq!(Seed::of(-1).after(3), Some(Seed::of(2)));
    }
}
