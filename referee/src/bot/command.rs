//! A bot's command line, and why it may not start.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::pin::Pinning;

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
    /// The cores that it gets, if they are chosen.
    pub pinning: Option<Pinning>,
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
    /// The file is there, and what should run it is not.
    #[error("cannot start the bot: {} needs an interpreter that does not exist; see its first line, which must not end in CR LF (or the loader that a binary names)", .0.display())]
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
    /// The system refuses for a reason of its own.
    #[error("cannot start the bot `{}`", program.display())]
    Refused {
        /// What should have been started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The referee itself lacks something: descriptors, memory, processes.
    #[error("cannot start the bot `{}`: the referee is short of resources", program.display())]
    Resources {
        /// What should have been started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SpawnError {
    /// Whether another command would help, rather than another machine.
    pub fn is_users(&self) -> bool {
        !matches!(self, Self::Resources { .. })
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
        let spawned = match &self.pinning {
            Some(pinning) => pinning.apply(|| command.spawn()).and_then(|spawned| spawned),
            None => command.spawn(),
        };
        spawned.map_err(|error| self.explain(&path, error))
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
        use rustix::io::Errno;
        let file = path.to_owned();
        let metadata = path.metadata().ok().filter(|_| self.is_path());
        let is_dir = metadata.as_ref().is_some_and(std::fs::Metadata::is_dir);
        let executable = |data: std::fs::Metadata| data.permissions().mode() & 0o111 != 0;
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT) if metadata.is_some() => SpawnError::NoInterpreter(file),
            Some(Errno::NOENT) if self.is_path() => SpawnError::NoSuchFile(file),
            Some(Errno::NOENT) => SpawnError::NotInPath(file),
            Some(Errno::ACCESS) if is_dir => SpawnError::Directory(file),
            Some(Errno::ACCESS) if metadata.is_some_and(|data| !executable(data)) => {
                SpawnError::NotExecutable(file)
            }
            Some(Errno::NOEXEC) => SpawnError::NoProgram(file),
            Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN) => {
                SpawnError::Resources { program: file, source: error }
            }
            _ => SpawnError::Refused { program: file, source: error },
        }
    }
}
