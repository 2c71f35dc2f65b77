//! The versions of the SDK's engine.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};

use terms::text::duration;

/// A version of the engine, such as 4.5.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct EngineVersion([u32; 3]);

/// The release notes call it 4.7.7, and the tags have it since 4.7.2; no earlier 4.7 was published.
const GRACE_SINCE: EngineVersion = EngineVersion([4, 7, 0]);

/// What the engine adds to each limit since then.
const REPLY_GRACE: Duration = Duration::from_millis(50);

/// The late replies that it forgives in a game.
const FORGIVEN: usize = 2;

impl EngineVersion {
    /// The part of each limit on the wire that is grace, unless the game has a time bank.
    pub fn grace(self) -> Duration {
        if self >= GRACE_SINCE { REPLY_GRACE } else { Duration::ZERO }
    }
}

/// The replies that needed the grace. The engine takes the third one for a timeout, and tells the game, which loses in words of its
/// own.
#[derive(Debug)]
pub(super) struct LateReplies {
    grace: Duration,
    /// Their turns, times and limits without the grace.
    late: Vec<(u32, Duration, Duration)>,
    /// What the last reply left of its limit, if it was late.
    left: Option<Duration>,
}

impl LateReplies {
    /// None yet, in a game of this engine.
    pub(super) fn new(engine: Option<EngineVersion>) -> Self {
        let grace = engine.map(EngineVersion::grace).unwrap_or_default();
        Self { grace, late: Vec::new(), left: None }
    }

    /// The bot is asked under this limit. If that is what the last reply left, it is a time bank, which has no grace.
    pub(super) fn asked(&mut self, limit: Duration) {
        if self.left.take() == Some(limit) {
            self.late.pop();
        }
    }

    /// A reply came in time, by the milliseconds that the engine is told.
    pub(super) fn answered(&mut self, turn: u32, elapsed: Duration, limit: Duration) {
        let soft_limit = limit.saturating_sub(self.grace);
        let is_late = elapsed > soft_limit;
        self.left = is_late.then(|| limit.saturating_sub(elapsed));
        self.late.extend(is_late.then_some((turn, elapsed, soft_limit)));
    }

    /// If the last reply was one late reply too many: which ones were late, and the rule.
    pub(super) fn too_many(&self) -> Option<String> {
        if self.left.is_none() || self.late.len() <= FORGIVEN {
            return None;
        }
        let one = |(turn, elapsed, limit): &(u32, Duration, Duration)| {
            format!("turn {turn} took {} of {}", duration(*elapsed), duration(*limit))
        };
        let late = self.late.iter().map(one).collect::<Vec<_>>().join(", ");
        let grace = duration(self.grace);
        Some(format!(
            "{late}: the engine allows {grace} more, but from the third such reply on it is a timeout"
        ))
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

impl TryFrom<String> for EngineVersion {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl Serialize for EngineVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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

    /// Whether a bot that takes these times under these limits, in ms, has been late too often.
    fn is_late(engine: &str, turns: &[(u64, u64)]) -> bool {
        let mut late = LateReplies::new(engine.parse().ok());
        for (turn, (limit, elapsed)) in (1..).zip(turns) {
            late.asked(Duration::from_millis(*limit));
            late.answered(turn, Duration::from_millis(*elapsed), Duration::from_millis(*limit));
        }
        late.too_many().is_some()
    }

    #[test]
    fn the_third_reply_within_the_grace_is_too_late() {
        for (turns, expected) in [
            (&[(1050, 1001), (100, 51), (100, 100)][..], true),
            (&[(1050, 1001), (100, 51)], false),
            (&[(1050, 1000), (100, 51), (100, 100)], false),
            (&[(1050, 1001), (100, 9), (100, 51), (100, 50)], false),
            (&[(1050, 1001), (100, 51), (100, 51), (100, 50)], false),
            (&[(1050, 1001), (100, 51), (100, 9), (100, 51)], true),
        ] {
            assert_eq!(is_late("4.7.7", turns), expected, "{turns:?}");
            assert!(!is_late("4.6.0", turns) && !is_late("", turns), "no grace");
        }
    }

    #[test]
    fn a_time_bank_has_no_grace() {
        let turns = [(1000, 960), (40, 10), (30, 20), (10, 1), (9, 3)];
        assert!(!is_late("4.7.7", &turns));
    }

    #[test]
    fn limits_hold_grace_since_4_7() {
        for (text, grace) in [("3.15.2", 0), ("4.6.0", 0), ("4.7.7", 50), ("5.0", 50)] {
            let version: EngineVersion = text.parse().expect("one");
            assert_eq!(version.grace(), Duration::from_millis(grace), "{text}");
        }
    }
}
