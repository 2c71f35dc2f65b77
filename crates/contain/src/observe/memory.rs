//! The memory that a bot's processes hold together: resident pages, page tables, swapped pages,
//! and files in memory that only descriptors or mappings keep.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, Instant};

use rustix::fs::statfs;
use rustix::process::Pid;

use super::held::{HeldFile, HeldFiles};
use crate::decide::sample::{Process, Sample};
use crate::sys::proc::{field, numbers_until, read};

/// The memory of all processes, in bytes; shared memory counts once. `tree` is a process that sees the
/// bot's own file system, if it has one.
///
/// Takes the kernel some time, too much for many large processes: processes not read within
/// `limit` are skipped.
pub(crate) fn of(sample: &Sample, tree: Option<Pid>, limit: Duration) -> u64 {
    let until = Instant::now() + limit;
    let tree = tree.and_then(FileSystem::seen_by);
    let held = held_files(sample, tree.as_ref().map(|tree| tree.device), until);
    let files = held + tree.map_or(0, |tree| tree.used);
    if let [process] = sample.processes[..] {
        return process.resident - process.shared + process.shared.max(files);
    }
    let mut all = Portion::default();
    for process in sample.processes.iter().take_while(|_| Instant::now() < until) {
        let portion = Portion::read(process);
        all.private += portion.private;
        all.shared += portion.shared;
    }
    // Mapped pages of a file in memory are the file's own pages.
    all.private + all.shared.max(files)
}

/// The size of files in memory that are mapped, open for writing or have lost their name, apart from those on the device
/// `counted`.
fn held_files(sample: &Sample, counted: Option<u64>, until: Instant) -> u64 {
    let mut files = BTreeMap::new();
    let mut add = |file: HeldFile| {
        if Some(file.device) != counted {
            files.insert((file.device, file.inode), file.size);
        }
    };
    let is_time_left = || Instant::now() < until;
    for process in sample.processes.iter().take_while(|_| is_time_left()) {
        let mut held = HeldFiles::new(process.alive);
        for fd in numbers_until(&format!("/proc/{}/fd", process.alive), until) {
            held.file(fd).map(&mut add);
        }
        if is_time_left() {
            for mapping in held.mappings().into_iter().take_while(|_| is_time_left()) {
                held.mapped_file(mapping).map(&mut add);
            }
        }
    }
    files.values().sum()
}

/// A bot's own file system, which is in memory.
struct FileSystem {
    device: u64,
    used: u64,
}

impl FileSystem {
    fn seen_by(process: Pid) -> Option<Self> {
        let root = format!("/proc/{}/root", process.as_raw_pid());
        let device = fs::metadata(format!("{root}/")).ok()?.dev();
        let system = statfs(format!("{root}/")).ok()?;
        let block = u64::try_from(system.f_bsize).ok()?;
        Some(Self { device, used: used(system.f_blocks, system.f_bfree, block) })
    }
}

/// The bytes in use of a file system. The kernel counts its blocks on each core, so a sum may be off by a few.
fn used(blocks: u64, free: u64, block: u64) -> u64 {
    blocks.saturating_sub(free).saturating_mul(block)
}

/// A process's share of the memory, in bytes; shared pages are divided among their processes.
#[derive(Default)]
struct Portion {
    private: u64,
    /// The share of files in memory.
    shared: u64,
}

impl Portion {
    fn read(process: &Process) -> Self {
        let rollup = read(&format!("/proc/{}/smaps_rollup", process.alive)).unwrap_or_default();
        let bytes = |name| field(&rollup, name).map(|kib| kib * 1024);
        match bytes("Pss:") {
            Some(all) => {
                let shared = bytes("Pss_Shmem:").unwrap_or(0).min(all);
                let rest = process.page_tables + bytes("SwapPss:").unwrap_or(0);
                Self { private: all - shared + rest, shared }
            }
            None => Self { private: process.resident - process.shared, shared: process.shared },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::used;

    #[test]
    fn a_file_system_with_more_free_blocks_than_it_has_is_empty() {
        assert_eq!([used(10, 7, 4096), used(10, 11, 4096)], [12_288, 0]);
    }
}
