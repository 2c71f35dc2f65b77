//! Plays what is missing of a run, or of a part of it.

use std::ops::ControlFlow;
use std::time::Duration;

use anyhow::Context as _;

use super::progress::Progress;
use super::{SuiteArgs, bots};
use crate::bot::memory_limit_of_host;
use crate::cli::{Failure, timing};
use crate::compare::Decider;
use crate::config::Config;
use crate::interrupt::Interrupt;
use crate::millis::Millis;
use crate::suite::{
    Archive, Bests, CoreClaims, Entrant, FolderError, Packing, Pool, PoolError, RunFolder,
    RunWriter, Session,
};
use crate::text::{plural, size};

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
    mut decider: Option<&mut Decider>,
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
        logs: args.logs,
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
