//! A program as an ordinary child of the referee: its pipes, and its process group, which is killed at the end.
//!
//! There is no keeper: whatever leaves the group and loses its parent outlives the game, and so does the program itself if the
//! referee is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, sleep};
use std::time::Instant;

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open,
    pidfd_send_signal, prlimit, waitid,
};

use super::ending::{Left, Survivor, has_ended_within};
use super::report::{LaunchError, NAMED, Step};
use crate::confine::limits::KernelLimit;
use crate::decide::tuning::TUNING;
use crate::sys::proc::Life;
use crate::sys::raw;
use crate::sys::signals::HeededChildren;
use terms::verdict::BotExit;

/// What is decided before the start.
pub(crate) struct Plan<'a> {
    /// The program's file.
    pub(crate) program: &'a Path,
    /// Its name for itself, and its arguments.
    pub(crate) name: &'a OsStr,
    pub(crate) args: &'a [OsString],
    pub(crate) cwd: Option<&'a Path>,
    /// Variables besides the inherited ones.
    pub(crate) env: &'a BTreeMap<OsString, OsString>,
    pub(crate) limits: Vec<KernelLimit>,
}

/// A program that was started without a keeper.
#[derive(Debug)]
pub(crate) struct Plain {
    child: Child,
    pid: Pid,
    /// Readable once the program has ended.
    pidfd: OwnedFd,
    exit: Option<BotExit>,
    /// Whether its group was killed and it was reaped.
    has_ended: bool,
    /// Dropped when it was reaped.
    _heeded: HeededChildren,
}

/// Spawns a child with a new session keyring, which a thread of its own joins for it.
fn spawn_apart(command: &mut Command) -> io::Result<Child> {
    let spawn = || {
        // The kernel may have no keyrings, or the user no right to one.
        let _ = raw::join_session_keyring();
        command.spawn()
    };
    thread::scope(|scope| {
        let spawned = thread::Builder::new().spawn_scoped(scope, spawn)?;
        spawned.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

impl Plain {
    /// Starts a program with pipes.
    pub(crate) fn start(plan: &Plan<'_>) -> Result<Self, LaunchError> {
        let heeded = HeededChildren::begin();
        let mut command = Command::new(plan.program);
        command.arg0(plan.name).args(plan.args).envs(plan.env).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = plan.cwd {
            command.current_dir(cwd);
        }
        let mut child = spawn_apart(&mut command).map_err(|error| Step::Exec.failed(error))?;
        let pid = Pid::from_child(&child);
        // Of a program that fails here, nothing may be left.
        let watched = pidfd_open(pid, PidfdFlags::empty()).and_then(|pidfd| {
            for limit in &plan.limits {
                let (resource, limit) = limit.of_kernel();
                prlimit(Some(pid), resource, limit)?;
            }
            Ok(pidfd)
        });
        match watched {
            Ok(pidfd) => {
                Ok(Self { child, pid, pidfd, exit: None, has_ended: false, _heeded: heeded })
            }
            Err(error) => {
                let _ = kill_process_group(pid, Signal::KILL);
                let _ = child.wait();
                Err(Step::Limits.failed(error))
            }
        }
    }

    /// Takes the referee's ends of its pipes.
    pub(crate) fn take_pipes(&mut self) -> Option<(PipeWriter, PipeReader, PipeReader)> {
        let Child { stdin, stdout, stderr, .. } = &mut self.child;
        let [stdin, stdout, stderr] =
            [OwnedFd::from(stdin.take()?), stdout.take()?.into(), stderr.take()?.into()];
        Some((stdin.into(), stdout.into(), stderr.into()))
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// What is readable when the program has ended, until that is known: then only its output tells what others do.
    pub(crate) fn notice(&self) -> Option<BorrowedFd<'_>> {
        self.exit.is_none().then_some(self.pidfd.as_fd())
    }

    /// How the program ended, if it has ended by itself.
    pub(crate) fn exit(&mut self) -> Option<BotExit> {
        if self.exit.is_none() && !self.has_ended {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let status = waitid(WaitId::PidFd(self.pidfd.as_fd()), options).ok().flatten();
            self.exit =
                status.map(|status| match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => BotExit::Code(code),
                    (None, Some(signal)) => BotExit::Signal(signal),
                    (None, None) => BotExit::Unknown,
                });
        }
        self.exit
    }

    /// Sends a signal to the process group of the program, which outlives the program.
    pub(crate) fn signal_group(&self, signal: Signal) {
        // Until it is reaped, the group's number is its own.
        if !self.has_ended {
            let _ = kill_process_group(self.pid, signal);
        }
    }

    /// Kills the program and its process group.
    pub(crate) fn kill_group(&self) {
        // Until it is reaped, the group's number is its own.
        let _ = kill_process_group(self.pid, Signal::KILL);
        // It may have moved to another group.
        let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
    }

    /// Kills its process group, and reaps it. Returns which of the processes `below` it live on.
    pub(crate) fn end(&mut self, below: &BTreeSet<i32>) -> Left {
        self.exit();
        if std::mem::replace(&mut self.has_ended, true) {
            return Left::default();
        }
        self.kill_group();
        if !has_ended_within(&self.pidfd, TUNING.ending.reap_limit) {
            return Left::Dying;
        }
        let status = self.child.wait();
        self.exit = self.exit.or_else(|| status.ok().map(exit_of));
        let mut survivors = survivors(below);
        let more = survivors.split_off(survivors.len().min(NAMED)).len();
        Left::Survivors(survivors.into_iter().map(Survivor::from_pid).collect(), more)
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
        (None, Some(signal)) => BotExit::Signal(signal),
        (None, None) => BotExit::Unknown,
    }
}

/// The processes that have left the group, and are not about to end.
fn survivors(below: &BTreeSet<i32>) -> Vec<i32> {
    let until = Instant::now() + TUNING.launcher.group_kill_time;
    let lives = |&pid: &i32| matches!(Life::of(pid), Life::Running | Life::Asleep);
    let mut left: Vec<i32> = below.iter().copied().filter(lives).collect();
    while !left.is_empty() && Instant::now() < until {
        sleep(TUNING.launcher.kill_nap);
        left.retain(lives);
    }
    left
}
