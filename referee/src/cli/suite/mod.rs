//! `referee suite`: many boards, one or more bots, into a run folder.

mod boards;
mod bots;
mod hopeless;
mod jobs;
mod live;
mod opponent;
mod pace;
mod params;
mod parts;
mod play;
mod progress;
mod report;
mod slurm;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args};

use self::boards::BoardsFlags;
use self::bots::BotsFlags;
use self::jobs::{JobsFlags, refuse_crowd};
use self::live::{Live, LiveFlags};
use self::parts::PartsFlags;
pub(super) use self::parts::{merged, still_missing};
pub(super) use self::progress::states;
use self::report::verdict;
pub(super) use self::report::{Games, ReportFlags, add_values, report};
use self::slurm::SlurmFlags;
use super::named_run::{run_path, runs_folder};
use super::shared::RuleFlags;
use super::words::word;
use super::{Failure, completions, interrupt};
use ::report::Format;
use engine::commit::commit_here;
use engine::config::Config;
use engine::suite::plan_now;
use results::suite::{
    FolderError, Logs, MAX_GAMES, Margin, Outcome, Packing, Plan, Run, RunFolder, RunWriter, Seats,
    SuiteVerdict,
};
use rules::measure::Measure;
use statistics::Risk;
use terms::limits::OnHostDelay;
use terms::verdict::Verdict;

/// Play one or more bots on many boards, several games at a time
///
/// Each finished game is saved at once in a run folder. A bot that hangs or crashes loses only its
/// own games. Exit with 1 if a bot lost a game, or failed --fail-below or --fail-on-timeout.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, help_template = TEMPLATE)]
#[command(group(ArgGroup::new("decides").args(["against", "until_decided"])))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that can be typed")]
pub(super) struct SuiteArgs {
    #[command(flatten, next_help_heading = "Bots")]
    bots: BotsFlags,

    #[command(flatten, next_help_heading = "Boards")]
    boards: BoardsFlags,

    #[command(flatten, next_help_heading = "Limits")]
    rules: RuleFlags,

    /// The number of games of each bot on each board [default: 1]
    #[arg(help_heading = "Boards", long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,

    /// Play the boards in random order
    #[arg(help_heading = "Boards", long, conflicts_with_all = ["resume", "part"])]
    shuffle: bool,

    /// The orders of the bots in a game of several players [default: rotations]
    #[arg(help_heading = "Boards", long, value_name = "ORDERS", value_parser = word::<Seats>())]
    seats: Option<Seats>,

    /// What to do if the host made a bot late [default: fail, and play the game again]
    ///
    /// By default such a game is a timeout, and is played once more at the end, when the machine is
    /// quiet, and by --resume. `fail` leaves it a timeout.
    #[arg(help_heading = "Limits", long, value_name = "WHAT", value_parser = word::<OnHostDelay>())]
    on_host_delay: Option<OnHostDelay>,

    #[command(flatten, next_help_heading = "Run")]
    jobs: JobsFlags,

    /// A new folder for the run [default: runs/ and the time, next to referee.toml if there is one]
    ///
    /// `latest` and `referee runs` find only runs in runs/ (or in the project's folder of runs), in
    /// the working directory and next to referee.toml.
    #[arg(help_heading = "Run", long, value_name = "DIR", conflicts_with = "resume", add = completions::runs())]
    run: Option<PathBuf>,

    /// A comment on the run, which `referee runs` shows
    #[arg(help_heading = "Run", short = 'm', long, value_name = "TEXT", conflicts_with_all = ["resume", "part"], allow_hyphen_values = true)]
    comment: Option<String>,

    /// Keep nothing: no run folder, no logs, and no new records
    #[arg(help_heading = "Run", long, conflicts_with_all = ["run", "resume", "comment", "parts", "part", "slurm", "logs", "compress"])]
    no_run: bool,

    /// Play only the missing games of this run, a folder or `latest`
    ///
    /// The folder determines what is played and which games leave a log; flags that repeat what is
    /// played must agree. It stores no other flags, such as --jobs and --records: give them again. Games whose bot could not
    /// start, or for which the host lacked resources, are missing games too.
    #[arg(help_heading = "Run", long, value_name = "RUN", add = completions::runs())]
    resume: Option<PathBuf>,

    /// With --resume: play the games with this verdict again, such as `timeout` (repeatable)
    ///
    /// Their earlier results are dropped.
    #[arg(help_heading = "Run", long, value_name = "VERDICT", requires = "resume", conflicts_with = "slurm", value_parser = verdict)]
    again: Vec<Verdict>,

    #[command(flatten, next_help_heading = "Cluster")]
    parts: PartsFlags,

    #[command(flatten, next_help_heading = "Cluster")]
    slurm: SlurmFlags,

    /// Play until the bot is better or worse than this opponent, or even
    ///
    /// RUN or RUN:BOT is as for `referee compare`, and so is the rule. By default the opponent's
    /// boards are played, in random order.
    #[arg(
        help_heading = "Run",
        long,
        value_name = "RUN",
        value_parser = NonEmptyStringValueParser::new(),
        conflicts_with_all = ["resume", "part", "repeat"],
        add = completions::sides()
    )]
    against: Option<String>,

    /// Stop once the first of two --bot is known to be better or worse than the second, or even
    ///
    /// For games of several players: it compares places, and plays the boards in random order.
    #[arg(help_heading = "Run", long, conflicts_with_all = ["resume", "part", "repeat"])]
    until_decided: bool,

    /// What to compare of the scores, now and by default in `compare` and `report`
    ///
    /// The default is what the game's leaderboard adds up: points, or ratio for Square Remover.
    /// `log` and `rank` add a column to the report.
    #[arg(help_heading = "Run", long, value_name = "MEASURE", conflicts_with_all = ["resume", "part"], value_parser = word::<Measure>())]
    score: Option<Measure>,

    /// The mean difference that does not matter, such as 1% or points [default: 0.5%]
    ///
    /// With points, a percentage is of the opponent's mean. Other measures are in percent already.
    #[arg(
        help_heading = "Run",
        long,
        value_name = "MARGIN",
        requires = "decides",
        allow_hyphen_values = true
    )]
    margin: Option<Margin>,

    /// The false-positive rate in each direction, 2.5% or 5%, at any stopping time [default: 2.5%]
    #[arg(help_heading = "Run", long, value_name = "CHANCE", requires = "decides")]
    risk: Option<Risk>,

    /// Which games leave a log in the run folder [default: failed, or with --resume the run's]
    #[arg(help_heading = "Output", long, value_name = "WHICH", value_parser = word::<Logs>())]
    logs: Option<Logs>,

    /// Pack these logs with gzip, also when the run is resumed
    #[arg(help_heading = "Output", long)]
    compress: bool,

    #[command(flatten, next_help_heading = "Output")]
    live: LiveFlags,

    #[command(flatten, next_help_heading = "Output")]
    report: ReportFlags,
}

/// The most used flags and the examples before the many flags.
const TEMPLATE: &str = "\
{before-help}{about-with-newline}
{usage-heading} {usage}{after-help}

{all-args}";

const EXAMPLES: &str = "\
Most used:
  --bot CMD       a bot's command line (repeatable)
  --seed 1..100   random boards; --board FILE plays others
  --jobs N        the number of games at a time
  --run DIR       a new folder for the run
  --resume RUN    play only the missing games of a run

Examples:
  referee suite --bot ./old --bot ./new --seed 1..100
  referee suite --bot ./mybot --board boards/ --records records.toml
  referee suite --bot './mybot --width {W}' --param W=1,2,4 --seed 1..100
  referee suite --bot ./new --against runs/old
  referee suite --bot ./mybot --seed 1..1000 --run big --slurm --wait
  referee suite --game duel --bot ./new --bot ./old --until-decided --seed 1..10000
  referee suite --game duel --bot ./new --pool ./one --pool ./two --seed 1..100
  referee suite --resume latest";

pub(super) fn run(args: &SuiteArgs) -> Result<ExitCode, Failure> {
    args.refuse_lines_from_elsewhere()?;
    if args.compress && args.logs == Some(Logs::None) {
        let problem = "--compress packs the logs, and --logs none keeps none";
        return Err(Failure::user(anyhow!(problem)));
    }
    if let (Some(part), Some(path)) = (args.parts.part, &args.run) {
        return parts::play_part(args, &RunFolder::open(&run_path(path)?)?, part);
    }
    if let Some(path) = &args.resume {
        let mut folder = RunFolder::open(&run_path(path)?)?;
        folder.run.leaves_delayed |= args.leaves_delayed();
        let (config, is_over) = args.settings_of(&folder)?;
        args.check_outputs(&config)?;
        if is_over {
            let bests = args.report.bests(&config)?;
            args.live.start(&folder, &bests)?.map_or(Ok(()), Live::finish)?;
            return merged(&args.report, &config, &folder, Games::Told);
        }
        if args.slurm.slurm.is_some() {
            return slurm::submit_missing(args, &config, &folder);
        }
        if folder.parts() > 0 {
            return parts::play_all(args, &config, &folder);
        }
        let writer = args.take_up(folder)?;
        if writer.folder.played()?.count() == writer.folder.planned() {
            let path = writer.folder.path.display();
            log::warn!("{path}: nothing is left to play; these are the results");
        }
        return play_whole(args, &config, writer);
    }
    let (config, run) = new_run(args)?;
    args.check_outputs(&config)?;
    if args.slurm.slurm.is_some() {
        return slurm::submit_new(args, &config, run);
    }
    if args.parts.parts.is_some() {
        return parts::divide(args, &config, run, &slurm::tasks(args, &config)?);
    }
    let jobs = args.jobs.resolve(&config.project.suite);
    jobs.check().map_err(Failure::user)?;
    args.jobs.refuse_too_many_cores()?;
    refuse_crowd(jobs, &run.plan)?;
    if args.no_run {
        let scratch = tempfile::tempdir().map_err(|error| {
            let problem = format!("cannot make a folder for the games: {error}");
            Failure::user(anyhow!("{problem}; TMPDIR can name another one"))
        })?;
        let writer = RunWriter::create(&scratch.path().join("run"), run)?;
        args.bots.warn_of_default(&config);
        return play_whole(args, &config, writer);
    }
    let folder = create(args, &config, &run)?;
    args.bots.warn_of_default(&config);
    play_whole(args, &config, args.take_up(folder)?)
}

/// Plays the games of a run without parts, and reports on it.
fn play_whole(
    args: &SuiteArgs,
    config: &Config,
    mut writer: RunWriter,
) -> Result<ExitCode, Failure> {
    let bests = args.report.bests(config)?;
    let games = if args.no_run { Games::Dropped } else { Games::Told };
    let live = args.live.start(&writer.folder, &bests)?;
    let played = play::play(args, config, &mut writer, &bests, live.as_ref(), &interrupt()?);
    live.map_or(Ok(()), Live::finish)?;
    let decision = match played {
        Ok(decision) => decision,
        Err(failure) => {
            // A report in a file is wanted even if it is incomplete.
            let is_for_file = !matches!(args.report.format, Format::Text | Format::Jsonl);
            if is_for_file
                && let Err(error) = report(&args.report, config, &writer.folder, None, games)
            {
                log::error!("{error}");
            }
            return Err(failure);
        }
    };
    report(&args.report, config, &writer.folder, decision, games)
}

/// The rules, and the new run.
fn new_run(args: &SuiteArgs) -> Result<(Config, Run), Failure> {
    let (config, mut plan) = plan(args)?;
    let against = match &args.against {
        Some(run) => Some(opponent::find(run, args, &mut plan)?),
        None if args.until_decided => Some(opponent::rival(args, &plan)?),
        None => None,
    };
    if args.shuffle || against.is_some() {
        // Any random order will do; the plan stores it.
        plan.shuffle = Some(jiff::Timestamp::now().subsec_nanosecond().unsigned_abs());
    }
    let mut run = Run::new(plan, against);
    run.leaves_delayed = args.leaves_delayed();
    run.logs = args.logs.unwrap_or_default();
    if args.compress {
        run.packing = Packing::Gzip;
    }
    if !args.no_run {
        // Where a sandbox keeps a bot from the machine, nothing else of its folder is trusted either.
        let is_trusted = run.plan.bots.iter().all(|bot| bot.sandbox.is_none());
        run.git = commit_here(is_trusted);
    }
    Ok((config, run))
}

/// Makes the folder of a run, where the user chose or by the time.
fn create(args: &SuiteArgs, config: &Config, run: &Run) -> Result<RunFolder, FolderError> {
    let folder = match &args.run {
        Some(path) => RunFolder::create(path, run.clone())?,
        None => create_by_time(config, run)?,
    };
    if let Some(comment) = &args.comment {
        folder.set_comment(comment)?;
    }
    Ok(folder)
}

/// Makes a folder named after the time; several runs may start in one second.
fn create_by_time(config: &Config, run: &Run) -> Result<RunFolder, FolderError> {
    let runs = runs_folder(&config.project);
    let now = run.started.strftime("%Y%m%d-%H%M%S").to_string();
    let mut path = runs.join(&now);
    for number in 2.. {
        match RunFolder::create(&path, run.clone()) {
            Err(FolderError::Exists(_)) => path = runs.join(format!("{now}-{number}")),
            done => return done,
        }
    }
    unreachable!("numbers do not end")
}

impl SuiteArgs {
    /// Refuses `--format jsonl` for games that are not played here, and flags of the report where there is none.
    fn refuse_lines_from_elsewhere(&self) -> Result<(), Failure> {
        let is_partial = self.parts.part.is_some()
            || self.slurm.slurm.is_none() && self.parts.parts.is_some()
            || self.slurm.slurm.is_some() && !self.slurm.wait;
        let format = self.report.format;
        let dropped = if self.parts.part.is_some() {
            self.report.of_whole_run()
        } else {
            // Other flags are passed on to `referee merge`.
            let wants_form = is_partial && !matches!(format, Format::Text | Format::Jsonl);
            wants_form.then_some("--format")
        };
        if let Some(flag) = dropped {
            let problem = "is for the report on a whole run, which is not made here; `referee merge` takes it";
            return Err(Failure::user(anyhow!("{flag} {problem}")));
        }
        if format != Format::Jsonl || !(is_partial || self.slurm.slurm.is_some()) {
            return Ok(());
        }
        Err(Failure::user(anyhow!(
            "--format jsonl is for a suite that is played here, and as a whole; `referee merge --format jsonl` \
             prints the games of one that was played in parts"
        )))
    }

    /// Refuses files that cannot be written, before there is a run.
    fn check_outputs(&self, config: &Config) -> Result<(), Failure> {
        self.live.check()?;
        if self.no_run { Ok(()) } else { self.report.check(config) }
    }

    /// The rules of an existing run, if the flags still describe its plan, and whether it is over: then nothing is played, since
    /// it is complete and something has changed.
    fn settings_of(&self, folder: &RunFolder) -> Result<(Config, bool), Failure> {
        let stored = &folder.run.plan;
        let says_again = self.bots.is_given()
            || self.boards.is_given()
            || self.repeat.is_some()
            || self.seats.is_some();
        let (config, now) = if says_again || self.rules.is_given() || self.on_host_delay.is_some() {
            let config = self.rules.again(folder, self.on_host_delay)?;
            let plan = self.said_of(folder, &config)?;
            (config, plan)
        } else {
            let config = self.rules.of_run(folder)?;
            let judge = config.game.judge.clone();
            (config, Plan { judge, ..plan_now(folder)? })
        };
        if let Some(difference) = stored.difference(&now) {
            let path = folder.path.display();
            let is_complete = || Ok(folder.played()?.count() == folder.planned());
            let plays_nothing = || Ok::<_, FolderError>(self.again.is_empty() && is_complete()?);
            if !says_again && plays_nothing()? {
                log::warn!(
                    "{path} is complete, so nothing is played and these are its results; but {difference}: to play what is \
                     there now, start a new run, without --resume"
                );
                return Ok((config, true));
            }
            let advice = "put back what it was planned with, or start a new run, without --resume";
            let advice = if says_again { String::new() } else { format!("; {advice}") };
            return Err(Failure::user(anyhow!("{path} cannot be resumed: {difference}{advice}")));
        }
        Ok((config, false))
    }

    /// The plan of an existing run under these rules, unless the flags differ.
    fn said_of(&self, folder: &RunFolder, config: &Config) -> Result<Plan, Failure> {
        let stored = &folder.run.plan;
        let typed = if self.bots.is_given() { self.bots.resolve(config)? } else { Vec::new() };
        let mut plan = engine::suite::plan(config, typed);
        if !self.bots.is_given() {
            plan.bots = plan_now(folder)?.bots;
        }
        (plan.boards, plan.seeds) = if self.boards.is_given() {
            self.boards.resolve(config)?
        } else {
            (stored.boards.clone(), stored.seeds.clone())
        };
        plan.shuffle = stored.shuffle;
        plan.repeat = self.repeat.unwrap_or(stored.repeat);
        plan.seats = self.seats.unwrap_or(stored.seats);
        Ok(plan)
    }

    /// Resumes a run, without the results of games that are to be played again.
    fn take_up(&self, folder: RunFolder) -> Result<RunWriter, FolderError> {
        RunWriter::resume(folder, |outcome| self.plays_again(outcome))
    }

    /// Whether games that the host's delays ended stay lost.
    fn leaves_delayed(&self) -> bool {
        self.on_host_delay == Some(OnHostDelay::Fail)
    }

    /// Whether a game is to be played again.
    fn plays_again(&self, outcome: &Outcome) -> bool {
        matches!(outcome.verdict, SuiteVerdict::Played(verdict) if self.again.contains(&verdict))
    }
}

/// The rules and the plan.
fn plan(args: &SuiteArgs) -> Result<(Config, Plan), Failure> {
    let config = args.rules.resolve(args.on_host_delay)?;
    let bots = args.bots.resolve(&config)?;
    let (boards, seeds) = args.boards.resolve(&config)?;
    let repeat = args.repeat.unwrap_or(1);
    let mut plan = Plan { repeat, boards, seeds, ..engine::suite::plan(&config, bots) };
    let is_of_several = plan.players() > 1;
    plan.measure = args.score.or(is_of_several.then_some(Measure::Place)).or(plan.measure);
    plan.seats = args.seats.unwrap_or_default();
    let has_places = is_of_several || args.score != Some(Measure::Place) && args.seats.is_none();
    if !has_places {
        let flag = if args.seats.is_some() { "--seats" } else { "--score place" };
        let problem = format!("{flag}: a game of {} has one player", plan.game);
        return Err(Failure::user(anyhow!(problem)));
    }
    if plan.is_too_large() {
        let games = plan.games();
        let problem = format!(
            "these are {games} games, and a run has at most {MAX_GAMES}; choose fewer seeds, or several runs"
        );
        return Err(Failure::user(anyhow!(problem)));
    }
    Ok((config, plan))
}
