//! Cuts off the end of a file to which lines are appended.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Cuts off what follows the first `length` bytes. Windows does not let a file that is open to append to be cut, so it is opened
/// again there.
pub(crate) fn cut(file: &File, path: &Path, length: u64) -> io::Result<()> {
    match file.set_len(length) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            OpenOptions::new().write(true).open(path)?.set_len(length)
        }
        cut => cut,
    }
}
