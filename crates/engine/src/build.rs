//! Builds a bot with the command that its project names.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use terms::system::shell;

use crate::program;

/// The time between reminders that a build is still running.
const NOTICE: Duration = Duration::from_secs(10);

/// Why a bot was not built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The shell cannot be started.
    #[error("cannot build the bot `{bot}` in {}", folder.display())]
    Shell {
        /// The bot's name.
        bot: String,
        /// The folder of the build.
        folder: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The command failed.
    #[error("cannot build the bot `{bot}`: `{command}` ended with {status}\n{output}")]
    Failed {
        /// The bot's name.
        bot: String,
        /// The `build` command of the bot's table.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to standard output and standard error.
        output: String,
    },
}

/// Runs `command` in a shell in `folder`, and calls `notify` first, and now and then while it is still running.
///
/// # Errors
/// When the shell cannot be started, or the command fails.
pub fn build(
    bot: &str,
    command: &str,
    folder: &Path,
    notify: impl FnMut(),
) -> Result<(), BuildError> {
    let run = run(command, folder, notify);
    let (status, output) = run.map_err(|source| BuildError::Shell {
        bot: bot.to_owned(),
        folder: folder.to_owned(),
        source,
    })?;
    if status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&output).trim_end().to_owned();
    let (bot, command) = (bot.to_owned(), command.to_owned());
    Err(BuildError::Failed { bot, command, status, output })
}

/// Runs the command; returns its exit status and the output of both streams.
fn run(
    command: &str,
    folder: &Path,
    mut notify: impl FnMut(),
) -> io::Result<(ExitStatus, Vec<u8>)> {
    notify();
    let output = tempfile::tempfile()?;
    let mut shell = shell(command);
    shell.current_dir(folder).stdin(Stdio::null());
    shell.stdout(output.try_clone()?).stderr(output.try_clone()?);
    let status = program::run(&mut shell, NOTICE, |_| notify())?;
    Ok((status, program::content(output)?))
}
