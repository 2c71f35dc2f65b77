//! How many games a suite plays at a time, and on which cores.

use anyhow::anyhow;
use clap::Args;

use crate::cli::Failure;
use contain::bot::Pinning;
use engine::config::SuiteTable;
use engine::suite::{CoreClaims, undisturbed_jobs, usable_cpus};
use terms::text::plural;

/// How many games are played at a time, and on which cores.
#[derive(Debug, Args)]
pub(super) struct JobsFlags {
    /// How many games are played at a time [default: the physical cores but one, shared out by
    /// --cores-per-bot]; more make bots late
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Gives each game cores of its own, and keeps the referee on another while the bot thinks
    #[arg(long)]
    pin: bool,

    /// How many cores a bot uses [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    cores_per_bot: Option<u16>,
}

impl JobsFlags {
    /// How many cores a bot uses.
    fn cores(&self, project: &SuiteTable) -> usize {
        self.cores_per_bot.or(project.cores_per_bot).unwrap_or(1).max(1).into()
    }

    /// How many games a task on a cluster plays at a time, and how many cores each of its bots uses.
    pub(super) fn of_task(&self, project: &SuiteTable) -> (usize, usize) {
        (self.jobs.or(project.jobs).unwrap_or(1).max(1).into(), self.cores(project))
    }

    /// What such a task is told of it.
    pub(super) fn task_words(&self, project: &SuiteTable) -> Vec<String> {
        let (jobs, cores) = self.of_task(project);
        let words = ["--jobs", &jobs.to_string(), "--cores-per-bot", &cores.to_string()];
        words.into_iter().chain(self.pin.then_some("--pin")).map(str::to_owned).collect()
    }

    /// Refuses to time bots where they would have to share their cores with each other or the referee.
    pub(super) fn refuse_too_few_cpus(&self, project: &SuiteTable) -> Result<(), Failure> {
        let (jobs, cores) = self.of_task(project);
        let (needed, given) = (jobs * cores + 1, usable_cpus());
        if given >= needed {
            return Ok(());
        }
        Err(Failure::user(anyhow!(
            "{} of {} and the referee need {needed} processors, and this task has {given}, so times would mean \
             nothing; give it more, on Slurm by --slurm-arg=--cpus-per-task={needed}",
            plural(jobs as u64, "bot"),
            plural(cores as u64, "core"),
        )))
    }

    /// One entry for each concurrent game; its cores stay claimed as long as `claims` lives.
    pub(super) fn workers(
        &self,
        project: &SuiteTable,
        claims: &mut CoreClaims,
    ) -> Result<Vec<Option<Pinning>>, Failure> {
        let cores = self.cores(project);
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
