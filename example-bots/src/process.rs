//! What a bot does to its own process.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};
use rustix::time::{ClockId, clock_gettime};

/// Closes its standard output: nobody else holds the pipe's end, so replacing it closes it.
pub(crate) fn close_stdout() -> io::Result<()> {
    Ok(rustix::stdio::dup2_stdout(File::open("/dev/null")?)?)
}

/// Closes its standard input.
pub(crate) fn close_stdin() -> io::Result<()> {
    Ok(rustix::stdio::dup2_stdin(File::open("/dev/null")?)?)
}

/// Goes on at SIGTERM, as a bot does that wants to outlive its referee.
pub(crate) fn ignore_sigterm() -> io::Result<()> {
    let seen = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, seen).map(drop)
}

/// Raises a signal until it kills; the Rust runtime swallows the first SIGSEGV or SIGBUS.
pub(crate) fn die_by(number: i32) -> io::Result<()> {
    let signal = Signal::from_named_raw(number)
        .ok_or_else(|| io::Error::other(format!("there is no signal {number}")))?;
    loop {
        kill_process(getpid(), signal)?;
    }
}

/// The CPU time of this thread.
pub(crate) fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.try_into().expect("CPU time is not negative")
}
