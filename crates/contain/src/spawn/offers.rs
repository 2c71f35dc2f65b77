//! What this host offers for keeping a bot's processes together and away from others.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::process::geteuid;

use super::host::Host;
use super::launch::{try_namespace, try_tree};
use super::numbers;
use super::report::{LaunchError, Step};
use super::unavailable::{SandboxError, Unavailable};
use crate::confine::method::ContainmentMethod;
use crate::confine::sandbox::{NEEDED, SYSTEM, Sandbox};
use crate::confine::{filter, tree};
use crate::sys::landlock::{self, Ruleset};
use crate::sys::raw::landlock_version;

impl ContainmentMethod {
    /// Whether this system has methods that contain.
    pub const CONTAINS_HERE: bool = true;

    /// Whether the system limits a bot's open files, CPU time and file sizes.
    pub const LIMITS_HERE: bool = true;

    pub(super) fn try_out(self) -> Result<(), String> {
        match self {
            Self::Namespace => {
                let _host = Host::hold();
                try_namespace().map_err(|error| refusal(&error))
            }
            Self::Seccomp => filter::has_seccomp().then_some(()).ok_or_else(|| {
                "the kernel has no seccomp filters, or not for this processor".to_owned()
            }),
            Self::Plain => Ok(()),
        }
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
        let is_limited = self.is_namespace() && numbers::are_limited_in_namespaces();
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

fn refusal(error: &LaunchError) -> String {
    match error.step {
        Step::Users => format!("a user namespace gives no rights here: {}", error.error),
        Step::Mounts => format!("a namespace gets no /proc of its own here: {}", error.error),
        _ => format!("the system refuses the namespace: {}", error.error),
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
        if !filter::has_seccomp() {
            return Err(SandboxError::NoSeccomp);
        }
        if let Some(namespace) = why_no_tree()
            && landlock_version() < NEEDED
        {
            let (namespace, landlock) = (namespace.to_owned(), landlock_version());
            return Err(SandboxError::NoFiles { namespace, landlock });
        }
        for path in readable {
            let unreadable = |source| SandboxError::Unreadable { path: path.clone(), source };
            path.canonicalize().map_err(unreadable)?;
        }
        Ok(Self::with_readable(readable))
    }
}

/// Why a bot cannot have its own file system here; `None` if it can. The host is probed once.
fn why_no_tree() -> Option<&'static str> {
    static WHY: OnceLock<Option<String>> = OnceLock::new();
    let trial = || {
        let _host = Host::hold();
        let readable = SYSTEM.map(PathBuf::from).to_vec();
        let tree = tree::build(readable, &[], Path::new("/"), None);
        tree.map_err(|error| error.to_string())
            .and_then(|tree| try_tree(tree).map_err(|error| error.to_string()))
            .err()
    };
    WHY.get_or_init(trial).as_deref()
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
