//! What is left of a bot's processes after its end.

use crate::sys::proc::name;

/// The known remaining processes of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Left {
    /// The first few processes that live on, and the number of the rest; usually empty.
    Survivors(Vec<Survivor>, usize),
    /// The keeper was killed, so they are unknown.
    Unknown,
    /// All were killed, but the kernel had not finished in time.
    Dying,
}

impl Default for Left {
    fn default() -> Self {
        Self::Survivors(Vec::new(), 0)
    }
}

/// The maximum number of survivors that are reported by process number.
pub(super) const NAMED: usize = 8;

/// A process that outlives its game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survivor {
    /// Its process number.
    pub pid: i32,
    /// Its name, if it still runs.
    pub name: String,
}

impl Survivor {
    pub(super) fn from_pid(pid: i32) -> Self {
        Self { pid, name: name(pid).unwrap_or_default() }
    }
}
