//! Everything about a program's process that is decided before it starts.

use std::ffi::{CString, c_int};
use std::os::fd::OwnedFd;

use seccompiler::BpfProgram;

use crate::confine::limits::KernelLimit;
use crate::confine::method::ContainmentMethod;
use crate::confine::privileges::Privileges;
use crate::confine::tree::Tree;
use crate::sys::raw::Strings;

/// The user, and group, that owns no files.
pub(crate) const NOBODY: u32 = 65534;

/// Everything about a bot's process that is decided before it starts.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) program: CString,
    pub(crate) argv: Strings,
    pub(crate) envp: Strings,
    pub(crate) cwd: Option<CString>,
    pub(crate) method: ContainmentMethod,
    pub(crate) limits: Vec<KernelLimit>,
    /// How many processes it may have at one time.
    pub(crate) processes: Option<u64>,
    pub(crate) privileges: Privileges,
    /// The bot's own file system, if it does not see the host's; only in a namespace.
    pub(crate) tree: Option<Tree>,
    /// Seccomp programs.
    pub(crate) filters: Vec<BpfProgram>,
    /// A Landlock ruleset.
    pub(crate) ruleset: Option<OwnedFd>,
    /// The control group to start in.
    pub(crate) cgroup: Option<OwnedFd>,
}

impl Launch {
    /// A launch of `program`, with nothing decided yet.
    pub(crate) fn new(program: CString, method: ContainmentMethod) -> Self {
        Self {
            program,
            argv: Strings::default(),
            envp: Strings::default(),
            cwd: None,
            method,
            limits: Vec::new(),
            processes: None,
            privileges: Privileges::All,
            tree: None,
            filters: Vec::new(),
            ruleset: None,
            cgroup: None,
        }
    }

    /// The namespaces of its keeper, as flags of clone(2).
    pub(crate) fn namespaces(&self) -> c_int {
        const ALL: c_int =
            libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
        match (self.method.is_namespace(), &self.tree) {
            (false, _) => 0,
            (true, None) => ALL,
            // A sandbox shows nothing of the host's network.
            (true, Some(_)) => ALL | libc::CLONE_NEWNET,
        }
    }
}
