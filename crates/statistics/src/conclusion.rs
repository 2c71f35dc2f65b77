//! What a comparison concludes.

use serde::Serialize;

/// Whether the first bot is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// The mean difference is above 0, however rare what was not seen.
    Better,
    /// The mean difference is below 0.
    Worse,
    /// Neither.
    NoDifferenceShown,
    /// Fewer than [`MIN_PAIRS`](super::MIN_PAIRS).
    TooFewGames,
}

/// What the boards suggest without showing it, or where the first bot scores higher or lower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tendency {
    /// The mean difference is probably above 0.
    Better,
    /// The mean difference is probably below 0.
    Worse,
}
