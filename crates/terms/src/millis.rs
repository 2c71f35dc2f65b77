//! Durations in JSON: milliseconds as a number, exact to the nanosecond for ten days.

use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A duration that is serialised in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub Duration);

const NANOS_PER_MILLI: f64 = 1e6;

impl Serialize for Millis {
    #[expect(
        clippy::cast_precision_loss,
        reason = "exact below 2^53 ns, and far finer than anyone measures above"
    )]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.as_nanos() as f64 / NANOS_PER_MILLI)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let nanos = (f64::deserialize(deserializer)? * NANOS_PER_MILLI).round();
        // Whole nanoseconds below 2^64: the conversion loses nothing.
        if (0.0..18_446_744_073_709_551_616.0).contains(&nanos) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
            Ok(Self(Duration::from_nanos(nanos as u64)))
        } else {
            Err(D::Error::custom("a duration must be a number of milliseconds from 0"))
        }
    }
}
