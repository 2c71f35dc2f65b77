//! Runs in parts: divides a plan, plays one part, or all incomplete ones.

use std::num::NonZeroU32;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::anyhow;
use clap::Args;

use super::jobs::refuse_too_few_cpus;
use super::live::Live;
use super::play::{failed, play};
use super::report::not_played_code;
use super::{Games, ReportFlags, SuiteArgs, create, report};
use crate::cli::hints::shell_path;
use crate::cli::signals::signal;
use crate::cli::{Failure, exit, interrupt, print};
use ::report::suite::headline;
use contain::cancel::Canceller;
use engine::config::{Config, Limit};
use engine::slurm::{ClusterRun, Tasks, cancel_rest};
use engine::suite::{RunError, copy_programs, merge_when_free, resume_when_free};
use results::compare::{Decider, has_needed_games};
use results::suite::{Bests, Records, Run, RunFolder, Summary, merge};
use terms::text::{plural, ranges, shell_word};

/// Dividing games into parts, which several machines can play.
#[derive(Debug, Args)]
pub(super) struct PartsFlags {
    /// Divide the games into N parts, or parts of a TIME such as 1h, for several machines
    ///
    /// --part plays a part, and `referee merge` joins them. With --slurm each part is a task
    /// [default: 10min]. A part's time is the sum of its games' limits.
    #[arg(long, value_name = "N|TIME", conflicts_with_all = ["resume", "part"])]
    pub(super) parts: Option<Parts>,

    /// Play the missing games of this part of the run that --run names
    ///
    /// Exit with 0 even if games are lost, unless a bot stops it (see --keep-going), or the referee or its host failed.
    #[arg(long, value_name = "K", conflicts_with = "resume", requires = "run", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) part: Option<u32>,
}

/// The parts of a run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Parts {
    /// The number of parts.
    Number(NonZeroU32),
    /// The time of a part.
    Length(Limit),
}

impl FromStr for Parts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().map(Self::Number).ok();
        let parts = number.or_else(|| text.parse().map(Self::Length).ok());
        parts.ok_or_else(|| "it must be a number of parts, or a time such as 10min".to_owned())
    }
}

/// Makes a run in parts, each for one of `tasks`, with copies of the bots and of the referee, and prints how to play it.
pub(super) fn divide(
    args: &SuiteArgs,
    config: &Config,
    run: Run,
    tasks: &Tasks,
) -> Result<ExitCode, Failure> {
    let folder = plan(args, config, run, tasks)?;
    let (path, parts) = (folder.path.display(), folder.parts());
    let (run, referee) = (shell_path(&folder.path), shell_path(&folder.path.join("referee")));
    let plan = &folder.run.plan;
    let games = plural(plan.tables(folder.planned()) as u64, "game");
    let flags = |words: &[String]| {
        words.iter().map(|word| format!(" {}", shell_word(word))).collect::<Vec<_>>().concat()
    };
    let (of_parts, of_report) = (flags(&tasks.words), flags(&tasks.merge_words));
    print(|out| {
        writeln!(out, "{games} in {} are planned in {path}.\n", plural(parts.into(), "part"))?;
        writeln!(out, "  one part    {referee} suite --run {run} --part 1{of_parts}")?;
        writeln!(out, "  what is left, here    referee suite --resume {run}{of_parts}{of_report}")?;
        writeln!(out, "  at the end    referee merge {run}{of_report}")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the folder of a run in parts, with at most as many parts as boards.
pub(super) fn plan(
    args: &SuiteArgs,
    config: &Config,
    mut run: Run,
    tasks: &Tasks,
) -> Result<RunFolder, Failure> {
    let parts = match args.parts.parts {
        Some(Parts::Number(parts)) => parts,
        _ => tasks.parts(&run.plan).ok_or_else(|| {
            let problem =
                "without limits nobody knows how long a game takes; give the number of parts";
            Failure::user(anyhow!("--parts: {problem}"))
        })?,
    };
    run.plan.parts = NonZeroU32::new(parts.get().min(run.plan.max_parts()));
    let folder = create(args, config, &run)?;
    copy_programs(&folder)?;
    Ok(folder)
}

/// Plays the missing games of a part.
pub(super) fn play_part(
    args: &SuiteArgs,
    folder: &RunFolder,
    part: u32,
) -> Result<ExitCode, Failure> {
    let path = folder.path.display();
    let Some(parts) = folder.run.plan.parts.map(NonZeroU32::get).filter(|parts| part <= *parts)
    else {
        let problem = match folder.run.plan.parts {
            Some(parts) => format!("has {}", plural(parts.get().into(), "part")),
            None => format!(
                "was not planned in parts; `referee suite --resume {}` plays what is missing of it, and --parts \
                 plans a new run for several machines",
                shell_path(&folder.path)
            ),
        };
        return Err(Failure::user(anyhow!("--part {part}: the run in {path} {problem}")));
    };
    if folder.parts() == 0 {
        print(|out| writeln!(out, "the parts of {path} are merged already"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (config, is_over) = args.settings_of(folder)?;
    if folder.run.plan.is_timed() {
        refuse_too_few_cpus(args.jobs.resolve(&config.project.suite))?;
    }
    let folder = folder.of_part(part);
    if !is_over {
        play_missing(args, &config, &folder, None, &interrupt()?)?;
    }
    let summary = Summary::of(&folder, &Bests::default())?;
    print(|out| writeln!(out, "part {part} of {parts} of {path}: {}", headline(&summary)))?;
    if let Some(loss) = summary.not_played.first() {
        return Ok(not_played_code(loss.verdict));
    }
    // A bot without hope has stopped it.
    Ok(exit::code(folder.played()?.count() == folder.planned()))
}

/// Plays the missing games of all parts here, and merges them.
pub(super) fn play_all(
    args: &SuiteArgs,
    config: &Config,
    folder: &RunFolder,
) -> Result<ExitCode, Failure> {
    let interrupt = interrupt()?;
    let live = args.live.start(folder, &args.report.bests(config)?)?;
    let mut parts = (1..=folder.parts()).map(|part| folder.of_part(part));
    let played =
        parts.try_for_each(|part| play_missing(args, config, &part, live.as_ref(), &interrupt));
    live.map_or(Ok(()), Live::finish)?;
    played?;
    merged(&args.report, config, folder, Games::Told)
}

fn play_missing(
    args: &SuiteArgs,
    config: &Config,
    part: &RunFolder,
    live: Option<&Live>,
    interrupt: &Canceller,
) -> Result<(), Failure> {
    let resumed = resume_when_free(part, |outcome| args.plays_again(outcome), interrupt);
    let mut writer = resumed.map_err(|error| failed(error, part, false))?;
    let bests = Bests::of(&config.game.name, &Records::default());
    play(args, config, &mut writer, &bests, live, interrupt).map(drop)
}

/// Merges the parts of a run and reports on it, if no game is missing. Its remaining jobs on a cluster are
/// cancelled.
pub(in crate::cli) fn merged(
    flags: &ReportFlags,
    config: &Config,
    folder: &RunFolder,
    games: Games,
) -> Result<ExitCode, Failure> {
    let decider = Decider::of(folder)?;
    if !has_needed_games(folder, decider.as_ref())? {
        return Err(Failure::user(anyhow!("{}", still_missing(folder)?)));
    }
    cancel_rest(folder);
    if ClusterRun::of(folder).is_new() {
        merge(folder)?;
    } else {
        // A task that was cancelled, or has played its last game, takes a while to exit.
        merge_when_free(folder, &interrupt()?).map_err(|error| not_merged(error, folder))?;
    }
    let decision = decider.map(|decider| decider.standing());
    report(flags, config, folder, decision, games)
}

/// Why the parts are not merged, and how to merge them if a signal ended the wait.
fn not_merged(error: RunError, folder: &RunFolder) -> Failure {
    let RunError::Cancelled(by) = error else { return error.into() };
    let kept = format!("; `referee merge {}` merges the parts", shell_path(&folder.path));
    Failure::Interrupted { signal: signal(by), kept }
}

/// The missing games, and the parts that they are in, and how to play them.
pub(in crate::cli) fn still_missing(folder: &RunFolder) -> Result<String, Failure> {
    let path = shell_path(&folder.path);
    if folder.parts() == 0 {
        let (played, planned) = folder.progress()?;
        let missing = planned - played;
        return Ok(format!(
            "{missing} of {planned} games are missing; `referee suite --resume {path}` plays them"
        ));
    }
    let missing = folder.missing_parts()?;
    let games: usize = missing.iter().map(|(_, games)| games).sum();
    let numbers: Vec<u32> = missing.iter().map(|(part, _)| *part).collect();
    let (count, parts) = (numbers.len(), folder.parts());
    let is_here = ClusterRun::of(folder).is_new();
    let where_else = if is_here { "--part on several machines" } else { "--slurm on the cluster" };
    Ok(format!(
        "{count} of {parts} parts are not complete ({}), {games} of {} games are missing; `referee suite \
         --resume {path}` plays them here, and with {where_else}",
        ranges(&numbers),
        folder.run.plan.tables(folder.planned()),
    ))
}
