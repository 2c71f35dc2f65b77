//! A bot's command line.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::confine::{ContainmentMethod, Pinning, Sandbox};
use crate::scratch::Scratch;
use crate::spawn::error::{SpawnError, StartFailure};
use crate::spawn::running::{ChildPipes, KernelLimits, RunningProgram};
use terms::limits::Resources;
use terms::system::{is_path, program_file};

/// A bot's program, working directory and environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotCommand {
    /// The program: a path, or a name to look up in `PATH`. A relative path starts at `cwd`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The working directory, if it is not the referee's.
    pub cwd: Option<PathBuf>,
    /// Environment variables that are set besides the inherited ones.
    pub env: BTreeMap<OsString, OsString>,
    /// The cores of its own, if it has any.
    pub pinning: Option<Pinning>,
    /// The limits on what it may do.
    pub confinement: Confinement,
}

/// The confinement of a bot and its children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// The method that keeps its processes together.
    pub method: ContainmentMethod,
    /// Its limits on resources.
    pub resources: Resources,
    /// Its sandbox, if any.
    pub sandbox: Option<Sandbox>,
}

impl BotCommand {
    /// A program, looked up in `PATH` unless it is a path, in the referee's own working directory and
    /// environment.
    pub fn new<A: Into<OsString>>(
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
        confinement: Confinement,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            cwd: None,
            env: BTreeMap::new(),
            pinning: None,
            confinement,
        }
    }
}

/// A started bot with its resources.
pub(crate) struct Spawned {
    pub(crate) running: Box<dyn RunningProgram>,
    pub(crate) pipes: ChildPipes,
    /// The bot's writable folder, if it is in a sandbox and sees the host's files.
    pub(crate) scratch: Option<Scratch>,
    /// The kernel's limits on all of it, in a control group.
    pub(crate) group: Option<Box<dyn KernelLimits>>,
}

impl BotCommand {
    /// Starts the bot with pipes, as the leader of a process group of its own.
    pub(crate) fn spawn(&self) -> Result<Spawned, SpawnError> {
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Err(SpawnError::Cwd(cwd.clone()));
        }
        let program = self.find()?;
        if self.confinement.method != ContainmentMethod::Plain {
            return self.spawn_kept(&program);
        }
        if self.confinement.sandbox.is_some() {
            let source = io::Error::other("the method plain has none");
            return Err(SpawnError::Confinement { what: "making its sandbox", source });
        }
        let mut words = [&self.program].into_iter().chain(&self.args);
        if let Some(word) = words.find(|word| word.as_encoded_bytes().contains(&0)) {
            return Err(SpawnError::Nul(word.clone()));
        }
        match self.start_plain(&program) {
            Ok((running, pipes)) => Ok(Spawned { running, pipes, scratch: None, group: None }),
            Err(StartFailure::Exec(error)) => Err(self.explain_exec(&program, error)),
            Err(StartFailure::Watch(source)) => {
                Err(SpawnError::Confinement { what: "watching its processes", source })
            }
        }
    }

    pub(super) fn is_path(&self) -> bool {
        is_path(&self.program)
    }

    /// The bot's `PATH`.
    pub(super) fn path(&self) -> OsString {
        let own = self.env.get(OsStr::new("PATH")).cloned();
        own.or_else(|| env::var_os("PATH")).unwrap_or_else(|| "/bin:/usr/bin".into())
    }

    /// The program's file. A relative path becomes absolute, so that a change of the working directory does not
    /// matter; a name is looked up in the bot's `PATH`.
    pub(super) fn find(&self) -> Result<PathBuf, SpawnError> {
        let program = Path::new(&self.program);
        if self.is_path() {
            let Some(cwd) = &self.cwd else { return Ok(program_file(program)) };
            // Only a path that cannot be made absolute stays as it is; starting it then fails.
            let path = program_file(&cwd.join(program));
            return Ok(std::path::absolute(&path).unwrap_or(path));
        }
        let candidates: Vec<_> = env::split_paths(&self.path())
            .map(|folder| program_file(&folder.join(program)))
            .filter(|file| file.is_file())
            .collect();
        match candidates.iter().find(|file| self.may_execute(file)) {
            Some(file) => Ok(std::path::absolute(file).unwrap_or_else(|_| file.clone())),
            None => Err(candidates.first().map_or_else(
                || SpawnError::not_in_path(program),
                |file| SpawnError::NotExecutable(file.clone()),
            )),
        }
    }
}
