//! The groups around this process: their memory limits, and the kernel's OOM kills in them.

use std::fs::File;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::hierarchy::{counter, own_group, own_old_memory_group, read};

/// The lowest memory limit of the groups around this process, of either version.
pub fn memory_limit_of_host() -> Option<u64> {
    let second = own_group();
    let of_second = second.iter().flat_map(|folder| folder.ancestors());
    let of_second = of_second.filter_map(|folder| read(folder, "memory.max").trim().parse().ok());
    // This limit includes the limits of the groups around it.
    let of_first = own_old_memory_group()
        .map(|folder| counter(&read(&folder, "memory.stat"), "hierarchical_memory_limit"));
    // Without a limit the number is close to the largest possible.
    let is_limit = |&limit: &u64| limit > 0 && limit < 1 << 60;
    of_second.chain(of_first).filter(is_limit).min()
}

/// The number of the kernel's OOM kills: in the group that counts this process's memory, or
/// on the whole machine if no group does. Includes kills of bots without a group of their own.
pub(crate) fn memory_kills() -> u64 {
    let file = group_file().unwrap_or(Path::new("/proc/vmstat"));
    let Ok(file) = File::open(file) else { return 0 };
    // Longer than any of these files.
    let mut buffer = [MaybeUninit::uninit(); 16 << 10];
    let read = rustix::io::pread(file, &mut buffer, 0);
    read.ok()
        .and_then(|(text, _)| str::from_utf8(text).ok())
        .map_or(0, |text| counter(text, "oom_kill"))
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
        let first = own_old_memory_group().map(|group| group.join("memory.oom_control"));
        first.into_iter().chain(second).find(|file| File::open(file).is_ok())
    };
    FILE.get_or_init(find).as_deref()
}
