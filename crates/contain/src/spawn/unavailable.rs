//! What this host does not offer.

use std::io;
use std::path::PathBuf;

use crate::confine::method::ContainmentMethod;
use crate::confine::sandbox::NEEDED;
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
    /// Only Linux has what it takes.
    #[error(
        "a sandbox needs Linux: use WSL 2 on Windows, and a virtual machine or a container with Linux elsewhere"
    )]
    NotLinux,
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
