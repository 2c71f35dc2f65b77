//! The worker pool: some threads, one game each at a time.
//!
//! A worker takes the next game, plays it through [`play`](crate::play), archives it, and hands the
//! outcomes of its seats to the thread that started the pool. That thread alone adds results and shows progress.
//! The channel between them is short, so nothing piles up in memory.
//!
//! Games know nothing of each other. A bot that hangs or crashes loses only its own games. A bot that cannot be
//! started leaves games that are not played; if that happens several times in a row, or a bot's files
//! are replaced, or the referee itself fails, the pool ends once the games in flight are over. A [`Canceller`]
//! ends these too: each of them waits for it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use super::archive::Archive;
use super::bot_files::FileChange;
use super::bots::Entrant;
use super::game::Job;
use super::hopeless::Hopeless;
use crate::config::Config;
use crate::play::{PlayError, Seated};
use contain::bot::{BotCommand, Pinning};
use contain::cancel::{Cancelled, Canceller};
use contain::system::move_thread_to;
use results::suite::{CaseError, NotPlayed, Outcome, Plan, SuiteVerdict};
use terms::fault::{AtFault, Attributed};
use terms::verdict::Verdict;

/// Everything needed to play the games of a plan.
pub(super) struct Pool<'a> {
    pub(super) plan: &'a Plan,
    /// The rules.
    pub(super) config: &'a Config,
    /// The bots of the plan, in its order.
    pub(super) entrants: &'a [Entrant],
    /// One entry for each worker: its cores, if it has its own.
    pub(super) workers: &'a [Option<Pinning>],
    /// Keeps logs.
    pub(super) archive: Archive<'a>,
    /// Can end all games.
    pub(super) canceller: Option<&'a Canceller>,
    /// How long after a bot the referee may get a signal that went to both.
    pub(super) signal_spread: Duration,
    /// The bots that fail at once, whose later games are not played; `None` if all games are played.
    pub(super) hopeless: Option<Mutex<Hopeless>>,
}

/// A suite ends after this many games in a row that could not be played.
const MAX_NOT_PLAYED: u32 = 5;

/// Why not all games were played; never because of what a bot does in a game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// A test case in the plan does not parse.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// A game could not be refereed.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A bot's file was replaced.
    #[error("the bot `{bot}` changed while it was played: {file} is not the same")]
    Replaced {
        /// The name of the bot in the plan.
        bot: String,
        /// The file, as the bot's command names it.
        file: String,
    },
    /// A file of the game's judge was replaced.
    #[error("the judge changed while it was played: {0}")]
    JudgeReplaced(String),
    /// Several games of a bot in a row could not be started.
    #[error("{MAX_NOT_PLAYED} games of `{bot}` in a row could not be played: {why}")]
    NotPlayed {
        /// The name of the bot in the plan.
        bot: String,
        /// Why the last one could not be started.
        why: String,
        /// What kept the last one from being played.
        reason: NotPlayed,
    },
    /// A log could not be written. The results so far are kept.
    #[error("cannot keep a game")]
    Keep(#[source] io::Error),
}

impl Attributed for PoolError {
    fn at_fault(&self) -> AtFault {
        match self {
            Self::Case(_)
            | Self::Replaced { .. }
            | Self::JudgeReplaced(_)
            | Self::NotPlayed { reason: NotPlayed::CannotStart, .. } => AtFault::User,
            Self::Play(error) => error.at_fault(),
            Self::NotPlayed { .. } | Self::Keep(_) => AtFault::Host,
        }
    }
}

impl Pool<'_> {
    /// Plays the games with these first numbers and hands the outcomes of each to `see` as they come; once that breaks, no new game is
    /// started, and the outcomes of those in flight still come. Being cancelled is not an error; otherwise
    /// the first thing that went wrong is returned, and outcomes that come after it are handed on as well.
    pub(super) fn play(
        &self,
        games: impl Iterator<Item = usize> + Send,
        mut see: impl FnMut(Vec<Outcome>) -> ControlFlow<()>,
    ) -> Result<(), PoolError> {
        let queue = Mutex::new(games);
        let stop = AtomicBool::new(false);
        let (send, outcomes) = mpsc::sync_channel(self.workers.len());
        let mut failure = None;
        let mut not_played = NotPlayedInARow::default();
        thread::scope(|scope| {
            for pinning in self.workers {
                let (send, queue, stop) = (send.clone(), &queue, &stop);
                scope.spawn(move || self.work(pinning.as_ref(), queue, stop, &send));
            }
            drop(send);
            for outcome in outcomes {
                let checked = outcome.map(|outcome| {
                    (not_played.count(&outcome), self.is_over(&outcome), see(outcome))
                });
                let go_on = match checked {
                    Ok((Ok(()), true, _)) => ControlFlow::Break(()),
                    Ok((Ok(()), false, go_on)) => go_on,
                    Ok((Err(error), ..)) | Err(error) => {
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

    /// Counts a game, after which no bot may have any hope.
    fn is_over(&self, outcomes: &[Outcome]) -> bool {
        let Some(hopeless) = &self.hopeless else { return false };
        let mut hopeless = hopeless.lock().unwrap_or_else(PoisonError::into_inner);
        for outcome in outcomes {
            hopeless.end(outcome, self.plan);
        }
        hopeless.is_over()
    }

    /// The outcomes of a game that is decided before it is played: of its bots, all but one are out.
    fn forfeited(&self, job: &Job<'_>) -> Option<Vec<Outcome>> {
        let hopeless = self.hopeless.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let verdicts: Vec<_> =
            job.seats.iter().map(|(seated, _)| hopeless.verdict(seated.name)).collect();
        let out = verdicts.iter().flatten().count();
        (verdicts.len() > 1 && out > 0 && verdicts.len() - out <= 1)
            .then(|| job.forfeited(&verdicts))
    }

    /// Takes the next game from the queue. Where nobody needs its result, a game of a bot that is out is left.
    fn next(&self, queue: &Mutex<impl Iterator<Item = usize>>) -> Option<usize> {
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(hopeless) = &self.hopeless else { return queue.next() };
        let mut hopeless = hopeless.lock().unwrap_or_else(PoisonError::into_inner);
        let name = |bot: usize| self.plan.bots[bot].name.as_str();
        let first = queue.find(|&first| match self.plan.table(first)[..] {
            [bot] => hopeless.verdict(name(bot)).is_none(),
            _ => true,
        })?;
        for (game, bot) in (first..).zip(self.plan.table(first)) {
            hopeless.begin(name(bot), game);
        }
        Some(first)
    }

    /// Plays games from the queue until it is empty or something fails.
    fn work(
        &self,
        pinning: Option<&Pinning>,
        queue: &Mutex<impl Iterator<Item = usize>>,
        stop: &AtomicBool,
        outcomes: &mpsc::SyncSender<Result<Vec<Outcome>, PoolError>>,
    ) {
        if let Some(pinning) = pinning {
            // It is kept there between its games too. Without these cores, the first game says why it cannot be played.
            let _ = move_thread_to(&pinning.cores);
        }
        let is_cancelled = || self.canceller.and_then(Canceller::cancelled).is_some();
        while !stop.load(Ordering::Relaxed) && !is_cancelled() {
            let Some(game) = self.next(queue) else { return };
            let played = match self.play_one(game, pinning) {
                Err(PoolError::Play(PlayError::Cancelled { .. })) => return,
                played => played,
            };
            let failed = played.is_err();
            // The receiver lives until all workers are gone.
            if outcomes.send(played).is_err() || failed {
                return;
            }
        }
    }

    /// The signal that ended the referee's bot along with the referee. A batch system that ends a job
    /// signals all of its processes, bots included, so a bot that has just ended may not have crashed.
    fn signal_that_ended(&self, outcomes: &[Outcome]) -> Option<Cancelled> {
        let has_ended = |outcome: &Outcome| {
            matches!(
                outcome.verdict,
                SuiteVerdict::Played(Verdict::Crash | Verdict::EarlyExit | Verdict::StdoutClosed)
            )
        };
        let by =
            self.canceller.filter(|_| outcomes.iter().any(has_ended))?.wait(self.signal_spread);
        by.filter(|by| by.signal().is_some())
    }

    /// Checks that the files of the judge are still those that the plan names.
    fn check_judge(&self) -> Result<(), String> {
        let own = self.config.project.games.get(&self.plan.game);
        let Some((judge, own)) = self.plan.judge.as_ref().zip(own) else { return Ok(()) };
        let now = own.files_now().map_err(|error| error.to_string())?;
        let is_same = |(file, digest): &(&String, &String)| judge.files.get(*file) == Some(*digest);
        match now.iter().find(|file| !is_same(file)) {
            Some((file, _)) => Err(format!("{file} is not the same")),
            None if now.len() < judge.files.len() => Err("a file is missing".to_owned()),
            None => Ok(()),
        }
    }

    /// Plays the game with this first number.
    fn play_one(&self, first: usize, pinning: Option<&Pinning>) -> Result<Vec<Outcome>, PoolError> {
        let table = self.plan.table(first);
        let entrants: Vec<&Entrant> = table.iter().map(|&bot| &self.entrants[bot]).collect();
        // One bot is asked at a time, so the bots of a game share its cores.
        let command = |entrant: &&Entrant| BotCommand {
            pinning: pinning.cloned(),
            ..entrant.command.clone()
        };
        let commands: Vec<BotCommand> = entrants.iter().map(command).collect();
        let assignments = (first..).map(|game| self.plan.assignment(game));
        let seated = entrants.iter().zip(&commands).zip(assignments);
        let job = Job {
            config: self.config,
            seats: seated
                .map(|((entrant, command), seat)| {
                    (Seated { name: &entrant.bot.name, command }, seat)
                })
                .collect(),
            case: self.plan.case(&self.config.game, self.plan.assignment(first).board)?,
            canceller: self.canceller,
        };
        if let Some(forfeited) = self.forfeited(&job) {
            return Ok(forfeited);
        }
        let check = || {
            entrants.iter().try_for_each(|Entrant { bot, files, .. }| {
                files.check(&bot.files).map_err(|change| (bot.name.as_str(), change))
            })
        };
        let played = check().and_then(|()| {
            let finished = job.play();
            check().map(|()| finished)
        });
        match played {
            Ok(finished) => {
                let finished = finished?;
                self.check_judge().map_err(PoolError::JudgeReplaced)?;
                if let Some(by) = self.signal_that_ended(&finished.outcomes) {
                    return Err(PlayError::Cancelled { by, stderr: Vec::new() }.into());
                }
                self.archive.keep(&finished).map_err(PoolError::Keep)?;
                Ok(finished.outcomes)
            }
            Err((bot, FileChange::Replaced(file))) => {
                Err(PoolError::Replaced { bot: bot.to_owned(), file })
            }
            Err((_, FileChange::Missing(file))) => {
                let why = format!("cannot start the bot: no such file: {file}");
                Ok(job.not_played(NotPlayed::CannotStart, &why))
            }
        }
    }
}

/// The number of consecutive games of each bot that were not played.
#[derive(Default)]
struct NotPlayedInARow(BTreeMap<String, u32>);

impl NotPlayedInARow {
    /// Counts a game; too many of a bot in a row are an error. Which bot of a game could not be started is not known: the
    /// others play in games without it.
    fn count(&mut self, outcomes: &[Outcome]) -> Result<(), PoolError> {
        let Some(outcome) = outcomes.first() else { return Ok(()) };
        let bots: BTreeSet<&str> = outcomes.iter().map(|outcome| outcome.bot.as_str()).collect();
        // A judge that failed after a reply may do better with the next one.
        let has_begun = outcomes.iter().any(|outcome| outcome.turns > 0);
        let reason = match outcome.verdict {
            SuiteVerdict::NotPlayed(reason) if !has_begun => reason,
            _ => {
                self.0.retain(|bot, _| !bots.contains(bot.as_str()));
                return Ok(());
            }
        };
        for bot in &bots {
            *self.0.entry((*bot).to_owned()).or_default() += 1;
        }
        let given_up = bots.into_iter().filter(|bot| self.0[*bot] >= MAX_NOT_PLAYED);
        let given_up: Vec<&str> = given_up.collect();
        if given_up.is_empty() {
            return Ok(());
        }
        Err(PoolError::NotPlayed {
            bot: given_up.join("`, `"),
            why: outcome.diagnosis.clone().unwrap_or_default(),
            reason,
        })
    }
}
