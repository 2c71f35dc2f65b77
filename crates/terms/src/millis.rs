//! Durations in JSON: milliseconds as a number, exact to the nanosecond for ten days.

use std::ops::Deref;
use std::time::Duration;

/// A duration that is serialised in milliseconds. It derefs to [`Duration`].
///
/// ```
/// use std::time::Duration;
/// use terms::millis::Millis;
///
/// let wall = Millis::from(Duration::from_micros(1500));
/// assert_eq!(wall.as_secs_f64(), 0.0015);
/// assert_eq!(Duration::from(wall), Duration::from_micros(1500));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub Duration);

impl Deref for Millis {
    type Target = Duration;

    fn deref(&self) -> &Duration {
        &self.0
    }
}

impl From<Duration> for Millis {
    fn from(duration: Duration) -> Self {
        Self(duration)
    }
}

impl From<Millis> for Duration {
    fn from(millis: Millis) -> Self {
        millis.0
    }
}

#[cfg(feature = "serde")]
mod stored {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Millis;

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
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "in range"
                )]
                Ok(Self(Duration::from_nanos(nanos as u64)))
            } else {
                Err(D::Error::custom("a duration must be a number of milliseconds from 0"))
            }
        }
    }
}
