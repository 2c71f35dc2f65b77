//! What systems other than Linux tell of a process.

use std::time::Duration;

/// The figures of one process.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Figures {
    pub(crate) cpu: Duration,
    /// Bytes.
    pub(crate) resident: u64,
    pub(crate) peak: u64,
    pub(crate) page_faults: u64,
}
