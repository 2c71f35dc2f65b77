//! A bot's command line, and why it may not start.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What to start, where, and with which environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotCommand {
    /// The program: a path, or a name to be looked up in `PATH`. A relative path starts at `cwd`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The working directory, if it is not the referee's.
    pub cwd: Option<PathBuf>,
    /// Environment variables that are set beside the inherited ones.
    pub env: BTreeMap<OsString, OsString>,
}

/// Why a bot cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The working directory is none.
    #[error("cannot start the bot in {}: it is not a directory", .0.display())]
    Cwd(PathBuf),
    /// There is no such program.
    #[error("cannot start the bot: no program `{name}` in PATH (for a file in the current directory write `./{name}`)", name = .0.display())]
    NotInPath(PathBuf),
    /// There is no such file.
    #[error("cannot start the bot: no such file: {}", .0.display())]
    NoSuchFile(PathBuf),
    /// The file is there, and what its first line names is not.
    #[error("cannot start the bot: {} names an interpreter in its first line that does not exist", .0.display())]
    NoInterpreter(PathBuf),
    /// A folder cannot be run.
    #[error("cannot start the bot: {} is a directory", .0.display())]
    Directory(PathBuf),
    /// The file may not be executed.
    #[error("cannot start the bot: {file} is not executable (try `chmod +x {file}`)", file = .0.display())]
    NotExecutable(PathBuf),
    /// The file is neither a binary for this machine nor a script with a `#!` line.
    #[error("cannot start the bot: {} is no program for this machine (does a script lack its `#!` line?)", .0.display())]
    NoProgram(PathBuf),
    /// The referee itself lacks something.
    #[error("cannot start the bot `{}`", program.display())]
    Io {
        /// What should have been started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SpawnError {
    /// Whether another command would help: the machine is at its limits otherwise.
    pub fn is_users(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }
}

impl BotCommand {
    /// Starts the bot with pipes, as the leader of a process group of its own.
    pub(super) fn spawn(&self) -> Result<Child, SpawnError> {
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Err(SpawnError::Cwd(cwd.clone()));
        }
        let path = self.resolve();
        let mut command = Command::new(&path);
        command
            .arg0(&self.program)
            .args(&self.args)
            .envs(&self.env)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        command.spawn().map_err(|error| self.explain(&path, error))
    }

    fn is_path(&self) -> bool {
        self.program.as_encoded_bytes().contains(&b'/')
    }

    /// The program's path, made independent of when the working directory changes.
    fn resolve(&self) -> PathBuf {
        let program = Path::new(&self.program);
        match &self.cwd {
            Some(cwd) if self.is_path() => {
                // Only a path that cannot be made absolute stays as it is; spawning it then fails.
                std::path::absolute(cwd.join(program)).unwrap_or_else(|_| cwd.join(program))
            }
            _ => program.to_owned(),
        }
    }

    fn explain(&self, path: &Path, error: io::Error) -> SpawnError {
        // From the Linux errno table; std has no `ErrorKind` for it.
        const ENOEXEC: i32 = 8;
        let file = path.to_owned();
        let metadata = path.metadata().ok().filter(|_| self.is_path());
        let is_dir = metadata.as_ref().is_some_and(std::fs::Metadata::is_dir);
        match error.kind() {
            io::ErrorKind::NotFound if metadata.is_some() => SpawnError::NoInterpreter(file),
            io::ErrorKind::NotFound if self.is_path() => SpawnError::NoSuchFile(file),
            io::ErrorKind::NotFound => SpawnError::NotInPath(file),
            io::ErrorKind::PermissionDenied if is_dir => SpawnError::Directory(file),
            io::ErrorKind::PermissionDenied
                if metadata.is_some_and(|data| data.permissions().mode() & 0o111 == 0) =>
            {
                SpawnError::NotExecutable(file)
            }
            _ if error.raw_os_error() == Some(ENOEXEC) => SpawnError::NoProgram(file),
            _ => SpawnError::Io { program: file, source: error },
        }
    }
}
