//! A machine's share of a plan.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// One of N equal shares of a plan, such as `2/5`: every N-th round, with all bots and seats on its board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    number: NonZeroU32,
    of: NonZeroU32,
}

impl Shard {
    /// The shard of this number, from 1; `None` if there are fewer.
    pub fn new(number: u32, of: u32) -> Option<Self> {
        let (number, of) = (NonZeroU32::new(number)?, NonZeroU32::new(of)?);
        (number <= of).then_some(Self { number, of })
    }

    /// Its number, from 1.
    pub fn number(self) -> u32 {
        self.number.get()
    }

    /// The number of shards.
    pub fn of(self) -> u32 {
        self.of.get()
    }

    /// Whether it has the round of this index.
    pub(super) fn has(self, round: usize) -> bool {
        round % self.of.get() as usize + 1 == self.number.get() as usize
    }

    /// How many of the first `rounds` it has.
    pub(super) fn count(self, rounds: usize) -> usize {
        (rounds + self.of.get() as usize - self.number.get() as usize) / self.of.get() as usize
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let shard =
            numbers.and_then(|(number, of)| Self::new(number.parse().ok()?, of.parse().ok()?));
        shard.ok_or_else(|| {
            "it must be a number of the shards and their number, such as 2/5".to_owned()
        })
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
