//! A program as an ordinary child of the referee: its pipes, and its process group, which is killed at the end.
//!
//! There is no keeper: whatever leaves the group and loses its parent outlives the game, and so does the program itself if the
//! referee is killed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Instant;

use rustix::io::Errno;
use rustix::process::{
    Pid, Resource as KernelResource, Rlimit, Signal, WaitId, WaitIdOptions, getrlimit,
    kill_process, kill_process_group, waitid,
};

use crate::decide::tuning::TUNING;
use crate::observe::Root;
use crate::spawn::command::BotCommand;
use crate::spawn::error::{SpawnError, StartFailure};
use crate::spawn::running::{ChildPipes, Leftovers, RunningProgram};
use crate::sys::{EndNotice, SigchldGuard, Waitable, lives, number_in_logs, spawn_limited};
use terms::limits::Resources;
use terms::system::is_executable;
use terms::verdict::BotExit;

/// A program that was started without a keeper.
#[derive(Debug)]
pub(crate) struct Plain {
    child: Child,
    pid: Pid,
    end: EndNotice,
    exit: Option<BotExit>,
    /// Whether its group was killed and it was reaped.
    has_ended: bool,
    /// Dropped when it was reaped.
    _sigchld: SigchldGuard,
}

impl BotCommand {
    /// Starts the bot as an ordinary child.
    pub(super) fn start_plain(
        &self,
        program: &Path,
    ) -> Result<(Box<dyn RunningProgram>, ChildPipes), StartFailure> {
        let sigchld = SigchldGuard::begin();
        let mut command = Command::new(program);
        command.arg0(&self.program).args(&self.args).envs(&self.env).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        let limits = kernel_limits(&self.confinement.resources, None);
        let limits = limits.into_iter().map(KernelLimit::of_kernel).collect();
        let mut child = spawn_limited(&mut command, limits).map_err(StartFailure::Exec)?;
        let pid = Pid::from_child(&child);
        // Of a program that fails here, nothing may be left.
        let end = EndNotice::of(pid).map_err(|error| {
            let _ = kill_process_group(pid, Signal::KILL);
            let _ = child.wait();
            StartFailure::Watch(error)
        })?;
        let pipes = take_pipes(&mut child);
        let plain = Plain { child, pid, end, exit: None, has_ended: false, _sigchld: sigchld };
        let pipes = pipes.ok_or(StartFailure::Watch(io::ErrorKind::BrokenPipe.into()))?;
        Ok((Box::new(plain), pipes))
    }
}

/// Takes the referee's ends of its pipes.
fn take_pipes(child: &mut Child) -> Option<ChildPipes> {
    let stdin = OwnedFd::from(child.stdin.take()?).into();
    let stdout = OwnedFd::from(child.stdout.take()?).into();
    let stderr = OwnedFd::from(child.stderr.take()?).into();
    Some(ChildPipes { stdin, stdout, stderr })
}

impl Plain {
    /// Kills the program and its process group.
    fn kill_group(&self) {
        // Until it is reaped, the group's number is its own.
        let _ = kill_process_group(self.pid, Signal::KILL);
        // It may have moved to another group.
        if self.exit.is_none() {
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }
}

impl RunningProgram for Plain {
    fn root(&self) -> Root {
        Root::of_child(self.pid)
    }

    fn leash(&self) -> Leash {
        Leash { group: Some(self.pid) }
    }

    /// Until its exit is known: then only its output tells what others do.
    fn notice(&self) -> Option<Waitable<'_>> {
        self.exit.is_none().then_some(self.end.waitable())
    }

    fn exit(&mut self) -> Option<BotExit> {
        if self.exit.is_none() && !self.has_ended {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let status = waitid(WaitId::Pid(self.pid), options).ok().flatten();
            // Some versions of macOS also report a child that is stopped, and all 32 bits of an exit status.
            let status = status.filter(|it| it.exited() || it.killed() || it.dumped());
            self.exit =
                status.map(|status| match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => BotExit::Code(code & 0xff),
                    (None, Some(signal)) => BotExit::Signal(number_in_logs(signal)),
                    (None, None) => BotExit::Unknown,
                });
        }
        self.exit
    }

    fn begin_end(&self) {
        self.kill_group();
    }

    /// Kills its process group, and reaps it. Which of the processes `below` it live on is left.
    fn end(&mut self, below: &BTreeSet<i32>) -> Leftovers {
        let has_exited = self.exit().is_some();
        if std::mem::replace(&mut self.has_ended, true) {
            return Leftovers::default();
        }
        self.kill_group();
        if !has_exited && !self.end.comes_within(TUNING.ending.reap_limit) {
            return Leftovers::Dying;
        }
        let status = self.child.wait();
        self.exit = self.exit.or_else(|| status.ok().map(exit_of));
        Leftovers::Survivors(survivors(below))
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        self.end(&BTreeSet::new());
    }
}

fn exit_of(status: ExitStatus) -> BotExit {
    match (status.code(), status.signal()) {
        (Some(code), _) => BotExit::Code(code),
        (None, Some(signal)) => BotExit::Signal(number_in_logs(signal)),
        (None, None) => BotExit::Unknown,
    }
}

/// The number of processes that have left the group, and are not about to end.
fn survivors(below: &BTreeSet<i32>) -> usize {
    let until = Instant::now() + TUNING.launcher.group_kill_time;
    let lives = |&pid: &i32| lives(pid);
    let mut left: Vec<i32> = below.iter().copied().filter(lives).collect();
    while !left.is_empty() && Instant::now() < until {
        sleep(TUNING.launcher.kill_nap);
        left.retain(lives);
    }
    left.len()
}

/// The `oom_score_adj` of the bot at a table that is asked, in thousandths of all memory (proc(5)): if memory runs out, the kernel kills
/// the bot that runs, and so takes memory.
const ASKED_BADNESS: &str = "1000";

/// The `oom_score_adj` of a stopped bot, which is still killed before the referee.
const STOPPED_BADNESS: &str = "500";

/// Stops, continues or kills the processes of a program, of which its keeper or its group may know more than a sample.
#[derive(Debug)]
pub(crate) struct Leash {
    /// Its process group. A program in a namespace can have several.
    pub(crate) group: Option<Pid>,
}

impl Leash {
    /// Stops its group, and these of its processes, which were sampled just now.
    pub(crate) fn stop(&self, processes: &[i32]) {
        self.send(processes, Signal::STOP);
        offer_to_memory_killer(processes, STOPPED_BADNESS);
    }

    /// Continues them.
    pub(crate) fn resume(&self, processes: &[i32]) {
        offer_to_memory_killer(processes, ASKED_BADNESS);
        self.send(processes, Signal::CONT);
    }

    /// Kills them.
    pub(crate) fn kill(&self, processes: &[i32]) {
        self.send(processes, Signal::KILL);
    }

    /// A process that has ended needs no signal.
    fn send(&self, processes: &[i32], signal: Signal) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, signal);
        }
        for pid in processes.iter().filter_map(|pid| Pid::from_raw(*pid)) {
            let _ = kill_process(pid, signal);
        }
    }
}

/// Tells the kernel which processes to kill if memory runs out. Where it refuses, it chooses by size alone.
fn offer_to_memory_killer(processes: &[i32], badness: &str) {
    for pid in processes {
        let _ = fs::write(format!("/proc/{pid}/oom_score_adj"), badness);
    }
}

impl BotCommand {
    pub(super) fn explain_exec(&self, path: &Path, error: io::Error) -> SpawnError {
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
            Some(Errno::NOEXEC) if begins_with_mark(path) => SpawnError::ByteOrderMark(file),
            Some(Errno::NOEXEC) => SpawnError::NoProgram(file),
            Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN) => {
                SpawnError::resources(file, error)
            }
            errno => {
                let why = match errno {
                    Some(Errno::ACCESS) => self.why_denied(path),
                    Some(Errno::TXTBSY) => Some(IS_WRITTEN.to_owned()),
                    _ => None,
                };
                SpawnError::Refused { program: file, why: why.unwrap_or_default(), source: error }
            }
        }
    }

    /// What keeps the bot from executing a file, or the interpreter that the file's first line names.
    fn why_denied(&self, path: &Path) -> Option<String> {
        let interpreter = || {
            let line = BufReader::new(File::open(path).ok()?.take(256)).lines().next()?.ok()?;
            let words = line.strip_prefix("#!")?.trim_start();
            Some(PathBuf::from(words.split([' ', '\t']).next()?))
        };
        self.forbids_execution(path).or_else(|| {
            let interpreter = interpreter().filter(|it| it.exists())?;
            let is_missing = || format!("{} is not executable", interpreter.display());
            let found = self.forbids_execution(&interpreter);
            found.or_else(|| (!is_executable(&interpreter)).then(is_missing))
        })
    }
}

/// Why a file that is open for writing cannot be executed.
const IS_WRITTEN: &str = "another program, such as a compiler, is still writing to it";

/// Whether a file begins with a byte order mark (U+FEFF), as some editors write it.
fn begins_with_mark(file: &Path) -> bool {
    let mut first = [0; 3];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first == "\u{feff}".as_bytes()
}

/// A limit of the kernel on each of a bot's processes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelLimit {
    /// Its place in [`LIMITED`].
    pub(crate) resource: usize,
    pub(crate) soft: Option<u64>,
    pub(crate) hard: Option<u64>,
}

/// What `setrlimit(2)` bounds, for each process of a bot alone; the rest is watched or in a control group.
const LIMITED: &[KernelResource] = &[
    KernelResource::Core,
    KernelResource::Nofile,
    KernelResource::Cpu,
    KernelResource::Fsize,
    KernelResource::Stack,
    #[cfg(target_os = "linux")]
    KernelResource::Sigpending,
];

impl KernelLimit {
    /// A limit on one of [`LIMITED`].
    pub(crate) fn new(
        resource: KernelResource,
        soft: Option<u64>,
        hard: Option<u64>,
    ) -> Option<Self> {
        let resource = LIMITED.iter().position(|limited| *limited == resource)?;
        Some(Self { resource, soft, hard })
    }

    pub(crate) fn of_kernel(self) -> (KernelResource, Rlimit) {
        (LIMITED[self.resource], Rlimit { current: self.soft, maximum: self.hard })
    }
}

/// The kernel's limits that the referee's user may set, and `more`.
pub(crate) fn kernel_limits(
    resources: &Resources,
    more: impl IntoIterator<Item = (KernelResource, u64)>,
) -> Vec<KernelLimit> {
    let cpu_time = resources.cpu_time.map(|time| time.0.as_secs().max(1));
    let limits = [
        // No core dumps. One byte is too small for a file and, unlike 0, also keeps the kernel from
        // piping the dump to a program.
        (KernelResource::Core, Some(1)),
        (KernelResource::Nofile, resources.open_files),
        (KernelResource::Cpu, cpu_time),
        (KernelResource::Fsize, resources.file_size),
        (KernelResource::Stack, resources.stack),
    ];
    let set = |(resource, limit): (_, Option<u64>)| {
        let limit = limit?;
        let allowed = getrlimit(resource).maximum;
        // At the soft limit on CPU time the kernel sends SIGXCPU, at the hard one SIGKILL.
        let hard = if resource == KernelResource::Cpu { limit + 1 } else { limit };
        let at_most = |limit: u64| Some(limit.min(allowed.unwrap_or(u64::MAX)));
        KernelLimit::new(resource, at_most(limit), at_most(hard))
    };
    let more = more.into_iter().map(|(resource, limit)| (resource, Some(limit)));
    limits.into_iter().chain(more).filter_map(set).collect()
}
