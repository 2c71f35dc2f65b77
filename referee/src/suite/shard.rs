//! A part of a plan, to be played on its own.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One of `count` parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Which one, from 1.
    pub index: usize,
    /// Of how many.
    pub count: usize,
}

impl Shard {
    /// Whether it has the games of the bots that play one board once; these are numbered from 0.
    pub(super) fn has(self, unit: usize) -> bool {
        unit.checked_rem(self.count).is_some_and(|part| part + 1 == self.index)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(index, count)| {
            Some(Self { index: index.parse().ok()?, count: count.parse().ok()? })
        });
        let valid = numbers.filter(|shard| (1..=shard.count).contains(&shard.index));
        valid.ok_or_else(|| format!("`{text}` is no part such as 2/4"))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_one_of_so_many() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, count: 4 }));
        for text in ["", "0/4", "5/4", "1", "a/b"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
