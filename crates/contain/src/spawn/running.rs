//! A running program, however it was started.

use std::collections::BTreeSet;
use std::io;
use std::time::Instant;

use super::ending::Left;
use super::exec::WRITTEN_BEFORE_START;
use super::handle::Keeper;
use super::plain::Plain;
use crate::sys::pipe::{PipeReader, PipeWriter};
use crate::sys::wait::Waitable;
use terms::verdict::BotExit;

/// A program that was started, and the referee's ends of its pipes.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) running: Running,
    pub(crate) stdin: PipeWriter,
    pub(crate) stdout: PipeReader,
    pub(crate) stderr: PipeReader,
}

/// The referee's hold on a program.
#[derive(Debug)]
pub(crate) enum Running {
    /// By a keeper, which holds all its processes, and by the launcher, which holds its deadline.
    Kept(Box<Keeper>),
    /// As a child of the referee.
    Plain(Box<Plain>),
}

impl From<Plain> for Running {
    fn from(plain: Plain) -> Self {
        Self::Plain(Box::new(plain))
    }
}

impl Running {
    /// What is readable when the program has ended; `None` if nothing more is to be learnt in this way.
    pub(crate) fn notice(&self) -> Option<Waitable<'_>> {
        match self {
            Self::Kept(keeper) => Some(keeper.notice()),
            Self::Plain(plain) => plain.notice(),
        }
    }

    /// Whether none of its processes is left, where that is known besides by the end of their output.
    pub(crate) fn are_all_gone(&self) -> bool {
        matches!(self, Self::Plain(plain) if plain.are_all_gone())
    }

    /// The bytes that its process has written before its program started, as the kernel counts them.
    pub(crate) fn written_before_start(&self) -> u64 {
        match self {
            Self::Kept(_) => WRITTEN_BEFORE_START,
            Self::Plain(_) => 0,
        }
    }

    /// Whether a process that loses its parent stays below the keeper, where it is found.
    pub(crate) fn adopts_orphans(&self) -> bool {
        matches!(self, Self::Kept(_))
    }

    pub(crate) fn is_in_namespace(&self) -> bool {
        matches!(self, Self::Kept(keeper) if keeper.is_namespace())
    }

    /// How the program ended, if it has ended by itself.
    pub(crate) fn exit(&mut self) -> Option<BotExit> {
        match self {
            Self::Kept(keeper) => keeper.bot_exit(),
            Self::Plain(plain) => plain.exit(),
        }
    }

    /// Whether the launcher has died, and with it the program.
    pub(crate) fn has_lost_launcher(&self) -> bool {
        matches!(self, Self::Kept(keeper) if keeper.has_lost_launcher())
    }

    /// Has the program ended soon after `until` even if the referee stalls; `None` is never.
    pub(crate) fn set_deadline(&self, until: Option<Instant>) {
        if let Self::Kept(keeper) = self {
            keeper.deadline.set(until);
        }
    }

    /// As [`set_deadline`](Self::set_deadline), if that is later.
    pub(crate) fn extend_deadline(&self, until: Option<Instant>) {
        if let Self::Kept(keeper) = self {
            keeper.deadline.extend(until);
        }
    }

    /// Whether the launcher has ended the program after its deadline.
    pub(crate) fn is_overdue(&self) -> bool {
        matches!(self, Self::Kept(keeper) if keeper.deadline.has_ended_bot())
    }

    /// Stops all processes of the program, and returns when that is done; without a keeper only the processes of its group.
    pub(crate) fn stop(&mut self) -> io::Result<()> {
        match self {
            Self::Kept(keeper) => keeper.stop(),
            Self::Plain(plain) => plain.stop(),
        }
    }

    /// Continues them.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        match self {
            Self::Kept(keeper) => keeper.resume(),
            Self::Plain(plain) => plain.resume(),
        }
    }

    /// Lets a keeper kill everything by itself once the program has ended.
    pub(crate) fn announce_end(&self) {
        if let Self::Kept(keeper) = self {
            keeper.announce_end();
        }
    }

    /// Has all processes killed, without waiting for it.
    pub(crate) fn begin_end(&self) {
        match self {
            Self::Kept(keeper) => keeper.begin_end(),
            Self::Plain(plain) => plain.kill_group(),
        }
    }

    /// Ends all processes; without a keeper, processes that left the group are among `below`, if they are known.
    pub(crate) fn end(&mut self, below: &BTreeSet<i32>) -> Left {
        match self {
            Self::Kept(keeper) => keeper.end(),
            Self::Plain(plain) => plain.end(below),
        }
    }
}
