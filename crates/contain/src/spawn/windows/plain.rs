//! A program as an ordinary child of the referee: its pipes, and its job, whose processes the system kills when the referee ends,
//! whatever ends it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem;
use std::os::windows::io::OwnedHandle;
use std::os::windows::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::Instant;

use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED,
};

use super::ending::Left;
use super::error::StartFailure;
use super::leash::Leash;
use crate::decide::tuning::TUNING;
use crate::sys::pipe::{PipeReader, PipeWriter};
use crate::sys::processes::{self, Group, Job};
use crate::sys::ready::is_ready_within;
use crate::sys::start::{has_console, prepare};
use crate::sys::wait::Waitable;
use terms::limits::Resources;
use terms::verdict::{BotExit, SIGKILL};

/// What is decided before the start.
pub(crate) struct Plan<'a> {
    /// The program's file.
    pub(crate) program: &'a Path,
    /// Its name for itself, which here is the file's name.
    #[expect(dead_code, reason = "other systems take it")]
    pub(crate) name: &'a OsStr,
    /// Its arguments.
    pub(crate) args: &'a [OsString],
    pub(crate) cwd: Option<&'a Path>,
    /// Variables besides the inherited ones.
    pub(crate) env: &'a BTreeMap<OsString, OsString>,
    /// What it may use, of which the system limits nothing here.
    #[expect(dead_code, reason = "other systems take it")]
    pub(crate) resources: &'a Resources,
}

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Plain {
    child: Child,
    job: Job,
    exit: Option<BotExit>,
    /// Whether its job was killed.
    has_ended: bool,
}

impl Plain {
    /// Starts a program with pipes. It does not run before it is in its job, so nothing that it starts is outside. Ctrl-C does not
    /// reach a process group of its own.
    pub(crate) fn start(plan: &Plan<'_>) -> Result<Self, StartFailure> {
        let Plan { program, args, cwd, env, .. } = *plan;
        prepare();
        let job = Job::new().map_err(StartFailure::Watch)?;
        let mut command = Command::new(program);
        command.args(args).envs(env);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = cwd {
            command.current_dir(cwd);
        }
        let window = if has_console() { 0 } else { CREATE_NO_WINDOW };
        command.creation_flags(CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | window);
        let mut child = command.spawn().map_err(StartFailure::Exec)?;
        match job.take(&child).and_then(|()| processes::resume(&child)) {
            Ok(()) => Ok(Self { child, job, exit: None, has_ended: false }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(StartFailure::Watch(error))
            }
        }
    }

    /// Takes the referee's ends of its pipes.
    pub(crate) fn take_pipes(&mut self) -> Option<(PipeWriter, PipeReader, PipeReader)> {
        let Child { stdin, stdout, stderr, .. } = &mut self.child;
        let [stdin, stdout, stderr] =
            [OwnedHandle::from(stdin.take()?), stdout.take()?.into(), stderr.take()?.into()];
        let reader = |pipe| PipeReader::new(pipe).ok();
        Some((PipeWriter::new(stdin).ok()?, reader(stdout)?, reader(stderr)?))
    }

    /// Its process number.
    pub(crate) fn number(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// What keeps its processes together.
    pub(crate) fn group(&self) -> Group {
        self.job.group()
    }

    /// What is ready when the program has ended, until that is known: then only its output tells what others do.
    pub(crate) fn notice(&self) -> Option<Waitable<'_>> {
        self.exit.is_none().then(|| Waitable::of(&self.child))
    }

    /// Whether none of its processes is left.
    pub(crate) fn are_all_gone(&self) -> bool {
        self.job.is_empty()
    }

    /// How the program ended, if it has ended by itself.
    pub(crate) fn exit(&mut self) -> Option<BotExit> {
        if self.exit.is_none() && !self.has_ended {
            let status: io::Result<_> = self.child.try_wait();
            let status = status.ok().flatten();
            self.exit = status.map(|it| it.code().map_or(BotExit::Unknown, BotExit::Code));
        }
        self.exit
    }

    /// What stops and continues its processes.
    pub(crate) fn leash(&self) -> Leash {
        Leash { group: self.group(), stopped: Mutex::default() }
    }

    /// Kills all of its processes.
    pub(crate) fn kill_group(&self) {
        self.job.kill();
    }

    /// Kills all of its processes. Returns those that the system has not ended in time.
    pub(crate) fn end(&mut self, _below: &BTreeSet<i32>) -> Left {
        self.exit();
        if mem::replace(&mut self.has_ended, true) {
            return Left::default();
        }
        self.kill_group();
        if !is_ready_within(Waitable::of(&self.child), TUNING.ending.reap_limit) {
            return Left::Dying;
        }
        self.exit = self.exit.or(Some(BotExit::Signal(SIGKILL)));
        Left::Survivors(self.left())
    }

    /// The number of processes that have not ended soon after they were killed.
    fn left(&self) -> usize {
        let until = Instant::now() + TUNING.launcher.group_kill_time;
        loop {
            let left = processes::below(self.number(), self.group()).len();
            if left == 0 || Instant::now() >= until {
                return left;
            }
            sleep(TUNING.launcher.kill_nap);
        }
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        self.end(&BTreeSet::new());
    }
}
