//! The system: raw calls, the files of /proc and control groups. No policy is here. All `unsafe` code of the crate is in this
//! folder.
//!
//! Each system has its own files, with the names that others use: `linux` and `macos` with what every
//! `unix` has, and `windows`. `portable` stands in for what only Linux has.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
pub use self::linux::*;
#[cfg(all(unix, not(target_os = "linux")))]
pub use self::macos::*;
#[cfg(not(target_os = "linux"))]
pub use self::portable::*;
#[cfg(unix)]
pub use self::unix::*;
#[cfg(windows)]
pub use self::windows::*;

/// What a signal handler may touch of a canceller.
#[derive(Debug)]
pub(crate) struct Flag {
    pub(crate) wake: Alarm,
    /// 0, [`BY_PROGRAM`] or the number of a signal.
    pub(crate) cause: AtomicI32,
}

pub(crate) const BY_PROGRAM: i32 = -1;

impl Flag {
    /// Safe in a signal handler: it takes no lock and no memory.
    pub(crate) fn raise(&self, cause: i32) {
        let raised = self.cause.compare_exchange(0, cause, Ordering::SeqCst, Ordering::SeqCst);
        if raised.is_ok() {
            self.wake.ring();
        }
    }
}

/// Whether it is ready within `limit`.
pub(crate) fn is_ready_within(waitable: Waitable<'_>, limit: Duration) -> bool {
    let until = Instant::now() + limit;
    loop {
        match ready([((), waitable, Interest::Reading)].into_iter(), Some(until)) {
            Ok(ready) if !ready.is_empty() => return true,
            Ok(_) if Instant::now() >= until => return false,
            Ok(_) => {}
            Err(error) => {
                log::error!("a process cannot be watched: {error}");
                return false;
            }
        }
    }
}
