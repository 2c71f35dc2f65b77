//! Keeps a bot and the referee on cores of their own.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io;

/// Which cores a bot gets, and which one the referee keeps to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinning {
    /// The bot's cores.
    pub bot: Vec<usize>,
    /// The referee's core.
    pub referee: usize,
}

/// Why cores cannot be kept apart.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// There are too few.
    #[error(
        "--pin: bots with {wanted} in all and the referee need {} cores, and this process may use {available}{}",
        wanted + 1,
        if *taken > 0 { format!(", of which other suites have {taken}") } else { String::new() }
    )]
    TooFew {
        /// The cores that all bots should get.
        wanted: usize,
        /// The cores that this process may use.
        available: usize,
        /// How many of them others have taken.
        taken: usize,
    },
    /// The system refused.
    #[error("--pin: the system does not let processes be pinned")]
    Io(#[from] io::Error),
}

impl Pinning {
    /// Takes `cores_per_bot` of the cores that this process may use for a bot, and another one for
    /// the referee.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan(cores_per_bot: usize) -> Result<Self, PinError> {
        Ok(Self::plan_apart(1, cores_per_bot, |_| true)?.swap_remove(0))
    }

    /// The same for several concurrent bots, each on cores of its own, while the referee keeps to
    /// one core. Only cores for which `take` returns true are used.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan_apart(
        bots: usize,
        cores_per_bot: usize,
        mut take: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Self>, PinError> {
        let allowed = sched_getaffinity(None).map_err(io::Error::from)?;
        let allowed: Vec<usize> =
            (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect();
        let (available, wanted) = (allowed.len(), bots * cores_per_bot);
        let free = allowed.into_iter().filter(|&core| available > wanted && take(core));
        let cores: Vec<usize> = free.take(wanted + 1).collect();
        match cores.split_first() {
            Some((&referee, rest)) if rest.len() >= wanted => {
                let shares = rest.chunks(cores_per_bot).take(bots);
                Ok(shares.map(|share| Self { bot: share.to_vec(), referee }).collect())
            }
            _ => {
                let taken = if available > wanted { available - cores.len() } else { 0 };
                Err(PinError::TooFew { wanted, available, taken })
            }
        }
    }

    /// Goes to the referee's own core.
    pub(super) fn pin_referee(&self) -> io::Result<()> {
        Ok(sched_setaffinity(None, &set(&[self.referee]))?)
    }

    pub(super) fn cores(&self) -> Cores {
        let bot = set(&self.bot);
        let mut any = bot;
        any.set(self.referee);
        Cores { bot, any }
    }
}

/// Where a bot may run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cores {
    pub(super) bot: CpuSet,
    /// The same, and the referee's: where a keeper is until it has started the bot. A process that is
    /// born where it may run on an idle core gets there sooner than one that has to be moved.
    pub(super) any: CpuSet,
}

fn set(cores: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    for &core in cores {
        set.set(core);
    }
    set
}
