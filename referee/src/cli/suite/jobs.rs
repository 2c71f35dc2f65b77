//! The number of games that a suite plays at a time, and their cores.

use clap::Args;

use crate::cli::{Failure, refuse};
use engine::config::SuiteTable;
use engine::host::usable_cpus;
use engine::suite::Jobs;
use results::host::SHORT_LIMIT;
use results::suite::Plan;
use terms::limits::OnHostDelay;
use terms::text::{duration, plural};

/// The number of games played at a time, and their cores.
#[derive(Debug, Args)]
pub(super) struct JobsFlags {
    /// The number of games at a time [default: the physical cores]
    ///
    /// A larger number makes bots late. If limits are short, more games than cores are refused. Games have
    /// cores of their own if there are enough. In `[suite]` of the settings, `cores-per-bot` is the number for a
    /// bot, and `pin` is `auto`, `always` or `off`.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

impl JobsFlags {
    /// These flags for a task on a cluster.
    pub(super) fn of_task(&self, project: &SuiteTable) -> Vec<String> {
        vec!["--jobs".to_owned(), self.resolve(project).of_task().to_string()]
    }

    /// The flags, completed by the settings of the project.
    pub(super) fn resolve(&self, project: &SuiteTable) -> Jobs {
        let jobs = Jobs::of(project);
        Jobs { at_a_time: self.jobs.or(jobs.at_a_time), ..jobs }
    }
}

/// Refuses more games at a time than there are cores for, if limits are short: their bots would wait for each other, and lose.
pub(super) fn refuse_crowd(jobs: Jobs, plan: &Plan) -> Result<(), Failure> {
    let (cores, games) = (usable_cpus(), jobs.at_a_time.map_or(1, usize::from));
    let most = (cores / usize::from(jobs.cores_per_bot).max(1)).max(1);
    let limit = plan.smallest_limit().filter(|limit| *limit <= SHORT_LIMIT);
    let (Some(limit), OnHostDelay::Fail | OnHostDelay::Retry) = (limit, plan.rules.on_host_delay)
    else {
        return Ok(());
    };
    if games <= most {
        return Ok(());
    }
    refuse(format!(
        "--jobs {games}: with limits as short as {} this machine, of {}, can time {} at a time: bots would wait for each other's \
         cores and lose; use --jobs {most}, limits above {}, or --on-host-delay accept, by which answers that others delayed count",
        duration(limit),
        plural(cores as u64, "core"),
        plural(most as u64, "game"),
        duration(SHORT_LIMIT)
    ))
}
