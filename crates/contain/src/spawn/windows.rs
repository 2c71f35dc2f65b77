//! A program as an ordinary child of the referee: its pipes, and its job, whose processes the system kills when the referee ends,
//! whatever ends it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::mem;
use std::os::windows::io::OwnedHandle;
use std::os::windows::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Instant;

use windows_sys::Win32::Foundation::{
    ERROR_BAD_EXE_FORMAT, ERROR_COMMITMENT_LIMIT, ERROR_EXE_MACHINE_TYPE_MISMATCH,
    ERROR_NO_SYSTEM_RESOURCES, ERROR_NOT_ENOUGH_MEMORY,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED,
};

use crate::decide::tuning::TUNING;
use crate::observe::Root;
use crate::spawn::command::BotCommand;
use crate::spawn::error::{SpawnError, StartFailure};
use crate::spawn::running::{ChildPipes, Leftovers, RunningProgram};
use crate::sys::{
    self, Job, PipeReader, PipeWriter, ProcessGroup, Stopped, Waitable, has_console,
    is_ready_within, prepare_to_start,
};
use terms::verdict::{BotExit, SIGKILL};

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Plain {
    child: Child,
    job: Job,
    exit: Option<BotExit>,
    /// Whether its job was killed.
    has_ended: bool,
}

impl BotCommand {
    /// Starts the bot as an ordinary child. It does not run before it is in its job, so nothing that it starts is outside. Ctrl-C
    /// does not reach a process group of its own.
    pub(super) fn start_plain(
        &self,
        program: &Path,
    ) -> Result<(Box<dyn RunningProgram>, ChildPipes), StartFailure> {
        prepare_to_start();
        let job = Job::new().map_err(StartFailure::Watch)?;
        let mut command = Command::new(program);
        command.args(&self.args).envs(&self.env);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        let window = if has_console() { 0 } else { CREATE_NO_WINDOW };
        command.creation_flags(CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | window);
        let mut child = command.spawn().map_err(StartFailure::Exec)?;
        if let Err(error) = job.take(&child).and_then(|()| sys::resume(&child)) {
            let _ = child.kill();
            let _ = child.wait();
            return Err(StartFailure::Watch(error));
        }
        let pipes = take_pipes(&mut child);
        let plain = Plain { child, job, exit: None, has_ended: false };
        let pipes = pipes.ok_or(StartFailure::Watch(ErrorKind::BrokenPipe.into()))?;
        Ok((Box::new(plain), pipes))
    }
}

/// Takes the referee's ends of its pipes.
fn take_pipes(child: &mut Child) -> Option<ChildPipes> {
    let stdin = PipeWriter::new(OwnedHandle::from(child.stdin.take()?)).ok()?;
    let stdout = PipeReader::new(OwnedHandle::from(child.stdout.take()?)).ok()?;
    let stderr = PipeReader::new(OwnedHandle::from(child.stderr.take()?)).ok()?;
    Some(ChildPipes { stdin, stdout, stderr })
}

impl Plain {
    /// The number of processes that have not ended soon after they were killed.
    fn left(&self) -> usize {
        let until = Instant::now() + TUNING.launcher.group_kill_time;
        loop {
            let left = self.root().processes().len();
            if left == 0 || Instant::now() >= until {
                return left;
            }
            sleep(TUNING.launcher.kill_nap);
        }
    }
}

impl RunningProgram for Plain {
    fn root(&self) -> Root {
        Root::new(self.child.id().cast_signed(), self.job.group())
    }

    fn leash(&self) -> Leash {
        Leash { group: self.job.group(), stopped: Mutex::default() }
    }

    /// Until its exit is known: then only its output tells what others do.
    fn notice(&self) -> Option<Waitable<'_>> {
        self.exit.is_none().then(|| Waitable::of(&self.child))
    }

    fn exit(&mut self) -> Option<BotExit> {
        if self.exit.is_none() && !self.has_ended {
            let status = self.child.try_wait().ok().flatten();
            self.exit = status.map(|it| it.code().map_or(BotExit::Unknown, BotExit::Code));
        }
        self.exit
    }

    fn are_all_gone(&self) -> bool {
        self.job.is_empty()
    }

    fn begin_end(&self) {
        self.job.kill();
    }

    /// Kills all of its processes. Those that the system has not ended in time are left.
    fn end(&mut self, _below: &BTreeSet<i32>) -> Leftovers {
        self.exit();
        if mem::replace(&mut self.has_ended, true) {
            return Leftovers::default();
        }
        self.job.kill();
        if !is_ready_within(Waitable::of(&self.child), TUNING.ending.reap_limit) {
            return Leftovers::Dying;
        }
        self.exit = self.exit.or(Some(BotExit::Signal(SIGKILL)));
        Leftovers::Survivors(self.left())
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        self.end(&BTreeSet::new());
    }
}

/// Stops, continues or kills the processes of a job.
#[derive(Debug)]
pub(crate) struct Leash {
    pub(crate) group: ProcessGroup,
    pub(crate) stopped: Mutex<Vec<Stopped>>,
}

impl Leash {
    /// Stops all processes of the job.
    pub(crate) fn stop(&self, _processes: &[i32]) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.group.stop(&mut stopped, TUNING.ending.reap_limit) {
            log::warn!("a bot runs on while another is asked: {error}");
        }
    }

    /// Continues them.
    pub(crate) fn resume(&self, _processes: &[i32]) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        for process in mem::take(&mut *stopped) {
            if let Err(error) = process.resume() {
                log::warn!("a bot cannot be continued: {error}");
            }
        }
    }

    /// Kills them.
    pub(crate) fn kill(&self, _processes: &[i32]) {
        self.group.kill();
    }
}

/// What runs scripts with these endings.
const SCRIPTS: [(&str, &str); 6] = [
    ("jar", "java -jar"),
    ("js", "node"),
    ("ps1", "powershell -File"),
    ("py", "py"),
    ("rb", "ruby"),
    ("sh", "bash"),
];

impl BotCommand {
    pub(super) fn explain_exec(&self, path: &Path, error: io::Error) -> SpawnError {
        let file = path.to_owned();
        let ending = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        let script = SCRIPTS.iter().find(|(known, _)| Some(*known) == ending.as_deref());
        match error.raw_os_error().map(i32::cast_unsigned) {
            _ if path.is_dir() => SpawnError::Directory(file),
            _ if error.kind() == ErrorKind::NotFound && self.is_path() => {
                SpawnError::NoSuchFile(file)
            }
            _ if error.kind() == ErrorKind::NotFound => SpawnError::NotInPath(file),
            Some(ERROR_BAD_EXE_FORMAT | ERROR_EXE_MACHINE_TYPE_MISMATCH) => match script {
                Some((_, runs)) => SpawnError::Script { file, runs },
                None => SpawnError::NoProgram(file),
            },
            Some(ERROR_COMMITMENT_LIMIT | ERROR_NO_SYSTEM_RESOURCES | ERROR_NOT_ENOUGH_MEMORY) => {
                SpawnError::resources(file, error)
            }
            _ => SpawnError::Refused { program: file, why: String::new(), source: error },
        }
    }
}
