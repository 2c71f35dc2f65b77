//! This process, its threads and this machine, for programs that play games.
#![expect(unsafe_code, reason = "the priority of a thread")]

use std::io;
use std::time::Duration;

use windows_sys::Win32::System::Threading::{
    GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_LOWEST,
};

pub use super::start::memory;

use super::inherited::Inherited;

impl Inherited {
    /// The soft and the hard limit: none.
    pub fn limits(self) -> (Option<u64>, Option<u64>) {
        (None, None)
    }
}

/// The CPU time of the calling thread, which the system counts in ticks too long to be of use.
pub fn cpu_time_of_thread() -> Option<Duration> {
    None
}

/// Has the calling thread use these cores alone.
///
/// # Errors
/// Always: bots have no cores of their own here.
pub fn move_thread_to(_cores: &[usize]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Has the calling thread run only where no other one wants a core.
pub fn yield_to_others() {
    // SAFETY: the handle stands for the calling thread. A refusal is harmless.
    unsafe {
        SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_LOWEST);
    }
}

/// The id of this process's user: Windows has no numbers for them.
pub fn user() -> u32 {
    0
}

/// A core that this process has taken: none can be chosen here.
#[derive(Debug)]
#[non_exhaustive]
pub enum CoreClaim {}

impl CoreClaim {
    /// None can be taken: bots have the cores that the system gives them.
    pub fn take(_core: usize) -> Option<Self> {
        None
    }
}
