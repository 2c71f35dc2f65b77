//! Files in memory that a process's descriptors hold.
//!
//! A bot may serve its own file system, and never answer its requests: a query for a file's size or a file system's
//! kind then blocks for ever, and not even SIGKILL helps. So only values that the kernel itself knows are queried.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use rustix::fs::{AtFlags, CWD, FileType, Statx, StatxFlags, makedev, statfs, statx};

/// The kind of a file system in memory, in statfs(2).
const TMPFS: i128 = 0x0102_1994;

/// The unit of a file's size on disk.
const BLOCK: u64 = 512;

/// A file in memory, and its size in bytes.
pub(super) struct HeldFile {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
}

/// The descriptors of one process.
pub(super) struct HeldFiles {
    pid: i32,
    /// Whether the file system of each mount is in memory; read when needed.
    mounts: Option<BTreeMap<u64, bool>>,
}

impl HeldFiles {
    pub(super) fn new(pid: i32) -> Self {
        Self { pid, mounts: None }
    }

    /// The file behind a descriptor, if it is in memory, and open for writing or without a name.
    pub(super) fn file(&mut self, fd: i32) -> Option<HeldFile> {
        const WRITABLE: u32 = 0o200;
        let path = format!("/proc/{}/fd/{fd}", self.pid);
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let file = statx(CWD, &path, AtFlags::STATX_DONT_SYNC, wanted).ok()?;
        let is_file = FileType::from_raw_mode(file.stx_mode.into()) == FileType::RegularFile;
        if !is_file || file.stx_blocks == 0 {
            return None;
        }
        let is_writable = || fs::symlink_metadata(&path).is_ok_and(|fd| fd.mode() & WRITABLE != 0);
        let is_held = file.stx_nlink == 0 || is_writable();
        (is_held && self.is_in_memory(&file, &path)).then(|| HeldFile {
            device: makedev(file.stx_dev_major, file.stx_dev_minor),
            inode: file.stx_ino,
            size: file.stx_blocks * BLOCK,
        })
    }

    fn is_in_memory(&mut self, file: &Statx, path: &str) -> bool {
        if !StatxFlags::from_bits_retain(file.stx_mask).contains(StatxFlags::MNT_ID) {
            // The only way before Linux 5.8.
            return statfs(path).is_ok_and(|system| i128::from(system.f_type) == TMPFS);
        }
        let pid = self.pid.to_string();
        let mounts = self.mounts.get_or_insert_with(|| {
            // Files from before a process entered its namespace are listed in its old one.
            ["self", &pid].into_iter().flat_map(mounts).collect()
        });
        // The kernel's internal mounts, such as that of memfd_create(2), are in no list, and on no device.
        mounts.get(&file.stx_mnt_id).copied().unwrap_or(file.stx_dev_major == 0)
    }
}

/// The mounts that a process sees, and whether they are in memory.
fn mounts(process: &str) -> Vec<(u64, bool)> {
    let list = fs::read(format!("/proc/{process}/mountinfo")).unwrap_or_default();
    let list = String::from_utf8_lossy(&list);
    let mount = |line: &str| {
        let (place, system) = line.split_once(" - ")?;
        let id = place.split(' ').next()?.parse().ok()?;
        let kind = system.split(' ').next()?;
        Some((id, matches!(kind, "tmpfs" | "devtmpfs")))
    };
    list.lines().filter_map(mount).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::fd::AsRawFd as _;

    use super::*;

    #[test]
    fn a_file_in_memory_is_told_from_one_on_a_disk() {
        let me = rustix::process::getpid().as_raw_pid();
        let mut held = HeldFiles::new(me);
        let memory = rustix::fs::memfd_create("held", rustix::fs::MemfdFlags::CLOEXEC);
        let mut memory = fs::File::from(memory.expect("the kernel has it"));
        memory.write_all(&[1; 10_000]).expect("room");
        assert_eq!(held.file(memory.as_raw_fd()).map(|file| file.size), Some(12_288));
        let disk = fs::File::options().append(true).open(env!("CARGO_MANIFEST_PATH"));
        let disk = disk.expect("the source is here");
        let is_disk =
            i128::from(statfs(env!("CARGO_MANIFEST_PATH")).expect("as before").f_type) != TMPFS;
        assert_eq!(held.file(disk.as_raw_fd()).is_none(), is_disk);
    }
}
