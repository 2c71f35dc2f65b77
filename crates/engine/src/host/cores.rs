//! The cores that this process may use, and those that pinned suites take, so that two of them on one host do not
//! share any.

use std::collections::BTreeSet;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use fs_err as fs;
use rustix::thread::{CpuSet, sched_getaffinity};

/// The logical processors that this process may use: those that the kernel lets it have, and no more than
/// its task was given, should Slurm not hold it to them.
pub fn usable_cpus() -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let given = std::env::var("SLURM_CPUS_PER_TASK").ok().and_then(|cpus| cpus.parse().ok());
    allowed.min(given.unwrap_or(allowed)).max(1)
}

/// The physical cores that this process may use: two threads of one core slow each other down, and a
/// container's share of the processors may be smaller than their number.
pub(crate) fn physical_cores() -> usize {
    let share = usable_cpus();
    let Ok(allowed) = sched_getaffinity(None) else { return share };
    let logical = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core));
    let physical: BTreeSet<_> = logical.map(place).collect();
    physical.len().clamp(1, share)
}

/// Which core of which package a logical processor is on; itself where the kernel does not tell.
fn place(cpu: usize) -> (String, String) {
    let read = |file: &str| {
        fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/{file}"))
    };
    match (read("physical_package_id"), read("core_id")) {
        (Ok(package), Ok(core)) => (package.trim().to_owned(), core.trim().to_owned()),
        _ => (String::new(), cpu.to_string()),
    }
}

/// The cores that this process has taken. Each is an address that only one process can have, and that
/// the kernel frees when it ends; no file is left behind.
#[derive(Debug, Default)]
pub(crate) struct CoreClaims(Vec<UnixListener>);

impl CoreClaims {
    /// Takes a core; `false` if another suite has it.
    pub(crate) fn take(&mut self, core: usize) -> bool {
        let address = SocketAddr::from_abstract_name(format!("referee-core-{core}"));
        let Ok(claim) = address.and_then(|address| UnixListener::bind_addr(&address)) else {
            return false;
        };
        self.0.push(claim);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_is_taken_once_until_it_is_free_again() {
        // No machine has this one.
        let core = 1_000_000 + std::process::id() as usize;
        let (mut mine, mut others) = (CoreClaims::default(), CoreClaims::default());
        assert!(mine.take(core));
        assert!(!others.take(core));
        assert!(others.take(core + 10_000_000));
        drop(mine);
        assert!(others.take(core));
    }
}
