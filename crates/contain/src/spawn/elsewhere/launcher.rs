//! The process that starts others, which only Linux has: elsewhere this one does.

use std::io;

/// Prepares this program to start others.
#[expect(clippy::unnecessary_wraps, reason = "on Linux it may fail")]
pub(crate) fn start_launcher() -> io::Result<()> {
    #[cfg(windows)]
    crate::sys::start::prepare();
    Ok(())
}

/// Nothing is to be ended.
pub(crate) fn end_launcher() {}
