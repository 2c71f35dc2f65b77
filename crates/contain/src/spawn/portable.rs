//! Starts programs where there are no keepers: by ordinary children alone.
#![expect(clippy::unused_self, reason = "as on Linux")]

use std::io;
use std::path::{Path, PathBuf};

use crate::confine::{ContainmentMethod, Sandbox};
use crate::spawn::command::{BotCommand, Spawned};
use crate::spawn::error::{SandboxError, SpawnError, Unavailable};
use terms::system::is_executable;

/// What to do without this.
const NEEDS_LINUX: &str =
    "it needs Linux: WSL 2 on Windows, a virtual machine or a container elsewhere";

/// Prepares this process, which starts the bots itself.
#[expect(clippy::unnecessary_wraps, reason = "on Linux it may fail")]
pub(crate) fn start_launcher() -> io::Result<()> {
    #[cfg(windows)]
    crate::sys::prepare_to_start();
    Ok(())
}

/// Nothing is to be ended.
pub(crate) fn end_launcher() {}

/// Why there can be no control groups.
pub(crate) fn home_of_groups() -> Result<PathBuf, String> {
    Err("only Linux has them".to_owned())
}

/// Nothing is to be removed.
pub(crate) fn remove_groups() {}

/// Checks what Linux needs to watch a bot.
///
/// # Errors
/// None here.
pub fn check_proc() -> Result<(), Unavailable> {
    Ok(())
}

impl BotCommand {
    /// Starts no bot: the methods of containment were refused before.
    pub(super) fn spawn_kept(&self, _program: &Path) -> Result<Spawned, SpawnError> {
        let source = io::Error::from(io::ErrorKind::Unsupported);
        Err(SpawnError::Confinement { what: "starting a keeper", source })
    }

    /// Whether the bot's user, who is the referee's, may execute a file.
    pub(super) fn may_execute(&self, file: &Path) -> bool {
        is_executable(file)
    }

    /// What is known to keep the bot from executing a file: nothing.
    #[cfg(unix)]
    pub(super) fn forbids_execution(&self, _file: &Path) -> Option<String> {
        None
    }
}

impl ContainmentMethod {
    /// Whether this system has methods that contain.
    pub const CONTAINS_HERE: bool = false;

    /// Whether the system limits a bot's open files, CPU time and file sizes.
    pub const LIMITS_HERE: bool = cfg!(unix);

    pub(super) fn try_out(self, is_sandboxed: bool) -> Result<(), String> {
        match self {
            Self::Plain if !is_sandboxed => Ok(()),
            _ => Err(NEEDS_LINUX.to_owned()),
        }
    }

    /// Whether nothing keeps a bot from taking all process numbers of this host: Windows has no such limit, and other systems limit
    /// each user.
    pub fn can_exhaust_processes(self) -> bool {
        false
    }

    /// What a bot can still do to this host and the referee, as phrases.
    pub fn exposures(self) -> Vec<&'static str> {
        vec!["do to the referee and to this host whatever this user may do"]
    }
}

impl Sandbox {
    /// Checks that this host can enforce a sandbox.
    ///
    /// # Errors
    /// Always: only Linux can.
    pub fn new(_readable: &[PathBuf]) -> Result<Self, SandboxError> {
        Err(SandboxError::NotLinux)
    }
}
