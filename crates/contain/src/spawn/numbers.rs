//! The process numbers of a bot's own pid namespace. A process that has ended keeps its number until it is reaped, so a bot
//! whose processes end faster than that would use up the host's.

use std::fs::{self, File};
use std::io::Write as _;

/// The first Linux on which a pid namespace has a maximum of its own. Before, this would set the host's.
const SINCE: (u32, u32) = (6, 14);

/// More than a bot takes before the referee has seen that it has too many processes: one that fails to start another ends by
/// itself, and nothing would tell why.
const SPARE: u64 = 4000;

/// Among how many numbers the first one of a namespace is chosen: fewer than each has.
const FIRST: u64 = 3000;

/// The numbers for each process that the bot may have: one for a process that has ended and waits to be reaped.
const FOR_EACH: u64 = 2;

/// The highest maximum that the kernel takes.
const HIGHEST: u64 = 1 << 22;

/// Whether a bot's own pid namespace limits the process numbers that it takes.
pub(crate) fn are_limited_in_namespaces() -> bool {
    rustix::system::uname().release().to_str().is_ok_and(is_new_enough)
}

fn is_new_enough(release: &str) -> bool {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map(str::parse);
    let mut next = || numbers.next()?.ok();
    next().zip(next()).is_some_and(|version| version >= SINCE)
}

/// The file that holds the maximum of the calling process's pid namespace, unless it is the host's.
pub(crate) fn open() -> Option<File> {
    let file = || File::options().write(true).open("/proc/sys/kernel/pid_max").ok();
    are_limited_in_namespaces().then(file).flatten()
}

/// Has the namespace that the calling process begins count from another number than other namespaces of its time: Java writes to a file in
/// /tmp that is named after its number, and complains on standard output if another program has that. Called before the
/// namespace has its own /proc.
pub(crate) fn begin_anywhere() {
    let outside = fs::read_link("/proc/self").ok();
    let outside = outside.and_then(|number| number.to_str()?.parse::<u64>().ok());
    if let Some(number) = outside {
        // This requires the right to administer the namespace, on kernels that restore processes.
        let _ = fs::write("/proc/sys/kernel/ns_last_pid", (1 + number % FIRST).to_string());
    }
}

/// Gives the namespace numbers for this many processes at one time. This requires the right to administer it.
pub(crate) fn limit(mut maximum: &File, processes: u64) {
    let most = processes.saturating_mul(FOR_EACH).saturating_add(SPARE).min(HIGHEST);
    // Without it, the referee still watches the number of processes.
    let _ = maximum.write_all(most.to_string().as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_told_by_its_release() {
        for new in ["6.14.0-37-generic", "6.18.44", "7.0-rc1", "10.2"] {
            assert!(is_new_enough(new), "{new}");
        }
        for old in ["6.13.9", "5.15.0-1-amd64", "6.1.0-32-amd64", "6", "", "x.99"] {
            assert!(!is_new_enough(old), "{old}");
        }
    }
}
