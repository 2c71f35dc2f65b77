//! A running program, however it was started.

use std::collections::BTreeSet;
use std::time::Instant;

use super::ending::Left;
use super::handle::Keeper;
use super::leash::Leash;
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
    /// By a keeper, which holds all its processes.
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

    /// Whether a process that loses its parent stays below the keeper, where it is found.
    pub(crate) fn adopts_orphans(&self) -> bool {
        matches!(self, Self::Kept(_))
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

    /// Has the program killed a second after `until` if the referee is held up; `None` is never.
    pub(crate) fn set_deadline(&self, until: Option<Instant>) {
        if let Self::Kept(keeper) = self {
            keeper.watched.set_deadline(until);
        }
    }

    /// Whether it was killed for that.
    pub(crate) fn is_overdue(&self) -> bool {
        matches!(self, Self::Kept(keeper) if keeper.watched.was_killed())
    }

    /// What stops and continues its processes.
    pub(crate) fn leash(&self) -> Leash {
        let group = match self {
            Self::Kept(keeper) => keeper.bot(),
            Self::Plain(plain) => Some(plain.pid()),
        };
        Leash { group }
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
