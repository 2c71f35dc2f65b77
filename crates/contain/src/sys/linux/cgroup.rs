//! The control groups around this process, in either version of the hierarchy: their limits, and what the kernel did at these.

use std::fs::{self, File};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// This process's group of version 2.
pub(crate) fn own_group() -> Option<PathBuf> {
    folder("cgroup2", "", &own_path(str::is_empty)?)
}

/// This process's group of version 1 that has this controller.
pub(crate) fn own_old_group(controller: &str) -> Option<PathBuf> {
    let has = |names: &str| names.split(',').any(|name| name == controller);
    folder("cgroup", controller, &own_path(has)?)
}

/// The path of the group in the hierarchy with these controllers.
fn own_path(is_it: impl Fn(&str) -> bool) -> Option<String> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        fields.next().filter(|names| is_it(names)).and(fields.next()).map(str::to_owned)
    })
}

/// The folder of a group, in the hierarchy of this kind that has this option.
fn folder(kind: &str, option: &str, path: &str) -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().find_map(|line| {
        let (place, system) = line.split_once(" - ")?;
        let mut system = system.split(' ');
        let is_kind = system.next()? == kind;
        let mut options = system.nth(1)?.split(',');
        let is_it = is_kind && (option.is_empty() || options.any(|name| name == option));
        let mut place = place.split(' ');
        let (root, mounted) = (place.nth(3)?, place.next()?);
        let inside = Path::new(path).strip_prefix(root).ok()?;
        is_it.then(|| Path::new(mounted).join(inside))
    })
}

pub(crate) fn read(group: &Path, file: &str) -> String {
    fs::read_to_string(group.join(file)).unwrap_or_default()
}

/// The number behind a name; 0 if it is missing.
pub(crate) fn counter(text: &str, name: &str) -> u64 {
    let number = |line: &str| {
        let (key, value) = line.split_once(' ')?;
        (key == name).then(|| value.trim().parse().ok())?
    };
    text.lines().find_map(number).unwrap_or(0)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_by_their_whole_name() {
        let events = "low 0\noom 2\noom_kill 3\noom_group_kill 1\n";
        assert_eq!(counter(events, "oom_kill"), 3);
        assert_eq!(counter(events, "kill"), 0);
    }
}
