//! A program as an ordinary child of the referee: its pipes, and its process group, which is killed at the end.
//!
//! There is no keeper: whatever leaves the group and loses its parent outlives the game, and so does the program itself if the
//! referee is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Instant;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};

use super::ending::Left;
use super::error::StartFailure;
#[cfg(not(target_os = "linux"))]
use super::leash::Leash;
use crate::confine::limits::{KernelLimit, kernel_limits};
use crate::decide::tuning::TUNING;
use crate::sys::end_notice::EndNotice;
use crate::sys::proc::lives;
use crate::sys::signals::{HeededChildren, number_in_logs};
use crate::sys::start::spawn_limited;
use crate::sys::wait::Waitable;
use terms::limits::Resources;
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
    pub(crate) resources: &'a Resources,
}

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
    _heeded: HeededChildren,
}

impl Plain {
    /// Starts a program with pipes.
    pub(crate) fn start(plan: &Plan<'_>) -> Result<Self, StartFailure> {
        let heeded = HeededChildren::begin();
        let mut command = Command::new(plan.program);
        command.arg0(plan.name).args(plan.args).envs(plan.env).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = plan.cwd {
            command.current_dir(cwd);
        }
        let limits = kernel_limits(plan.resources, false).into_iter().map(KernelLimit::of_kernel);
        let limits = limits.collect();
        let mut child = spawn_limited(&mut command, limits).map_err(StartFailure::Exec)?;
        let pid = Pid::from_child(&child);
        // Of a program that fails here, nothing may be left.
        match EndNotice::of(pid) {
            Ok(end) => Ok(Self { child, pid, end, exit: None, has_ended: false, _heeded: heeded }),
            Err(error) => {
                let _ = kill_process_group(pid, Signal::KILL);
                let _ = child.wait();
                Err(StartFailure::Watch(error))
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

    #[cfg(target_os = "linux")]
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Its process number.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn number(&self) -> i32 {
        self.pid.as_raw_pid()
    }

    /// What keeps its processes together besides their parents.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Windows it is its job")]
    pub(crate) fn group(&self) -> crate::sys::processes::Group {
        crate::sys::processes::Group
    }

    /// Whether none of its processes is left; unknown here.
    #[expect(clippy::unused_self, reason = "on Windows its job tells")]
    pub(crate) fn are_all_gone(&self) -> bool {
        false
    }

    /// What is readable when the program has ended, until that is known: then only its output tells what others do.
    pub(crate) fn notice(&self) -> Option<Waitable<'_>> {
        self.exit.is_none().then_some(self.end.waitable())
    }

    /// How the program ended, if it has ended by itself.
    pub(crate) fn exit(&mut self) -> Option<BotExit> {
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

    /// What stops and continues its processes.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn leash(&self) -> Leash {
        Leash { group: Some(self.pid) }
    }

    /// Kills the program and its process group.
    pub(crate) fn kill_group(&self) {
        // Until it is reaped, the group's number is its own.
        let _ = kill_process_group(self.pid, Signal::KILL);
        // It may have moved to another group.
        if self.exit.is_none() {
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }

    /// Kills its process group, and reaps it. Returns which of the processes `below` it live on.
    pub(crate) fn end(&mut self, below: &BTreeSet<i32>) -> Left {
        let has_exited = self.exit().is_some();
        if std::mem::replace(&mut self.has_ended, true) {
            return Left::default();
        }
        self.kill_group();
        if !has_exited && !self.end.comes_within(TUNING.ending.reap_limit) {
            return Left::Dying;
        }
        let status = self.child.wait();
        self.exit = self.exit.or_else(|| status.ok().map(exit_of));
        Left::Survivors(survivors(below))
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
