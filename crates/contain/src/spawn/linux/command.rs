//! Starts a bot beneath a keeper, as its command wants it confined.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::process::Resource as KernelResource;

use crate::scratch::Scratch;
use crate::spawn::command::{BotCommand, Confinement, Spawned};
use crate::spawn::error::SpawnError;
use crate::spawn::kernel_limits;
use crate::spawn::linux::filter::Privileges;
use crate::spawn::linux::groups::Cgroup;
use crate::spawn::linux::launcher::has_nobody;
use crate::spawn::linux::order::{Launch, NOBODY};
use crate::spawn::linux::report::{LaunchError, StartStep};
use crate::spawn::linux::sandbox::Needs;
use crate::spawn::linux::tree::FileTree;
use crate::spawn::linux::{filter, launch, tree};
use crate::spawn::running::KernelLimits;
use crate::sys::raw::Strings;
use terms::system::is_executable;

/// The maximum of timers and queued signals of a sandboxed bot. They count for its user, in each user namespace separately, and
/// the user has many more; runtimes use a few.
const SANDBOX_SIGNALS: u64 = 1024;

/// A bot's view of the machine, and its rights there.
pub(super) struct Enclosure {
    cwd: Option<PathBuf>,
    privileges: Privileges,
    tree: Option<FileTree>,
    ruleset: Option<OwnedFd>,
    scratch: Option<Scratch>,
}

impl BotCommand {
    /// Starts the bot beneath a keeper.
    pub(crate) fn spawn_kept(&self, program: &Path) -> Result<Spawned, SpawnError> {
        let enclosure = self.enclosure(program)?;
        let (mut launched, scratch) = self.prepare(program, enclosure)?;
        let cgroup = self.cgroup()?;
        let born_in =
            |source| SpawnError::Confinement { what: "opening its control group", source };
        launched.cgroup = cgroup.as_ref().map(Cgroup::descriptor).transpose().map_err(born_in)?;
        match launch(&launched) {
            Ok((keeper, pipes)) => Ok(Spawned {
                running: Box::new(keeper),
                pipes,
                scratch,
                group: cgroup.map(|group| Box::new(group) as Box<dyn KernelLimits>),
            }),
            Err(error) => {
                if let Some(group) = cgroup {
                    group.keep_for_next();
                }
                Err(self.explain(program, error))
            }
        }
    }

    fn cgroup(&self) -> Result<Option<Cgroup>, SpawnError> {
        Cgroup::take(&self.confinement.resources)
            .map_err(|source| SpawnError::Confinement { what: "making its control group", source })
    }

    pub(super) fn prepare(
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
        // Nobody has none, and may not even look for a file in root's.
        let has_home = scratch.is_none() || privileges != Privileges::Nobody;
        let launched = Launch {
            argv: Strings::new(&argv.collect::<Result<Vec<_>, _>>()?),
            envp: Strings::new(&self.environment(temporary, has_home)?),
            cwd,
            limits: kernel_limits(
                resources,
                sandbox.is_some().then_some((KernelResource::Sigpending, SANDBOX_SIGNALS)),
            ),
            processes: resources.processes,
            privileges,
            tree,
            ruleset,
            filters: filter::programs(*method, sandbox.is_some())
                .map_err(|source| SpawnError::Confinement { what: "making its filter", source })?,
            ..Launch::new(c_string(program.as_os_str())?, *method)
        };
        Ok((launched, scratch))
    }

    /// Prepares the bot's view of the machine.
    pub(super) fn enclosure(&self, program: &Path) -> Result<Enclosure, SpawnError> {
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
        let privileges = if has_nobody() { Privileges::Nobody } else { Privileges::None };
        if method.is_namespace() {
            let tree = sandbox.tree(&needs, resources.memory).map_err(failed)?;
            let (tree, cwd) = (Some(tree), Some(cwd));
            return Ok(Enclosure { cwd, privileges, tree, ruleset: None, scratch: None });
        }
        let scratch = Scratch::new().map_err(|source| SpawnError::Resources {
            program: self.program.clone().into(),
            why: "it gets no scratch folder",
            source,
        })?;
        if privileges == Privileges::Nobody {
            open_to_nobody(scratch.path()).map_err(failed)?;
        }
        let ruleset = sandbox.ruleset(&needs, scratch.path()).map_err(failed)?;
        Ok(Enclosure {
            cwd: self.cwd.clone(),
            privileges,
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

    /// The referee's environment with the bot's own variables, as `NAME=VALUE`.
    fn environment(
        &self,
        temporary: Option<&Path>,
        has_home: bool,
    ) -> Result<Vec<CString>, SpawnError> {
        let mut all: BTreeMap<OsString, OsString> = env::vars_os().collect();
        if let Some(folder) = temporary {
            let names =
                ["TMPDIR", "TMP", "TEMP", "HOME"].into_iter().take(3 + usize::from(!has_home));
            all.extend(names.map(|name| (name.into(), folder.into())));
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
        self.confinement.sandbox.is_some() && has_nobody()
    }

    /// What is known to keep the bot from executing a file, as a phrase.
    pub(crate) fn forbids_execution(&self, file: &Path) -> Option<String> {
        let at = file.display();
        if statvfs(file).is_ok_and(|it| it.f_flag.contains(StatVfsMountFlags::NOEXEC)) {
            return Some(format!(
                "the file system of {at} is mounted noexec; put it on another, or start a script by its interpreter"
            ));
        }
        let closed = file.ancestors().find(|path| is_closed_to_others(path));
        let closed = closed.filter(|_| self.runs_as_nobody())?.display();
        Some(format!(
            "in a sandbox root's bots run as nobody, and the mode of {closed} keeps that user out (`chmod o+rx {closed}`)"
        ))
    }

    /// Whether the bot's user may execute a file, whose folders a namespace shows to everybody.
    pub(crate) fn may_execute(&self, file: &Path) -> bool {
        let needs_all = self.runs_as_nobody() && !self.confinement.method.is_namespace();
        is_executable(file) && !(needs_all && file.ancestors().any(is_closed_to_others))
    }

    fn explain(&self, path: &Path, LaunchError { step, error }: LaunchError) -> SpawnError {
        match step {
            StartStep::Exec => self.explain_exec(path, error),
            StartStep::Pipes | StartStep::Clone | StartStep::Fork => {
                SpawnError::resources(path, error)
            }
            step => SpawnError::Confinement { what: step.what(), source: error },
        }
    }
}

/// Whether others than its owner's may not execute a file, or enter a folder.
fn is_closed_to_others(path: &Path) -> bool {
    path.metadata().map_or(true, |it| it.permissions().mode() & 1 == 0)
}

/// Lets a bot that runs as nobody into its folder, which remains root's to remove.
fn open_to_nobody(folder: &Path) -> io::Result<()> {
    chown(folder, None, Some(NOBODY))?;
    fs::set_permissions(folder, Permissions::from_mode(0o770))
}

fn c_string(word: &OsStr) -> Result<CString, SpawnError> {
    let nul = |error: std::ffi::NulError| SpawnError::Nul(OsString::from_vec(error.into_vec()));
    CString::new(word.as_bytes()).map_err(nul)
}
