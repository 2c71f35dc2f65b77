//! Moments of one program's clock.

use std::ops::{Add, Sub};
use std::time::Duration;

/// A moment, as the time since an epoch that its owner has chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    any(test, feature = "serde"),
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub(crate) struct Moment(
    #[cfg_attr(any(test, feature = "serde"), serde(with = "crate::decide::trace::nanos"))]
    pub(crate) Duration,
);

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time))
    }
}

/// The time since an earlier moment; zero since a later one.
impl Sub for Moment {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}
