//! Plays the missing games of a run, shows their progress, and reports on them.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;

use super::jobs::{JobsFlags, refuse_crowd};
use super::progress::SuiteProgress;
use super::report::{Games, ReportFlags, report};
use crate::cli::hints::shell_path;
use crate::cli::inputs::prepare_outputs;
use crate::cli::signals::signal;
use crate::cli::{Failure, interrupt};
use ::report::Format;
use ::report::suite::write_game;
use contain::cancel::Canceller;
use engine::config::Config;
use engine::suite::{Hopeless, Observer, PoolError, RunError, RunPlayer};
use results::compare::Standing;
use results::suite::{Bests, FolderError, Logs, NotPlayed, Outcome, Plan, RunFolder, RunWriter};
use terms::fault::Attributed as _;

/// How games are played, and how they are reported on.
#[derive(Debug, Args)]
pub(super) struct PlayFlags {
    #[command(flatten)]
    pub(super) jobs: JobsFlags,

    #[command(flatten)]
    pub(super) report: ReportFlags,

    /// Write each game's answer and standard error to this folder, as 0007.txt and 0007.err
    ///
    /// Files are named after the board, and after the game's number if a board has several games. Later
    /// games replace them.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    outputs: Option<PathBuf>,

    /// Print a line for each finished game to standard error
    ///
    /// It has the case, the score, yours/best, the mean score so far, the time and the verdict. In a
    /// terminal this is the default for the games of contests' tools.
    #[arg(long, hide_short_help = true)]
    live_table: bool,
}

impl PlayFlags {
    /// Makes the folder of `--outputs` for the games of this plan.
    pub(super) fn prepare_outputs(&self, plan: &Plan) -> Result<(), Failure> {
        let Some(outputs) = &self.outputs else { return Ok(()) };
        let is_named_by_board = plan.is_named_by_board();
        let games = (1..=plan.games()).step_by(plan.players());
        prepare_outputs(outputs, games.flat_map(|game| plan.output_names(game, is_named_by_board)))
    }
}

/// Plays the missing games of a run, and reports on it. If it `may_stop`, the later games of bots without hope are not played, and it may end early.
pub(super) fn play_all(
    flags: &PlayFlags,
    config: &Config,
    mut writer: RunWriter,
    games: Games,
    may_stop: bool,
) -> Result<ExitCode, Failure> {
    let bests = flags.report.bests(config)?;
    let played = play(flags, config, &mut writer, &bests, games, may_stop, &interrupt()?);
    let decision = match played {
        Ok(decision) => decision,
        Err(failure) => {
            // A report in a file is wanted even if it is incomplete.
            let is_for_file = !matches!(flags.report.format, Format::Text | Format::Jsonl);
            if is_for_file
                && let Err(error) = report(&flags.report, config, &writer.folder, None, games)
            {
                log::error!("{error}");
            }
            return Err(failure);
        }
    };
    report(&flags.report, config, &writer.folder, decision, games)
}

/// Plays the missing games of a run; returns how its bot compares with an opponent.
fn play(
    flags: &PlayFlags,
    config: &Config,
    writer: &mut RunWriter,
    bests: &Bests,
    games: Games,
    may_stop: bool,
    interrupt: &Canceller,
) -> Result<Option<Standing>, Failure> {
    let folder = writer.folder.clone();
    let jobs = flags.jobs.resolve(&config.project.suite);
    let is_kept = games != Games::Dropped;
    if folder.played()?.count() < folder.planned() {
        refuse_crowd(jobs, &folder.run.plan)?;
    }
    let mut audience = Audience {
        progress: SuiteProgress::of(
            &folder,
            flags.report.format == Format::Text,
            flags.live_table,
        )?,
        bests,
        is_streamed: flags.report.format == Format::Jsonl,
        streamed: Ok(()),
    };
    let mut player = RunPlayer::new(writer, config);
    player.jobs = jobs;
    if !is_kept {
        player.logs = Logs::None;
    }
    player.outputs = flags.outputs.as_deref();
    player.bests = Some(bests);
    player.canceller = Some(interrupt);
    player.plays_delayed_again = folder.run.plays_delayed_again();
    player.hopeless = may_stop.then(Hopeless::default);
    let result = player.play(&mut audience);
    audience.progress.finish();
    if let Some(hopeless) = player.hopeless.take() {
        warn_of_hopeless(&hopeless, &folder, is_kept);
    }
    if let Some(error) =
        audience.streamed.err().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    {
        return Err(Failure::Output(error));
    }
    match result {
        Err(RunError::Cancelled(by)) if !is_kept => {
            let kept = "; --run none keeps no games".to_owned();
            Err(Failure::Interrupted { signal: signal(by), kept })
        }
        result => result.map_err(|error| failed(error, &folder, is_kept)),
    }
}

/// Shows the games as they end.
struct Audience<'a> {
    progress: SuiteProgress,
    bests: &'a Bests,
    /// Whether each game is a line on standard output, for programs that follow the run.
    is_streamed: bool,
    /// After the first failure nothing more is written.
    streamed: io::Result<()>,
}

impl Observer for Audience<'_> {
    fn begin(&mut self) {
        self.progress.begin();
    }

    /// Breaks once the reader of the lines has gone.
    fn game(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        self.progress.add(outcome);
        if self.is_streamed && self.streamed.is_ok() {
            self.streamed = write_game(outcome, self.bests, &mut io::stdout().lock());
        }
        if self.streamed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn standing(&mut self, standing: &Standing) {
        self.progress.show_standing(standing);
    }
}

/// Says why the suite has stopped if games are left, or which bots are out.
fn warn_of_hopeless(hopeless: &Hopeless, folder: &RunFolder, is_kept: bool) {
    let (stopped, out) = hopeless.report();
    let is_whole = folder.played().is_ok_and(|played| played.count() == folder.planned());
    let resume = format!("`referee resume {}", shell_path(&folder.path));
    if let Some(why) = stopped.filter(|_| !is_whole) {
        let rest = format!("{resume}` plays the rest, as --keep-going does");
        let again = if is_kept { &rest } else { "--keep-going plays on" };
        log::warn!("stopped, since {why} and start a new run; as it is, {again}");
        return;
    }
    let forfeits = folder.run.plan.players() > 1;
    for (bot, verdict) in out.into_iter().filter(|_| forfeits || !is_whole) {
        let verdict = serde_json::to_value(verdict).unwrap_or_default();
        let verdict = verdict.as_str().unwrap_or_default();
        let (later, again) = if forfeits {
            ("forfeits its later ones", format!("{resume} --again {verdict}`"))
        } else {
            ("its later ones are not played", format!("{resume}`"))
        };
        let again = if is_kept { &again } else { "--keep-going" };
        log::warn!(
            "{bot} is out: it lost its first games in the first turn, with one verdict, and {later}; {again} plays them"
        );
    }
}

/// The failure of a run, and how to resume it unless nothing is kept.
fn failed(error: RunError, folder: &RunFolder, is_kept: bool) -> Failure {
    let remedy = match &error {
        RunError::Cancelled(by) => {
            return interrupted(signal(*by), folder).unwrap_or_else(Failure::from);
        }
        RunError::Game(PoolError::Replaced { .. } | PoolError::JudgeReplaced(_)) if is_kept => {
            "; no game of the new one was kept, and `referee resume` goes on with the old one"
        }
        RunError::Game(PoolError::NotPlayed { reason: NotPlayed::NoResources, .. }) if is_kept => {
            "; `referee resume` plays them once that is mended"
        }
        RunError::Game(PoolError::NotPlayed { .. }) if is_kept => {
            "; `referee resume` plays them; once the bot or the game's judge has changed, start a new run"
        }
        _ => "",
    };
    if remedy.is_empty() {
        error.into()
    } else {
        Failure::of(error.at_fault(), anyhow!("{error}{remedy}"))
    }
}

/// Says how many games of a run were played before a signal, and how to resume it.
fn interrupted(signal: i32, folder: &RunFolder) -> Result<Failure, FolderError> {
    let path = shell_path(&folder.path);
    let (played, planned) = folder.progress()?;
    let kept =
        format!(" after {played} of {planned} games; `referee resume {path}` plays the rest");
    Ok(Failure::Interrupted { signal, kept })
}
