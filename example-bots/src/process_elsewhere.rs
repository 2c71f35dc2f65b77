//! What a bot does to its own process, where Windows allows that without unsafe code.

use std::io::{self, ErrorKind};
use std::process::abort;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Closes its standard output: refused.
pub(crate) fn close_stdout() -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Closes its standard input: refused.
pub(crate) fn close_stdin() -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Ignores SIGTERM, which nobody sends here.
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it may fail")]
pub(crate) fn ignore_sigterm() -> io::Result<()> {
    Ok(())
}

/// Aborts: this system has none of the other signals.
pub(crate) fn die_by(number: i32) -> io::Result<()> {
    const SIGABRT: i32 = 6;
    if number == SIGABRT {
        abort();
    }
    Err(io::Error::other(format!("there is no signal {number} here")))
}

/// The time since the first call, where the CPU time of a thread is counted in long ticks.
pub(crate) fn cpu_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
