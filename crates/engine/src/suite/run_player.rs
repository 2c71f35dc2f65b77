//! Plays the missing games of a run into its folder.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use super::archive::Archive;
use super::bots::{BotError, Entrant};
use super::hopeless::Hopeless;
use super::jobs::Jobs;
use super::pool::{Pool, PoolError};
use crate::config::Config;
use crate::host::{CoreClaims, overload};
use crate::play::await_quiet;
use contain::bot::{Host, PinError, memory_limit_of_host, process_limit_of_host};
use contain::cancel::{Cancelled, Canceller};
use results::compare::{Decider, Standing};
use results::host::SHORT_LIMIT;
use results::suite::{Bests, FolderError, Logs, Outcome, Packing, Plan, RunWriter, Session};
use terms::fault::{AtFault, Attributed};
use terms::text::{plural, size};

/// How long a batch system may take to signal all processes of a task.
const SIGNAL_SPREAD: Duration = Duration::from_millis(200);

/// Learns of the games of a run as they end. A closure that takes an [`Outcome`] is an observer.
pub trait Observer {
    /// The first game is about to start; bots and host have been checked.
    fn begin(&mut self) {}

    /// A game has ended, and its result is kept. After a break no new game is started; games in flight are played
    /// to their end.
    fn game(&mut self, outcome: &Outcome) -> ControlFlow<()>;

    /// Reports, after a game, how the bot of a run compares with the run's opponent.
    fn standing(&mut self, _: &Standing) {}
}

impl<F: FnMut(&Outcome)> Observer for F {
    fn game(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        self(outcome);
        ControlFlow::Continue(())
    }
}

/// Plays a run.
#[derive(Debug)]
pub struct RunPlayer<'a> {
    writer: &'a mut RunWriter,
    config: &'a Config,
    /// The number of games played at a time; by default the project's.
    pub jobs: Jobs,
    /// Which games leave a log; by default those that the run was started with.
    pub logs: Logs,
    /// How logs are written; by default as the run was started with.
    pub packing: Packing,
    /// The folder for what the bots write, as [`outputs::keep`](results::gamelog::outputs::keep) writes it; by default it is not kept.
    pub outputs: Option<&'a Path>,
    /// The best known scores, which results keep for comparisons in [`Measure::Ratio`](rules::measure::Measure::Ratio).
    pub bests: Option<&'a Bests>,
    /// What can end the games early, those in flight as well.
    pub canceller: Option<&'a Canceller>,
    /// Whether games that the host's delays ended are played once more at the end, one at a time, when the machine is quiet. The
    /// observer is told of such a game once, with its last result.
    pub plays_delayed_again: bool,
    /// The bots that fail at once: with several players they forfeit their later games, and otherwise these are left. The games end
    /// early if all bots fail. `None` if all games are played.
    pub hopeless: Option<Hopeless>,
}

/// Why not all games of a run were played; never because of what a bot does in a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The run folder, or the opponent's, cannot be read or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A bot cannot be started.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// There are too few cores.
    #[error(transparent)]
    Cores(#[from] PinError),
    /// A game could not be played, refereed or kept.
    #[error(transparent)]
    Game(#[from] PoolError),
    /// The games were cancelled.
    #[error("{0}")]
    Cancelled(Cancelled),
}

impl Attributed for RunError {
    fn at_fault(&self) -> AtFault {
        match self {
            Self::Folder(error) => error.at_fault(),
            Self::Bot(error) => error.at_fault(),
            Self::Cores(_) => AtFault::User,
            Self::Game(error) => error.at_fault(),
            Self::Cancelled(_) => AtFault::Host,
        }
    }
}

impl<'a> RunPlayer<'a> {
    /// A player of the run that is being written.
    pub fn new(writer: &'a mut RunWriter, config: &'a Config) -> Self {
        let jobs = Jobs::of(&config.project.suite);
        let (logs, packing) = (writer.folder.run.logs, writer.folder.run.packing);
        Self {
            writer,
            config,
            jobs,
            logs,
            packing,
            outputs: None,
            bests: None,
            canceller: None,
            plays_delayed_again: false,
            hopeless: None,
        }
    }

    /// Plays the games that have no result yet, all bots on a board before the next board. A run with an opponent
    /// ends as soon as the comparison is decided, and returns how its bot compares.
    ///
    /// # Errors
    /// The first failure, or the source of the cancellation. The results so far are kept.
    pub fn play(&mut self, observer: &mut impl Observer) -> Result<Option<Standing>, RunError> {
        let _host = Host::hold();
        let folder = self.writer.folder.clone();
        let decider = Decider::of(&folder)?;
        if decider.as_ref().is_some_and(Decider::is_decided) {
            return Ok(decider.map(|decider| decider.standing()));
        }
        let played = folder.played()?;
        let mut claims = CoreClaims::default();
        let workers = self.jobs.workers(&mut claims)?;
        let bots = workers.len() * self.config.game.players;
        warn_of_memory(&folder.run.plan, bots);
        warn_of_processes(bots);
        let entrants = Entrant::all(self.config, &folder)?;
        let plan = &folder.run.plan;
        let is_named_by_board = self.outputs.is_some() && plan.is_named_by_board();
        let mut pool = Pool {
            plan,
            config: self.config,
            entrants: &entrants,
            workers: &workers,
            archive: Archive {
                folder: &folder,
                log_size: self.config.log_size,
                logs: self.logs,
                packing: self.packing,
                outputs: self.outputs,
                is_named_by_board,
            },
            canceller: self.canceller,
            signal_spread: folder.run.shard.map_or(Duration::ZERO, |_| SIGNAL_SPREAD),
            hopeless: self.hopeless.take().map(Mutex::new),
        };
        if let Some(entrant) = entrants.first().filter(|_| played.count() < folder.planned()) {
            warn_of_load(&folder.run.plan, workers.len());
            let session = Session::here(entrant.command.confinement.method.name());
            let cores = workers.iter().flatten().map(|pinning| pinning.cores.len()).min();
            let cores_per_bot = cores.and_then(|cores| u16::try_from(cores).ok());
            self.writer.begin_session(Session { cores_per_bot, ..session })?;
        }
        let (players, is_missing) = (folder.run.plan.players(), |game| !played.has(game));
        let missing = folder.schedule().step_by(players).filter(|&first| is_missing(first));
        observer.begin();
        let bests = self.bests;
        let with_best = |mut outcomes: Vec<Outcome>| {
            for outcome in &mut outcomes {
                outcome.best_known = bests.and_then(|bests| bests.best(&outcome.record_id));
            }
            outcomes
        };
        let mut recorder = Recorder {
            writer: self.writer,
            observer,
            decider,
            kept: Ok(()),
            delayed: self.plays_delayed_again.then(Vec::new),
            goes_on: ControlFlow::Continue(()),
        };
        let mut pooled = pool.play(missing, |outcomes| recorder.record(&with_best(outcomes)));
        let is_cancelled = || self.canceller.and_then(Canceller::cancelled).is_some();
        let delayed = recorder.delayed.take().unwrap_or_default();
        if pooled.is_ok()
            && recorder.goes_on.is_continue()
            && !is_cancelled()
            && recorder.drop_delayed(&delayed)?
        {
            pool.workers = &workers[..1];
            await_quiet(workers[0].as_ref(), self.canceller);
            let mut again = delayed.iter().map(Outcome::table).collect::<Vec<_>>();
            again.dedup();
            pooled = pool.play(again.into_iter(), |outcomes| recorder.record(&with_best(outcomes)));
            // The games before were counted as if these had not been played.
            recorder.decider = recorder.decider.take().and(Decider::of(&folder)?);
        } else {
            for outcome in &delayed {
                let _ = recorder.observer.game(outcome);
            }
        }
        let standing = recorder.finish()?;
        self.hopeless = pool.hopeless.and_then(|hopeless| hopeless.into_inner().ok());
        pooled?;
        let by = self.canceller.and_then(Canceller::cancelled);
        by.map_or(Ok(standing), |by| Err(RunError::Cancelled(by)))
    }
}

/// Keeps the games as they end, and passes them to the observer.
struct Recorder<'a, O> {
    writer: &'a mut RunWriter,
    observer: &'a mut O,
    decider: Option<Decider>,
    kept: Result<(), FolderError>,
    /// The games that the host's delays ended, of which the observer is not told yet; `None` if it is told of them at once.
    delayed: Option<Vec<Outcome>>,
    /// Breaks once no further game is needed.
    goes_on: ControlFlow<()>,
}

impl<O: Observer> Recorder<'_, O> {
    /// Breaks if no further game is needed, or if games cannot be kept.
    fn record(&mut self, outcomes: &[Outcome]) -> ControlFlow<()> {
        if self.kept.is_ok() {
            self.kept = self.writer.append(outcomes);
        }
        let wanted = if self.kept.is_ok() { self.notify(outcomes) } else { ControlFlow::Break(()) };
        if wanted.is_break() {
            self.goes_on = wanted;
        }
        wanted
    }

    /// Tells the observer and the decider of a game that was kept. Breaks if no further game is needed.
    fn notify(&mut self, outcomes: &[Outcome]) -> ControlFlow<()> {
        let mut wanted = ControlFlow::Continue(());
        for outcome in outcomes {
            let goes_on = match &mut self.delayed {
                Some(delayed) if outcome.is_lost_by_host() => {
                    delayed.push(outcome.clone());
                    ControlFlow::Continue(())
                }
                _ => self.observer.game(outcome),
            };
            if goes_on.is_break() {
                wanted = goes_on;
            }
        }
        let Some(decider) = &mut self.decider else { return wanted };
        for outcome in outcomes {
            decider.add(outcome);
        }
        self.observer.standing(&decider.standing());
        if decider.is_decided() { ControlFlow::Break(()) } else { wanted }
    }

    /// Takes back the results of games that are to be played again. Returns whether there are any.
    fn drop_delayed(&mut self, delayed: &[Outcome]) -> Result<bool, FolderError> {
        if delayed.is_empty() {
            return Ok(false);
        }
        let games: BTreeSet<usize> = delayed.iter().map(|outcome| outcome.game).collect();
        let tables: BTreeSet<usize> = delayed.iter().map(Outcome::table).collect();
        self.writer.drop_outcomes(|outcome| games.contains(&outcome.game))?;
        log::warn!(
            "{} lost to the host; playing again, one at a time, once this machine is quiet",
            plural(tables.len() as u64, "game")
        );
        Ok(true)
    }

    fn finish(self) -> Result<Option<Standing>, FolderError> {
        self.kept.and_then(|()| self.writer.finish())?;
        Ok(self.decider.map(|decider| decider.standing()))
    }
}

/// Bots that each keep their limits may together still need more than the host gives.
fn warn_of_memory(plan: &Plan, bots: usize) {
    let needed = plan.rules.resources.memory.map(|memory| memory.saturating_mul(bots as u64));
    if let (Some(needed), Some(limit)) = (needed, memory_limit_of_host())
        && needed > limit
    {
        let [needed, limit] = [needed, limit].map(size);
        log::warn!(
            "{} at a time may use {needed} of memory, and a control group gives them {limit}; play fewer at a time, or lower \
             their limit on memory, or the kernel may kill bots that are within their limits",
            plural(bots as u64, "bot"),
        );
    }
}

/// What a runtime may start by itself, on a machine of many cores.
const THREADS_OF_RUNTIME: u64 = 64;

/// A limit on processes around all bots makes runtimes fail, or wait for ever.
fn warn_of_processes(bots: usize) {
    let needed = THREADS_OF_RUNTIME.saturating_mul(bots as u64);
    if let Some(limit) = process_limit_of_host().filter(|&limit| limit < needed) {
        log::warn!(
            "a control group limits the referee and {} at a time to {limit} processes and threads, and some runtimes start dozens; \
             raise `pids.max` (the `pids-limit` of docker and podman), or games may not be played",
            plural(bots as u64, "bot"),
        );
    }
}

/// Others that want more cores than are left make bots late, unless their limits are long.
fn warn_of_load(plan: &Plan, jobs: usize) {
    if plan.smallest_limit().is_some_and(|limit| limit <= SHORT_LIMIT)
        && let Some((others, cores)) = overload(jobs)
    {
        log::warn!(
            "{} and, on average, {others:.1} other threads want the {} of this machine at the same time: games may be lost \
             to the host; end other work, or give longer limits",
            plural(jobs as u64, "bot"),
            plural(cores as u64, "core"),
        );
    }
}
