//! What Linux reads in /proc.

pub(crate) use super::processes::is_ending;

/// Whether a process has not begun to end.
#[cfg(unix)]
pub(crate) fn lives(pid: i32) -> bool {
    !is_ending(pid)
}

/// The cores of the machine.
#[must_use]
pub fn online_cores() -> Option<usize> {
    std::thread::available_parallelism().ok().map(Into::into)
}
