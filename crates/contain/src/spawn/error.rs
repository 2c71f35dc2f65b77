//! Why a bot may not start, and what this host does not offer.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::confine::ContainmentMethod;
use terms::fault::{AtFault, Attributed};

/// A start that the system refused.
#[derive(Debug)]
pub(crate) enum StartFailure {
    /// The program cannot be executed.
    Exec(io::Error),
    /// Its processes cannot be watched: its end, or on Windows its job.
    Watch(io::Error),
}

/// Why a bot cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The working directory is missing or not a directory.
    #[error("cannot start the bot in {}: it is not a directory", .0.display())]
    Cwd(PathBuf),
    /// `PATH` holds no such program.
    #[error(
        "cannot start the bot: no program `{name}` in PATH (for a file in the current directory write `./{name}`)",
        name = .0.display()
    )]
    NotInPath(PathBuf),
    /// The file does not exist.
    #[error("cannot start the bot: no such file: {}", .0.display())]
    NoSuchFile(PathBuf),
    /// The file's interpreter is missing.
    #[error(
        "cannot start the bot: {} needs an interpreter that does not exist; see its first line, which must not end in \
         CR LF (or the loader that a binary names)",
        .0.display()
    )]
    NoInterpreter(PathBuf),
    /// The program is a folder.
    #[error("cannot start the bot: {} is a directory", .0.display())]
    Directory(PathBuf),
    /// The file is not executable.
    #[error("cannot start the bot: {file} is not executable (try `chmod +x {file}`)", file = .0.display())]
    NotExecutable(PathBuf),
    /// The file is neither a binary for this machine nor a script with a `#!` line.
    #[error(
        "cannot start the bot: {} is not a program for this machine (does a script lack its `#!` line?)",
        .0.display()
    )]
    NoProgram(PathBuf),
    /// A byte order mark stands before the `#!` line of the script.
    #[error(
        "cannot start the bot: {file} begins with a byte order mark (U+FEFF), which must not stand before `#!`; \
         `sed -i '1s/^\\xef\\xbb\\xbf//' {file}` removes it",
        file = .0.display()
    )]
    ByteOrderMark(PathBuf),
    /// A script, which Windows starts only through its interpreter.
    #[error("cannot start the bot: {file} cannot be executed here; name what runs it first, such as `{runs} {file}`", file = file.display())]
    Script {
        /// The script.
        file: PathBuf,
        /// The program that runs such scripts.
        runs: &'static str,
    },
    /// A word contains a NUL, which cannot be passed to a program.
    #[error("cannot start the bot: {:?} holds a NUL character", .0.to_string_lossy())]
    Nul(OsString),
    /// The system refuses the requested confinement.
    #[error("cannot start the bot: {what} failed")]
    Confinement {
        /// What was tried.
        what: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The system refuses for another reason.
    #[error("cannot start the bot `{}`{}", program.display(), after_colon(why))]
    Refused {
        /// What should have been started.
        program: PathBuf,
        /// What is known of the reason, as a phrase; empty if nothing is.
        why: String,
        /// The system's error.
        source: io::Error,
    },
    /// The referee itself is short of descriptors, memory, processes or namespaces.
    #[error("cannot start the bot `{}`: {why}", program.display())]
    Resources {
        /// What should have been started.
        program: PathBuf,
        /// What is short, and the remedy.
        why: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

fn after_colon(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

impl SpawnError {
    /// The error for a process, or a part of one, that the system does not make.
    pub(crate) fn resources(program: impl Into<PathBuf>, source: io::Error) -> Self {
        let why = match source.kind() {
            // clone(2) has no other use for ENOSPC.
            io::ErrorKind::StorageFull => {
                "the host makes no more namespaces; raise their limits (/proc/sys/user), or play by the method seccomp"
            }
            io::ErrorKind::WouldBlock => {
                "the host starts no more processes; raise their limit (`ulimit -u`, or `pids.max` of a control group), or \
                 play fewer games at a time"
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported => {
                "the system refuses it a process"
            }
            _ => "the referee is short of resources",
        };
        Self::Resources { program: program.into(), why, source }
    }

    /// The error for a name without a slash that names no program.
    pub fn not_in_path(name: &Path) -> Self {
        match name.to_str() {
            Some("." | "..") => Self::Directory(name.to_owned()),
            _ => Self::NotInPath(name.to_owned()),
        }
    }
}

impl Attributed for SpawnError {
    fn at_fault(&self) -> AtFault {
        if matches!(self, Self::Resources { .. }) { AtFault::Host } else { AtFault::User }
    }
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
