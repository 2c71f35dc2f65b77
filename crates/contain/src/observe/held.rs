//! Files in memory that a process's descriptors or mappings hold.
//!
//! A bot may serve its own file system, and never answer its requests: a query for a file's size or a file system's
//! kind then blocks for ever, and not even SIGKILL helps. So only values that the kernel itself knows are queried.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt as _;
use std::sync::OnceLock;

use rustix::fs::{AtFlags, CWD, FileType, Statx, StatxFlags, makedev, statfs, statx};

/// The kind of a file system in memory, in statfs(2).
const TMPFS: i128 = 0x0102_1994;

/// The unit of a file's size on disk.
const BLOCK: u64 = 512;

/// A file in memory, and its size in bytes.
pub(crate) struct HeldFile {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
}

/// The descriptors and mappings of one process.
pub(crate) struct HeldFiles {
    pid: i32,
    /// Whether the file system of each mount is in memory; read when needed.
    mounts: Option<BTreeMap<u64, bool>>,
}

impl HeldFiles {
    pub(crate) fn new(pid: i32) -> Self {
        Self { pid, mounts: None }
    }

    /// The file behind a descriptor, if it is in memory, and open for writing or without a name.
    pub(crate) fn file(&mut self, fd: i32) -> Option<HeldFile> {
        self.file_at(&format!("/proc/{}/fd/{fd}", self.pid))
    }

    /// The mappings behind each of which there may be another file in memory, perhaps larger than what is mapped and resident.
    /// Empty unless the referee's user is root: the kernel lets only root read these files.
    pub(crate) fn mappings(&self) -> Vec<Mapping> {
        /// More than a process may have.
        const LONGEST: u64 = 1 << 23;
        if !may_see_mapped_files() {
            return Vec::new();
        }
        let mut maps = Vec::new();
        let file = File::open(format!("/proc/{}/maps", self.pid));
        let _ = file.and_then(|file| file.take(LONGEST).read_to_end(&mut maps));
        let maps = String::from_utf8_lossy(&maps);
        let mut seen = BTreeSet::new();
        maps.lines()
            .filter_map(Mapping::parse)
            .filter(|(_, file)| seen.insert(*file))
            .map(|(mapping, _)| mapping)
            .collect()
    }

    /// The file behind a mapping, if it is in memory.
    pub(crate) fn mapped_file(&mut self, Mapping { start, end }: Mapping) -> Option<HeldFile> {
        self.file_at(&format!("/proc/{}/map_files/{start:x}-{end:x}", self.pid))
    }

    /// The file behind a link of /proc.
    fn file_at(&mut self, path: &str) -> Option<HeldFile> {
        const WRITABLE: u32 = 0o200;
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let file = statx(CWD, path, AtFlags::STATX_DONT_SYNC, wanted).ok()?;
        let is_file = FileType::from_raw_mode(file.stx_mode.into()) == FileType::RegularFile;
        // The kernel does not show how much of a secret file is filled, so its whole size counts.
        let is_secret = || file.stx_size > 0 && is_secret(path);
        let size = match file.stx_blocks {
            _ if !is_file => return None,
            0 if is_secret() => file.stx_size,
            0 => return None,
            blocks => blocks * BLOCK,
        };
        let is_writable = || fs::symlink_metadata(path).is_ok_and(|fd| fd.mode() & WRITABLE != 0);
        let is_held = file.stx_nlink == 0 || is_writable();
        (is_held && self.is_in_memory(&file, path)).then(|| HeldFile {
            device: makedev(file.stx_dev_major, file.stx_dev_minor),
            inode: file.stx_ino,
            size,
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
            let open = |process| File::open(format!("/proc/{process}/mountinfo")).ok();
            ["self", &pid].into_iter().filter_map(open).flat_map(mounts).collect()
        });
        // The kernel's internal mounts, such as the one for memfd_create(2), are in no list, and on no device.
        mounts.get(&file.stx_mnt_id).copied().unwrap_or(file.stx_dev_major == 0)
    }
}

/// The addresses of a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mapping {
    start: u64,
    end: u64,
}

impl Mapping {
    /// A mapping in /proc/PID/maps, and its file's device and inode, unless that is on a device, or has a name and cannot be
    /// written to.
    fn parse(line: &str) -> Option<(Self, (&str, &str))> {
        let mut fields = line.split_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let rights = fields.next()?.as_bytes();
        let (device, inode) = (fields.nth(1)?, fields.next()?);
        let is_shared = rights.get(1) == Some(&b'w') && rights.get(3) == Some(&b's');
        let is_held = is_shared || line.ends_with("(deleted)");
        let address = |digits| u64::from_str_radix(digits, 16).ok();
        let mapping = Self { start: address(start)?, end: address(end)? };
        (is_held && device.starts_with("00:") && inode != "0").then_some((mapping, (device, inode)))
    }
}

/// Whether a link of /proc leads to a file of `memfd_secret(2)`.
fn is_secret(path: &str) -> bool {
    fs::read_link(path).is_ok_and(|name| name.as_os_str() == "/secretmem (deleted)")
}

/// Whether the kernel lets this process look at the files behind mappings.
fn may_see_mapped_files() -> bool {
    static MAY: OnceLock<bool> = OnceLock::new();
    *MAY.get_or_init(|| {
        let mut own = fs::read_dir("/proc/self/map_files").into_iter().flatten().flatten();
        own.next().is_some_and(|own| fs::read_link(own.path()).is_ok())
    })
}

/// The mounts in a `mountinfo` file, and whether they are in memory. A bot may have made thousands: files on those beyond the
/// first ones count as in memory, unless they are on a device.
fn mounts(list: impl Read) -> Vec<(u64, bool)> {
    const LONGEST: u64 = 1 << 23;
    let mut bytes = Vec::new();
    let _ = list.take(LONGEST).read_to_end(&mut bytes);
    // The last line that was read may be torn, and so its kind.
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    let list = String::from_utf8_lossy(&bytes[..whole]);
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
    use std::io::{self, Write as _};
    use std::os::fd::AsRawFd as _;

    use super::*;

    #[test]
    fn of_mappings_those_count_behind_which_there_may_be_more() {
        let mapping = |line| Mapping::parse(line).map(|(mapping, file)| (mapping.start, file));
        let deleted = "00400000-00401000 rw-p 00000000 00:01 2051 /memfd:x (deleted)";
        assert_eq!(mapping(deleted), Some((0x40_0000, ("00:01", "2051"))));
        let shared = "7f1c00000000-7f1c00001000 rw-s 00000000 00:17 12 /dev/shm/a b";
        assert_eq!(mapping(shared), Some((0x7f1c_0000_0000, ("00:17", "12"))));
        for other in [
            "7f1c00000000-7f1c00001000 r-xp 00000000 00:17 12 /usr/lib/x.so",
            "7f1c00000000-7f1c00001000 rw-s 00000000 fe:00 12 /home/x (deleted)",
            "7f1c00000000-7f1c00001000 rw-p 00000000 00:00 0 [heap]",
            "",
        ] {
            assert_eq!(mapping(other), None, "{other}");
        }
    }

    #[test]
    fn of_mounts_without_end_only_the_first_ones_are_read() {
        let mount = "36 35 98:0 /a /b rw,noatime - tmpfs a rw\n";
        let mounts = mounts(io::repeat(b'\n').chain(mount.as_bytes()));
        assert_eq!(mounts, []);
        assert_eq!(super::mounts(mount.as_bytes()), [(36, true)]);
        let whole_and_torn = mount.len() as u64 + mount.find("pfs").expect("a kind") as u64;
        let torn = mount.as_bytes().chain(mount.as_bytes()).take(whole_and_torn);
        assert_eq!(super::mounts(torn), [(36, true)]);
    }

    #[test]
    fn a_file_in_memory_is_told_from_one_on_a_disk() {
        let me = rustix::process::getpid().as_raw_pid();
        let mut held = HeldFiles::new(me);
        let memory = rustix::fs::memfd_create("held", rustix::fs::MemfdFlags::CLOEXEC);
        let mut memory = File::from(memory.expect("the kernel has it"));
        memory.write_all(&[1; 10_000]).expect("room");
        assert_eq!(held.file(memory.as_raw_fd()).map(|file| file.size), Some(12_288));
        let disk = File::options().append(true).open(env!("CARGO_MANIFEST_PATH"));
        let disk = disk.expect("the source is here");
        let is_disk =
            i128::from(statfs(env!("CARGO_MANIFEST_PATH")).expect("as before").f_type) != TMPFS;
        assert_eq!(held.file(disk.as_raw_fd()).is_none(), is_disk);
    }
}
