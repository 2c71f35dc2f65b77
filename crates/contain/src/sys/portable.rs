//! What only Linux has, as other systems answer: control groups, cores of a bot's own, and the C library's heaps.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::sys::Waitable;

/// The memory limit of the groups around this process: none.
pub fn memory_limit_of_host() -> Option<u64> {
    None
}

/// The limit of the groups around this process on processes: none.
pub fn process_limit_of_host() -> Option<u64> {
    None
}

/// How often one of them has refused a process.
pub fn refused_processes() -> u64 {
    0
}

/// The number of processes that the kernel has killed for lack of memory: unknown.
pub(crate) fn memory_kills() -> u64 {
    0
}

/// Whether [`memory_kills`] counts a group's kills.
pub(crate) fn kills_are_of_group() -> bool {
    false
}

/// The cores of the machine.
#[must_use]
pub fn online_cores() -> Option<usize> {
    physical_cores().ok()
}

/// The number of cores that this process may use.
pub(crate) fn physical_cores() -> io::Result<usize> {
    available_parallelism().map(Into::into)
}

/// The cores that the calling thread may choose: unknown.
pub(crate) fn usable_cores_apart() -> io::Result<Vec<usize>> {
    Err(ErrorKind::Unsupported.into())
}

/// Has the calling thread use these cores alone.
///
/// # Errors
/// Always: the system has no such call.
pub fn move_thread_to(_cores: &[usize]) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// A thread on the cores of a bot.
#[derive(Debug)]
pub(crate) enum BesideBot {}

impl BesideBot {
    /// Moves this thread to the bot's cores.
    pub(crate) fn join(_own: &[usize]) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }
}

/// A core that this process has taken.
#[derive(Debug)]
#[non_exhaustive]
pub enum CoreClaim {}

impl CoreClaim {
    /// None can be taken: bots have the cores that the system gives them.
    pub fn take(_core: usize) -> Option<Self> {
        None
    }
}

/// Nothing is to be separated: only the GNU C library shares heaps among threads.
pub(crate) fn separate_heaps() {}

/// Whether a pipe holds no more than this number of bytes: it is as large as it is.
pub(crate) fn narrow(_pipe: Waitable<'_>, _size: usize) -> bool {
    true
}

/// The figures of one process that other systems report.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Figures {
    pub(crate) cpu: Duration,
    /// Bytes.
    pub(crate) resident: u64,
    pub(crate) peak: u64,
    pub(crate) page_faults: u64,
}

/// Nothing: only Linux can name a folder's content so that no other process changes what is meant.
#[expect(clippy::unnecessary_wraps, reason = "on Linux it may fail")]
pub(crate) fn flatten(_folder: &Path) -> io::Result<()> {
    Ok(())
}
