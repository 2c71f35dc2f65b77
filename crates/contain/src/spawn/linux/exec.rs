//! The bot's process until it executes its program.
//!
//! It shares the memory of its keeper, which is blocked until then.

use std::cell::Cell;
use std::ffi::c_int;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, chdir, getpid, getppid, set_parent_process_death_signal, setpgid, setrlimit,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, Gid, Uid, set_capabilities, set_no_new_privs, set_thread_groups,
    set_thread_res_gid, set_thread_res_uid,
};

use crate::confine::filter::Privileges;
use crate::spawn::linux::order::{Launch, NOBODY};
use crate::spawn::linux::report::{Failure, Step, at};
use crate::sys::raw;

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
        (Err(error), _) => Err((Step::Fork, Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))),
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
        chdir(cwd).map_err(at(Step::Directory))?;
    }
    for limit in &launch.limits {
        let (resource, limit) = limit.of_kernel();
        setrlimit(resource, limit).map_err(at(Step::Limits))?;
    }
    confine(launch)?;
    // The kernel resets this whenever privileges change.
    die_with(keeper)?;
    Err((Step::Exec, raw::execute(&launch.program, &launch.argv, &launch.envp)))
}

/// Makes the kernel kill the bot when its keeper dies.
fn die_with(keeper: Pid) -> Result<(), Failure> {
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // With another parent, the keeper died before this was set.
    if getppid() == Some(keeper) { Ok(()) } else { Err((Step::Fork, Errno::SRCH)) }
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
    set_no_new_privs(true).map_err(at(Step::Ruleset))?;
    drop_privileges(launch.privileges).map_err(at(Step::Privileges))?;
    if let Some(ruleset) = &launch.ruleset {
        raw::restrict_self(ruleset.as_fd()).map_err(at(Step::Ruleset))?;
    }
    launch.filters.iter().try_for_each(|filter| raw::set_filter(filter)).map_err(at(Step::Filter))
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
