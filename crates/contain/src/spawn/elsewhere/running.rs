//! A running program: an ordinary child.
#![expect(clippy::unused_self, reason = "as on Linux")]

use std::collections::BTreeSet;
use std::time::Instant;

use super::ending::Left;
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

/// The referee's hold on a program. Nothing ends it while the referee is held up.
#[derive(Debug)]
pub(crate) struct Running(Box<Plain>);

impl From<Plain> for Running {
    fn from(plain: Plain) -> Self {
        Self(Box::new(plain))
    }
}

impl Running {
    /// The child.
    pub(crate) fn plain(&self) -> &Plain {
        &self.0
    }

    /// What is ready when the program has ended; `None` if nothing more is to be learnt in this way.
    pub(crate) fn notice(&self) -> Option<Waitable<'_>> {
        self.0.notice()
    }

    /// Whether none of its processes is left, where that is known besides by the end of their output.
    pub(crate) fn are_all_gone(&self) -> bool {
        self.0.are_all_gone()
    }

    /// Whether a process that loses its parent stays where it is found.
    pub(crate) fn adopts_orphans(&self) -> bool {
        false
    }

    /// How the program ended, if it has ended by itself.
    pub(crate) fn exit(&mut self) -> Option<BotExit> {
        self.0.exit()
    }

    /// Whether the launcher has died, which there is none of.
    pub(crate) fn has_lost_launcher(&self) -> bool {
        false
    }

    /// Nothing else watches the deadline.
    pub(crate) fn set_deadline(&self, _until: Option<Instant>) {}

    /// Whether another process has ended the program after its deadline.
    pub(crate) fn is_overdue(&self) -> bool {
        false
    }

    /// What stops and continues its processes.
    pub(crate) fn leash(&self) -> Leash {
        self.0.leash()
    }

    /// Nobody else kills anything.
    pub(crate) fn announce_end(&self) {}

    /// Has all processes killed, without waiting for it.
    pub(crate) fn begin_end(&self) {
        self.0.kill_group();
    }

    /// Ends all processes; the ones that left the group are among `below`, if they are known.
    pub(crate) fn end(&mut self, below: &BTreeSet<i32>) -> Left {
        self.0.end(below)
    }
}
