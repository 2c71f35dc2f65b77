//! `referee suite`: many boards, one or more bots, into a run folder.

mod boards;
mod bots;
mod jobs;
mod opponent;
mod progress;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicUsize;

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;

use self::boards::BoardsFlags;
use self::bots::BotsFlags;
use self::jobs::JobsFlags;
use self::progress::Progress;
use super::shared::RuleFlags;
use super::{Failure, exit, print};
use crate::bot::memory_limit_of_host;
use crate::compare::{Decider, Relation};
use crate::config::Config;
use crate::interrupt::Interrupt;
use crate::limits::OnHostDelay;
use crate::report::Format;
use crate::report::suite::SuiteReport;
use crate::suite::{
    Archive, Bests, CoreClaims, FolderError, Logs, Margin, NotPlayed, Outcome, Packing, Part, Plan,
    PlannedBot, Pool, PoolError, Records, Rules, Run, RunFolder, RunWriter, Shard, SuiteVerdict,
    Summary, Tally, bundles, records_of,
};
use crate::text::{plural, size};
use crate::verdict::Verdict;

/// Play one or more bots on many boards, several games at a time
///
/// Each finished game is kept at once in a run folder, so whatever stops the suite, `--resume` plays
/// only what is missing. A bot that hangs or crashes loses its own games and no other. Games that the bot
/// cannot be started for, or the host lacks resources for, are not played; --resume plays them. Exits with 1 if a bot lost a game, or did not do what --fail-below or --fail-on-timeout ask for.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SuiteArgs {
    #[command(flatten)]
    bots: BotsFlags,

    #[command(flatten)]
    boards: BoardsFlags,

    #[command(flatten)]
    rules: RuleFlags,

    /// How many games each bot plays on each board [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,

    /// What to do when the host made a bot late [default: fail]
    #[arg(long, value_name = "WHAT")]
    on_host_delay: Option<OnHostDelay>,

    #[command(flatten)]
    jobs: JobsFlags,

    /// The folder for the run; it must not exist yet [default: runs/ and the time]
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    run: Option<PathBuf>,

    /// Takes up the run in this folder: plays the games that have no result yet. What is played stands
    /// in the folder; flags that say it again must say the same
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,

    /// With --resume: plays the games once more that ended with this verdict, such as `timeout`
    /// (repeatable); their results so far are dropped
    #[arg(long, value_name = "VERDICT", requires = "resume", value_parser = verdict)]
    again: Vec<Verdict>,

    /// Plays a part of the games, such as 2/4; `referee merge` joins the parts
    #[arg(long, value_name = "I/N", conflicts_with = "resume")]
    shard: Option<Shard>,

    /// An opponent, DIR or DIR:BOT as for `referee compare`; its boards are the default ones
    #[arg(long, value_name = "RUN", requires = "until_decided", conflicts_with_all = ["resume", "shard", "repeat"])]
    against: Option<String>,

    /// Plays the boards in random order, and stops as soon as the bot is known to be better or worse than
    /// the opponent, or even; at most 5 % of equal bots are called different, however long it takes
    #[arg(long, requires = "against")]
    until_decided: bool,

    /// A mean difference within this does not matter: percent of the opponent's mean, such as 1%, or
    /// points [default: 0.5%]
    #[arg(long, value_name = "MARGIN", requires = "until_decided")]
    margin: Option<Margin>,

    /// Which games leave a log in the run folder
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    logs: Logs,

    /// Packs these logs with zstd
    #[arg(long)]
    compress: bool,

    /// Keeps the best score of each bot on each board in this file, and compares with those in it
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,

    /// Exits with 1 if a bot's mean of yours/best is below this, such as 0.95; boards without a known
    /// best do not count
    #[arg(long, value_name = "RATIO", value_parser = ratio)]
    fail_below: Option<f64>,

    /// Exits with 1 if a bot was late by its own fault even once, forgiven or not
    #[arg(long)]
    fail_on_timeout: bool,

    /// How to show the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  referee suite --bot ./old --bot ./new --seed 1..100
  referee suite --bot ./mybot --board boards/ --records records.toml
  referee suite --bot ./mybot --seed 1..1000 --shard 1/4 --run part-1
  referee suite --bot ./new --against runs/old --until-decided
  referee suite --resume runs/20260920-101500";

pub(super) fn run(args: &SuiteArgs) -> Result<ExitCode, Failure> {
    let (config, mut writer) = prepare(args)?;
    let record_file = record_file(args, &config);
    let records = record_file.as_deref().map(Records::read).transpose()?.unwrap_or_default();
    let bests = Bests::of(config.game.name, &records);
    let mut decider = opponent::decider(&writer.folder)?;
    play(args, &config, &mut writer, &bests, decider.as_mut())?;
    let report = SuiteReport {
        summary: Summary::of(&writer.folder, &bests)?,
        decision: decider.map(|decider| decider.standing()),
        folder: &writer.folder,
    };
    if let Some(path) = &record_file {
        records_of(&writer.folder)?.save_into(path)?;
    }
    print(|out| report.write(args.format, out))?;
    let worse = report.decision.as_ref().is_some_and(|found| found.bot_is == Some(Relation::Worse));
    if let Some(not_played) = report.summary.not_played.first() {
        let is_hosts = not_played.verdict == SuiteVerdict::NotPlayed(NotPlayed::NoResources);
        return Ok(ExitCode::from(if is_hosts { exit::REFEREE_ERROR } else { exit::USER_ERROR }));
    }
    Ok(exit::code(is_fine(args, &report.summary) && !worse))
}

/// Whether every bot has done what was asked of it.
fn is_fine(args: &SuiteArgs, summary: &Summary) -> bool {
    let too_low = |tally: &Tally| {
        let limits = args.fail_below.zip(tally.ratio());
        limits.is_some_and(|(limit, ratio)| ratio < limit)
    };
    let late = |tally: &Tally| args.fail_on_timeout && tally.late > 0;
    !summary.bots.iter().any(|tally| tally.lost > 0 || too_low(tally) || late(tally))
}

/// A part of the best score as typed.
fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.trim().parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
    ratio.ok_or_else(|| "it must be a number from 0 to 1, such as 0.95".to_owned())
}

/// A verdict as results have it.
fn verdict(text: &str) -> Result<Verdict, String> {
    use serde::de::value::{Error, StrDeserializer};
    let word: StrDeserializer<'_, Error> = text.into_deserializer();
    Verdict::deserialize(word).map_err(|error| error.to_string())
}

/// The rules and the run folder, new or taken up.
fn prepare(args: &SuiteArgs) -> Result<(Config, RunWriter), Failure> {
    if let Some(path) = &args.resume {
        return resume(args, path);
    }
    let (config, mut plan) = plan(args)?;
    let against = match &args.against {
        Some(run) => Some(opponent::choose(
            run,
            args.margin.unwrap_or_default(),
            &mut plan,
            !args.boards.is_given(),
        )?),
        None => None,
    };
    let run = Run::new(plan, against);
    let writer = match &args.run {
        Some(path) => RunWriter::create(path, run)?,
        None => create_by_time(&config, &run)?,
    };
    Ok((config, writer))
}

/// Makes a folder that is named after the time; several runs may start in one second.
fn create_by_time(config: &Config, run: &Run) -> Result<RunWriter, FolderError> {
    let project = &config.project;
    let runs = project.suite.runs.as_ref().map_or("runs".into(), |runs| project.folder.join(runs));
    let now = run.started.strftime("%Y%m%d-%H%M%S").to_string();
    let mut path = runs.join(&now);
    for number in 2.. {
        match RunWriter::create(&path, run.clone()) {
            Err(FolderError::Exists(_)) => path = runs.join(format!("{now}-{number}")),
            made => return made,
        }
    }
    unreachable!("numbers do not end")
}

/// The file that keeps the records: the one that was named, or the project's.
fn record_file(args: &SuiteArgs, config: &Config) -> Option<PathBuf> {
    let project = &config.project;
    let own = || project.suite.records.as_ref().map(|records| project.folder.join(records));
    args.records.clone().or_else(own)
}

fn resume(args: &SuiteArgs, path: &Path) -> Result<(Config, RunWriter), Failure> {
    let folder = RunFolder::open(path)?;
    let stored = &folder.run.plan;
    let says_again = args.bots.is_given() || args.boards.is_given() || args.repeat.is_some();
    let (config, now) = if says_again || args.rules.is_given() || args.on_host_delay.is_some() {
        let (config, plan) = plan(args)?;
        (config, Plan { shuffle: stored.shuffle, ..plan })
    } else {
        let files = |bot: &PlannedBot| bots::with_files(located(&folder.run, bot)).files;
        let bot = |bot: &PlannedBot| PlannedBot { files: files(bot), ..bot.clone() };
        let bots = stored.bots.iter().map(bot).collect();
        (args.rules.of_plan(stored)?, Plan { bots, ..stored.clone() })
    };
    if let Some(difference) = stored.difference(&now) {
        let path = path.display();
        return Err(Failure::user(anyhow!("{path} cannot be taken up: {difference}")));
    }
    Ok((config, RunWriter::resume(folder, |outcome| args.plays_again(outcome))?))
}

/// A bot of a run as it is found from here.
fn located(run: &Run, bot: &PlannedBot) -> PlannedBot {
    match run.started_in.as_ref().filter(|folder| folder.is_dir()) {
        Some(folder) => bots::seen_from(bot, folder),
        None => bot.clone(),
    }
}

impl SuiteArgs {
    /// Whether a game that has a result is to be played once more.
    fn plays_again(&self, outcome: &Outcome) -> bool {
        matches!(outcome.verdict, SuiteVerdict::Played(verdict) if self.again.contains(&verdict))
    }
}

/// The rules, and what is to be played under them.
fn plan(args: &SuiteArgs) -> Result<(Config, Plan), Failure> {
    let config = args.rules.resolve(args.on_host_delay)?;
    let bots = args.bots.resolve(&config)?;
    let (boards, seeds) = args.boards.resolve(&config)?;
    let rules = Rules {
        profile: config.rules.profile,
        on_host_delay: config.rules.overruns.on_host_delay,
        limits: config.rules.limits,
        resources: config.resources,
    };
    let repeat = args.repeat.unwrap_or(1);
    let game = config.game.name.to_owned();
    let plan = Plan { game, rules, repeat, shuffle: None, seeds, shard: args.shard, bots, boards };
    Ok((config, plan))
}

/// Bots that all keep to their limits can still have more together than the host gives.
fn warn_of_memory(config: &Config, jobs: usize) {
    let needed = config.resources.memory.map(|memory| memory.saturating_mul(jobs as u64));
    if let (Some(needed), Some(limit)) = (needed, memory_limit_of_host())
        && needed > limit
    {
        let [needed, limit] = [needed, limit].map(size);
        log::warn!(
            "{} at a time may use {needed} of memory, and a control group gives them {limit}; fewer --jobs or less --memory keep the kernel from killing bots that break no limit",
            plural(jobs as u64, "bot"),
        );
    }
}

/// Plays the games that have no result yet.
fn play(
    args: &SuiteArgs,
    config: &Config,
    writer: &mut RunWriter,
    bests: &Bests,
    mut decider: Option<&mut Decider>,
) -> Result<(), Failure> {
    if decider.as_ref().is_some_and(|decider| decider.is_decided()) {
        return Ok(());
    }
    let folder = writer.folder.clone();
    let plan = &folder.run.plan;
    let played = folder.played()?;
    let mut claims = CoreClaims::default();
    let workers = args.jobs.workers(&config.project.suite, &mut claims)?;
    warn_of_memory(config, workers.len());
    let entrant = |bot| bots::entrant(config, located(&folder.run, bot));
    let entrants = plan.bots.iter().map(entrant).collect::<Result<Vec<_>, _>>()?;
    let interrupt = Interrupt::catch().context("cannot catch signals").map_err(Failure::Referee)?;
    let pool = Pool {
        plan,
        config,
        entrants: &entrants,
        workers: &workers,
        archive: archive(args, config, &folder),
        interrupt: &interrupt,
    };
    if let Some(entrant) = entrants.first().filter(|_| played.count() < plan.shard_games()) {
        writer.begin_part(Part::here(entrant.command.confinement.method.name()))?;
    }
    let missing = plan.schedule().filter(|&game| !played.has(game));
    let mut progress = Progress::of(&folder, bests)?;
    let mut written = Ok(());
    let pooled = pool.play(missing, |outcome| {
        if written.is_ok() {
            written = writer.append(&outcome);
            progress.add(&outcome);
        }
        let is_over = decider.as_mut().is_some_and(|decider| {
            decider.add(&outcome);
            progress.show_standing(&decider.standing());
            decider.is_decided()
        });
        if written.is_err() || is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    progress.finish();
    written.and_then(|()| writer.finish())?;
    pooled?;
    match interrupt.signal() {
        Some(signal) => Err(interrupted(signal, &folder)?),
        None => Ok(()),
    }
}

fn archive<'a>(args: &SuiteArgs, config: &Config, folder: &'a RunFolder) -> Archive<'a> {
    Archive {
        folder: &folder.path,
        kind: config.game,
        rules: &folder.run.plan.rules,
        logs: args.logs,
        packing: if args.compress { Packing::Zstd } else { Packing::Plain },
        log_size: config.log_size,
        bundles: AtomicUsize::new(bundles(&folder.path)),
    }
}

fn interrupted(signal: i32, folder: &RunFolder) -> Result<Failure, FolderError> {
    let path = folder.path.display();
    let kept = format!(
        " after {} of {} games; `referee suite --resume {path}` plays the rest",
        folder.played()?.count(),
        folder.run.plan.shard_games(),
    );
    Ok(Failure::Interrupted { signal, kept })
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Case(error) => Self::User(error.into()),
            error @ (PoolError::Replaced { .. }
            | PoolError::NotPlayed { is_user_error: true, .. }) => Self::User(error.into()),
            error => Self::Referee(error.into()),
        }
    }
}
