//! The means that keep a bot's processes together, so that none outlives its game.
//!
//! | means | how | what it takes |
//! |---|---|---|
//! | namespace | a pid namespace, whose init is the bot's keeper: when that dies, the kernel kills the rest | privilege, or user namespaces for everyone |
//! | seccomp | no process can leave the bot's process group; the keeper kills the group and adopts what is left | seccomp filters |
//! | reaper | the keeper adopts what the bot orphans, and kills its children until there are none | /proc with lists of children |
//! | group | the keeper kills the bot's process group, and names what has left it | nothing |
//!
//! Each is stronger, or at least quicker, than those below it. What a host allows is tried once.

use std::io;
use std::sync::OnceLock;

use landlock::{CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

use super::launch::{LaunchError, Step, takes_filters, try_namespace};

/// Which means are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Containment {
    /// The first of the others that this host allows
    #[default]
    Auto,
    /// A pid namespace: the kernel kills all that is in it
    Namespace,
    /// No process can leave the bot's process group, which is killed
    Seccomp,
    /// Orphans are adopted, and killed one by one
    Reaper,
    /// Only the bot's process group is killed; what leaves it is named
    Group,
}

/// The means that hold a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// A pid namespace, made with privilege.
    PidNamespace,
    /// A pid namespace in a user namespace, which nobody needs a privilege for.
    UserNamespace,
    /// A filter that keeps every process in its group.
    Seccomp,
    /// A keeper that adopts orphans.
    Reaper,
    /// The process group alone.
    Group,
}

/// Means that this host does not offer.
#[derive(Debug, thiserror::Error)]
#[error("--containment {}: {why}; `referee doctor` tells what there is", means.name())]
pub struct Unavailable {
    means: Means,
    why: String,
}

impl Means {
    /// From the strongest to the weakest.
    pub const ALL: [Self; 5] =
        [Self::PidNamespace, Self::UserNamespace, Self::Seccomp, Self::Reaper, Self::Group];

    /// The name that `--containment` takes and a log states.
    pub fn name(self) -> &'static str {
        match self {
            Self::PidNamespace | Self::UserNamespace => "namespace",
            Self::Seccomp => "seccomp",
            Self::Reaper => "reaper",
            Self::Group => "group",
        }
    }

    pub(super) fn is_namespace(self) -> bool {
        matches!(self, Self::PidNamespace | Self::UserNamespace)
    }

    /// Whether the keeper lives in the referee's memory rather than in a copy. It needs rustix to call
    /// the kernel past libc, which that does on processors that it knows.
    pub(super) fn shares_memory(self) -> bool {
        self == Self::Group && cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
    }

    pub(super) fn clone_flags(self) -> i32 {
        match self {
            Self::PidNamespace => libc::CLONE_NEWPID,
            Self::UserNamespace => libc::CLONE_NEWPID | libc::CLONE_NEWUSER,
            Self::Group if self.shares_memory() => libc::CLONE_VM,
            Self::Seccomp | Self::Reaper | Self::Group => 0,
        }
    }

    /// Why this host does not offer these means, if it does not.
    ///
    /// # Errors
    /// The reason, as a phrase.
    pub fn check(self) -> Result<(), String> {
        match self {
            Self::PidNamespace | Self::UserNamespace => {
                try_namespace(self).map_err(|error| refusal(&error))
            }
            Self::Seccomp => has_seccomp().then_some(()).ok_or_else(|| {
                "the kernel has no seccomp filters, or not for this processor".to_owned()
            }),
            Self::Reaper => match std::fs::read("/proc/thread-self/children") {
                Ok(_) => Ok(()),
                Err(error) => Err(format!("cannot read /proc/thread-self/children: {error}")),
            },
            Self::Group => Ok(()),
        }
    }

    /// The rules about signals that a bot gets where a namespace does not hide the referee from it;
    /// none where the kernel lacks them (Linux 6.12).
    pub(super) fn ruleset(self) -> Option<std::os::fd::OwnedFd> {
        if self.is_namespace() {
            return None;
        }
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
        ruleset.scope(Scope::Signal).ok()?.create().ok()?.into()
    }

    /// The system calls that a bot must do without, and get `EPERM` from.
    pub(super) fn forbidden_calls(self) -> &'static [i64] {
        match self {
            Self::Seccomp => &[libc::SYS_setsid, libc::SYS_setpgid],
            _ => &[],
        }
    }
}

/// Setting the limits of another process, which needs no more than the same user: a limit on its CPU
/// time kills the referee as surely as a signal.
pub(super) fn limits_of_others() -> io::Result<(i64, Vec<SeccompRule>)> {
    let given = |argument, length| SeccompCondition::new(argument, length, SeccompCmpOp::Ne, 0);
    let another = given(0, SeccompCmpArgLen::Dword).map_err(io::Error::other)?;
    let new_limit = given(2, SeccompCmpArgLen::Qword).map_err(io::Error::other)?;
    let rule = SeccompRule::new(vec![another, new_limit]).map_err(io::Error::other)?;
    Ok((libc::SYS_prlimit64, vec![rule]))
}

fn refusal(error: &LaunchError) -> String {
    match error.step {
        Step::Users => format!("a user namespace gives no rights here: {}", error.error),
        _ => format!("the system refuses the namespace: {}", error.error),
    }
}

impl Containment {
    /// The means that this comes to on this host. What there is, is tried once.
    ///
    /// # Errors
    /// When the host does not offer what is asked for.
    pub fn means(self) -> Result<Means, Unavailable> {
        static STRONGEST: OnceLock<Means> = OnceLock::new();
        let asked = match self {
            Self::Auto => {
                let strongest = || first_of(&Means::ALL).unwrap_or(Means::Group);
                return Ok(*STRONGEST.get_or_init(strongest));
            }
            Self::Namespace => &[Means::PidNamespace, Means::UserNamespace][..],
            Self::Seccomp => &[Means::Seccomp],
            Self::Reaper => &[Means::Reaper],
            Self::Group => &[Means::Group],
        };
        first_of(asked)
    }
}

/// The first of some means that works, or why the last one does not.
fn first_of(asked: &[Means]) -> Result<Means, Unavailable> {
    let mut refused = None;
    for &means in asked {
        match means.check() {
            Ok(()) => return Ok(means),
            Err(why) => {
                log::debug!("containment {means:?}: {why}");
                refused = Some(Unavailable { means, why });
            }
        }
    }
    Err(refused.expect("something was asked for"))
}

/// A seccomp program that answers calls with `EPERM`, and one that the second list names only when
/// their rules match. Empty if there is nothing to forbid.
///
/// # Errors
/// When there is no seccomp for this processor.
pub(super) fn filter(calls: &[i64], rules: Vec<(i64, Vec<SeccompRule>)>) -> io::Result<BpfProgram> {
    if calls.is_empty() && rules.is_empty() {
        return Ok(BpfProgram::new());
    }
    let calls = calls.iter().map(|&call| (call, Vec::new())).chain(rules).collect();
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let processor = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, refuse, processor);
    let filter: BpfProgram = filter.and_then(TryInto::try_into).map_err(io::Error::other)?;
    Ok(NO_SECOND_NUMBERS.into_iter().chain(filter).collect())
}

/// Answers a call by its x32 number with `EPERM`: some kernels know every call by a second number,
/// which differs from the one that a filter names by this bit.
const NO_SECOND_NUMBERS: [sock_filter; 3] = {
    const X32: u32 = 0x4000_0000;
    // Load the call's number; unless it has the bit, jump over the answer.
    [
        sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 },
        sock_filter { code: 0x35, jt: 0, jf: 1, k: X32 },
        sock_filter {
            code: 0x06,
            jt: 0,
            jf: 0,
            k: libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned(),
        },
    ]
};

/// Whether the kernel takes filters, and this crate knows how to make them for the processor.
pub(super) fn has_seccomp() -> bool {
    takes_filters() && filter(&[libc::SYS_setsid], Vec::new()).is_ok()
}
