//! Reads the files of /proc. Files of a process that has ended are empty or missing.

use std::fs::{self, File};
use std::io::Read as _;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The cores of the machine, including those that this process may not use. Counted once, which takes longer than a turn.
#[must_use]
pub fn online_cores() -> Option<usize> {
    static COUNTED: OnceLock<Option<usize>> = OnceLock::new();
    *COUNTED.get_or_init(|| {
        let times = fs::read_to_string("/proc/stat").ok()?;
        // proc(5): a line `cpu` for all cores, then one for each.
        let cores = times.lines().skip(1).take_while(|line| line.starts_with("cpu")).count();
        (cores > 0).then_some(cores)
    })
}

/// Fields of /proc/PID/stat.
pub(crate) struct Stat {
    pub(crate) page_faults: u64,
    pub(crate) children_cpu: Duration,
    pub(crate) cpu: Duration,
    pub(crate) threads: u64,
}

impl Stat {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let name_end = memchr::memrchr(b')', text.as_bytes())?;
        let mut fields = text[name_end..].strip_prefix(") ")?.split(' ');
        // proc(5) counts from 1; the state, its third field, is the first one here. Fields
        // must be read in order.
        let mut next = 3;
        let mut field = |number: usize| {
            let skipped = number - std::mem::replace(&mut next, number + 1);
            fields.nth(skipped)?.parse::<u64>().ok()
        };
        let (minor, major) = (field(10)?, field(12)?);
        let nanos = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
        let time = |ticks: u64| Duration::from_nanos(ticks.saturating_mul(nanos));
        Some(Self {
            page_faults: minor + major,
            cpu: time(field(14)? + field(15)?),
            children_cpu: time(field(16)? + field(17)?),
            threads: field(20)?,
        })
    }
}

/// The number after a name in /proc/PID/status and the like.
pub(crate) fn field(text: &str, name: &str) -> Option<u64> {
    // Quicker than to go through the lines, of which there are sixty.
    let mut found = memchr::memmem::find_iter(text.as_bytes(), name);
    let at = found.find(|&at| at == 0 || text.as_bytes()[at - 1] == b'\n')?;
    let line = text[at + name.len()..].lines().next()?;
    line.split_whitespace().next()?.parse().ok()
}

/// The parent of a process.
pub(crate) fn parent(pid: i32) -> Option<i32> {
    let parent = field(&read(&format!("/proc/{pid}/status"))?, "PPid:")?;
    i32::try_from(parent).ok()
}

/// The number of a process's open files. Linux shows it as the folder's size since 6.2; before, counts up to `MOST`.
pub(crate) fn open_files(pid: i32) -> u64 {
    const MOST: usize = 10_000;
    let folder = format!("/proc/{pid}/fd");
    match fs::metadata(&folder).map_or(0, |folder| folder.len()) {
        0 => fs::read_dir(&folder).map_or(0, |files| files.take(MOST).count() as u64),
        files => files,
    }
}

/// The state in a `stat` file: `R` for runnable, `T` for stopped, a space for a process that was
/// reaped.
pub(crate) fn state(path: &str) -> char {
    let stat = read(path).unwrap_or_default();
    // The name in parentheses may contain anything; the state follows the last parenthesis.
    stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or(' ')
}

/// `PF_EXITING` of the kernel, among the flags of a thread.
const EXITING: u64 = 4;

/// Whether a process has not begun to end.
pub(crate) fn lives(pid: i32) -> bool {
    !is_ending(pid)
}

/// Whether each thread of a process has begun to end, or has ended.
pub(crate) fn is_ending(pid: i32) -> bool {
    let folder = format!("/proc/{pid}/task");
    numbers_in(&folder).all(|thread| {
        let stat = read(&format!("{folder}/{thread}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let mut fields = fields.split(' ');
        // The state and, six fields later, the flags.
        let has_ended = matches!(fields.next(), Some("Z" | "X" | "") | None);
        let flags = fields.nth(5).and_then(|flags| flags.parse().ok()).unwrap_or(EXITING);
        has_ended || flags & EXITING != 0
    })
}

/// The children of one thread of a process, in the order of their birth or adoption.
pub(crate) fn children(pid: i32, tid: i32) -> Vec<i32> {
    // The list may grow as fast as it is read.
    const LONGEST: u64 = 1 << 17;
    let mut list = String::new();
    let file = File::open(format!("/proc/{pid}/task/{tid}/children"));
    let _ = file.and_then(|file| file.take(LONGEST).read_to_string(&mut list));
    list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// The names in a folder that are numbers, as they are read: there may be a million.
pub(crate) fn numbers_in(folder: &str) -> impl Iterator<Item = i32> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// As [`numbers_in`], but no longer than `until`. The first number alone costs a folder as much as a hundred, so a folder is not
/// even opened then.
pub(crate) fn numbers_until(folder: &str, until: Instant) -> impl Iterator<Item = i32> + use<> {
    let is_time_left = move || Instant::now() < until;
    let numbers = is_time_left().then(|| numbers_in(folder));
    numbers.into_iter().flatten().take_while(move |_| is_time_left())
}

/// Reads an open file of /proc again from its beginning; `None` once its process has ended.
pub(crate) fn read_again<T>(file: &File, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    // Longer than any of these files of one thread; longer ones are read by a full walk.
    let mut buffer = [MaybeUninit::uninit(); 2048];
    let (text, rest) = rustix::io::pread(file, &mut buffer, 0).ok()?;
    parse(str::from_utf8(text).ok().filter(|_| !rest.is_empty())?)
}

/// A small file of /proc; `None` once its process has ended.
pub(crate) fn read(path: &str) -> Option<String> {
    // The numbers of a process's groups alone, of which there may be 65,536.
    const LONGEST: u64 = 1 << 20;
    let mut buffer = [0; 4096];
    let mut file = File::open(path).ok()?;
    let count = file.read(&mut buffer).ok()?;
    let mut text = buffer[..count].to_vec();
    // The kernel fills the buffer only if there may be more.
    if count == buffer.len() {
        let _ = file.take(LONGEST).read_to_end(&mut text);
    }
    // Several files contain the name of a process, which may be any bytes.
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// A pipe's name in /proc, the same at both ends.
pub(crate) fn pipe_name(fd: impl AsFd) -> Option<String> {
    let number = fd.as_fd().as_raw_fd();
    let name = fs::read_link(format!("/proc/self/fd/{number}")).ok()?;
    name.into_os_string().into_string().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_parentheses_do_not_confuse() {
        let stat = "7 (a) R b) S 1 7 7 0 -1 0 11 5 22 0 300 200 600 400 20 0 4 0 5 6 7";
        let stat = Stat::parse(stat).expect("well-formed");
        assert_eq!((stat.page_faults, stat.threads), (33, 4));
        assert!(stat.cpu > Duration::ZERO);
        assert_eq!(stat.children_cpu, 2 * stat.cpu);
    }
}
