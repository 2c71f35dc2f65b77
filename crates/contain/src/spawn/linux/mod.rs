//! Starts a bot beneath a keeper.
//!
//! # Theory of operation
//!
//! The *launcher* is a fork of the referee with one thread, from before the first bot. It forks all keepers, at
//! orders (`order`) that come through a socket, and ends when that closes. Because no other thread can have left
//! anything locked, its forks are as free as any process; because it is small, they are quick. A keeper begins once the
//! launcher has mapped the users of its namespace, and has told the referee of it.
//!
//! A *keeper* stands between the referee and one bot. It never executes another program. It starts the bot, adopts
//! the processes that the bot orphans, and does not end before they do. A socket, the *channel*, joins it to the
//! referee:
//!
//! * Through it come the messages (`report`) that the bot has started or why not, how the bot has ended, and which
//!   processes could not be killed. The ended bot stays a zombie, so that its usage can still be read.
//! * It is the referee's hold on the keeper's life. When the referee shuts it down, or dies, the keeper kills the
//!   bot's processes and ends. A byte in it announces the end of the game: then the keeper does so as soon as the bot
//!   ends.
//!
//! In a namespace the keeper is the init of a pid namespace, whose death makes the kernel kill all the others;
//! there the referee kills it with SIGKILL, and so does the kernel when the launcher dies. It is also the leader of a
//! session without a terminal, so a bot has no terminal to write to.
//!
//! What the host grants is tried by the start of a bot without a program.
//!
//! A [`watchdog`] ends a bot whose referee is held up. All `unsafe` code is in [`sys`](crate::sys).

mod command;
mod exec;
mod filter;
mod groups;
mod handle;
mod keeper;
mod landlock;
mod launcher;
mod order;
mod report;
mod sandbox;
mod tree;
mod watchdog;

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::io::Errno;
use rustix::process::geteuid;

use crate::confine::{ContainmentMethod, Sandbox};
use crate::spawn::command::{BotCommand, Confinement};
use crate::spawn::error::{SandboxError, SpawnError, Unavailable};
use crate::spawn::host::Host;
use crate::spawn::linux::handle::{Keeper, MountNamespace, fork};
use crate::spawn::linux::landlock::Ruleset;
use crate::spawn::linux::order::Launch;
use crate::spawn::linux::report::{LaunchError, StartStep};
use crate::spawn::running::ChildPipes;
use crate::sys::raw::landlock_version;
use terms::limits::Resources;

pub(crate) use self::{
    groups::{home_of_groups, remove_groups},
    launcher::{end_launcher, start_launcher},
};

/// Starts a bot. When this returns, its program has been executed.
fn launch(launch: &Launch) -> Result<(Keeper, ChildPipes), LaunchError> {
    let (mut keeper, pipes) = begin(launch)?;
    rustix::io::ioctl_fionbio(&keeper.channel, true)
        .map_err(|error| StartStep::Pipes.failed(error))?;
    if launch.method.is_namespace() && launch.tree.is_none() {
        keeper.mounts = Some(MountNamespace::open(keeper.pid));
    }
    Ok((keeper, pipes))
}

/// Has a new keeper start a bot.
fn begin(launch: &Launch) -> Result<(Keeper, ChildPipes), LaunchError> {
    // A launcher that was killed has left nothing, and the next one is as good.
    let started = match fork(launch)? {
        None => fork(launch)?,
        started => started,
    };
    let (mut keeper, pipes) = started.ok_or_else(|| StartStep::Clone.failed(Errno::CONNRESET))?;
    keeper.await_start()?;
    Ok((keeper, pipes))
}

/// Tries everything of a start without a program: only executing that fails.
fn try_out(launch: &Launch) -> Result<(), LaunchError> {
    match begin(launch) {
        Err(LaunchError { step: StartStep::Exec, .. }) => Ok(()),
        tried => tried.map(drop),
    }
}

/// Tries whether a keeper can start in this control group.
fn try_cgroup(cgroup: OwnedFd) -> io::Result<()> {
    let trial = Launch::new(CString::default(), ContainmentMethod::Seccomp);
    try_out(&Launch { cgroup: Some(cgroup), ..trial }).map_err(|failure| failure.error)
}

impl ContainmentMethod {
    /// Whether this system has methods that contain.
    pub const CONTAINS_HERE: bool = true;

    /// Whether the system limits a bot's open files, CPU time and file sizes.
    pub const LIMITS_HERE: bool = true;

    /// Tries the start of a bot, with a sandbox or without. The host is probed once.
    pub(crate) fn try_out(self, is_sandboxed: bool) -> Result<(), String> {
        const KINDS: usize = 2 * ContainmentMethod::ALL.len();
        static TRIED: [OnceLock<Result<(), String>>; KINDS] = [const { OnceLock::new() }; KINDS];
        if self == Self::Plain {
            return if is_sandboxed { Err(NO_SANDBOX.to_owned()) } else { Ok(()) };
        }
        if (is_sandboxed || self == Self::Seccomp) && !filter::has_seccomp() {
            return Err(NO_SECCOMP.to_owned());
        }
        let trial = || {
            let _host = Host::hold();
            let sandbox = is_sandboxed.then(|| Sandbox::with_readable(&[]));
            let confinement =
                Confinement { method: self, resources: Resources::default(), sandbox };
            BotCommand::new("", [""; 0], confinement).try_start()
        };
        TRIED[2 * self as usize + usize::from(is_sandboxed)].get_or_init(trial).clone()
    }

    /// The rules that keep a bot from signalling and tracing the referee where a namespace does not hide it.
    /// Absent where the kernel lacks Landlock.
    pub(crate) fn ruleset(self) -> Option<OwnedFd> {
        if self.is_namespace() {
            return None;
        }
        // Any ruleset keeps a process from tracing processes outside it. Forbidding devices costs a bot the least.
        let ruleset = Ruleset::forbid(landlock::MAKE_BLOCK_DEVICE, 0, landlock::SIGNALS);
        Some(ruleset.ok()?.into())
    }

    /// Whether nothing keeps a bot from taking all process numbers of this host, by processes that end faster than they are
    /// reaped, so that nobody can start one until the bot is killed. Other users than root have a limit of the kernel's on
    /// theirs (`ulimit -u`), a control group has the bot's, and since Linux 6.14 a namespace has numbers of its own.
    pub fn can_exhaust_processes(self) -> bool {
        let is_limited = self.is_namespace() && exec::are_limited_in_namespaces();
        geteuid().is_root() && !is_limited && !self.uses_cgroups()
    }

    /// What a bot can still do to this host and the referee, as phrases; empty if the method hides
    /// the referee.
    pub fn exposures(self) -> Vec<&'static str> {
        let mut exposures = Vec::new();
        if self.can_exhaust_processes() {
            exposures.push("take all process numbers of the host (root's, in no control group)");
        }
        match self {
            Self::Namespace => return exposures,
            Self::Plain => {
                exposures.push("do to the referee and to this host whatever this user may do");
                return exposures;
            }
            Self::Seccomp => {}
        }
        let version = landlock_version();
        if version == 0 {
            exposures.push("trace it and write to its memory (no Landlock)");
        }
        if version < SCOPED_SIGNALS {
            exposures.push("signal it (Landlock before version 6, Linux 6.12)");
        }
        exposures.push("change its files in /proc, such as oom_score_adj and autogroup");
        exposures
    }
}

/// The first version of Landlock that keeps a bot from signalling processes outside.
const SCOPED_SIGNALS: u32 = 6;

const NO_SANDBOX: &str = "it has no sandbox; `namespace` and `seccomp` have one";
const NO_SECCOMP: &str = "the kernel has no seccomp filters, or not for this processor";

impl BotCommand {
    /// Tries to start it, although it names no program.
    fn try_start(&self) -> Result<(), String> {
        let nothing = Path::new("");
        let prepared = self.enclosure(nothing).and_then(|it| self.prepare(nothing, it));
        let (launch, _scratch) = match prepared {
            Ok(prepared) => prepared,
            // The host offers it, and is short of something by now: the game's start says so.
            Err(SpawnError::Resources { .. }) => return Ok(()),
            Err(SpawnError::Confinement { source, .. }) => return Err(source.to_string()),
            Err(error) => return Err(error.to_string()),
        };
        match try_out(&launch) {
            // As above.
            Err(LaunchError { error, .. })
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory
                ) =>
            {
                Ok(())
            }
            tried => tried.map_err(|error| self.refusal(&error)),
        }
    }

    fn refusal(&self, error: &LaunchError) -> String {
        let why = &error.error;
        match error.step {
            StartStep::Clone if why.kind() == io::ErrorKind::StorageFull => {
                format!(
                    "the host makes no more namespaces (/proc/sys/user has their limits): {why}"
                )
            }
            StartStep::Clone if self.confinement.method.is_namespace() => {
                format!("the system refuses the namespace: {why}")
            }
            StartStep::Users => format!("a user namespace gives no rights here: {why}"),
            StartStep::Mounts if self.confinement.sandbox.is_none() => {
                format!("a namespace gets no /proc of its own here: {why}")
            }
            _ => error.to_string(),
        }
    }
}

/// Checks that /proc shows this process's own pid namespace: with process numbers of another one,
/// limits would fail and unrelated processes be killed.
///
/// # Errors
/// When it is not mounted, or belongs to another namespace.
pub fn check_proc() -> Result<(), Unavailable> {
    static WRONG: OnceLock<Option<String>> = OnceLock::new();
    let wrong = WRONG.get_or_init(|| match fs::read_to_string("/proc/self/status") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Some("/proc is not mounted".to_owned())
        }
        Err(error) => Some(format!("cannot read /proc/self/status: {error}")),
        Ok(status) if is_own(&status, std::process::id()) => None,
        Ok(_) => Some("/proc belongs to another pid namespace".to_owned()),
    });
    wrong.clone().map_or(Ok(()), |why| Err(Unavailable::Proc(why)))
}

/// Whether this status names this process number and no other.
fn is_own(status: &str, pid: u32) -> bool {
    let line = |name| status.lines().find_map(|line| line.strip_prefix(name));
    // A process has a number in each namespace from /proc's down to its own.
    let numbers = line("NSpid:").or_else(|| line("Pid:")).unwrap_or_default();
    numbers.trim().parse() == Ok(pid)
}

impl Sandbox {
    /// Checks that this host can enforce a sandbox in which `readable` can be read as well.
    ///
    /// # Errors
    /// When it cannot, or one of these paths is missing.
    pub fn new(readable: &[PathBuf]) -> Result<Self, SandboxError> {
        if let Err(namespace) = ContainmentMethod::Namespace.try_out(true)
            && let Err(seccomp) = ContainmentMethod::Seccomp.try_out(true)
        {
            return Err(SandboxError::Refused { namespace, seccomp });
        }
        for path in readable {
            let unreadable = |source| SandboxError::Unreadable { path: path.clone(), source };
            path.canonicalize().map_err(unreadable)?;
        }
        Ok(Self::with_readable(readable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proc_of_another_namespace_is_told_by_its_numbers() {
        assert!(is_own("Name:\tx\nPid:\t7\nNSpid:\t7\n", 7));
        assert!(is_own("Name:\tx\nPid:\t7\n", 7), "a kernel without namespaces");
        assert!(!is_own("Name:\tx\nPid:\t7\nNSpid:\t7\t7\n", 7));
        assert!(!is_own("Name:\tx\nPid:\t9\nNSpid:\t9\n", 7));
        assert!(!is_own("", 7));
    }
}
