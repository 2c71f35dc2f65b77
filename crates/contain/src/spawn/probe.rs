//! The methods that keep a bot's processes together, so that none outlives its game.
//!
//! | method | how | needs |
//! |---|---|---|
//! | namespace | a pid namespace, whose init is the bot's keeper: when the keeper dies, the kernel kills the rest; with its own user and mount namespaces and its own `/proc` | user namespaces |
//! | seccomp | no process can leave the bot's process group; the keeper kills the group and adopts the orphans | seccomp filters |
//! | plain | the referee kills the program's process group; what leaves the group outlives the game | nothing |
//!
//! Each is stronger, or at least quicker, than those below it. The host is probed once.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Once, OnceLock};

use rustix::process::geteuid;

use super::groups::group;
use super::host::Host;
use super::launch::{try_namespace, try_tree};
use super::numbers;
use super::report::{LaunchError, Step};
use crate::confine::method::ContainmentMethod;
use crate::confine::sandbox::{NEEDED, SYSTEM, Sandbox};
use crate::confine::{filter, tree};
use crate::sys::landlock::{self, Ruleset};
use crate::sys::raw::landlock_version;
use terms::fault::{AtFault, Attributed};

/// The user's choice of a containment method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Containment {
    /// The first of the methods below that this host allows.
    #[default]
    Auto,
    /// A pid namespace: the kernel kills every process in it.
    Namespace,
    /// No process can leave the bot's process group, which is killed.
    Seccomp,
    /// An ordinary child, whose process group is killed.
    Plain,
    /// Another spelling of [`Plain`](Self::Plain), which a warning replaces in the next version.
    Group,
}

/// A method that this host does not offer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// Something that this method needs is missing.
    #[error("containment by the method {}: {why}", method.name())]
    Method {
        /// The requested method.
        method: ContainmentMethod,
        /// The reason, as a phrase.
        why: String,
    },
    /// Control groups cannot be made.
    #[error("control groups: {0}")]
    ControlGroups(String),
    /// A bot's usage cannot be read from `/proc`.
    #[error("no bot can be watched here: {0}; mount /proc with `mount -t proc proc /proc`")]
    Proc(String),
}

impl Attributed for Unavailable {
    fn at_fault(&self) -> AtFault {
        AtFault::User
    }
}

impl Unavailable {
    /// The reason, as a phrase.
    pub fn why(&self) -> &str {
        match self {
            Self::Method { why, .. } | Self::ControlGroups(why) | Self::Proc(why) => why,
        }
    }
}

impl Host {
    /// The methods that keep a program's processes together, from the strongest to the weakest, and why this host does not
    /// offer one.
    pub fn methods(&self) -> [(ContainmentMethod, Result<(), Unavailable>); 3] {
        ContainmentMethod::ALL.map(|method| (method, method.check()))
    }
}

/// Checks whether this host offers control groups, by probing.
///
/// # Errors
/// The reason why it does not.
pub fn check_cgroups() -> Result<(), Unavailable> {
    let _host = Host::hold();
    group::home().map(drop).map_err(Unavailable::ControlGroups)
}

impl ContainmentMethod {
    /// Checks whether this host offers this method.
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn check(self) -> Result<(), Unavailable> {
        self.try_out().map_err(|why| Unavailable::Method { method: self, why })
    }

    fn try_out(self) -> Result<(), String> {
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

    /// Whether a bot's limits on memory and processes are the kernel's, in a control group; otherwise the referee watches them.
    pub fn uses_cgroups(self) -> bool {
        self != Self::Plain && check_cgroups().is_ok()
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

impl Containment {
    /// Resolves to a method; the host is probed once.
    ///
    /// # Errors
    /// When the host does not offer the method, or `/proc` belongs to another pid namespace.
    pub fn method(self) -> Result<ContainmentMethod, Unavailable> {
        static STRONGEST: OnceLock<ContainmentMethod> = OnceLock::new();
        check_proc()?;
        let asked = match self {
            Self::Auto => {
                let strongest = || {
                    let mut all = ContainmentMethod::ALL.into_iter();
                    all.find(|&method| is_available(method)).unwrap_or(ContainmentMethod::Plain)
                };
                return Ok(*STRONGEST.get_or_init(strongest));
            }
            Self::Namespace => ContainmentMethod::Namespace,
            Self::Seccomp => ContainmentMethod::Seccomp,
            Self::Plain => ContainmentMethod::Plain,
            Self::Group => {
                static WARNED: Once = Once::new();
                WARNED.call_once(|| {
                    log::warn!("the containment method `group` is now `plain`; write that instead");
                });
                ContainmentMethod::Plain
            }
        };
        asked.check().map(|()| asked)
    }
}

fn is_available(method: ContainmentMethod) -> bool {
    let checked = method.check();
    if let Err(error) = &checked {
        log::debug!("{error}");
    }
    checked.is_ok()
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

/// Why a sandbox is impossible.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The host allows neither a namespace with its own file system, nor Landlock.
    #[error(
        "a sandbox cannot be enforced here: it needs a namespace ({namespace}) or Landlock of version {NEEDED} (Linux 6.2, \
         and `landlock` among the security modules; the kernel has {})",
        if *landlock == 0 { "none".to_owned() } else { format!("version {landlock}") }
    )]
    NoFiles {
        /// Why a namespace is impossible.
        namespace: String,
        /// The version of Landlock; 0 without Landlock.
        landlock: u32,
    },
    /// The kernel takes no filters.
    #[error(
        "a sandbox cannot be enforced here: the kernel has no seccomp filters, or not for this processor"
    )]
    NoSeccomp,
    /// A path that the bot is to read is missing.
    #[error("the sandbox cannot show {}", path.display())]
    Unreadable {
        /// The missing path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
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
