//! The record of an exchange, from which its decisions can be made again on any machine.

use super::exchange::{Event, Start, Terms};
use super::moment::Moment;

/// What an exchange was about, how it started, and its events with their moments.
///
/// With the feature `serde` it can be stored. Its content depends on the version of the crate.
#[derive(Debug, Clone)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    not(any(test, feature = "serde")),
    expect(dead_code, reason = "only what is stored is read")
)]
pub struct Trace {
    pub(crate) terms: Terms,
    pub(crate) start: Start,
    pub(crate) events: Vec<(Moment, Event)>,
}

/// Two traces are equal if they show the same.
impl PartialEq for Trace {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

impl Eq for Trace {}

/// Durations as whole nanoseconds.
#[cfg(any(test, feature = "serde"))]
pub(crate) mod nanos {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_nanos)
    }
}
