//! Sets of cores, as the kernel takes them.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The set of these cores.
pub(crate) fn set(cores: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for &core in cores {
        set.set(core);
    }
    set
}

/// The cores that the calling thread may use.
pub(crate) fn usable() -> rustix::io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
}

/// The cores that another thread or process may use.
pub(crate) fn of(pid: Pid) -> Option<CpuSet> {
    sched_getaffinity(Some(pid)).ok()
}

/// Moves a thread, or the calling one, to these cores.
pub(crate) fn move_to(thread: Option<Pid>, cores: &[usize]) -> rustix::io::Result<()> {
    sched_setaffinity(thread, &set(cores))
}
