//! How many games a suite plays at a time, and on which cores.

use clap::Args;

use crate::bot::Pinning;
use crate::cli::Failure;
use crate::config::SuiteTable;
use crate::suite::{CoreClaims, undisturbed_jobs};

/// How the machine is shared out.
#[derive(Debug, Args)]
pub(super) struct JobsFlags {
    /// How many games are played at a time [default: the physical cores but one, shared out by
    /// --cores-per-bot]; more make bots late
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Gives each game cores of its own, and keeps the referee on another
    #[arg(long)]
    pin: bool,

    /// How many cores a bot uses [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    cores_per_bot: Option<u16>,
}

impl JobsFlags {
    /// One entry for each game that is played at a time; the cores are this suite's as long as `claims`
    /// lives.
    pub(super) fn workers(
        &self,
        project: &SuiteTable,
        claims: &mut CoreClaims,
    ) -> Result<Vec<Option<Pinning>>, Failure> {
        let cores = self.cores_per_bot.or(project.cores_per_bot).unwrap_or(1).max(1).into();
        let undisturbed = undisturbed_jobs(cores);
        let jobs = self.jobs.or(project.jobs).map_or(undisturbed, usize::from).max(1);
        if jobs > undisturbed {
            log::warn!(
                "--jobs {jobs}: more than {undisturbed} at a time make bots wait for cores here, and may make \
                 them late"
            );
        }
        if self.pin {
            let pinnings = Pinning::plan_apart(jobs, cores, |core| claims.take(core));
            let pinnings = pinnings.map_err(Failure::user)?;
            return Ok(pinnings.into_iter().map(Some).collect());
        }
        Ok(vec![None; jobs])
    }
}
