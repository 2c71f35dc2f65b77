//! Suites on a Slurm cluster: their flags and their messages.

use std::io::{self, Write as _};
use std::num::NonZeroU32;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;

use super::parts::Parts;
use super::progress::WaitProgress;
use super::{Games, SuiteArgs, parts};
use crate::cli::hints::shell_path;
use crate::cli::named_run::runs_folder;
use crate::cli::signals::signal;
use crate::cli::words::FlagValue as _;
use crate::cli::{Failure, interrupt, print};
use engine::config::{ClusterTable, Config, Layered as _};
use engine::slurm::{
    ClusterRun, SlurmError, SubmitError, Submitted, Tasks, Waited, array_size, can_be_named,
    is_directive,
};
use engine::suite::copy_programs;
use results::compare::{Decider, has_needed_games};
use results::suite::{Run, RunFolder};
use terms::text::{plural, ranges, shell_word};

/// The flags for a cluster.
#[derive(Debug, Args)]
pub(super) struct SlurmFlags {
    /// Submit the games to Slurm and return; at most TASKS run at a time
    ///
    /// This submits an array of tasks that play a part each, and a job that merges them. The nodes
    /// must share the run folder's file system. With --resume, submit only what is missing and not
    /// in the queue, with the flags and settings of now.
    #[arg(
        long,
        value_name = "TASKS",
        require_equals = true,
        overrides_with = "slurm",
        conflicts_with = "part"
    )]
    #[expect(clippy::option_option, reason = "a flag whose value may be left out")]
    pub(super) slurm: Option<Option<NonZeroU32>>,

    /// With --slurm: show the progress until all games have been played, and report on them
    #[arg(long, requires = "slurm")]
    pub(super) wait: bool,

    /// With --slurm: pass an option to `sbatch`, such as --slurm-arg=--constraint=epyc (repeatable)
    ///
    /// It overrides the settings of the project's table `cluster`.
    #[arg(long, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true, value_parser = directive)]
    slurm_arg: Vec<String>,
}

fn directive(text: &str) -> Result<String, String> {
    let problem =
        "it must be an option of sbatch such as --mem=4G, without double quotes and backslashes";
    if is_directive(text) { Ok(text.to_owned()) } else { Err(problem.to_owned()) }
}

impl From<SlurmError> for Failure {
    fn from(error: SlurmError) -> Self {
        Self::User(match error {
            SlurmError::Missing(_) => anyhow!(
                "{error}; submit from a login node, or plan with --parts and play with --part elsewhere"
            ),
            SlurmError::Refused { .. } => anyhow!(
                "the cluster cannot be asked, so nothing was submitted: {error}; `scontrol ping` tells whether its \
                 controller answers"
            ),
            error => error.into(),
        })
    }
}

/// Plans a run, and submits all of it.
pub(super) fn submit_new(args: &SuiteArgs, config: &Config, run: Run) -> Result<ExitCode, Failure> {
    // Without a cluster, or where it could not name the run's files, no run folder is made.
    let array = array_size()?;
    let path = args.run.clone().unwrap_or_else(|| runs_folder(&config.project));
    let path = std::path::absolute(path).map_err(Failure::user)?;
    can_be_named(&path).map_err(Failure::user)?;
    let tasks = tasks(args, config)?;
    let folder = parts::plan(args, config, run, &tasks)?;
    submit(args, config, &folder, array, &tasks)
}

/// Submits the missing games of a run.
pub(super) fn submit_missing(
    args: &SuiteArgs,
    config: &Config,
    folder: &RunFolder,
) -> Result<ExitCode, Failure> {
    if folder.parts() == 0 && !has_needed_games(folder, Decider::of(folder)?.as_ref())? {
        let (path, missing) = (folder.path.display(), parts::still_missing(folder)?);
        let problem = format!("{path} is not in parts, which tasks play");
        return Err(Failure::user(anyhow!("--slurm: {problem}; {missing} here")));
    }
    let array = array_size()?;
    copy_programs(folder)?;
    submit(args, config, folder, array, &tasks(args, config)?)
}

/// The demands and arguments of tasks, by the flags and the project. Tasks of a cluster depend on nothing else; elsewhere a
/// user adds the arguments to a command, which finds the project as this one does.
pub(super) fn tasks(args: &SuiteArgs, config: &Config) -> Result<Tasks, Failure> {
    let mut typed = ClusterTable { args: args.slurm.slurm_arg.clone(), ..ClusterTable::default() };
    if let Some(Parts::Length(length)) = args.parts.parts {
        typed.part_length = Some(length);
    }
    let jobs = args.jobs.resolve(&config.project.suite);
    let is_submitted = args.slurm.slurm.is_some();
    let has_settings = is_submitted || args.rules.names_config();
    let words = play_words(args, is_submitted.then_some(config))?;
    let merge_words = args.report.merge_words(has_settings.then_some(config))?;
    let cluster = typed.over(config.project.cluster.clone());
    Ok(Tasks { cluster, jobs, words, merge_words })
}

/// The flags for a command that plays a part: the typed ones, or all that they and the settings mean.
fn play_words(args: &SuiteArgs, config: Option<&Config>) -> Result<Vec<String>, Failure> {
    let mut words = match config {
        Some(config) => args.jobs.of_task(&config.project.suite).words(),
        None => args.jobs.words(),
    };
    if let Some(logs) = args.logs {
        words.extend(["--logs".to_owned(), logs.word().to_owned()]);
    }
    words.extend(args.compress.then(|| "--compress".to_owned()));
    words.extend(args.boards.keep_going.then(|| "--keep-going".to_owned()));
    words.extend(args.rules.task_words(config.is_some())?);
    Ok(words)
}

/// Submits the parts that are missing and not in the queue, and the job that merges them: instead of one in the queue, if flags
/// for the report are given.
fn submit(
    args: &SuiteArgs,
    config: &Config,
    folder: &RunFolder,
    array: u32,
    tasks: &Tasks,
) -> Result<ExitCode, Failure> {
    if has_needed_games(folder, Decider::of(folder)?.as_ref())? {
        return parts::merged(&args.report, config, folder, Games::Kept);
    }
    let run = ClusterRun::of(folder);
    // What another process submits at this moment is in the queue afterwards.
    let lock = run.lock().map_err(|error| not_submitted(folder, error.into()))?;
    let queue = run.queue()?;
    let due = run.due(&queue)?;
    let judges_anew = !args.report.merge_words(None)?.is_empty();
    // A kill may have come before the job that merges.
    if due.is_empty() && !judges_anew && queue.iter().any(|job| job.part().is_none()) {
        let path = folder.path.display();
        let queued = "are in the queue already, with the flags of their submission";
        say(args, &format!("all missing parts of {path} {queued}"))?;
    } else {
        tasks.write_script(folder).map_err(Failure::user)?;
        let project = config.project.cluster.max_tasks;
        let max_tasks = args.slurm.slurm.flatten().or(project).or_else(|| run.max_tasks());
        let submitted = run.submit(&lock, due, &queue, array, max_tasks);
        let submitted = submitted.map_err(|error| not_submitted(folder, error))?;
        say(args, &what_was_submitted(args, folder, &submitted)?)?;
    }
    drop(lock);
    if args.slurm.wait {
        return wait(args, config, folder, &run);
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits until all games have been played, and report on them.
fn wait(
    args: &SuiteArgs,
    config: &Config,
    folder: &RunFolder,
    run: &ClusterRun<'_>,
) -> Result<ExitCode, Failure> {
    let mut progress = WaitProgress::new(folder.run.plan.tables(folder.planned()));
    let waited = run.wait(&interrupt()?, |done, tasks| progress.show(done, tasks))?;
    progress.finish();
    match waited {
        Waited::Complete => parts::merged(&args.report, config, folder, Games::Kept),
        Waited::NothingComes => Err(nothing_comes(folder)?),
        Waited::Cancelled(by) => {
            Err(Failure::Interrupted { signal: signal(by), kept: goes_on(folder) })
        }
    }
}

/// Why a planned run could not be submitted, or not all of it, and how to submit the rest.
fn not_submitted(folder: &RunFolder, error: SubmitError) -> Failure {
    let path = folder.path.display();
    let mend = match &error {
        SubmitError::Slurm(SlurmError::Refused { program: "sbatch", .. }) => {
            "fix its options, from --slurm-arg and `cluster` in referee.toml; "
        }
        _ => "",
    };
    let error = anyhow!(error);
    Failure::user(anyhow!(
        "{path} is planned, but cannot be submitted: {error:#}; {mend}`referee suite --resume {} --slurm` \
         submits what is not",
        shell_path(&folder.path)
    ))
}

/// How to list, cancel or wait for the jobs after the wait was interrupted.
fn goes_on(folder: &RunFolder) -> String {
    let path = shell_path(&folder.path);
    format!(
        "; the jobs go on: `referee status {path}` shows them, `referee cancel {path}` cancels them, `referee suite \
         --resume {path} --slurm --wait` waits for them again"
    )
}

/// Why it is useless to wait any longer.
fn nothing_comes(folder: &RunFolder) -> Result<Failure, Failure> {
    let missing = parts::still_missing(folder)?;
    let path = folder.path.display();
    Ok(Failure::user(anyhow!(
        "no task is in the queue any more, and {missing}. What tasks said is in {path}/parts/*.out; if there \
         is nothing, the nodes do not share {path}"
    )))
}

/// Prints what was done; on standard error if the report is still to come on standard output.
fn say(args: &SuiteArgs, text: &str) -> Result<(), Failure> {
    if args.slurm.wait {
        // If standard error is closed, there is nobody to tell.
        let _ = writeln!(io::stderr(), "{text}");
        return Ok(());
    }
    print(|out| writeln!(out, "{text}"))
}

/// The number of submitted games and jobs, and how to merge them.
fn what_was_submitted(
    args: &SuiteArgs,
    folder: &RunFolder,
    Submitted { parts: due, jobs }: &Submitted,
) -> Result<String, Failure> {
    let (path, run) = (folder.path.display(), shell_path(&folder.path));
    if due.is_empty() {
        return Ok(format!(
            "all missing parts of {path} are in the queue, and now a job that merges them"
        ));
    }
    let plan = &folder.run.plan;
    let games = plan.tables(due.iter().map(|part| plan.scheduled(Some(*part))).sum());
    let (games, parts) = (plural(games as u64, "game"), plural(due.len() as u64, "part"));
    let jobs: Vec<String> = jobs.iter().map(u64::to_string).collect();
    let mut flags = play_words(args, None)?;
    flags.extend(args.report.merge_words(None)?);
    flags.extend(args.slurm.slurm_arg.iter().map(|option| format!("--slurm-arg={option}")));
    let flags: Vec<String> = flags.iter().map(|word| format!(" {}", shell_word(word))).collect();
    Ok(format!(
        "{games} in {parts} ({}) are submitted; the run is in {path}.\n\n  \
           progress          referee status {run}\n  \
           in the queue      squeue --jobs={}\n  \
           cancel it         referee cancel {run}\n  \
           missing games     referee suite --resume {run} --slurm{}\n  \
           the report        {path}/merge.out, once all games are there",
        ranges(due),
        jobs.join(","),
        flags.concat(),
    ))
}
