//! How many games may be played at a time without spoiling each other's times.

use std::collections::BTreeSet;

use fs_err as fs;
use rustix::thread::{CpuSet, sched_getaffinity};

/// The number of games at a time that keeps timing undisturbed: all physical cores but one, divided by
/// `cores_per_bot`; at least one.
pub fn undisturbed_jobs(cores_per_bot: usize) -> usize {
    (physical_cores().saturating_sub(1) / cores_per_bot.max(1)).max(1)
}

/// The logical processors that this process may use: those that the kernel lets it have, and no more than
/// its task was given, should Slurm not hold it to them.
pub fn usable_cpus() -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let given = std::env::var("SLURM_CPUS_PER_TASK").ok().and_then(|cpus| cpus.parse().ok());
    allowed.min(given.unwrap_or(allowed)).max(1)
}

/// The physical cores that this process may use: two threads of one core slow each other down, and a
/// container's share of the processors may be smaller than their number.
fn physical_cores() -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_job_and_never_more_than_cores() {
        let cores = physical_cores();
        assert!(undisturbed_jobs(1) >= 1 && undisturbed_jobs(1) <= cores);
        assert_eq!(undisturbed_jobs(10_000), 1);
        assert!(undisturbed_jobs(2) <= undisturbed_jobs(1));
    }
}
