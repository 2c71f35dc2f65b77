//! The number of games played at a time, and the highest that leaves their times undisturbed.

use std::collections::BTreeSet;

use crate::config::{Pin, SuiteTable};
use crate::host::{CoreClaims, physical_cores, usable_cpus};
use contain::bot::{PinError, Pinning};

/// The number of games played at a time, and their cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jobs {
    /// The number of games played at a time; `None` for the highest that keeps timing undisturbed.
    pub at_a_time: Option<u16>,
    /// The number of cores that a bot uses.
    pub cores_per_bot: u16,
    /// Whether each game has cores of its own.
    pub pin: Pin,
}

impl Jobs {
    /// The settings of a project.
    pub fn of(project: &SuiteTable) -> Self {
        let cores_per_bot = project.cores_per_bot.unwrap_or(1).max(1);
        Self { at_a_time: project.jobs, cores_per_bot, pin: project.pin.unwrap_or_default() }
    }

    /// The number of games that a task on a cluster plays at a time.
    pub fn of_task(self) -> usize {
        self.at_a_time.unwrap_or(1).max(1).into()
    }

    /// The processors that the bots and the referee of such a task need.
    pub fn cpus_of_task(self) -> usize {
        self.of_task() * usize::from(self.cores_per_bot) + 1
    }

    /// Checks that this machine has the cores, even if others use them.
    ///
    /// # Errors
    /// When each game must have cores of its own and there are too few, or the system refuses.
    pub fn check(self) -> Result<(), PinError> {
        let needed = self.pin == Pin::Always;
        let plan = || Pinning::plan_apart(self.number(), self.cores_per_bot.into(), |_| true);
        needed.then(plan).transpose().map(drop)
    }

    /// One entry for each concurrent game; its cores stay claimed as long as `claims` lives.
    pub(super) fn workers(self, claims: &mut CoreClaims) -> Result<Vec<Option<Pinning>>, PinError> {
        let (most, jobs) = (self.undisturbed(), self.number());
        if jobs > most {
            log::warn!(
                "{jobs} games at a time: more than {most} make bots wait for cores here, and may make them late"
            );
        }
        let (cores, available) = (usize::from(self.cores_per_bot), usable_cpus());
        if cores > available && self.pin != Pin::Always {
            log::warn!(
                "bots of {cores} cores: only {available} can be used here, so the threads of each wait for each other, which may make it late"
            );
        }
        if self.pin == Pin::Off {
            return Ok(vec![None; jobs]);
        }
        let mut own = BTreeSet::new();
        let apart = Pinning::plan_apart(jobs, cores, |core| claims.take(core) && own.insert(core));
        let pinnings = match apart {
            Err(PinError::TooFew { wanted, available, .. }) if self.pin == Pin::Auto => {
                if available < wanted {
                    return Ok(vec![None; jobs]);
                }
                let mut shared = wanted - own.len();
                Pinning::plan_apart(jobs, cores, |core| {
                    let is_own = own.contains(&core);
                    let is_shared = !is_own && shared > 0;
                    shared -= usize::from(is_shared);
                    is_own || is_shared
                })?
            }
            Err(PinError::NotLinux) if self.pin == Pin::Auto => return Ok(vec![None; jobs]),
            apart => apart?,
        };
        Ok(pinnings.into_iter().map(Some).collect())
    }

    fn number(self) -> usize {
        self.at_a_time.map_or_else(|| self.undisturbed(), usize::from).max(1)
    }

    /// The highest number of games at a time that keeps timing undisturbed: the physical cores, less one for the referee if the
    /// system places the games, divided by a bot's; at least one.
    fn undisturbed(self) -> usize {
        let referee = usize::from(self.pin == Pin::Off);
        let cores_per_bot = usize::from(self.cores_per_bot).max(1);
        (physical_cores().saturating_sub(referee) / cores_per_bot).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_get_cores_of_their_own_and_share_them_only_with_other_suites() {
        let of = |at_a_time, pin, claims: &mut CoreClaims| {
            let cores =
                Jobs { at_a_time: Some(at_a_time), cores_per_bot: 1, pin }.workers(claims)?;
            let cores = cores.into_iter().map(|own| Some(own?.cores)).collect::<Vec<_>>();
            Ok::<_, PinError>(cores)
        };
        let all = u16::try_from(usable_cpus()).expect("few");
        let [mut first, mut second] = [(); 2].map(|()| CoreClaims::default());
        let own = of(all, Pin::Auto, &mut first).expect("there are enough");
        assert!(own.iter().all(Option::is_some), "{own:?}");
        assert_eq!(own.iter().collect::<BTreeSet<_>>().len(), own.len());
        assert_eq!(of(all, Pin::Auto, &mut second).expect("shared"), own);
        assert!(of(all, Pin::Always, &mut second).is_err(), "another suite has them");
        let too_many = of(all + 1, Pin::Auto, &mut second).expect("placed by the system");
        assert!(too_many.iter().all(Option::is_none));
        assert!(of(1, Pin::Off, &mut second).expect("placed by the system")[0].is_none());
    }

    #[test]
    fn there_is_always_a_job_and_never_more_than_cores() {
        let of = |cores_per_bot, pin| Jobs { at_a_time: None, cores_per_bot, pin }.undisturbed();
        assert_eq!(of(1, Pin::Auto), physical_cores());
        assert_eq!(of(1, Pin::Off), (physical_cores() - 1).max(1));
        assert_eq!(of(10_000, Pin::Always), 1);
        assert!(of(2, Pin::Auto) <= of(1, Pin::Auto));
    }
}
