//! The bot's process until it executes its program.
//!
//! It shares the memory of its keeper, which stands still meanwhile; nothing here may allocate, lock or
//! panic.

use std::cell::Cell;
use std::ffi::c_int;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, chdir, getpid, getppid, set_parent_process_death_signal, setpgid, setrlimit,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, Gid, Uid, capabilities, set_capabilities, set_no_new_privs,
    set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::report::{Message, Step};
use super::{ForkPlan, NOBODY, Privileges, raw};

/// A bot's `oom_score_adj`, in thousandths of all memory (proc(5)): if memory runs out, the
/// kernel kills the bot rather than the referee.
const OOM_SCORE_ADJ: &[u8] = b"500";

/// The bytes that a bot's process has written before its program starts, as the kernel counts them.
pub(in crate::bot) const WRITTEN_BEFORE_START: u64 = OOM_SCORE_ADJ.len() as u64;

/// Starts the bot, and returns when its program has been executed. Reports failures.
pub(super) fn start(plan: &ForkPlan<'_>) -> Option<Pid> {
    let keeper = getpid();
    let failure = Cell::new(None);
    let started = raw::fork_sharing_memory(&|| -> c_int {
        failure.set(become_bot(plan, keeper).err());
        127
    });
    let failed = match started {
        Err(error) => (Step::Fork, error.raw_os_error().unwrap_or(0)),
        Ok(bot) => match failure.take() {
            None => return Some(bot),
            Some((step, errno)) => (step, errno.raw_os_error()),
        },
    };
    Message::Failed(failed.0, failed.1).send(plan.report);
    None
}

/// A step of a start that failed.
type Failure = (Step, Errno);

fn at(step: Step) -> impl Fn(Errno) -> Failure {
    move |errno| (step, errno)
}

/// Returns only if something fails.
fn become_bot(plan: &ForkPlan<'_>, keeper: Pid) -> Result<(), Failure> {
    die_with(keeper)?;
    let _ = setpgid(None, None);
    let [stdin, stdout, stderr] = plan.stdio;
    // None of the pipes is a standard descriptor: Rust's runtime opens missing ones at its start.
    let _ = rustix::stdio::dup2_stdin(stdin);
    let _ = rustix::stdio::dup2_stdout(stdout);
    let _ = rustix::stdio::dup2_stderr(stderr);
    offer_to_memory_killer();
    if let Some(cwd) = plan.cwd {
        chdir(cwd).map_err(at(Step::Directory))?;
    }
    for (resource, limit) in plan.rlimits {
        setrlimit(*resource, *limit).map_err(at(Step::Limits))?;
    }
    confine(plan)?;
    // The kernel resets this whenever privileges change.
    die_with(keeper)?;
    Err((Step::Exec, raw::execute(plan.program, plan.argv, plan.envp)))
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
fn confine(plan: &ForkPlan<'_>) -> Result<(), Failure> {
    if plan.ruleset.is_none() && plan.filter.is_empty() {
        return Ok(());
    }
    set_no_new_privs(true).map_err(at(Step::Ruleset))?;
    drop_privileges(plan.privileges).map_err(at(Step::Privileges))?;
    if let Some(ruleset) = plan.ruleset {
        raw::restrict_self(ruleset).map_err(at(Step::Ruleset))?;
    }
    if !plan.filter.is_empty() {
        raw::set_filter(plan.filter).map_err(at(Step::Filter))?;
    }
    Ok(())
}

/// Drops privileges for good: no program can bring new ones any more.
fn drop_privileges(privileges: Privileges) -> Result<(), Errno> {
    let kept = match privileges {
        Privileges::All => return Ok(()),
        Privileges::ReadAll => CapabilitySet::DAC_READ_SEARCH,
        Privileges::None => CapabilitySet::empty(),
        Privileges::Nobody => {
            let (uid, gid) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
            set_thread_groups(&[])?;
            set_thread_res_gid(gid, gid, gid)?;
            set_thread_res_uid(uid, uid, uid)?;
            CapabilitySet::empty()
        }
    };
    let CapabilitySets { effective, permitted, .. } = capabilities(None)?;
    set_capabilities(
        None,
        CapabilitySets {
            effective: effective & kept,
            permitted: permitted & kept,
            inheritable: CapabilitySet::empty(),
        },
    )
}
