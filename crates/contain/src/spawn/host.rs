//! What a program that starts bots does to its own process, how all of it is undone, and the methods that keep a bot's processes
//! together, so that none outlives its game.
//!
//! | method | how | needs |
//! |---|---|---|
//! | namespace | a pid namespace, whose init is the bot's keeper: when the keeper dies, the kernel kills the rest; with its own user and mount namespaces and its own `/proc` | user namespaces |
//! | seccomp | no process can leave the bot's process group; the keeper kills the group and adopts the orphans | seccomp filters |
//! | plain | the referee kills the program's process group; what leaves the group outlives the game | nothing |
//!
//! Each is stronger, or at least quicker, than those below it. The host is probed once.

use std::io;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::confine::ContainmentMethod;
use crate::scratch;
use crate::spawn::error::Unavailable;
use crate::spawn::{check_proc, end_launcher, home_of_groups, remove_groups, start_launcher};

/// Keeps what the bots of this program share: the launcher that starts them, their control groups, a thread that removes
/// what they leave. When the last host is dropped, all of that is gone.
///
/// Every bot holds one, so a program need not. A program that starts one bot after the other should: otherwise each bot
/// has a launcher of its own, which costs a fork of the program, and where there are control groups, the search for
/// them.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let _host = contain::bot::Host::start()?;
/// // Bots, on any thread.
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Host {
    /// The process that it belongs to. A fork of it has neither the threads nor the children.
    process: u32,
}

/// The number of hosts; locked while what they share is undone.
static HOSTS: Mutex<usize> = Mutex::new(0);

fn hosts() -> MutexGuard<'static, usize> {
    HOSTS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    /// Starts the process that starts all bots of this program; without this, the first bot's start does.
    ///
    /// A program should call this before it starts a thread, changes its limits or reads what no bot should know: the
    /// launcher is a copy of the program at this moment, and bots inherit its limits, priority and control group.
    ///
    /// # Errors
    /// When the system refuses another process or a socket.
    pub fn start() -> io::Result<Self> {
        let host = Self::hold();
        start_launcher()?;
        Ok(host)
    }

    /// Keeps the launcher and the control groups from being removed, if there are any; starts nothing.
    pub fn hold() -> Self {
        *hosts() += 1;
        Self { process: process::id() }
    }
}

impl Clone for Host {
    fn clone(&self) -> Self {
        Self::hold()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let mut hosts = hosts();
        *hosts -= 1;
        if *hosts == 0 && self.process == process::id() {
            remove_groups();
            end_launcher();
            scratch::end();
        }
    }
}

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
    home_of_groups().map(drop).map_err(Unavailable::ControlGroups)
}

impl ContainmentMethod {
    /// Checks whether this host offers this method.
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn check(self) -> Result<(), Unavailable> {
        self.check_with(false)
    }

    /// Checks whether this host offers this method with a sandbox.
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn check_sandbox(self) -> Result<(), Unavailable> {
        self.check_with(true)
    }

    fn check_with(self, sandbox: bool) -> Result<(), Unavailable> {
        self.try_out(sandbox).map_err(|why| Unavailable::Method { method: self, why })
    }

    /// Whether a bot's limits on memory and processes are the kernel's, in a control group; otherwise the referee watches them.
    pub fn uses_cgroups(self) -> bool {
        self != Self::Plain && check_cgroups().is_ok()
    }
}

impl Containment {
    /// Resolves to a method for a bot without a sandbox; the host is probed once.
    ///
    /// # Errors
    /// When the host does not offer the method, or `/proc` belongs to another pid namespace.
    pub fn method(self) -> Result<ContainmentMethod, Unavailable> {
        self.method_with(false)
    }

    /// Resolves to a method for a bot with a sandbox or without; the host is probed once.
    ///
    /// # Errors
    /// As [`method`](Self::method).
    pub fn method_with(self, sandbox: bool) -> Result<ContainmentMethod, Unavailable> {
        check_proc()?;
        let asked = match self {
            Self::Auto => {
                let mut all = ContainmentMethod::ALL.into_iter();
                all.find(|&it| is_available(it, sandbox)).unwrap_or(ContainmentMethod::Plain)
            }
            Self::Namespace => ContainmentMethod::Namespace,
            Self::Seccomp => ContainmentMethod::Seccomp,
            Self::Plain => ContainmentMethod::Plain,
        };
        asked.check_with(sandbox).map(|()| asked)
    }
}

fn is_available(method: ContainmentMethod, sandbox: bool) -> bool {
    let checked = method.check_with(sandbox);
    if let Err(error) = &checked {
        log::debug!("{error}");
    }
    checked.is_ok()
}
