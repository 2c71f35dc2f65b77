//! The versions of the SDK's engine.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A version of the engine, such as 4.5.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EngineVersion([u32; 3]);

/// The release notes call it 4.7.7, and the tags have it since 4.7.2; no earlier 4.7 was published.
const GRACE_SINCE: EngineVersion = EngineVersion([4, 7, 0]);

/// What the engine adds to each limit since then.
const GRACE: Duration = Duration::from_millis(50);

impl EngineVersion {
    /// The part of each limit on the wire that is grace, unless the game has a time bank.
    pub fn grace(self) -> Duration {
        if self >= GRACE_SINCE { GRACE } else { Duration::ZERO }
    }
}

impl FromStr for EngineVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("`{text}` is not a version of the engine, such as \"4.5.0\"");
        let plain = text.split('-').next().unwrap_or_default();
        let mut parts = plain.split('.');
        let mut version = [0; 3];
        for (index, place) in version.iter_mut().enumerate() {
            match parts.next() {
                Some(part) => *place = part.parse().map_err(|_| wrong())?,
                None if index > 1 => {}
                None => return Err(wrong()),
            }
        }
        if parts.next().is_some() { Err(wrong()) } else { Ok(Self(version)) }
    }
}

impl fmt::Display for EngineVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let version = |text: &str| text.parse::<EngineVersion>();
        assert!(version("4.10.0").expect("one") > version("4.7.7").expect("one"));
        assert_eq!(version("2.4").expect("one").to_string(), "2.4.0");
        assert_eq!(version("4.5.1-SNAPSHOT").expect("one").to_string(), "4.5.1");
        for text in ["", "4", "4.x", "4.5.0.1", "four"] {
            let problem = version(text).expect_err(text);
            assert!(problem.contains("is not a version of the engine"), "{problem}");
        }
    }

    #[test]
    fn limits_hold_grace_since_4_7() {
        for (text, grace) in [("3.15.2", 0), ("4.6.0", 0), ("4.7.7", 50), ("5.0", 50)] {
            let version: EngineVersion = text.parse().expect("one");
            assert_eq!(version.grace(), Duration::from_millis(grace), "{text}");
        }
    }
}
