//! Plays what is missing of a run, or of a part of it.

use std::ops::ControlFlow;
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use super::progress::SuiteProgress;
use super::stream::GameStream;
use super::{SuiteArgs, bots};
use crate::cli::{Failure, timing};
use ::report::suite::SuiteFormat;
use contain::bot::memory_limit_of_host;
use contain::interrupt::Interrupt;
use engine::config::Config;
use engine::suite::{Archive, CoreClaims, Entrant, Pool, PoolError};
use results::compare::Decider;
use results::suite::{Bests, FolderError, Logs, Outcome, Packing, RunFolder, RunWriter, Session};
use terms::millis::Millis;
use terms::text::{plural, size};

/// How long a batch system may take to signal all processes of a task.
const SIGNAL_SPREAD: Duration = Duration::from_millis(200);

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

/// Catches the signals that end a suite.
pub(super) fn interrupt() -> Result<Interrupt, Failure> {
    Interrupt::catch().context("cannot catch signals").map_err(Failure::Referee)
}

/// Plays the games of a run, or of a part of it, that have no result yet.
pub(super) fn play(
    args: &SuiteArgs,
    config: &Config,
    writer: &mut RunWriter,
    bests: &Bests,
    decider: Option<&mut Decider>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let folder = writer.folder.clone();
    let played = folder.played()?;
    let mut claims = CoreClaims::default();
    let workers = args.jobs.workers(&config.project.suite, &mut claims)?;
    warn_of_memory(config, workers.len());
    let entrants = (0..folder.run.plan.bots.len()).map(|bot| bots::entrant(config, &folder, bot));
    let entrants = entrants.collect::<Result<Vec<_>, _>>()?;
    let pool = Pool {
        plan: &folder.run.plan,
        config,
        entrants: &entrants,
        workers: &workers,
        archive: archive(args, config, &folder),
        interrupt,
        signal_spread: if folder.part.is_some() { SIGNAL_SPREAD } else { Duration::ZERO },
    };
    if let Some(entrant) = entrants.first().filter(|_| played.count() < folder.planned()) {
        writer.begin_session(session(config, &folder, entrant)?)?;
    }
    let missing = folder.schedule().filter(|&game| !played.has(game));
    let mut receiver = Receiver {
        writer,
        progress: SuiteProgress::of(&folder, bests)?,
        stream: (args.report.format == SuiteFormat::Jsonl).then(|| GameStream::new(bests)),
        decider,
        written: Ok(()),
    };
    let pooled = pool.play(missing, |outcome| receiver.take(&outcome));
    receiver.finish()?;
    pooled.map_err(|error| failed(error, args.no_run))?;
    match interrupt.signal() {
        Some(signal) if args.no_run => {
            let kept = "; --no-run has kept no game".to_owned();
            Err(Failure::Interrupted { signal, kept })
        }
        Some(signal) => Err(interrupted(signal, &folder)?),
        None => Ok(()),
    }
}

/// Takes in the games as they end.
struct Receiver<'a> {
    writer: &'a mut RunWriter,
    progress: SuiteProgress<'a>,
    stream: Option<GameStream<'a>>,
    decider: Option<&'a mut Decider>,
    written: Result<(), FolderError>,
}

impl Receiver<'_> {
    /// Keeps and shows a game. Breaks if no further one is needed, or can be kept.
    fn take(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        if self.written.is_ok() {
            self.written = self.writer.append(outcome);
            self.progress.add(outcome);
        }
        let is_heard = self.stream.as_mut().is_none_or(|stream| stream.tell(outcome));
        let is_over = self.decider.as_mut().is_some_and(|decider| {
            decider.add(outcome);
            self.progress.show_standing(&decider.standing());
            decider.is_decided()
        });
        let stops = self.written.is_err() || is_over || !is_heard;
        if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether all games were kept, and told.
    fn finish(self) -> Result<(), Failure> {
        self.progress.finish();
        self.written.and_then(|()| self.writer.finish())?;
        self.stream.map_or(Ok(()), GameStream::finish)
    }
}

/// The session that begins here; that of a part has been looked at for disturbances.
fn session(config: &Config, folder: &RunFolder, entrant: &Entrant) -> Result<Session, Failure> {
    let mut session = Session::here(entrant.command.confinement.method.name());
    if folder.part.is_some() && folder.run.plan.is_timed() {
        session.smallest_limit = Some(Millis(timing::check_host(config)?.smallest_limit()));
    }
    Ok(session)
}

fn archive<'a>(args: &SuiteArgs, config: &Config, folder: &'a RunFolder) -> Archive<'a> {
    Archive {
        folder: &folder.path,
        kind: config.game,
        rules: &folder.run.plan.rules,
        logs: if args.no_run { Logs::None } else { args.logs },
        packing: if args.compress { Packing::Gzip } else { Packing::Plain },
        log_size: config.log_size,
    }
}

/// Says how far a run, or a part of one, has come before a signal, and how to go on.
pub(super) fn interrupted(signal: i32, folder: &RunFolder) -> Result<Failure, FolderError> {
    let path = folder.path.display();
    let again = match folder.part {
        Some(part) => format!("--run {path} --part {part}"),
        None => format!("--resume {path}"),
    };
    let (played, planned) = (folder.played()?.count(), folder.planned());
    let kept =
        format!(" after {played} of {planned} games; `referee suite {again}` plays the rest");
    Ok(Failure::Interrupted { signal, kept })
}

/// What went wrong, and what to do about it unless nothing is kept.
fn failed(error: PoolError, no_run: bool) -> Failure {
    let is_user_error = match &error {
        PoolError::Case(_) | PoolError::Replaced { .. } => true,
        PoolError::NotPlayed { is_user_error, .. } => *is_user_error,
        PoolError::Play(_) | PoolError::Keep(_) => false,
    };
    let remedy = match &error {
        PoolError::Replaced { .. } => {
            "; no game of the new one was kept, and --resume goes on with the old one"
        }
        PoolError::NotPlayed { .. } => "; --resume plays them",
        PoolError::Case(_) | PoolError::Play(_) | PoolError::Keep(_) => "",
    };
    let error = match remedy {
        "" => error.into(),
        _ if no_run => error.into(),
        remedy => anyhow!("{error}{remedy}"),
    };
    Failure::new(is_user_error, error)
}
