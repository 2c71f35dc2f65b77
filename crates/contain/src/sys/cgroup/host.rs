//! The groups around this process: their limits on memory and processes, and what the kernel did at these limits.

use std::fs::File;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::hierarchy::{counter, own_group, own_old_group, read};

/// The lowest memory limit of the groups around this process, of either version.
pub fn memory_limit_of_host() -> Option<u64> {
    let second = own_group();
    let of_second = second.iter().flat_map(|folder| folder.ancestors());
    let of_second = of_second.filter_map(|folder| read(folder, "memory.max").trim().parse().ok());
    // This limit includes the limits of the groups around it.
    let of_first = own_old_group("memory")
        .map(|folder| counter(&read(&folder, "memory.stat"), "hierarchical_memory_limit"));
    // Without a limit the number is close to the largest possible.
    let is_limit = |&limit: &u64| limit > 0 && limit < 1 << 60;
    of_second.chain(of_first).filter(is_limit).min()
}

/// The number of the kernel's OOM kills: in the group that counts this process's memory, or
/// on the whole machine if no group does. Includes kills of bots without a group of their own.
pub(crate) fn memory_kills() -> u64 {
    counter_in(group_file().unwrap_or(Path::new("/proc/vmstat")), "oom_kill").unwrap_or(0)
}

/// A counter in a file of counters.
fn counter_in(file: &Path, name: &str) -> Option<u64> {
    let file = File::open(file).ok()?;
    // Longer than any of these files.
    let mut buffer = [MaybeUninit::uninit(); 16 << 10];
    let (text, _) = rustix::io::pread(file, &mut buffer, 0).ok()?;
    Some(counter(str::from_utf8(text).ok()?, name))
}

/// Whether [`memory_kills`] counts the kills of a group, not of a machine on which others may have their own limits.
pub(crate) fn kills_are_of_group() -> bool {
    group_file().is_some()
}

/// Where the kernel counts the OOM kills of the group that counts this process's memory.
fn group_file() -> Option<&'static Path> {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let second = own_group().into_iter().flat_map(|group| {
            // A group whose own memory is not counted separately counts in the group around it.
            group.ancestors().map(|group| group.join("memory.events")).collect::<Vec<_>>()
        });
        let first = own_old_group("memory").map(|group| group.join("memory.oom_control"));
        first.into_iter().chain(second).find(|file| File::open(file).is_ok())
    };
    FILE.get_or_init(find).as_deref()
}

/// The lowest limit of the groups around this process on processes and threads.
pub fn process_limit_of_host() -> Option<u64> {
    process_groups().iter().filter_map(|group| process_limit(group)).min()
}

/// How often one of these groups has refused a process or thread to anybody in it.
pub fn refused_processes() -> u64 {
    let refused = |group: &PathBuf| {
        // Where there is such a file, the other one also counts refusals at the limits of bots' groups.
        let counts = ["pids.events.local", "pids.events"].map(|name| group.join(name));
        counts.iter().find_map(|file| counter_in(file, "max"))
    };
    process_groups().iter().filter_map(refused).sum()
}

fn process_limit(group: &Path) -> Option<u64> {
    read(group, "pids.max").trim().parse().ok()
}

/// The groups around this process that limit processes, and its own group, where some kernels count what the others refuse.
fn process_groups() -> &'static [PathBuf] {
    static GROUPS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let Some(own) = own_old_group("pids").or_else(own_group) else { return Vec::new() };
        let limits = |group: &&Path| process_limit(group).is_some();
        let mut groups: Vec<_> = own.ancestors().filter(limits).map(Path::to_owned).collect();
        if !groups.is_empty() && !groups.contains(&own) {
            groups.push(own);
        }
        groups
    })
}
