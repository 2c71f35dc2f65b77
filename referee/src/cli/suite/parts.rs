//! Runs in parts: divides a plan, plays one part, or all that are left.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::report::not_played_code;
use super::{Games, ReportFlags, SuiteArgs, bots, create, opponent, play, report};
use crate::cli::{Failure, print};
use ::report::suite::headline;
use contain::interrupt::Interrupt;
use engine::config::Config;
use engine::slurm::{self, Submissions};
use engine::suite::copy_whole;
use results::compare::Decider;
use results::suite::{Bests, FolderError, Records, Run, RunFolder, RunWriter, Summary, merge};
use terms::text::{plural, ranges};

/// How often it is looked whether another process has left a part.
const LOCK_INTERVAL: Duration = Duration::from_secs(1);

/// The games in parts, which several machines can play.
#[derive(Debug, Args)]
pub(super) struct PartsFlags {
    /// Plans the games in so many parts and plays none; --part plays a part, `referee merge` joins them
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "part"])]
    pub(super) parts: Option<NonZeroU32>,

    /// Plays what is missing of this part of the run that --run names. Exits with 0 whatever becomes of
    /// the games, unless the referee or its host failed
    #[arg(long, value_name = "K", conflicts_with = "resume", requires = "run", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) part: Option<u32>,
}

/// Makes a run in parts, with copies of the bots and of the referee, and says how to play it.
pub(super) fn divide(
    args: &SuiteArgs,
    config: &Config,
    run: Run,
    parts: NonZeroU32,
) -> Result<ExitCode, Failure> {
    let folder = plan(args, config, run, parts)?;
    let (path, parts) = (folder.path.display(), folder.parts());
    let games = plural(folder.planned() as u64, "game");
    print(|out| {
        writeln!(out, "{games} in {} are planned in {path}.\n", plural(parts.into(), "part"))?;
        writeln!(out, "  one part    {path}/referee suite --run {path} --part 1")?;
        writeln!(out, "  what is left, here    referee suite --resume {path}")?;
        writeln!(out, "  at the end    referee merge {path}")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the folder of a run in parts. There are at most as many parts as boards that are played.
pub(super) fn plan(
    args: &SuiteArgs,
    config: &Config,
    mut run: Run,
    parts: NonZeroU32,
) -> Result<RunFolder, Failure> {
    let units = u32::try_from(run.plan.games() / run.plan.bots.len()).unwrap_or(u32::MAX);
    run.plan.parts = NonZeroU32::new(parts.get().min(units));
    let folder = create(args, config, &run, RunFolder::create)?;
    copy_programs(&folder)?;
    Ok(folder)
}

/// Copies the bots and the referee into the run folder, as far as they are not there yet.
pub(super) fn copy_programs(folder: &RunFolder) -> Result<(), Failure> {
    bots::copy_files(folder)?;
    let copy = folder.path.join("referee");
    if copy.exists() {
        return Ok(());
    }
    let itself = std::env::current_exe();
    let copied = itself.and_then(|itself| copy_whole(&itself, &copy));
    copied.context("cannot copy the referee").map_err(Failure::User)
}

/// Plays what is missing of a part.
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
                "was not planned in parts; `referee suite --resume {path}` plays what is missing of it, and \
                 --parts plans a new run for several machines"
            ),
        };
        return Err(Failure::user(anyhow!("--part {part}: the run in {path} {problem}")));
    };
    if folder.parts() == 0 {
        print(|out| writeln!(out, "the parts of {path} are merged already"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = args.settings_of(folder)?;
    if folder.run.plan.is_timed() {
        args.jobs.refuse_too_few_cpus(&config.project.suite)?;
    }
    let interrupt = play::interrupt()?;
    let folder = folder.of_part(part);
    play_missing(args, &config, &folder, &interrupt)?;
    let summary = Summary::of(&folder, &Bests::default())?;
    print(|out| writeln!(out, "part {part} of {parts} of {path}: {}", headline(&summary)))?;
    let not_played = summary.not_played.first();
    Ok(not_played.map_or(ExitCode::SUCCESS, |loss| not_played_code(loss.verdict)))
}

/// Plays what is missing of all parts here, and merges them.
pub(super) fn play_all(
    args: &SuiteArgs,
    config: &Config,
    folder: &RunFolder,
) -> Result<ExitCode, Failure> {
    let interrupt = play::interrupt()?;
    for part in 1..=folder.parts() {
        play_missing(args, config, &folder.of_part(part), &interrupt)?;
    }
    merged(&args.report, config, folder, Games::Told)
}

fn play_missing(
    args: &SuiteArgs,
    config: &Config,
    part: &RunFolder,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let mut writer = take_up(args, part, interrupt)?;
    let bests = Bests::of(config.game.name, &Records::default());
    play::play(args, config, &mut writer, &bests, None, interrupt)
}

/// Takes up a part, once no other process is playing it: of a task that was started anew elsewhere, the
/// old process may still be going on.
fn take_up(
    args: &SuiteArgs,
    part: &RunFolder,
    interrupt: &Interrupt,
) -> Result<RunWriter, Failure> {
    let mut is_told = false;
    loop {
        match args.take_up(part.clone()) {
            Err(error @ FolderError::InUse(_)) => {
                if !is_told {
                    log::warn!("{error}");
                    is_told = true;
                }
            }
            taken => return Ok(taken?),
        }
        if let Some(signal) = interrupt.wait(LOCK_INTERVAL) {
            return Err(play::interrupted(signal, part)?);
        }
    }
}

/// Whether all games of a run are there that are needed: all, or enough to decide.
pub(super) fn is_complete(folder: &RunFolder) -> Result<bool, Failure> {
    let is_decided = opponent::decider(folder)?.is_some_and(|decider| decider.is_decided());
    Ok(is_decided || folder.missing_parts()?.is_empty())
}

/// Merges the parts of a run and reports on it, if no game is missing. What is left of it on a cluster is
/// cancelled.
pub(in crate::cli) fn merged(
    flags: &ReportFlags,
    config: &Config,
    folder: &RunFolder,
    games: Games,
) -> Result<ExitCode, Failure> {
    let decider = opponent::decider(folder)?;
    if !decider.as_ref().is_some_and(Decider::is_decided) && !folder.missing_parts()?.is_empty() {
        return Err(Failure::user(anyhow!("{}", still_missing(folder)?)));
    }
    cancel_rest(folder);
    merge(folder)?;
    let decision = decider.map(|decider| decider.standing());
    report(flags, config, folder, decision, games)
}

/// Cancels the jobs of a run that has all its games, apart from the one that this is.
fn cancel_rest(folder: &RunFolder) {
    let submissions = Submissions::of(&folder.path);
    if submissions.is_empty() || folder.parts() == 0 {
        return;
    }
    let own = std::env::var("SLURM_JOB_ID").ok().and_then(|job| job.parse().ok());
    let cancelled = slurm::queue().and_then(|queue| {
        let jobs = submissions.mine(&queue).into_iter().map(|queued| queued.job);
        slurm::cancel(&jobs.filter(|job| Some(*job) != own).collect::<BTreeSet<_>>())
    });
    if let Err(error) = cancelled {
        log::warn!("jobs that have nothing to do any more could not be cancelled: {error}");
    }
}

/// What is missing, and how to play it.
pub(super) fn still_missing(folder: &RunFolder) -> Result<String, Failure> {
    let missing = folder.missing_parts()?;
    let path = folder.path.display();
    let games: usize = missing.iter().map(|(_, games)| games).sum();
    let numbers: Vec<u32> = missing.iter().map(|(part, _)| *part).collect();
    let (count, parts) = (numbers.len(), folder.parts());
    let submitted = !Submissions::of(&folder.path).is_empty();
    let where_else =
        if submitted { "--slurm on the cluster" } else { "--part on several machines" };
    Ok(format!(
        "{count} of {parts} parts are not complete ({}), {games} of {} games are missing; `referee suite \
         --resume {path}` plays them here, and with {where_else}",
        ranges(&numbers),
        folder.planned(),
    ))
}
