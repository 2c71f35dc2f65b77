//! What this host does not offer.

use std::io;
use std::path::PathBuf;

use crate::confine::method::ContainmentMethod;
use terms::fault::{AtFault, Attributed};

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

/// Why a sandbox is impossible.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The host can start no bot in a sandbox, by either method.
    #[error(
        "a sandbox cannot be enforced here: by the method namespace: {namespace}; by the method seccomp: {seccomp}"
    )]
    Refused {
        /// Why the method `namespace` has none.
        namespace: String,
        /// Why the method `seccomp` has none.
        seccomp: String,
    },
    /// Only Linux has what it takes.
    #[error(
        "a sandbox needs Linux: use WSL 2 on Windows, and a virtual machine or a container with Linux elsewhere"
    )]
    NotLinux,
    /// A path that the bot is to read is missing.
    #[error("the sandbox cannot show {}", path.display())]
    Unreadable {
        /// The missing path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}
