//! The bot's process until it executes its program.
//!
//! It shares the memory of its keeper, which is blocked until then.
//!
//! In a namespace the keeper first carries out the mounts that the referee has prepared, and limits the process numbers of the
//! namespace: a process that has ended keeps its number until it is reaped, so a bot whose processes end faster than that would use
//! up the host's.

use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::fs::{self, File};
use std::io::Write as _;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{Mode, OFlags, mkdir, open, symlink};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, mount_remount, unmount,
};
use rustix::process::{
    Pid, Signal, chdir, geteuid, getpid, getppid, pivot_root, set_parent_process_death_signal,
    setpgid, setrlimit,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, Gid, Uid, capabilities, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use crate::spawn::linux::filter::Privileges;
use crate::spawn::linux::order::{Launch, NOBODY};
use crate::spawn::linux::report::{Failure, StartStep, at};
use crate::spawn::linux::tree::{FileTree, MountStep};
use crate::sys::raw::{self, make_read_only};

/// A bot's `oom_score_adj`, in thousandths of all memory (proc(5)): if memory runs out, the
/// kernel kills the bot rather than the referee.
const OOM_SCORE_ADJ: &[u8] = b"500";

/// Starts the bot with these standard descriptors, and returns when its program has been executed.
pub(crate) fn start(launch: &Launch, standard: [&OwnedFd; 3]) -> Result<Pid, Failure> {
    let keeper = getpid();
    let failure = Cell::new(None);
    let started = raw::fork_sharing_memory(&|| -> c_int {
        failure.set(become_bot(launch, standard, keeper).err());
        127
    });
    match (started, failure.take()) {
        (Err(error), _) => {
            Err((StartStep::Fork, Errno::from_io_error(&error).unwrap_or(Errno::AGAIN)))
        }
        (Ok(_), Some(failure)) => Err(failure),
        (Ok(bot), None) => Ok(bot),
    }
}

/// Returns only if something fails.
fn become_bot(launch: &Launch, standard: [&OwnedFd; 3], keeper: Pid) -> Result<(), Failure> {
    die_with(keeper)?;
    let _ = setpgid(None, None);
    let [stdin, stdout, stderr] = standard;
    let _ = rustix::stdio::dup2_stdin(stdin);
    let _ = rustix::stdio::dup2_stdout(stdout);
    let _ = rustix::stdio::dup2_stderr(stderr);
    offer_to_memory_killer();
    if let Some(cwd) = &launch.cwd {
        chdir(cwd).map_err(at(StartStep::Directory))?;
    }
    for limit in &launch.limits {
        let (resource, limit) = limit.of_kernel();
        setrlimit(resource, limit).map_err(at(StartStep::Limits))?;
    }
    confine(launch)?;
    // The kernel resets this whenever privileges change.
    die_with(keeper)?;
    Err((StartStep::Exec, raw::execute(&launch.program, &launch.argv, &launch.envp)))
}

/// Makes the kernel kill the bot when its keeper dies.
fn die_with(keeper: Pid) -> Result<(), Failure> {
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // With another parent, the keeper died before this was set.
    if getppid() == Some(keeper) { Ok(()) } else { Err((StartStep::Fork, Errno::SRCH)) }
}

fn offer_to_memory_killer() {
    let file = open(c"/proc/self/oom_score_adj", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
    if let Ok(file) = file {
        let _ = rustix::io::write(file, OOM_SCORE_ADJ);
    }
}

/// Applies the rules that no program can undo.
fn confine(launch: &Launch) -> Result<(), Failure> {
    if launch.ruleset.is_none() && launch.filters.is_empty() {
        return Ok(());
    }
    set_no_new_privs(true).map_err(at(StartStep::Ruleset))?;
    drop_privileges(launch.privileges).map_err(at(StartStep::Privileges))?;
    if let Some(ruleset) = &launch.ruleset {
        raw::restrict_self(ruleset.as_fd()).map_err(at(StartStep::Ruleset))?;
    }
    launch
        .filters
        .iter()
        .try_for_each(|filter| raw::set_filter(filter))
        .map_err(at(StartStep::Filter))
}

/// Drops privileges for good: no program can bring new ones any more.
fn drop_privileges(privileges: Privileges) -> Result<(), Errno> {
    if privileges == Privileges::All {
        return Ok(());
    }
    if privileges == Privileges::Nobody {
        let (uid, gid) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
        set_thread_groups(&[])?;
        set_thread_res_gid(gid, gid, gid)?;
        set_thread_res_uid(uid, uid, uid)?;
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

/// A folder that every host has, where the new root is mounted until it becomes the root.
const GROUND: &CStr = c"/proc";

const UNPRIVILEGED: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// Where in /proc root, even in a namespace, changes the machine's settings, or restarts it; similar to what runc protects.
const SETTINGS: [&CStr; 10] = [
    c"/proc/acpi",
    c"/proc/asound",
    c"/proc/bus",
    c"/proc/dynamic_debug",
    c"/proc/fs",
    c"/proc/irq",
    c"/proc/latency_stats",
    c"/proc/scsi",
    c"/proc/sys",
    c"/proc/sysrq-trigger",
];

/// Gives the new namespace its own /proc and, in a sandbox, its own file system. Returns the file that holds the maximum of its
/// process numbers, opened before the settings are read-only.
pub(crate) fn enter(tree: Option<&FileTree>) -> Result<Option<File>, Errno> {
    let Some(tree) = tree else {
        hide_terminals();
        begin_anywhere();
        mount_proc(c"/proc", None)?;
        let numbers = maximum_of_numbers();
        if geteuid().is_root() {
            protect_settings()?;
        }
        return Ok(numbers);
    };
    // What the host mounts during the game could be written to.
    let flags = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change(c"/", flags)?;
    mount(c"tmpfs", GROUND, c"tmpfs", UNPRIVILEGED, tree.options.as_c_str())?;
    chdir(GROUND)?;
    for step in &tree.steps {
        carry_out(step)?;
    }
    // The old root ends up on top of the new one, and is unmounted.
    pivot_root(c".", c".")?;
    unmount(c".", UnmountFlags::DETACH)?;
    chdir(c"/")?;
    Ok(maximum_of_numbers())
}

fn protect_settings() -> Result<(), Errno> {
    for path in SETTINGS {
        match mount_bind(path, path) {
            Err(Errno::NOENT) => continue,
            done => done?,
        }
        let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOEXEC;
        mount_remount(path, flags | UNPRIVILEGED, c"")?;
    }
    match make_read_only(c"/sys") {
        // It is not mounted, or the kernel is older than Linux 5.12.
        Err(Errno::NOENT | Errno::INVAL | Errno::NOSYS) => Ok(()),
        done => done,
    }
}

/// Leaves no process of the namespace the right to undo these mounts. A namespace that a bot makes within this one has
/// that right only for mounts of its own.
pub(crate) fn fix() -> Result<(), Errno> {
    let right = CapabilitySet::SYS_ADMIN;
    remove_capability_from_bounding_set(right)?;
    let CapabilitySets { effective, permitted, inheritable } = capabilities(None)?;
    let [effective, permitted, inheritable] =
        [effective, permitted, inheritable].map(|set| set.difference(right));
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable })
}

fn carry_out(step: &MountStep) -> Result<(), Errno> {
    match step {
        MountStep::Folder(at) => mkdir(at.as_c_str(), Mode::from_raw_mode(0o755)),
        MountStep::OpenFolder(at) => {
            mkdir(at.as_c_str(), Mode::empty())?;
            // Regardless of the umask.
            rustix::fs::chmod(at.as_c_str(), Mode::from_raw_mode(0o1777))
        }
        MountStep::File(at) => {
            let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
            open(at.as_c_str(), flags, Mode::from_raw_mode(0o644)).map(drop)
        }
        MountStep::Link { target, at } => symlink(target.as_c_str(), at.as_c_str()),
        MountStep::Bind { from, at } => mount_bind_recursive(from.as_c_str(), at.as_c_str()),
        MountStep::Remount { at, flags } => {
            match mount_remount(
                at.as_c_str(),
                MountFlags::BIND | MountFlags::from_bits_retain(*flags),
                c"",
            ) {
                // The bot cannot write to a mount that it cannot reach.
                Err(Errno::ACCESS | Errno::NOENT) => Ok(()),
                done => done,
            }
        }
        // Hides processes that are not the bot's own, such as its keeper.
        MountStep::Proc(at) => mount_proc(at, Some(c"hidepid=2")),
    }
}

/// Gives the bot its own terminals, so that it finds nobody else's by name. A host may have none.
fn hide_terminals() {
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let _ = mount(c"devpts", c"/dev/pts", c"devpts", flags, c"newinstance,ptmxmode=0666");
}

fn mount_proc(at: &CStr, options: Option<&CStr>) -> Result<(), Errno> {
    mount(c"proc", at, c"proc", UNPRIVILEGED | MountFlags::NOEXEC, options)
}

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
fn maximum_of_numbers() -> Option<File> {
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
