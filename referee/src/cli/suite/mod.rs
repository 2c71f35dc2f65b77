//! `referee suite`: many boards, one or more bots, into a run folder.

mod boards;
mod bots;
mod jobs;
mod opponent;
mod params;
mod play;
mod progress;
mod report;
pub(super) mod resume;
pub(super) mod submit;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use self::boards::BoardsFlags;
use self::bots::BotsFlags;
use self::jobs::refuse_crowd;
use self::play::{PlayFlags, play_all};
pub(super) use self::report::{Games, ReportFlags, add_values, report};
use super::named_run::{run_path, runs_folder};
use super::shared::RuleFlags;
use super::words::{one_of, word};
use super::{Failure, completions, refuse};
use engine::commit::commit_here;
use engine::config::{Config, Project};
use results::suite::{
    FolderError, Logs, MAX_GAMES, OutBot, Packing, Plan, Run, RunFolder, RunWriter, Shard,
};
use rules::measure::Measure;
use terms::limits::OnHostDelay;

/// Play one or more bots on many boards, several games at a time
///
/// Each finished game is saved at once in a run folder. A bot that hangs or crashes loses only its
/// own games. Exit with 1 if a bot lost a game, could not be started, or failed --fail-on.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = LONG_EXAMPLES)]
pub(super) struct SuiteArgs {
    #[command(flatten)]
    new: NewRun,

    /// Play until the bot proves better, worse or equal to this opponent
    ///
    /// The opponent is a run, RUN or RUN:BOT, as for `referee compare`, and by default its boards are
    /// played. In a game of several players it is another --bot, and places are compared. The rule is
    /// `referee compare`'s, and boards are played in random order. `margin` and `risk` of `[suite]` in
    /// the settings are the difference that does not matter and the false-positive rate.
    #[arg(long, value_name = "RUN|BOT", value_parser = NonEmptyStringValueParser::new(), conflicts_with = "repeat", hide_short_help = true, add = completions::sides())]
    against: Option<String>,

    /// Play the K-th of N shards of the games, as one of N machines
    ///
    /// A shard has every N-th board with all its games, and is a separate run: `referee resume`
    /// plays what is missing, and `referee merge` makes one run of all shards.
    #[arg(long, value_name = "K/N", conflicts_with = "against", hide_short_help = true)]
    shard: Option<Shard>,

    #[command(flatten)]
    play: PlayFlags,
}

/// What a new run plays, and where.
#[derive(Debug, Args)]
pub(super) struct NewRun {
    #[command(flatten)]
    bots: BotsFlags,

    #[command(flatten)]
    boards: BoardsFlags,

    #[command(flatten)]
    rules: RuleFlags,

    /// The number of games of each bot on each board [default: 1]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,

    /// What to do if the host made a bot late [default: fail, and play the game again]
    ///
    /// By default such a game is a timeout, and is played once more at the end, when the machine is
    /// quiet, and by `referee resume`. `fail` leaves it a timeout.
    #[arg(long, value_name = "WHAT", hide_short_help = true, value_parser = word::<OnHostDelay>())]
    on_host_delay: Option<OnHostDelay>,

    /// How to compare the scores, now and by default in `compare` and `report`
    ///
    /// The default is what the game's leaderboard adds up: points, or ratio for Square Remover.
    /// `log` and `rank` add a column to the report.
    #[arg(long, value_name = "MEASURE", hide_short_help = true, value_parser = word::<Measure>())]
    score: Option<Measure>,

    /// A new folder for the run, or `none` [default: named after the current time, in runs/]
    ///
    /// runs/ is next to referee.toml if there is one. `latest` and `referee runs` find only runs in
    /// runs/ (or in the project's folder of runs), in the working directory and next to
    /// referee.toml. With `none` there are no logs and no new records either.
    #[arg(long, value_name = "DIR", add = completions::runs())]
    run: Option<PathBuf>,

    /// A comment on the run, which `referee runs` shows
    #[arg(
        short = 'm',
        long,
        value_name = "TEXT",
        hide_short_help = true,
        allow_hyphen_values = true
    )]
    comment: Option<String>,

    /// Continue where the suite would stop
    ///
    /// Leave out boards that cannot be read or are named twice, and one of two bots that cannot be
    /// started. `suite` also plays all games of bots that lost their first ten in the first turn.
    #[arg(long, hide_short_help = true)]
    keep_going: bool,

    /// The games that leave a log [default: failed]
    #[arg(long, value_name = "WHICH", value_parser = one_of(LOGS))]
    logs: Option<(Logs, Packing)>,
}

const EXAMPLES: &str = "\
Examples:
  referee suite --bot ./old --bot ./new --seed 1..100
  referee suite --bot ./mybot --board boards/ --records records.toml
  referee suite --help has more flags and examples";

const LONG_EXAMPLES: &str = "\
Examples:
  referee suite --bot ./old --bot ./new --seed 1..100
  referee suite --bot ./mybot --board boards/ --records records.toml
  referee suite --bot './mybot --width {W}' --param W=1,2,4 --seed 1..100
  referee suite --bot ./new --against runs/old
  referee suite --bot ./mybot --seed 1..1000 --shard 2/5 --run big-2
  referee suite --game duel --bot ./new --bot ./old --against ./old --seed 1..10000
  referee suite --game duel --bot ./new --pool ./one --pool ./two --seed 1..100";

/// The values of `--logs`.
const LOGS: &[((Logs, Packing), &str, &str)] = &[
    ((Logs::All, Packing::Plain), "all", "Every game"),
    ((Logs::Failed, Packing::Plain), "failed", "Lost games"),
    ((Logs::None, Packing::Plain), "none", "No game"),
    ((Logs::All, Packing::Gzip), "all.gz", "Every game, packed"),
    ((Logs::Failed, Packing::Gzip), "failed.gz", "Lost games, packed"),
];

/// The value of `--run` that keeps nothing.
const NOWHERE: &str = "none";

pub(super) fn run(args: &SuiteArgs) -> Result<ExitCode, Failure> {
    let SuiteArgs { new, against, shard, play } = args;
    let keeps_nothing = new.keeps_nothing();
    if keeps_nothing && (new.comment.is_some() || new.logs.is_some() || shard.is_some()) {
        return refuse("--run none keeps nothing: leave out --comment, --logs and --shard");
    }
    let (config, mut plan, out) = new.plan(shard.is_some())?;
    let against = against.as_ref().map(|it| opponent::find(it, &new.boards, &config, &mut plan));
    let mut run = new.run(plan, against.transpose()?, out);
    run.shard = *shard;
    // A run with an opponent ends by its own rule.
    let may_stop = !new.keep_going && run.against.is_none();
    if !keeps_nothing {
        play.report.check(&config)?;
    }
    let jobs = play.jobs.resolve(&config.project.suite);
    jobs.check().map_err(Failure::user)?;
    refuse_crowd(jobs, &run.plan)?;
    play.prepare_outputs(&run.plan)?;
    if keeps_nothing {
        let scratch = tempfile::tempdir().map_err(|error| {
            let problem = format!("cannot make a folder for the games: {error}");
            Failure::user(anyhow!("{problem}; TMPDIR can name another one"))
        })?;
        let writer = RunWriter::create(&scratch.path().join("run"), run)?;
        new.bots.warn_of_default(&config);
        return play_all(play, &config, writer, Games::Dropped, may_stop);
    }
    let folder = new.create(&config, &run)?;
    new.bots.warn_of_default(&config);
    play_all(play, &config, RunWriter::resume(folder, |_| false)?, Games::Told, may_stop)
}

/// Makes a folder for a run, named after the time; several runs may start in one second.
pub(super) fn create_by_time(
    project: &Project,
    run: &Run,
    make: impl Fn(&Path) -> Result<RunFolder, FolderError>,
) -> Result<RunFolder, FolderError> {
    let runs = runs_folder(project);
    let now = run.started.strftime("%Y%m%d-%H%M%S").to_string();
    let mut path = runs.join(&now);
    for number in 2.. {
        match make(&path) {
            Err(FolderError::Exists(_)) => path = runs.join(format!("{now}-{number}")),
            done => return done,
        }
    }
    unreachable!("numbers do not end")
}

/// The failure of a suite that would go on with --keep-going.
fn or_keep_going(failure: Failure) -> Failure {
    match failure {
        Failure::User(error) => Failure::user(anyhow!("{error:#}; --keep-going leaves it out")),
        failure => failure,
    }
}

impl NewRun {
    /// Whether no run folder is made.
    fn keeps_nothing(&self) -> bool {
        self.run.as_deref() == Some(Path::new(NOWHERE))
    }

    /// The rules and the plan, and the bots that cannot play.
    fn plan(&self, is_shard: bool) -> Result<(Config, Plan, Vec<OutBot>), Failure> {
        let config = self.rules.resolve(self.on_host_delay, None)?;
        let (bots, out) = self.bots.resolve(&config, self.keep_going, is_shard)?;
        let mut plan = engine::suite::plan(&config, bots);
        (plan.repeat, plan.seats) = (1, config.project.suite.seats.unwrap_or_default());
        let mut theirs = None;
        if let Some(run) = &self.bots.pool_of {
            let of_run = RunFolder::open(&run_path(run)?)?.run.plan;
            opponent::check_alike("--pool-of", &run.to_string_lossy(), &plan, &of_run)?;
            theirs = Some(of_run);
        }
        if let Some(theirs) = theirs.filter(|_| !self.boards.is_given()) {
            (plan.boards, plan.seeds) = (theirs.boards, theirs.seeds);
            (plan.repeat, plan.seats) = (theirs.repeat, theirs.seats);
        } else {
            (plan.boards, plan.seeds) = self.boards.resolve(&config, self.keep_going)?;
        }
        plan.repeat = self.repeat.unwrap_or(plan.repeat);
        let is_of_several = plan.players() > 1;
        plan.measure = self.score.or(is_of_several.then_some(Measure::Place)).or(plan.measure);
        if !is_of_several && self.score == Some(Measure::Place) {
            return refuse(format!("--score place: a game of {} has one player", plan.game));
        }
        if plan.is_too_large() {
            let games = plan.games();
            let problem = format!(
                "these are {games} games, and a run has at most {MAX_GAMES}; choose fewer seeds, or several runs"
            );
            return refuse(problem);
        }
        Ok((config, plan, out))
    }

    /// The new run of a plan.
    fn run(&self, plan: Plan, against: Option<results::suite::Opponent>, out: Vec<OutBot>) -> Run {
        let mut run = Run::new(plan, against);
        run.out = out;
        run.leaves_delayed = self.on_host_delay == Some(OnHostDelay::Fail);
        (run.logs, run.packing) = self.logs.unwrap_or_default();
        if !self.keeps_nothing() {
            // Where a sandbox keeps a bot from the machine, nothing else of its folder is trusted either.
            let is_trusted = run.plan.bots.iter().all(|bot| bot.sandbox.is_none());
            run.git = commit_here(is_trusted);
        }
        run
    }

    /// Makes the folder of a run, where the user chose or by the time.
    fn create(&self, config: &Config, run: &Run) -> Result<RunFolder, FolderError> {
        let make = |path: &Path| RunFolder::create(path, run.clone());
        let folder = match &self.run {
            Some(path) => make(path)?,
            None => create_by_time(&config.project, run, make)?,
        };
        if let Some(comment) = &self.comment {
            folder.set_comment(comment)?;
        }
        Ok(folder)
    }
}
