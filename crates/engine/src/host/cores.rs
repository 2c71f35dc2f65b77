//! The cores that this process may use, and those that pinned suites take, so that two of them on one host do not
//! share any.

use contain::system::CoreClaim;

/// The logical processors that this process may use: those that the kernel lets it have, and no more than
/// its task was given, should Slurm not hold it to them.
pub fn usable_cpus() -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let given = std::env::var("SLURM_CPUS_PER_TASK").ok().and_then(|cpus| cpus.parse().ok());
    allowed.min(given.unwrap_or(allowed)).max(1)
}

/// The physical cores that this process may use: a container's share of the processors may be smaller than their number.
pub(crate) fn physical_cores() -> usize {
    let share = usable_cpus();
    contain::bot::physical_cores().map_or(share, |cores| cores.clamp(1, share))
}

/// The cores that this process has taken.
#[derive(Debug, Default)]
pub(crate) struct CoreClaims(Vec<CoreClaim>);

impl CoreClaims {
    /// Takes a core; `false` if another suite has it.
    pub(crate) fn take(&mut self, core: usize) -> bool {
        let claim = CoreClaim::take(core);
        let is_taken = claim.is_some();
        self.0.extend(claim);
        is_taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_is_taken_once_until_it_is_free_again() {
        // No machine has this one.
        let core = 1_000_000 + std::process::id() as usize;
        let (mut mine, mut others) = (CoreClaims::default(), CoreClaims::default());
        assert!(mine.take(core));
        assert!(!others.take(core));
        assert!(others.take(core + 10_000_000));
        drop(mine);
        assert!(others.take(core));
    }
}
