//! The cores of a bot and of its referee.

use std::io;

use crate::sys::cores;

/// The cores of a bot, of the thread that talks to it, and of its keeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinning {
    /// Their numbers.
    pub cores: Vec<usize>,
}

/// The number of physical cores that this thread may use: two threads of one core slow each other down.
///
/// # Errors
/// When the system does not tell.
pub fn physical_cores() -> io::Result<usize> {
    cores::physical()
}

/// Why cores cannot be kept apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinError {
    /// There are too few cores.
    #[error(
        "pinning: the bots need {wanted} cores in all, and this process may use {available}{}",
        if *taken > 0 { format!(", of which other suites have {taken}") } else { String::new() }
    )]
    TooFew {
        /// The number of cores for all bots.
        wanted: usize,
        /// The number of cores that this process may use.
        available: usize,
        /// The number of those that others have taken.
        taken: usize,
    },
    /// The system does not let a program choose cores.
    #[error("pinning: the cores of a bot can be chosen on Linux alone")]
    NotLinux,
    /// The system refused.
    #[error("pinning: the system does not let processes be pinned")]
    Io(#[from] io::Error),
}

impl Pinning {
    /// Chooses `cores_per_bot` of the cores that this process may use.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan(cores_per_bot: usize) -> Result<Self, PinError> {
        Ok(Self::plan_apart(1, cores_per_bot, |_| true)?.swap_remove(0))
    }

    /// As [`plan`](Self::plan), for several concurrent bots, each on its own cores. Only cores for which `take` returns true
    /// are used. Two threads of one physical core are used only when each of the others has one.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan_apart(
        bots: usize,
        cores_per_bot: usize,
        mut take: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Self>, PinError> {
        let allowed = match cores::usable_apart() {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                return Err(PinError::NotLinux);
            }
            allowed => allowed?,
        };
        let (available, wanted) = (allowed.len(), bots * cores_per_bot);
        let free = allowed.into_iter().filter(|&core| available >= wanted && take(core));
        let chosen: Vec<usize> = free.take(wanted).collect();
        if chosen.len() < wanted {
            let taken = if available >= wanted { available - chosen.len() } else { 0 };
            return Err(PinError::TooFew { wanted, available, taken });
        }
        Ok(chosen.chunks(cores_per_bot).map(|cores| Self { cores: cores.to_vec() }).collect())
    }
}
