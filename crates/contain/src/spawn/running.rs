//! A running program, however it is held: the seam between the loop that talks to it and the system that keeps it.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Instant;

use crate::observe::Root;
use crate::spawn::Leash;
use crate::sys::{PipeReader, PipeWriter, Waitable};
use terms::limits::Breach;
use terms::verdict::BotExit;

/// The referee's ends of a program's pipes.
#[derive(Debug)]
pub(crate) struct ChildPipes {
    pub(crate) stdin: PipeWriter,
    pub(crate) stdout: PipeReader,
    pub(crate) stderr: PipeReader,
}

/// The referee's hold on a program. Dropping it ends the program. What only some ways of holding one can do is a default.
pub(crate) trait RunningProgram: fmt::Debug + Send {
    /// Where its processes are found.
    fn root(&self) -> Root;

    /// What stops and continues its processes.
    fn leash(&self) -> Leash;

    /// What is readable when the program has ended; `None` if nothing more is to be learnt in this way.
    fn notice(&self) -> Option<Waitable<'_>>;

    /// How the program ended, if it has ended by itself.
    fn exit(&mut self) -> Option<BotExit>;

    /// Has all processes killed, without waiting for it.
    fn begin_end(&self);

    /// Ends all processes; without a keeper, processes that left the group are among `below`, if they are known.
    fn end(&mut self, below: &BTreeSet<i32>) -> Leftovers;

    /// Whether none of its processes is left, where that is known besides by the end of their output.
    fn are_all_gone(&self) -> bool {
        false
    }

    /// Whether a process that loses its parent stays below the root.
    fn adopts_orphans(&self) -> bool {
        false
    }

    /// Whether the launcher has died, and with it the program.
    fn has_lost_launcher(&self) -> bool {
        false
    }

    /// Has the program killed a second after `until` if the referee is held up; `None` is never.
    fn set_deadline(&self, _until: Option<Instant>) {}

    /// Whether it was killed for that.
    fn is_overdue(&self) -> bool {
        false
    }

    /// Lets a keeper kill everything by itself once the program has ended.
    fn announce_end(&self) {}
}

/// The kernel's own limits on the memory and the number of a program's processes, where it has some.
pub(crate) trait KernelLimits: fmt::Debug + Send {
    /// The limit that the kernel has enforced since the game began, if any.
    fn breach(&self) -> Option<Breach>;

    /// Whether the kernel has killed for lack of memory since the game began, although the program was within its limit.
    fn lacked_memory_of_host(&self) -> bool;

    /// Kills all processes under these limits, and returns whether none is left.
    fn clear(&self) -> bool;

    /// Keeps them for the next game.
    fn give_back(self: Box<Self>);
}

/// The known remaining processes of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Leftovers {
    /// The number of processes that live on; usually 0.
    Survivors(usize),
    /// The keeper was killed, so they are unknown.
    Unknown,
    /// All were killed, but the kernel had not finished in time.
    Dying,
}

impl Default for Leftovers {
    fn default() -> Self {
        Self::Survivors(0)
    }
}
