//! The folders of this process's control groups, in either version of the hierarchy.

use std::fs;
use std::path::{Path, PathBuf};

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
