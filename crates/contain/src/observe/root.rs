//! Where a program's processes are found.

use rustix::process::Pid;
use rustix::thread::{CpuSet, gettid};

use crate::sys::cores;
use crate::sys::proc::{children, read};

/// The process from which all processes of a program descend.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Root {
    /// Its keeper, which is not one of them, and the scheduling that the program started with: in a namespace it can change its
    /// keeper's.
    Keeper(Pid, Option<Scheduling>),
    /// The program itself, and the scheduling that it started with.
    Program(Pid, Option<Scheduling>),
}

/// How a thread is scheduled: its niceness, priority in real time and policy, its cores, and the niceness of its session, where Linux
/// divides cores among sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scheduling {
    pub(super) how: (i64, i64, i64),
    pub(super) cores: Option<CpuSet>,
    pub(super) session: Option<i64>,
}

impl Scheduling {
    /// The scheduling of this thread, which a process that it starts inherits.
    pub(crate) fn of_this_thread() -> Option<Self> {
        Self::of(gettid(), gettid())
    }

    /// The scheduling of a process that a launcher starts at an order of this thread: with that launcher's priority, on this
    /// thread's cores, in a session of its own.
    pub(crate) fn by(launcher: Pid) -> Option<Self> {
        Self::of(launcher, gettid()).map(|it| Self { session: it.session.and(Some(0)), ..it })
    }

    fn of(prioritized: Pid, placed: Pid) -> Option<Self> {
        let how = parse(&read(&format!("/proc/{}/stat", prioritized.as_raw_pid()))?)?;
        let session = session(prioritized.as_raw_pid());
        Some(Self { how, cores: cores::of(placed), session })
    }
}

impl Root {
    /// The process itself.
    pub(crate) fn pid(self) -> Pid {
        let (Self::Keeper(pid, _) | Self::Program(pid, _)) = self;
        pid
    }

    /// The processes with which a walk begins: the program is the first one.
    pub(super) fn first_processes(self) -> Vec<i32> {
        match self {
            Self::Keeper(keeper, _) => children(keeper.as_raw_pid(), keeper.as_raw_pid()),
            Self::Program(pid, _) => vec![pid.as_raw_pid()],
        }
    }

    /// The scheduling that the program started with.
    pub(super) fn scheduling_at_start(self) -> Option<Scheduling> {
        let (Self::Keeper(_, at_start) | Self::Program(_, at_start)) = self;
        at_start
    }
}

/// The niceness of a process's session.
pub(super) fn session(pid: i32) -> Option<i64> {
    let group = read(&format!("/proc/{pid}/autogroup"))?;
    group.split_whitespace().next_back()?.parse().ok()
}

/// Parses the niceness, priority and policy in a `stat` file.
pub(super) fn parse(stat: &str) -> Option<(i64, i64, i64)> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // proc(5) counts from 1; the state, its third field, is the first one here.
    let field = |number: usize| fields.get(number - 3)?.parse().ok();
    Some((field(19)?, field(40)?, field(41)?))
}
