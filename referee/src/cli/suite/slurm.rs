//! Suites on a Slurm cluster: how they are divided, and what is submitted.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::num::NonZeroU32;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use fs_err as fs;

use super::{Games, SuiteArgs, parts, wait};
use crate::cli::{Failure, print};
use engine::config::{ClusterTable, Config, Limit};
use engine::slurm::{self, Job, Queued, Script, SlurmError, Submission, Submissions, is_directive};
use results::suite::{Plan, Run, RunFolder};
use terms::limits::LimitKind;
use terms::text::{plural, ranges};

/// The batch script in a run folder.
const SCRIPT: &str = "slurm.sh";

/// How long a part is to take if nothing else is said.
const PART_LENGTH: Duration = Duration::from_mins(10);

/// How many parts there are at most if nothing else is said.
const MAX_PARTS: u32 = 1000;

/// How many later turns a game is reckoned with; a game of `SameGame` has at most 114.
const TURNS: u32 = 100;

/// What a task may take beyond its games and a tenth more: its start, its host check, and a slow file system.
const TASK_MARGIN: Duration = Duration::from_mins(5);

/// The memory of the referee itself, in MiB.
const REFEREE_MEMORY: u64 = 256;

/// A suite that is decided as it goes is looked at after each of so many waves of parts.
const WAVES: usize = 10;

/// The games on a cluster.
#[derive(Debug, Args)]
pub(super) struct SlurmFlags {
    /// Submits the games to Slurm and returns: an array of tasks that play a part each, and a job that
    /// merges them. The run folder must be on a file system that the nodes share. With --resume, submits
    /// only what is missing and not in the queue
    #[arg(long, conflicts_with = "part")]
    pub(super) slurm: bool,

    /// With --slurm: shows how far the games are until all are there, and reports on them
    #[arg(long, requires = "slurm")]
    pub(super) wait: bool,

    /// With --slurm: an option of `sbatch`, such as --slurm-arg=--constraint=epyc (repeatable); a setting
    /// of the project's table `cluster` stands below it
    #[arg(long, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true, value_parser = directive)]
    slurm_arg: Vec<String>,

    /// With --slurm: how long a part takes by the limits of its games [default: 10min]
    #[arg(long, value_name = "TIME", requires = "slurm", conflicts_with_all = ["parts", "resume"])]
    part_length: Option<Limit>,

    /// With --slurm: how many parts there are at most [default: 1000]
    #[arg(long, value_name = "N", requires = "slurm", conflicts_with_all = ["parts", "resume"])]
    slurm_max_parts: Option<NonZeroU32>,
}

fn directive(text: &str) -> Result<String, String> {
    let problem = "it must be an option of sbatch such as --mem=4G, without quotes";
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
            SlurmError::Call(..) => error.into(),
        })
    }
}

/// Plans a run, and submits all of it.
pub(super) fn submit_new(args: &SuiteArgs, config: &Config, run: Run) -> Result<ExitCode, Failure> {
    // Nothing is made where there is no cluster.
    let array = slurm::array_size()?;
    let parts = match args.parts.parts {
        Some(parts) => parts,
        None => division(args, config, &run.plan)?,
    };
    let folder = parts::plan(args, config, run, parts)?;
    write_script(args, config, &folder)?;
    submit(args, config, &folder, array)
}

/// Submits what is missing of a run.
pub(super) fn submit_missing(
    args: &SuiteArgs,
    config: &Config,
    folder: &RunFolder,
) -> Result<ExitCode, Failure> {
    let array = slurm::array_size()?;
    parts::copy_programs(folder)?;
    if !folder.path.join(SCRIPT).exists() || !args.slurm.slurm_arg.is_empty() {
        write_script(args, config, folder)?;
    }
    submit(args, config, folder, array)
}

/// The longest that a game may take by its limits; `None` if it has all the time it wants.
fn longest_game(plan: &Plan) -> Option<Duration> {
    let limits = &plan.rules.limits;
    let limit = |kind| limits.of(kind).unwrap_or_default();
    let later = limit(LimitKind::Turn) * TURNS;
    plan.is_timed().then(|| limit(LimitKind::FirstTurn) + limit(LimitKind::Total) + later)
}

/// How many parts take about as long as they should.
fn division(args: &SuiteArgs, config: &Config, plan: &Plan) -> Result<NonZeroU32, Failure> {
    let unlimited = "--slurm: without limits nobody knows how long a game takes; say --parts";
    let game = longest_game(plan).ok_or_else(|| Failure::user(anyhow!(unlimited)))?;
    let cluster = &config.project.cluster;
    let length =
        args.slurm.part_length.or(cluster.part_length).map_or(PART_LENGTH, |limit| limit.0);
    let most = args.slurm.slurm_max_parts.or(cluster.max_parts).map_or(MAX_PARTS, NonZeroU32::get);
    let jobs = args.jobs.of_task(&config.project.suite).0;
    let all = game.as_nanos() * plan.games() as u128 / jobs as u128;
    let parts = u32::try_from(all.div_ceil(length.as_nanos())).unwrap_or(u32::MAX);
    Ok(NonZeroU32::new(parts.clamp(1, most)).expect("at least 1"))
}

/// Writes the batch script, which holds all that tasks are to do the same.
fn write_script(args: &SuiteArgs, config: &Config, folder: &RunFolder) -> Result<(), Failure> {
    let run = std::path::absolute(&folder.path).map_err(Failure::user)?;
    let script = Script {
        run: &run,
        directives: &directives(args, config, folder, &run)?,
        task: &args.task_words(config)?,
        merge: &args.report.merge_words(config)?,
    };
    fs::write(folder.path.join(SCRIPT), script.text()).map_err(Failure::user)
}

/// The options of `sbatch`: what tasks need, what the project says, and what the user says.
fn directives(
    args: &SuiteArgs,
    config: &Config,
    folder: &RunFolder,
    run: &Path,
) -> Result<Vec<String>, Failure> {
    let (jobs, cores) = args.jobs.of_task(&config.project.suite);
    let plan = &folder.run.plan;
    let path = run.display().to_string();
    let name = run.file_name().unwrap_or_default().to_string_lossy();
    let mut options = vec![
        format!("--job-name={name}"),
        format!("--chdir={path}"),
        format!("--output={}/parts/%A_%a.out", path.replace('%', "%%")),
        "--open-mode=append".to_owned(),
        "--requeue".to_owned(),
        // The referee keeps what it has played, in seconds.
        "--signal=B:TERM@60".to_owned(),
        "--ntasks=1".to_owned(),
        format!("--cpus-per-task={}", jobs * cores + 1),
    ];
    if let Some(memory) = config.resources.memory {
        let needed = memory.div_ceil(1 << 20) * jobs as u64 + REFEREE_MEMORY;
        options.push(format!("--mem={needed}M"));
    }
    if let Some(game) = longest_game(plan) {
        let parts = plan.parts.map_or(1, NonZeroU32::get) as usize;
        let games = u32::try_from(plan.games().div_ceil(parts * jobs)).unwrap_or(u32::MAX);
        let longest = game.saturating_mul(games);
        let longest = longest.saturating_add(longest / 10).saturating_add(TASK_MARGIN);
        options.push(format!("--time={}", longest.as_secs().div_ceil(60)));
    }
    options.extend(of_project(&config.project.cluster));
    options.extend(args.slurm.slurm_arg.iter().cloned());
    if let Some(bad) = options.iter().find(|option| !is_directive(option)) {
        return Err(Failure::user(anyhow!("`{bad}` cannot stand in a batch script")));
    }
    Ok(options)
}

fn of_project(cluster: &ClusterTable) -> Vec<String> {
    let options = [
        ("partition", &cluster.partition),
        ("account", &cluster.account),
        ("qos", &cluster.qos),
        ("time", &cluster.time),
        ("mem", &cluster.memory),
        ("constraint", &cluster.constraint),
    ];
    let set = options.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let set = set.map(|(name, value)| format!("--{name}={value}"));
    set.chain(cluster.args.iter().cloned()).collect()
}

/// Submits the parts that are missing and not in the queue, and what merges them in the end.
fn submit(
    args: &SuiteArgs,
    config: &Config,
    folder: &RunFolder,
    array: u32,
) -> Result<ExitCode, Failure> {
    if parts::is_complete(folder)? {
        return parts::merged(&args.report, config, folder, Games::Kept);
    }
    let mut submissions = Submissions::of(&folder.path);
    let queue = if submissions.is_empty() { Vec::new() } else { slurm::queue()? };
    let queued: BTreeSet<u32> =
        submissions.mine(&queue).into_iter().filter_map(|job| submissions.part(job)).collect();
    let missing = folder.missing_parts()?.into_iter().map(|(part, _)| part);
    let due: Vec<u32> = missing.filter(|part| !queued.contains(part)).collect();
    let path = folder.path.display();
    if due.is_empty() {
        say(args, &format!("all missing parts of {path} are in the queue already"))?;
    } else {
        let jobs = submit_parts(folder, &due, array, &queue, &mut submissions);
        let jobs = jobs.map_err(|error| not_submitted(folder, &error))?;
        say(args, &submitted(folder, &due, &jobs))?;
    }
    if args.slurm.wait {
        return wait::wait(args, config, folder, &submissions);
    }
    Ok(ExitCode::SUCCESS)
}

/// Why a run that is planned could not be submitted, or not all of it, and how to go on.
fn not_submitted(folder: &RunFolder, error: &anyhow::Error) -> Failure {
    let path = folder.path.display();
    let mend = match error.downcast_ref() {
        Some(SlurmError::Refused { program: "sbatch", .. }) => {
            "mend its options, which are those of --slurm-arg and of `cluster` in referee.toml; "
        }
        _ => "",
    };
    Failure::user(anyhow!(
        "{path} is planned, but cannot be submitted: {error:#}; {mend}`referee suite --resume {path} --slurm` \
         submits what is not"
    ))
}

/// Submits parts as arrays that the cluster takes, and a job that merges them; where the games are
/// decided as they go, in waves with such a job after each.
fn submit_parts(
    folder: &RunFolder,
    due: &[u32],
    array: u32,
    queue: &[Queued],
    submissions: &mut Submissions,
) -> Result<Vec<u64>, anyhow::Error> {
    fs::create_dir_all(folder.path.join("parts"))?;
    let script = folder.path.join(SCRIPT);
    let mine = submissions.mine(queue);
    let (tasks, merging): (Vec<&Queued>, Vec<&Queued>) =
        mine.into_iter().partition(|job| submissions.part(job).is_some());
    slurm::cancel(&merging.iter().map(|job| job.job).collect())?;
    let mut arrays: Vec<u64> = tasks.iter().map(|task| task.job).collect();
    arrays.dedup();
    let mut new = Vec::new();
    let wave = match folder.run.against {
        Some(_) => due.len().div_ceil(WAVES),
        None => due.len(),
    };
    for wave in due.chunks(wave) {
        for block in wave.chunk_by(|a, b| (a - 1) / array == (b - 1) / array) {
            let first = (block[0] - 1) / array * array + 1;
            let indices: Vec<u32> = block.iter().map(|part| part - first).collect();
            let (argument, tasks) = (first.to_string(), &indices[..]);
            let job = Job { script: &script, argument: &argument, tasks, after: &[], options: &[] };
            let job = slurm::submit(&job)?;
            submissions.add(Submission { job, first_part: Some(first) })?;
            arrays.push(job);
            new.push(job);
        }
        let job = slurm::submit(&Job {
            script: &script,
            argument: "merge",
            tasks: &[],
            after: &arrays,
            options: &merge_options(folder)?,
        })?;
        submissions.add(Submission { job, first_part: None })?;
        new.push(job);
    }
    Ok(new)
}

/// What the job that merges needs less, or elsewhere, than one that plays.
fn merge_options(folder: &RunFolder) -> io::Result<[String; 3]> {
    let run = std::path::absolute(&folder.path)?.display().to_string();
    let output = format!("--output={}/merge.out", run.replace('%', "%%"));
    Ok(["--cpus-per-task=1".to_owned(), format!("--mem={REFEREE_MEMORY}M"), output])
}

/// Says what was done; where the report is still to come, not in its place.
fn say(args: &SuiteArgs, text: &str) -> Result<(), Failure> {
    if args.slurm.wait {
        // Where standard error is closed there is nobody to tell.
        let _ = writeln!(io::stderr(), "{text}");
        return Ok(());
    }
    print(|out| writeln!(out, "{text}"))
}

/// What was submitted, and how to go on.
fn submitted(folder: &RunFolder, due: &[u32], jobs: &[u64]) -> String {
    let path = folder.path.display();
    let games: usize = due.iter().map(|part| folder.run.plan.scheduled(Some(*part))).sum();
    let (games, parts) = (plural(games as u64, "game"), plural(due.len() as u64, "part"));
    let jobs: Vec<String> = jobs.iter().map(u64::to_string).collect();
    format!(
        "{games} in {parts} ({}) are submitted; the run is in {path}.\n\n  \
           how far it is     referee suite --resume {path} --slurm --wait\n  \
           in the queue      squeue --jobs={}\n  \
           cancel it         scancel {}\n  \
           the report        {path}/merge.out, once all games are there",
        ranges(due),
        jobs.join(","),
        jobs.join(" "),
    )
}
