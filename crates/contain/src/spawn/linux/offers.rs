//! What this host offers for keeping a bot's processes together and away from others.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::process::geteuid;

use crate::confine::ContainmentMethod;
use crate::confine::Sandbox;
use crate::confine::filter;
use crate::spawn::command::{BotCommand, Confinement};
use crate::spawn::error::{SandboxError, SpawnError, Unavailable};
use crate::spawn::host::Host;
use crate::spawn::linux::report::{LaunchError, Step};
use crate::spawn::linux::{mounts, try_out};
use crate::sys::landlock::{self, Ruleset};
use crate::sys::raw::landlock_version;
use terms::limits::Resources;

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
        let is_limited = self.is_namespace() && mounts::are_limited_in_namespaces();
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
            Step::Clone if why.kind() == io::ErrorKind::StorageFull => {
                format!(
                    "the host makes no more namespaces (/proc/sys/user has their limits): {why}"
                )
            }
            Step::Clone if self.confinement.method.is_namespace() => {
                format!("the system refuses the namespace: {why}")
            }
            Step::Users => format!("a user namespace gives no rights here: {why}"),
            Step::Mounts if self.confinement.sandbox.is_none() => {
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
