//! Which control group this process is in, what that allows, and whether it may make others in it.

use std::fs;
use std::path::{Path, PathBuf};

/// The group that holds the referee where others are beside it.
const SUPERVISOR: &str = "referee";

/// The group in which groups with limits on memory and processes can be made. The referee leaves it if it has to.
pub(super) fn find() -> Result<PathBuf, String> {
    let own = own_group().ok_or("this process is in no control group of version 2")?;
    let controllers = read(&own, "cgroup.controllers");
    for needed in ["memory", "pids"] {
        if !controllers.split_whitespace().any(|name| name == needed) {
            return Err(format!("the controller `{needed}` is not offered in {}", own.display()));
        }
    }
    if enable(&own).is_ok() {
        return Ok(own);
    }
    // A group that hands out controllers holds no processes itself, apart from the first one.
    let processes = read(&own, "cgroup.procs");
    if processes.trim().parse() != Ok(std::process::id()) {
        return Err(format!(
            "{} is not delegated, or holds other processes (try `systemd-run --user --scope -p Delegate=yes referee ...`)",
            own.display()
        ));
    }
    move_into(&own.join(SUPERVISOR)).and_then(|()| enable(&own)).map_err(|error| {
        leave_as_found(&own);
        format!("{} is not delegated: {error}", own.display())
    })?;
    Ok(own)
}

/// Brings the referee back to the group that it was started in, if it had to leave that.
pub(super) fn leave_as_found(home: &Path) {
    let supervisor = home.join(SUPERVISOR);
    if own_group().is_some_and(|own| own == supervisor) {
        let _ = fs::write(home.join("cgroup.subtree_control"), "-memory -pids");
        let _ = fs::write(home.join("cgroup.procs"), "0");
        let _ = fs::remove_dir(supervisor);
    }
}

fn enable(group: &Path) -> std::io::Result<()> {
    fs::write(group.join("cgroup.subtree_control"), "+memory +pids")
}

fn move_into(group: &Path) -> std::io::Result<()> {
    fs::create_dir(group).or_else(|error| if group.is_dir() { Ok(()) } else { Err(error) })?;
    fs::write(group.join("cgroup.procs"), "0")
}

/// The least memory that any of the groups around this process, of either version, may have.
pub fn memory_limit_of_host() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let path_of = |is_it: fn(&str) -> bool| {
        groups.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            fields.next().filter(|name| is_it(name)).and(fields.next()).map(str::to_owned)
        })
    };
    let second = path_of(str::is_empty).and_then(|path| folder("cgroup2", "", &path));
    let of_second = second.iter().flat_map(|folder| folder.ancestors());
    let of_second = of_second.filter_map(|folder| read(folder, "memory.max").trim().parse().ok());
    let first = path_of(|names| names.split(',').any(|name| name == "memory"))
        .and_then(|path| folder("cgroup", "memory", &path));
    // This one knows of the groups around it.
    let of_first =
        first.map(|folder| counter(&read(&folder, "memory.stat"), "hierarchical_memory_limit"));
    // Without a limit the number is near the largest one.
    let is_limit = |&limit: &u64| limit > 0 && limit < 1 << 60;
    of_second.chain(of_first).filter(is_limit).min()
}

fn own_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    folder("cgroup2", "", path)
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

fn read(group: &Path, file: &str) -> String {
    fs::read_to_string(group.join(file)).unwrap_or_default()
}

/// The number behind a name; 0 if it is missing.
pub(super) fn counter(text: &str, name: &str) -> u64 {
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
