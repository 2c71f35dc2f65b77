//! Keepers, which only Linux has.
#![expect(clippy::unused_self, reason = "as on Linux")]

use std::io;
use std::path::{Path, PathBuf};

use super::command::{BotCommand, Spawned};
use super::error::SpawnError;
use terms::system::is_executable;

impl BotCommand {
    /// Starts no bot: the methods of containment were refused before.
    pub(super) fn spawn_kept(&self, _program: &Path) -> Result<Spawned, SpawnError> {
        let source = io::Error::from(io::ErrorKind::Unsupported);
        Err(SpawnError::Confinement { what: "starting a keeper", source })
    }

    /// The folders that a sandbox does not show as a whole: none.
    pub fn withheld(&self) -> Vec<PathBuf> {
        Vec::new()
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
