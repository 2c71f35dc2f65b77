//! Plays the missing games of a run, or of a part of it, and shows its progress.

use std::io;
use std::ops::ControlFlow;

use anyhow::anyhow;

use super::SuiteArgs;
use super::hopeless::Hopeless;
use super::jobs::refuse_crowd;
use super::live::Live;
use super::progress::SuiteProgress;
use crate::cli::hints::shell_path;
use crate::cli::signals::signal;
use crate::cli::{Failure, timing};
use ::report::Format;
use ::report::suite::write_game;
use contain::cancel::Canceller;
use engine::config::Config;
use engine::suite::{Observer, PoolError, RunError, RunPlayer};
use results::compare::Standing;
use results::suite::{Bests, FolderError, Logs, NotPlayed, Outcome, Packing, RunFolder, RunWriter};
use terms::fault::Attributed as _;

/// Plays the missing games of a run, or of a part of it; returns how its bot compares with an opponent.
pub(super) fn play(
    args: &SuiteArgs,
    config: &Config,
    writer: &mut RunWriter,
    bests: &Bests,
    live: Option<&Live>,
    interrupt: &Canceller,
) -> Result<Option<Standing>, Failure> {
    let folder = writer.folder.clone();
    let jobs = args.jobs.resolve(&config.project.suite);
    if folder.played()?.count() < folder.planned() {
        args.jobs.refuse_too_many_cores()?;
        refuse_crowd(jobs, &folder.run.plan)?;
    }
    let mut audience = Audience {
        progress: SuiteProgress::of(&folder)?,
        bests,
        is_streamed: args.report.format == Format::Jsonl,
        streamed: Ok(()),
        hopeless: may_stop(args, &folder)?.then(Hopeless::default),
        live,
    };
    let mut player = RunPlayer::new(writer, config);
    player.jobs = jobs;
    player.logs = match args.logs {
        _ if args.no_run => Logs::None,
        Some(logs) => logs,
        None => player.logs,
    };
    if args.compress {
        player.packing = Packing::Gzip;
    }
    player.bests = Some(bests);
    player.echo = folder.part.map(|_| timing::echo(config)).transpose()?;
    player.canceller = Some(interrupt);
    player.plays_delayed_again = folder.run.plays_delayed_again();
    let result = player.play(&mut audience);
    audience.progress.finish();
    if let Some(hopeless) = &audience.hopeless {
        hopeless.warn(&folder, args.no_run);
    }
    if let Some(error) =
        audience.streamed.err().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    {
        return Err(Failure::Output(error));
    }
    match result {
        Err(RunError::Cancelled(by)) if args.no_run => {
            let kept = "; --no-run keeps no games".to_owned();
            Err(Failure::Interrupted { signal: signal(by), kept })
        }
        result => result.map_err(|error| failed(error, &folder, args.no_run)),
    }
}

/// Whether a bot without hope ends the run or its part: not one that is resumed, nor one that ends by its own rule.
fn may_stop(args: &SuiteArgs, folder: &RunFolder) -> Result<bool, FolderError> {
    let is_resumed = args.resume.is_some() || folder.played()?.count() > 0;
    Ok(!is_resumed && !args.boards.keep_going && folder.run.against.is_none())
}

/// Shows the games as they end.
struct Audience<'a> {
    progress: SuiteProgress,
    bests: &'a Bests,
    /// Whether each game is a line on standard output, for programs that follow the run.
    is_streamed: bool,
    /// After the first failure nothing more is written.
    streamed: io::Result<()>,
    /// Ends the suite of a bot that fails at once, unless the user wants to go on.
    hopeless: Option<Hopeless>,
    /// The page that follows the run.
    live: Option<&'a Live>,
}

impl Observer for Audience<'_> {
    fn begin(&mut self) {
        self.progress.begin();
    }

    /// Breaks once the reader of the lines has gone, or a bot has no hope.
    fn game(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        self.progress.add(outcome);
        if let Some(live) = self.live {
            live.game();
        }
        if self.is_streamed && self.streamed.is_ok() {
            self.streamed = write_game(outcome, self.bests, &mut io::stdout().lock());
        }
        let is_hopeless = self.hopeless.as_mut().is_some_and(|hopeless| hopeless.add(outcome));
        let goes_on = self.streamed.is_ok() && !is_hopeless;
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn standing(&mut self, standing: &Standing) {
        self.progress.show_standing(standing);
    }
}

/// The failure of a run, or of a part of one, and how to resume it unless nothing is kept.
pub(super) fn failed(error: RunError, folder: &RunFolder, no_run: bool) -> Failure {
    let remedy = match &error {
        RunError::Cancelled(by) => {
            return interrupted(signal(*by), folder).unwrap_or_else(Failure::from);
        }
        RunError::Game(PoolError::Replaced { .. } | PoolError::JudgeReplaced(_)) if !no_run => {
            "; no game of the new one was kept, and --resume goes on with the old one"
        }
        RunError::Game(PoolError::NotPlayed { reason: NotPlayed::NoResources, .. }) if !no_run => {
            "; --resume plays them once that is mended"
        }
        RunError::Game(PoolError::NotPlayed { .. }) if !no_run => {
            "; --resume plays them; once the bot or the game's judge has changed, start a new run"
        }
        _ => "",
    };
    if remedy.is_empty() {
        error.into()
    } else {
        Failure::of(error.at_fault(), anyhow!("{error}{remedy}"))
    }
}

/// Says how many games of a run, or of a part of one, were played before a signal, and how to resume it.
fn interrupted(signal: i32, folder: &RunFolder) -> Result<Failure, FolderError> {
    let path = shell_path(&folder.path);
    let again = match folder.part {
        Some(part) => format!("--run {path} --part {part}"),
        None => format!("--resume {path}"),
    };
    let (played, planned) = folder.progress()?;
    let kept =
        format!(" after {played} of {planned} games; `referee suite {again}` plays the rest");
    Ok(Failure::Interrupted { signal, kept })
}
