//! A bot's command line.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::error::SpawnError;
use super::groups::group::Cgroup;
use super::handle::Kept;
use super::launch::launch;
use super::plain::{self, Plain};
use super::plan::Launch;
use super::report::{LaunchError, Step};
use super::running::{Running, Started};
use super::users::has_nobody;
use crate::confine::filter;
use crate::confine::limits::{Privileges, kernel_limits};
use crate::confine::method::ContainmentMethod;
use crate::confine::pinning::Pinning;
use crate::confine::sandbox::{Needs, Sandbox};
use crate::confine::tree::{self, Tree};
use crate::scratch::folder::Scratch;
use crate::sys::raw::Strings;
use terms::limits::Resources;

/// A bot's program, working directory and environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotCommand {
    /// The program: a path, or a name to look up in `PATH`. A relative path starts at `cwd`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The working directory, if it is not the referee's.
    pub cwd: Option<PathBuf>,
    /// Environment variables that are set beside the inherited ones.
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

/// A bot's view of the machine, and its rights there.
struct Enclosure {
    cwd: Option<PathBuf>,
    privileges: Privileges,
    tree: Option<Tree>,
    ruleset: Option<OwnedFd>,
    scratch: Option<Scratch>,
}

/// A started bot with its resources.
pub(crate) struct Spawned {
    pub(crate) started: Started,
    /// The bot's writable folder, if it is in a sandbox and sees the host's files.
    pub(crate) scratch: Option<Scratch>,
    /// The bot's control group.
    pub(crate) cgroup: Option<Cgroup>,
}

impl BotCommand {
    /// Starts the bot with pipes, as the leader of a process group of its own.
    pub(crate) fn spawn(&self) -> Result<Spawned, SpawnError> {
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Err(SpawnError::Cwd(cwd.clone()));
        }
        let program = self.find()?;
        if self.confinement.method == ContainmentMethod::Plain {
            return self.spawn_plain(&program);
        }
        let enclosure = self.enclosure(&program)?;
        let (mut launched, scratch) = self.prepare(&program, enclosure)?;
        let cgroup = self.cgroup()?;
        let born_in =
            |source| SpawnError::Confinement { what: "opening its control group", source };
        launched.cgroup = cgroup.as_ref().map(Cgroup::descriptor).transpose().map_err(born_in)?;
        match launch(&launched) {
            Ok(Kept { keeper, stdin, stdout, stderr }) => {
                let running = Running::Kept(Box::new(keeper));
                let started = Started { running, stdin, stdout, stderr };
                Ok(Spawned { started, scratch, cgroup })
            }
            Err(error) => {
                let _ = cgroup.map(Cgroup::give_back);
                Err(self.explain(&program, error))
            }
        }
    }

    /// Starts the bot as an ordinary child.
    fn spawn_plain(&self, program: &Path) -> Result<Spawned, SpawnError> {
        if self.confinement.sandbox.is_some() {
            let source = io::Error::other("the method plain has none");
            return Err(SpawnError::Confinement { what: "making its sandbox", source });
        }
        let words = [&self.program].into_iter().chain(&self.args);
        words.map(|word| c_string(word)).collect::<Result<Vec<_>, _>>()?;
        let mut plain = Plain::start(&plain::Plan {
            program,
            name: &self.program,
            args: &self.args,
            cwd: self.cwd.as_deref(),
            env: &self.env,
            limits: kernel_limits(&self.confinement.resources),
        })
        .map_err(|error| self.explain(program, error))?;
        let pipes = plain.take_pipes().ok_or_else(|| SpawnError::Resources {
            program: program.to_owned(),
            source: io::ErrorKind::BrokenPipe.into(),
        })?;
        let (stdin, stdout, stderr) = pipes;
        let running = Running::Plain(Box::new(plain));
        let started = Started { running, stdin, stdout, stderr };
        Ok(Spawned { started, scratch: None, cgroup: None })
    }

    fn cgroup(&self) -> Result<Option<Cgroup>, SpawnError> {
        Cgroup::take(&self.confinement.resources)
            .map_err(|source| SpawnError::Confinement { what: "making its control group", source })
    }

    fn prepare(
        &self,
        program: &Path,
        enclosure: Enclosure,
    ) -> Result<(Launch, Option<Scratch>), SpawnError> {
        let Confinement { method, resources, sandbox } = &self.confinement;
        let Enclosure { cwd, privileges, tree, ruleset, scratch } = enclosure;
        let argv = [&self.program].into_iter().chain(&self.args).map(|word| c_string(word));
        let cwd = cwd.as_deref().map(|cwd| c_string(cwd.as_os_str())).transpose()?;
        let temporary = match &scratch {
            Some(scratch) => Some(scratch.path()),
            None => tree.as_ref().map(|_| Path::new(tree::SCRATCH)),
        };
        let launched = Launch {
            argv: Strings::new(&argv.collect::<Result<Vec<_>, _>>()?),
            envp: Strings::new(&self.environment(temporary)?),
            cwd,
            limits: kernel_limits(resources),
            processes: resources.processes,
            privileges,
            tree,
            ruleset,
            filter: filter::program(*method, sandbox.is_some())
                .map_err(|source| SpawnError::Confinement { what: "making its filter", source })?,
            ..Launch::new(c_string(program.as_os_str())?, *method)
        };
        Ok((launched, scratch))
    }

    /// Prepares the bot's view of the machine.
    fn enclosure(&self, program: &Path) -> Result<Enclosure, SpawnError> {
        let Confinement { method, resources, sandbox } = &self.confinement;
        let Some(sandbox) = sandbox else {
            return Ok(Enclosure {
                cwd: self.cwd.clone(),
                privileges: Privileges::All,
                tree: None,
                ruleset: method.ruleset(),
                scratch: None,
            });
        };
        let failed = |source| SpawnError::Confinement { what: "making its sandbox", source };
        let cwd = self.working_folder().map_err(failed)?;
        let path = self.path();
        let needs = self.needs(program, &cwd, &path);
        if method.is_namespace() {
            let tree = sandbox.tree(&needs, resources.memory).map_err(failed)?;
            let privileges = if has_nobody() { Privileges::Nobody } else { Privileges::None };
            let (tree, cwd) = (Some(tree), Some(cwd));
            return Ok(Enclosure { cwd, privileges, tree, ruleset: None, scratch: None });
        }
        let scratch = Scratch::new().map_err(|source| SpawnError::Resources {
            program: self.program.clone().into(),
            source,
        })?;
        let ruleset = sandbox.ruleset(&needs, scratch.path()).map_err(failed)?;
        Ok(Enclosure {
            cwd: self.cwd.clone(),
            privileges: Privileges::ReadAll,
            tree: None,
            ruleset,
            scratch: Some(scratch),
        })
    }

    /// An absolute path.
    fn working_folder(&self) -> io::Result<PathBuf> {
        let here = env::current_dir()?;
        Ok(self.cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd)))
    }

    fn needs<'a>(&'a self, program: &'a Path, cwd: &'a Path, path: &'a OsStr) -> Needs<'a> {
        Needs { program, arguments: &self.args, cwd, is_cwd_named: self.cwd.is_some(), path }
    }

    /// Asks about what the bot sees in its sandbox; `None` without a sandbox.
    fn ask_sandbox<T>(&self, ask: impl FnOnce(&Sandbox, &Needs<'_>) -> T) -> Option<T> {
        let sandbox = self.confinement.sandbox.as_ref()?;
        let (cwd, path) = (self.working_folder().ok()?, self.path());
        let program = self.find().unwrap_or_else(|_| self.program.clone().into());
        Some(ask(sandbox, &self.needs(&program, &cwd, &path)))
    }

    /// Whether the bot's sandbox, if it has one, lets it read this file or folder.
    pub fn sees(&self, path: &Path) -> bool {
        let sees = self.ask_sandbox(|sandbox, needs| {
            let Ok(path) = path.canonicalize() else { return false };
            let readable = sandbox.readable_by(needs);
            let mut real = readable.iter().filter_map(|readable| readable.canonicalize().ok());
            real.any(|real| path.starts_with(real))
        });
        sees.unwrap_or(true)
    }

    /// The folders that its words name and its sandbox does not show as a whole.
    pub fn withheld(&self) -> Vec<PathBuf> {
        self.ask_sandbox(Sandbox::withheld_from).unwrap_or_default()
    }

    /// The referee's environment with the bot's own variables, as `NAME=VALUE`.
    fn environment(&self, temporary: Option<&Path>) -> Result<Vec<CString>, SpawnError> {
        let mut all: BTreeMap<OsString, OsString> = env::vars_os().collect();
        if let Some(folder) = temporary {
            all.extend(["TMPDIR", "TMP", "TEMP"].map(|name| (name.into(), folder.into())));
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

    fn runs_as_nobody(&self) -> bool {
        let Confinement { method, sandbox, .. } = &self.confinement;
        sandbox.is_some() && method.is_namespace() && has_nobody()
    }

    fn is_path(&self) -> bool {
        self.program.as_encoded_bytes().contains(&b'/')
    }

    /// The bot's `PATH`.
    fn path(&self) -> OsString {
        let own = self.env.get(OsStr::new("PATH")).cloned();
        own.or_else(|| env::var_os("PATH")).unwrap_or_else(|| "/bin:/usr/bin".into())
    }

    /// The program's file. A relative path becomes absolute, so that a change of the working directory does not
    /// matter; a name is looked up in the bot's `PATH`.
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
                || SpawnError::not_in_path(program),
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
            Step::Users => SpawnError::Confinement { what: "making its namespace", source: error },
            Step::Mounts => SpawnError::Confinement { what: "mounting its files", source: error },
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
            Some(Errno::ACCESS) if self.runs_as_nobody() => SpawnError::NotForNobody(file),
            Some(Errno::NOEXEC) if begins_with_mark(path) => SpawnError::ByteOrderMark(file),
            Some(Errno::NOEXEC) => SpawnError::NoProgram(file),
            Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN) => {
                SpawnError::Resources { program: file, source: error }
            }
            _ => SpawnError::Refused { program: file, source: error },
        }
    }
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

/// Whether a file begins with a byte order mark (U+FEFF), as some editors write it.
fn begins_with_mark(file: &Path) -> bool {
    let mut first = [0; 3];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first == "\u{feff}".as_bytes()
}

fn c_string(word: &OsStr) -> Result<CString, SpawnError> {
    let nul = |error: std::ffi::NulError| SpawnError::Nul(OsString::from_vec(error.into_vec()));
    CString::new(word.as_bytes()).map_err(nul)
}
