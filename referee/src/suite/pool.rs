//! The worker pool: some threads, one game each at a time.
//!
//! A worker takes the next game, plays it through [`play`](crate::play), keeps what is to be kept of
//! it, and hands its outcome to the thread that started the pool. That thread alone adds results and
//! shows progress. The channel between them is short, so nothing piles up in memory.
//!
//! Games know nothing of each other. A bot that hangs, crashes or does not start costs its own games;
//! an error of the referee's own ends the pool once the games in flight are over. A signal ends these
//! too, through the same [`Interrupt`] that each of them waits for.

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use super::archive::Archive;
use super::game::Job;
use super::outcome::Outcome;
use super::plan::{CaseError, Plan};
use crate::bot::{BotCommand, Pinning};
use crate::config::Config;
use crate::interrupt::Interrupt;
use crate::play::PlayError;

/// All that it takes to play the games of a plan.
pub struct Pool<'a> {
    /// What is played.
    pub plan: &'a Plan,
    /// The rules.
    pub config: &'a Config,
    /// How each bot of the plan is started.
    pub commands: &'a [BotCommand],
    /// One entry for each worker: its cores, if it has cores of its own.
    pub workers: &'a [Option<Pinning>],
    /// Keeps logs and bundles.
    pub archive: Archive<'a>,
    /// Ends all games.
    pub interrupt: &'a Interrupt,
}

/// Why not all games were played; nothing that a bot does leads here.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// A board of the plan is none.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// A game could not be refereed.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A log or a bundle could not be written.
    #[error("cannot keep a game; the results so far are kept, and --resume goes on from them")]
    Keep(#[source] io::Error),
}

impl Pool<'_> {
    /// Plays these games and hands each outcome to `see` as it comes; once that breaks, no new game is
    /// started, and the outcomes of those in flight still come. A signal ends it without an error.
    ///
    /// # Errors
    /// The first thing that went wrong; outcomes that come after it are handed on as well.
    pub fn play(
        &self,
        games: impl Iterator<Item = usize> + Send,
        mut see: impl FnMut(Outcome) -> ControlFlow<()>,
    ) -> Result<(), PoolError> {
        let queue = Mutex::new(games);
        let stop = AtomicBool::new(false);
        let (send, outcomes) = mpsc::sync_channel(self.workers.len());
        let mut failure = None;
        thread::scope(|scope| {
            for pinning in self.workers {
                let (send, queue, stop) = (send.clone(), &queue, &stop);
                scope.spawn(move || self.work(pinning.as_ref(), queue, stop, &send));
            }
            drop(send);
            for outcome in outcomes {
                let go_on = match outcome {
                    Ok(outcome) => see(outcome),
                    Err(error) => {
                        failure.get_or_insert(error);
                        ControlFlow::Break(())
                    }
                };
                if go_on.is_break() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
        failure.map_or(Ok(()), Err)
    }

    /// Plays one game after the other until there is none, or something is wrong.
    fn work(
        &self,
        pinning: Option<&Pinning>,
        queue: &Mutex<impl Iterator<Item = usize>>,
        stop: &AtomicBool,
        outcomes: &mpsc::SyncSender<Result<Outcome, PoolError>>,
    ) {
        while !stop.load(Ordering::Relaxed) && self.interrupt.signal().is_none() {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(game) = next else { return };
            let played = match self.play_one(game, pinning) {
                Err(PoolError::Play(PlayError::Interrupted { .. })) => return,
                played => played,
            };
            let failed = played.is_err();
            // The receiver lives until all workers are gone.
            if outcomes.send(played).is_err() || failed {
                return;
            }
        }
    }

    fn play_one(&self, game: usize, pinning: Option<&Pinning>) -> Result<Outcome, PoolError> {
        let assignment = self.plan.assignment(game);
        let bot = &self.plan.bots[assignment.bot];
        let command =
            BotCommand { pinning: pinning.cloned(), ..self.commands[assignment.bot].clone() };
        let job = Job {
            config: self.config,
            bot: &bot.name,
            command: &command,
            assignment,
            case: self.plan.case(self.config.game, assignment.board)?,
            interrupt: self.interrupt,
        };
        let finished = job.play()?;
        self.archive.keep(&finished, bot).map_err(PoolError::Keep)?;
        Ok(finished.outcome)
    }
}
