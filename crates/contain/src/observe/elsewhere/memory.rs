//! The memory that a bot's processes hold together.

use std::time::Duration;

use crate::decide::sample::Sample;
use crate::observe::root::Tree;

/// The memory of all processes, in bytes; what they share counts for each of them.
pub(crate) fn of(sample: &Sample, _tree: Option<Tree>, _limit: Duration) -> u64 {
    sample.processes.iter().map(|process| process.resident).sum()
}
