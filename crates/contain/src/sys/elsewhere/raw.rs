//! Raw calls that only Linux has.

/// Nothing is to be separated: only the GNU C library shares heaps among threads.
pub(crate) fn separate_heaps() {}
