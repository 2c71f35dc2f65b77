//! The control group of this process, and whether it may make others in it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::spawn::launcher::launcher_pid;
use crate::sys::cgroup::hierarchy::{own_group, read};

/// The group for the referee next to its bots' groups.
const SUPERVISOR: &str = "referee";

/// The group in which groups with limits on memory and processes can be made. The referee leaves it if it must.
pub(crate) fn find() -> Result<PathBuf, String> {
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
    // Only the root group may both contain processes and delegate controllers.
    let processes = read(&own, "cgroup.procs");
    let ours: Vec<String> = own_processes().collect();
    if !processes.lines().all(|process| ours.iter().any(|own| own == process)) {
        return Err(format!("{} is not delegated, or holds other processes", own.display()));
    }
    move_into(&own.join(SUPERVISOR)).and_then(|()| enable(&own)).map_err(|error| {
        leave_as_found(&own);
        format!("{} is not delegated: {error}", own.display())
    })?;
    Ok(own)
}

/// Moves the referee back to its original group, if it has left it.
pub(crate) fn leave_as_found(home: &Path) {
    let supervisor = home.join(SUPERVISOR);
    if own_group().is_some_and(|own| own == supervisor) {
        let _ = fs::write(home.join("cgroup.subtree_control"), "-memory -pids");
        let _ = enter(home);
        let _ = fs::remove_dir(supervisor);
    }
}

fn enable(group: &Path) -> std::io::Result<()> {
    fs::write(group.join("cgroup.subtree_control"), "+memory +pids")
}

fn move_into(group: &Path) -> std::io::Result<()> {
    fs::create_dir(group).or_else(|error| if group.is_dir() { Ok(()) } else { Err(error) })?;
    enter(group)
}

fn enter(group: &Path) -> std::io::Result<()> {
    own_processes().try_for_each(|process| fs::write(group.join("cgroup.procs"), process))
}

/// This process, and its launcher.
fn own_processes() -> impl Iterator<Item = String> {
    let launcher = launcher_pid().map(|pid| pid.as_raw_pid().cast_unsigned());
    [std::process::id()].into_iter().chain(launcher).map(|pid| pid.to_string())
}
