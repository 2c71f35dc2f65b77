//! The number of games that a suite plays at a time, and their cores.

use anyhow::anyhow;
use clap::{Args, ValueEnum};

use crate::cli::Failure;
use engine::config::SuiteTable;
use engine::host::usable_cpus;
use engine::suite::{Jobs, Pin};
use results::host::SHORT_LIMIT;
use results::suite::Plan;
use terms::limits::OnHostDelay;
use terms::text::{duration, plural};

/// The number of games played at a time, and their cores.
#[derive(Debug, Args)]
pub(super) struct JobsFlags {
    /// The number of games at a time [default: the physical cores / --cores-per-bot]
    ///
    /// A larger number makes bots late. If limits are short, more games than cores are refused.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Give each game separate cores: auto, always or off
    ///
    /// Its bot, its judge and the referee share them. `auto` does so if there are enough, `always`
    /// or not at all, also next to other suites. `off` lets the system place them.
    #[arg(
        long, value_name = "WHEN", default_value = "auto", default_missing_value = "always", num_args = 0..=1, require_equals = true
    )]
    pin: PinFlag,

    /// The number of cores for a bot [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    cores_per_bot: Option<u16>,
}

/// The value of `--pin`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PinFlag {
    Auto,
    Always,
    Off,
}

impl JobsFlags {
    /// These flags for another command.
    pub(super) fn words(&self) -> Vec<String> {
        let number = |flag: &str, number: u16| [flag.to_owned(), number.to_string()];
        let mut words = Vec::new();
        words.extend(self.jobs.map(|jobs| number("--jobs", jobs)).into_iter().flatten());
        let cores = self.cores_per_bot.map(|cores| number("--cores-per-bot", cores));
        words.extend(cores.into_iter().flatten());
        match self.pin {
            PinFlag::Auto => {}
            PinFlag::Always => words.push("--pin".to_owned()),
            PinFlag::Off => words.push("--pin=off".to_owned()),
        }
        words
    }

    /// The flags for a task on a cluster, which does not depend on the settings of the project.
    pub(super) fn of_task(&self, project: &SuiteTable) -> Self {
        let Jobs { at_a_time, cores_per_bot, .. } = self.resolve(project);
        Self { jobs: Some(at_a_time.unwrap_or(1)), cores_per_bot: Some(cores_per_bot), ..*self }
    }

    /// Refuses more cores for a bot than there are. Settings that ask for more are warned of, since they may be meant for another machine.
    pub(super) fn refuse_too_many_cores(&self) -> Result<(), Failure> {
        let given = usable_cpus();
        match self.cores_per_bot.filter(|cores| usize::from(*cores) > given) {
            Some(cores) if !matches!(self.pin, PinFlag::Off) => Err(Failure::user(anyhow!(
                "--cores-per-bot {cores}: this machine has {}; --pin=off lets the threads of a bot share them",
                plural(given as u64, "core")
            ))),
            _ => Ok(()),
        }
    }

    /// The flags, completed by the settings of the project.
    pub(super) fn resolve(&self, project: &SuiteTable) -> Jobs {
        let Jobs { at_a_time, cores_per_bot, .. } = Jobs::of(project);
        Jobs {
            at_a_time: self.jobs.or(at_a_time),
            cores_per_bot: self.cores_per_bot.unwrap_or(cores_per_bot),
            pin: match self.pin {
                PinFlag::Auto => Pin::Auto,
                PinFlag::Always => Pin::Always,
                PinFlag::Off => Pin::Off,
            },
        }
    }
}

/// Refuses to time bots where they would have to share their cores with each other or the referee.
pub(super) fn refuse_too_few_cpus(jobs: Jobs) -> Result<(), Failure> {
    let (needed, given) = (jobs.cpus_of_task(), usable_cpus());
    if given >= needed {
        return Ok(());
    }
    Err(Failure::user(anyhow!(
        "{} of {} and the referee need {needed} processors, and this task has {given}, so times would mean \
         nothing; give it more, on Slurm by --slurm-arg=--cpus-per-task={needed}",
        plural(jobs.of_task() as u64, "bot"),
        plural(jobs.cores_per_bot.into(), "core"),
    )))
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
    Err(Failure::user(anyhow!(
        "--jobs {games}: with limits as short as {} this machine, of {}, can time {} at a time: bots would wait for each other's \
         cores and lose; use --jobs {most}, limits above {}, or --on-host-delay accept, by which answers that others delayed count",
        duration(limit),
        plural(cores as u64, "core"),
        plural(most as u64, "game"),
        duration(SHORT_LIMIT),
    )))
}
