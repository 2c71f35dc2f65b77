//! A bot's command line, and why it may not start.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::containment::{self, Means};
use super::guard;
use super::launch::{Launch, LaunchError, Started, Step, launch};
use super::pin::Pinning;
use super::sandbox::{self, Sandbox};
use super::scratch::Scratch;
use crate::limits::Resources;

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
    /// What it may do.
    pub confinement: Confinement,
}

/// What a bot and its children may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// What keeps its processes together.
    pub means: Means,
    /// What it may use of the machine.
    pub resources: Resources,
    /// What else it is kept from, if anything.
    pub sandbox: Option<Sandbox>,
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
    /// A word holds a NUL, which no program can be given.
    #[error("cannot start the bot: {:?} holds a NUL character", .0)]
    Nul(OsString),
    /// The system does not let the bot be confined as it should be.
    #[error("cannot start the bot: {what} failed (see `referee doctor`)")]
    Confinement {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
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

/// A bot that was started, and the folder that it may write to if it is in a sandbox.
pub(super) struct Spawned {
    pub(super) started: Started,
    pub(super) scratch: Option<Scratch>,
}

impl BotCommand {
    /// Starts the bot with pipes, as the leader of a process group of its own.
    pub(super) fn spawn(&self) -> Result<Spawned, SpawnError> {
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Err(SpawnError::Cwd(cwd.clone()));
        }
        let program = self.find()?;
        let scratch = self.scratch()?;
        let launched = self.prepare(&program, scratch.as_ref())?;
        if let Some(pinning) = &self.pinning {
            pinning.pin_referee().map_err(not_pinned)?;
        }
        let started = launch(&launched).map_err(|error| self.explain(&program, error))?;
        Ok(Spawned { started, scratch })
    }

    fn prepare(&self, program: &Path, scratch: Option<&Scratch>) -> Result<Launch, SpawnError> {
        let argv = [&self.program].into_iter().chain(&self.args).map(|word| c_string(word));
        let cwd = self.cwd.as_ref().map(|cwd| c_string(cwd.as_os_str())).transpose()?;
        let filters = |source| SpawnError::Confinement { what: "making its filter", source };
        let Confinement { means, resources, sandbox } = &self.confinement;
        let mut calls = means.forbidden_calls().to_vec();
        let mut uses = Vec::new();
        if sandbox.is_some() {
            calls.extend(sandbox::FORBIDDEN.iter().chain(sandbox::FORBIDDEN_OLD));
            uses = sandbox::forbidden_uses().map_err(filters)?;
        }
        if !calls.is_empty() {
            uses.push(containment::limits_of_others().map_err(filters)?);
        }
        Ok(Launch {
            program: c_string(program.as_os_str())?,
            argv: argv.collect::<Result<_, _>>()?,
            envp: self.environment(scratch)?,
            cwd,
            means: *means,
            cores: self.pinning.as_ref().map(Pinning::cores),
            rlimits: guard::rlimits(resources),
            unprivileged: sandbox.is_some(),
            ruleset: self.ruleset(program, scratch)?,
            filter: containment::filter(&calls, uses).map_err(filters)?,
        })
    }

    /// The folder that a bot in a sandbox may write to.
    fn scratch(&self) -> Result<Option<Scratch>, SpawnError> {
        let failed =
            |source| SpawnError::Resources { program: self.program.clone().into(), source };
        let make = |_: &Sandbox| Scratch::new();
        self.confinement.sandbox.as_ref().map(make).transpose().map_err(failed)
    }

    fn ruleset(
        &self,
        program: &Path,
        scratch: Option<&Scratch>,
    ) -> Result<Option<OwnedFd>, SpawnError> {
        let Some(sandbox) = &self.confinement.sandbox else {
            return Ok(self.confinement.means.ruleset());
        };
        let failed = |source| SpawnError::Confinement { what: "making its sandbox", source };
        let cwd = self.cwd.clone().map_or_else(env::current_dir, Ok).map_err(failed)?;
        let scratch = scratch.expect("a bot in a sandbox has one").path();
        sandbox.ruleset(program, &self.args, &cwd, &self.path(), scratch).map_err(failed)
    }

    /// The referee's environment with the bot's own variables, as `NAME=VALUE`.
    fn environment(&self, scratch: Option<&Scratch>) -> Result<Vec<CString>, SpawnError> {
        let mut all: BTreeMap<OsString, OsString> = env::vars_os().collect();
        if let Some(scratch) = scratch {
            all.extend(["TMPDIR", "TMP", "TEMP"].map(|name| (name.into(), scratch.path().into())));
        }
        all.extend(self.env.clone());
        let pair = |(name, value): (OsString, OsString)| {
            let mut pair = name;
            pair.push("=");
            pair.push(value);
            c_string(&pair)
        };
        all.into_iter().map(pair).collect()
    }

    fn is_path(&self) -> bool {
        self.program.as_encoded_bytes().contains(&b'/')
    }

    /// The `PATH` that the bot gets.
    fn path(&self) -> OsString {
        let own = self.env.get(OsStr::new("PATH")).cloned();
        own.or_else(|| env::var_os("PATH")).unwrap_or_else(|| "/bin:/usr/bin".into())
    }

    /// The program's file. A relative path is made independent of when the working directory changes;
    /// a name is looked up in the `PATH` that the bot gets.
    fn find(&self) -> Result<PathBuf, SpawnError> {
        let program = Path::new(&self.program);
        if self.is_path() {
            let Some(cwd) = &self.cwd else { return Ok(program.to_owned()) };
            // Only a path that cannot be made absolute stays as it is; starting it then fails.
            let path = cwd.join(program);
            return Ok(std::path::absolute(&path).unwrap_or(path));
        }
        let candidates: Vec<_> = env::split_paths(&self.path())
            .map(|folder| folder.join(program))
            .filter(|file| file.is_file())
            .collect();
        match candidates.iter().find(|file| is_executable(file)) {
            Some(file) => Ok(std::path::absolute(file).unwrap_or_else(|_| file.clone())),
            None => Err(candidates.first().map_or_else(
                || SpawnError::NotInPath(program.to_owned()),
                |file| SpawnError::NotExecutable(file.clone()),
            )),
        }
    }

    fn explain(&self, path: &Path, LaunchError { step, error }: LaunchError) -> SpawnError {
        match step {
            Step::Exec => self.explain_exec(path, error),
            Step::Directory => SpawnError::Refused { program: path.to_owned(), source: error },
            Step::Pipes | Step::Clone | Step::Fork => {
                SpawnError::Resources { program: path.to_owned(), source: error }
            }
            Step::Cores => not_pinned(error),
            Step::Users => SpawnError::Confinement { what: "making its namespace", source: error },
            Step::Limits => SpawnError::Confinement { what: "setting its limits", source: error },
            Step::Privileges => {
                SpawnError::Confinement { what: "giving up its privileges", source: error }
            }
            Step::Ruleset => {
                SpawnError::Confinement { what: "entering its sandbox", source: error }
            }
            Step::Filter => SpawnError::Confinement { what: "setting its filter", source: error },
        }
    }

    fn explain_exec(&self, path: &Path, error: io::Error) -> SpawnError {
        use rustix::io::Errno;
        let file = path.to_owned();
        let is_dir = path.is_dir();
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT) if path.exists() => SpawnError::NoInterpreter(file),
            Some(Errno::NOENT) if self.is_path() => SpawnError::NoSuchFile(file),
            Some(Errno::NOENT) => SpawnError::NotInPath(file),
            Some(Errno::ACCESS) if is_dir => SpawnError::Directory(file),
            Some(Errno::ACCESS) if path.exists() && !is_executable(path) => {
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

fn not_pinned(source: io::Error) -> SpawnError {
    SpawnError::Confinement { what: "pinning it", source }
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

fn c_string(word: &OsStr) -> Result<CString, SpawnError> {
    let nul = |error: std::ffi::NulError| SpawnError::Nul(OsString::from_vec(error.into_vec()));
    CString::new(word.as_bytes()).map_err(nul)
}
