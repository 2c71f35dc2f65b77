//! The cores of a bot and of its referee.

use std::io;

use crate::sys::cores;

/// The cores of a bot, and the core of the referee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinning {
    /// The bot's cores.
    pub bot: Vec<usize>,
    /// The referee's core.
    pub referee: usize,
}

/// Why cores cannot be kept apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinError {
    /// There are too few cores.
    #[error(
        "pinning: bots with {wanted} in all and the referee need {} cores, and this process may use {available}{}",
        wanted + 1,
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
    /// The system refused.
    #[error("pinning: the system does not let processes be pinned")]
    Io(#[from] io::Error),
}

impl Pinning {
    /// Chooses `cores_per_bot` of the cores that this process may use for a bot, and another one for
    /// the referee.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan(cores_per_bot: usize) -> Result<Self, PinError> {
        Ok(Self::plan_apart(1, cores_per_bot, |_| true)?.swap_remove(0))
    }

    /// As [`plan`](Self::plan), for several concurrent bots, each on its own cores, and one core for the
    /// referee. Only cores for which `take` returns true are used.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan_apart(
        bots: usize,
        cores_per_bot: usize,
        mut take: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Self>, PinError> {
        let allowed = cores::usable().map_err(io::Error::from)?;
        let (available, wanted) = (allowed.len(), bots * cores_per_bot);
        let free = allowed.into_iter().filter(|&core| available > wanted && take(core));
        let chosen: Vec<usize> = free.take(wanted + 1).collect();
        match chosen.split_first() {
            Some((&referee, rest)) if rest.len() >= wanted => {
                let shares = rest.chunks(cores_per_bot).take(bots);
                Ok(shares.map(|share| Self { bot: share.to_vec(), referee }).collect())
            }
            _ => {
                let taken = if available > wanted { available - chosen.len() } else { 0 };
                Err(PinError::TooFew { wanted, available, taken })
            }
        }
    }
}
