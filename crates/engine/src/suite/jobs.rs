//! The number of games played at a time, and the highest that leaves their times undisturbed.

use crate::config::SuiteTable;
use crate::host::{CoreClaims, physical_cores};
use contain::bot::{PinError, Pinning};

/// The number of games played at a time, and their cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jobs {
    /// The number of games played at a time; `None` for the highest that keeps timing undisturbed.
    pub at_a_time: Option<u16>,
    /// The number of cores that a bot uses.
    pub cores_per_bot: u16,
    /// Whether each game has its own cores, and the referee another one.
    pub pin: bool,
}

impl Jobs {
    /// The settings of a project.
    pub fn of(project: &SuiteTable) -> Self {
        let cores_per_bot = project.cores_per_bot.unwrap_or(1).max(1);
        Self { at_a_time: project.jobs, cores_per_bot, pin: false }
    }

    /// The number of games that a task on a cluster plays at a time.
    pub fn of_task(self) -> usize {
        self.at_a_time.unwrap_or(1).max(1).into()
    }

    /// The processors that the bots and the referee of such a task need.
    pub fn cpus_of_task(self) -> usize {
        self.of_task() * usize::from(self.cores_per_bot) + 1
    }

    /// One entry for each concurrent game; its cores stay claimed as long as `claims` lives.
    pub(super) fn workers(self, claims: &mut CoreClaims) -> Result<Vec<Option<Pinning>>, PinError> {
        let cores = self.cores_per_bot.into();
        let undisturbed = undisturbed_jobs(cores);
        let jobs = self.at_a_time.map_or(undisturbed, usize::from).max(1);
        if jobs > undisturbed {
            log::warn!(
                "{jobs} games at a time: more than {undisturbed} make bots wait for cores here, and may make them late"
            );
        }
        if !self.pin {
            return Ok(vec![None; jobs]);
        }
        let pinnings = Pinning::plan_apart(jobs, cores, |core| claims.take(core))?;
        Ok(pinnings.into_iter().map(Some).collect())
    }
}

/// The highest number of games at a time that keeps timing undisturbed: all physical cores but one, divided by
/// `cores_per_bot`; at least one.
fn undisturbed_jobs(cores_per_bot: usize) -> usize {
    (physical_cores().saturating_sub(1) / cores_per_bot.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_job_and_never_more_than_cores() {
        let cores = physical_cores();
        assert!(undisturbed_jobs(1) >= 1 && undisturbed_jobs(1) <= cores);
        assert_eq!(undisturbed_jobs(10_000), 1);
        assert!(undisturbed_jobs(2) <= undisturbed_jobs(1));
    }
}
