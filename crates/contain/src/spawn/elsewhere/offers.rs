//! What this host offers for keeping a bot's processes together and away from others: what every system does.

use std::path::PathBuf;

use super::unavailable::{SandboxError, Unavailable};
use crate::confine::method::ContainmentMethod;
use crate::confine::sandbox::Sandbox;

/// What to do without this.
const NEEDS_LINUX: &str =
    "it needs Linux: WSL 2 on Windows, a virtual machine or a container elsewhere";

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

/// Checks what Linux needs to watch a bot.
///
/// # Errors
/// None here.
pub fn check_proc() -> Result<(), Unavailable> {
    Ok(())
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
