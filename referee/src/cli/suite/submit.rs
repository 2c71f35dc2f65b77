//! `referee submit`: the shards of a run as an array of tasks on a Slurm cluster.

use std::num::NonZeroU32;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::anyhow;
use clap::Args;
use fs_err as fs;

use super::NewRun;
use super::jobs::JobsFlags;
use crate::cli::hints::shell_path;
use crate::cli::named_run::runs_folder;
use crate::cli::{Failure, print, refuse};
use engine::config::{ClusterTable, Config, Layered as _, Limit};
use engine::slurm::{Places, SlurmError, Tasks, check_cluster, is_directive, submit};
use results::suite::{FolderError, Run, RunFolder, Shard};
use terms::text::plural;

/// Submit games to a Slurm cluster
///
/// This plans N shards, submits an array of tasks that play one each, and a job that merges them
/// after all have ended. The nodes must share the folder of the run and everything else that the bots
/// read; leave the bots as they are until the tasks have ended. `squeue` shows the jobs, and
/// `scancel` cancels them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct SubmitArgs {
    #[command(flatten)]
    new: NewRun,

    #[command(flatten)]
    jobs: JobsFlags,

    /// The number of shards, or the TIME of one, such as 1h [default: 10min]
    ///
    /// The time of a shard is the sum of its games' limits.
    #[arg(long, value_name = "N|TIME")]
    shards: Option<Shards>,

    /// An option of `sbatch`, such as --slurm-arg=--constraint=epyc (repeatable)
    ///
    /// It overrides `args` of `[cluster]` in referee.toml.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true, value_parser = directive)]
    slurm_arg: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  referee submit --bot ./mybot --seed 1..1000 --run big
  referee submit --bot ./old --bot ./new --seed 1..5000 --shards 100 --slurm-arg=--partition=short";

/// A number of shards, or the length of one.
#[derive(Debug, Clone, Copy)]
enum Shards {
    Number(NonZeroU32),
    Length(Limit),
}

impl FromStr for Shards {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().map(Self::Number).ok();
        let shards = number.or_else(|| text.parse().map(Self::Length).ok());
        shards.ok_or_else(|| "it must be a number of shards, or a time such as 10min".to_owned())
    }
}

fn directive(text: &str) -> Result<String, String> {
    let problem =
        "it must be an option of sbatch such as --mem=4G, without double quotes and backslashes";
    if is_directive(text) { Ok(text.to_owned()) } else { Err(problem.to_owned()) }
}

pub(in crate::cli) fn run(args: &SubmitArgs) -> Result<ExitCode, Failure> {
    if args.new.keeps_nothing() {
        return refuse("--run none: the shards of a cluster need a folder");
    }
    check_cluster().map_err(Failure::user)?;
    let (config, plan, out) = args.new.plan(false)?;
    let run = args.new.run(plan, None, out);
    let tasks = args.tasks(&config);
    let shards = match args.shards {
        Some(Shards::Number(number)) => Some(number.get()),
        _ => tasks.shards(&run.plan),
    };
    let shards = shards.ok_or_else(|| {
        let problem = "without limits nobody knows how long a game takes; give a number";
        Failure::user(anyhow!("--shards: {problem}"))
    })?;
    let places = args.places(&config, &run)?;
    let words = args.resume_words(&config)?;
    let script = tasks.script(&places, &run.plan, shards, &words).map_err(Failure::user)?;
    let merge_script = tasks.merge_script(&places).map_err(Failure::user)?;
    make_shards(&places.shards, &run, shards, args.new.comment.as_deref())?;
    let [shard, merge] = ["shard.sh", "merge.sh"].map(|name| places.shards.join(name));
    fs::write(&shard, script)
        .and_then(|()| fs::write(&merge, merge_script))
        .map_err(Failure::user)?;
    let most = tasks.cluster.max_tasks.map(|most| format!("%{most}")).unwrap_or_default();
    let array = submit(&shard, &[format!("--array=1-{shards}{most}")]);
    let array = array.map_err(|error| refused(&error, &places))?;
    let merging = submit(&merge, &[format!("--dependency=afterany:{array}")]);
    let merging = merging.map_err(|error| {
        let (shards, run) = (shell_path(&places.shards), shell_path(&places.run));
        Failure::user(anyhow!(
            "the shards are submitted as job {array}, but not the job that merges them: {error}; `referee merge {shards}/*/ --run {run}` \
             does that in the end"
        ))
    })?;
    let games = plural(run.plan.tables(run.plan.games()) as u64, "game");
    let (folder, run) = (shell_path(&places.shards), shell_path(&places.run));
    print(|out| {
        let count = plural(shards.into(), "shard");
        writeln!(
            out,
            "{games} in {count} are submitted as job {array}, and job {merging} merges them.\n"
        )?;
        writeln!(out, "  in the queue    squeue --jobs={array},{merging}")?;
        writeln!(out, "  cancel them     scancel {array} {merging}")?;
        writeln!(out, "  progress        referee status {folder}/*/")?;
        writeln!(out, "  shard 1 again   sbatch --array=1 {folder}/shard.sh")?;
        writeln!(out, "  merge again     sbatch {folder}/merge.sh")?;
        writeln!(out, "  the report      {folder}/merge.out, and the run is {run}")
    })
}

/// Makes the runs that tasks resume, or nothing.
fn make_shards(
    folder: &Path,
    run: &Run,
    shards: u32,
    comment: Option<&str>,
) -> Result<(), Failure> {
    if folder.exists() {
        return Err(FolderError::Exists(folder.to_owned()).into());
    }
    let made = (1..=shards).try_for_each(|number| {
        let mut run = run.clone();
        run.shard = Shard::new(number, shards);
        let shard = RunFolder::create(&folder.join(number.to_string()), run)?;
        comment.map_or(Ok(()), |comment| shard.set_comment(comment))
    });
    made.map_err(|error| {
        // They are of this process, and have no games.
        let _ = fs::remove_dir_all(folder);
        error.into()
    })
}

/// Why nothing was submitted, after the shards are gone again.
fn refused(error: &SlurmError, places: &Places) -> Failure {
    // They are of this process, and have no games.
    let _ = fs::remove_dir_all(&places.shards);
    Failure::user(anyhow!(
        "nothing is submitted: {error}; correct --slurm-arg or [cluster] in referee.toml, or ask `scontrol ping` whether the \
         controller answers"
    ))
}

impl SubmitArgs {
    fn tasks(&self, config: &Config) -> Tasks {
        let mut typed = ClusterTable { args: self.slurm_arg.clone(), ..ClusterTable::default() };
        if let Some(Shards::Length(length)) = self.shards {
            typed.shard_length = Some(length);
        }
        let cluster = typed.over(config.project.cluster.clone());
        Tasks { cluster, jobs: self.jobs.resolve(&config.project.suite) }
    }

    /// The run, and next to it the folder of its shards.
    fn places(&self, config: &Config, run: &Run) -> Result<Places, Failure> {
        let by_time =
            || runs_folder(&config.project).join(run.started.strftime("%Y%m%d-%H%M%S").to_string());
        let run = std::path::absolute(self.new.run.clone().unwrap_or_else(by_time));
        let run = run.map_err(Failure::user)?;
        if run.exists() {
            return Err(FolderError::Exists(run).into());
        }
        let mut shards = run.clone().into_os_string();
        shards.push(".shards");
        let places = || {
            let (referee, here) = (std::env::current_exe()?, std::env::current_dir()?);
            Ok::<_, std::io::Error>(Places { referee, here, shards: shards.into(), run })
        };
        places().map_err(Failure::user)
    }

    /// The arguments with which a task resumes its shard.
    fn resume_words(&self, config: &Config) -> Result<Vec<String>, Failure> {
        let mut words = self.jobs.of_task(&config.project.suite);
        words.extend(self.new.rules.config().words()?);
        Ok(words)
    }
}
