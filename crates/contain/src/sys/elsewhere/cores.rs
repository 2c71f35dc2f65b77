//! The cores of this machine; a thread's own ones can only be chosen on Linux.

use std::io::{self, ErrorKind};
use std::thread::available_parallelism;

/// The cores that the calling thread may choose: unknown.
pub(crate) fn usable_apart() -> io::Result<Vec<usize>> {
    Err(ErrorKind::Unsupported.into())
}

/// The number of cores that this process may use.
pub(crate) fn physical() -> io::Result<usize> {
    available_parallelism().map(Into::into)
}
