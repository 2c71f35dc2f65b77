//! The match loop: the only place where a game meets a process.
//!
//! # Theory of operation
//!
//! A game is a sequence of exchanges. For each one, the game says what to send, how many lines make
//! a reply and which time limit applies; the bot's process carries it out and reports a reply or why
//! none came; [`rule`] passes that to the game, which applies the official rules and words. Every
//! exchange becomes an [`Event`], emitted after the clock has stopped and before the next one
//! starts, so listeners (the log, a report) take none of the bot's time.
//!
//! A bot's failure is a verdict, never an error. The verdict tells the truth, the game's
//! official wording is what the original would say, and the diagnosis adds the rest once the
//! bot's process has ended and been examined.
//!
//! [`replay`](results::replay) runs the same [`rule`] on a log, without a process.

mod broken_limits;
mod diagnosis;
mod overrun;
mod record;
mod stderr;

use std::time::Instant;

use self::diagnosis::{Observations, Seen};
use self::overrun::{assess, overtime};
use contain::bot::{
    BotCommand, BotProcess, ExchangeError, Exchanged, HostMemory, Request, SpawnError,
};
use contain::interrupt::Interrupt;
use results::gamelog::{End, Event, Turn};
use results::said::Saying;
use rules::game::{Exchange, Game, GameKind};
use rules::ruling::rule;
use rules::source::SourceError;
use terms::limits::MatchRules;
use terms::verdict::{Culprit, Decision, NoReply, Overrun, Verdict};

/// A bot, a test case and everything else that a game needs.
#[derive(Clone)]
pub struct Match<'a> {
    /// The game.
    pub game: &'a GameKind,
    /// The user's name for the test case.
    pub board: &'a str,
    /// The test case itself, in the form that the game reads.
    pub test_case: &'a str,
    /// The user's name for the bot.
    pub bot: &'a str,
    /// The command that starts the bot.
    pub command: &'a BotCommand,
    /// The time limits, and the rules for late replies.
    pub rules: MatchRules,
    /// The signals that end the game early.
    pub interrupt: Option<&'a Interrupt>,
}

/// Why a game could not be refereed. Nothing that a bot does causes these errors.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The game cannot read the test case.
    #[error("the test case does not parse: {0}")]
    TestCase(SourceError),
    /// The bot did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// A signal asked the referee to stop.
    #[error("interrupted")]
    Interrupted {
        /// Its number.
        signal: i32,
        /// The bot's standard error in the interrupted exchange.
        stderr: Vec<u8>,
    },
    /// The host had no memory left for the bot, so the bot does not lose.
    #[error(transparent)]
    HostMemory(HostMemory),
    /// A system call failed.
    #[error(transparent)]
    Exchange(ExchangeError),
}

impl PlayError {
    /// Whether the user can fix it with another command.
    pub fn is_user_error(&self) -> bool {
        match self {
            Self::TestCase(_) => true,
            Self::Spawn(error) => error.is_user_error(),
            Self::Interrupted { .. } | Self::HostMemory(_) | Self::Exchange(_) => false,
        }
    }
}

impl Match<'_> {
    /// Plays to the end, and passes every event to `sink` as it happens. Repeats a game that the host has
    /// spoilt if the rules say so. Each attempt emits its own start event with
    /// the diagnoses of earlier attempts. Returns the end of the last attempt.
    ///
    /// # Errors
    /// When the test case does not parse, the bot cannot be started, a signal interrupts, or the
    /// system fails. The bot is gone in each of these cases too.
    pub fn play(&self, mut sink: impl FnMut(Event)) -> Result<End, PlayError> {
        let mut spoilt = Vec::new();
        loop {
            let (end, overrun) = self.attempt(&spoilt, &mut sink)?;
            let by_host = Overrun { culprit: Culprit::Host, decision: Decision::Timeout };
            match &end.diagnosis {
                Some(diagnosis)
                    if overrun == Some(by_host) && self.rules.overruns.retries(spoilt.len()) =>
                {
                    spoilt.push(diagnosis.clone());
                }
                _ => return Ok(end),
            }
        }
    }

    /// Plays once. Returns the end of the game, and the overrun if its last reply was late.
    fn attempt(
        &self,
        spoilt: &[String],
        sink: &mut impl FnMut(Event),
    ) -> Result<(End, Option<Overrun>), PlayError> {
        let mut game = (self.game.parse)(self.test_case).map_err(PlayError::TestCase)?;
        // Prepared before the bot starts, so that only sending the input takes time from the bot.
        let start = Event::Start(record::start(self, game.as_ref(), spoilt));
        let started = Instant::now();
        let mut bot =
            BotProcess::spawn(self.command, self.rules.stderr_cap, self.interrupt.cloned())?;
        sink(start);
        let (mut observations, mut saying) = (Observations::new(self), Saying::default());
        let mut verdict = Verdict::Completed;
        let (mut turns, mut forgiven, mut overrun) = (0, 0, None);
        while let Some(exchange) = game.next_exchange() {
            turns += 1;
            let limit = self.rules.limits.of(exchange.limit);
            let mut exchanged = self.exchange(&mut bot, game.as_ref(), exchange)?;
            overrun = assess(&self.rules.overruns, &exchanged, limit, forgiven);
            match overrun.map(|overrun| overrun.decision) {
                Some(Decision::Timeout) => exchanged.no_reply = Some(NoReply::Deadline),
                Some(Decision::Forgiven) => forgiven += 1,
                Some(Decision::Accepted | Decision::Measured) | None => {}
            }
            let awaits_lines = exchanged.awaits_input.then(|| game.input().lines().count());
            let mut ruling = rule(game.as_mut(), &exchanged.reply, exchanged.no_reply);
            verdict = ruling.verdict;
            let seen = Seen {
                limit,
                lines: exchange.lines.count,
                wrong_line: ruling.wrong_line,
                remark: ruling.remark.take(),
                awaits_lines,
                phase: exchanged.phase,
                exit: exchanged.exit,
            };
            let turn = record::turn(turns, exchange.limit, exchanged, ruling, game.score());
            let said = saying.hear(&turn.stderr.0, turn.stderr_dropped);
            let turn = Turn { overrun, said, ..turn };
            observations.add(&turn, verdict, seen);
            sink(Event::Turn(turn));
        }
        let ending = bot.finish(self.rules.grace);
        let diagnosis = observations.diagnose(&ending);
        let by_rules = End::by_rules(game.as_ref(), verdict, turns);
        let end = record::ended(by_rules, ending, diagnosis, saying, started);
        sink(Event::End(end.clone()));
        Ok((end, overrun))
    }

    fn exchange(
        &self,
        bot: &mut BotProcess,
        game: &dyn Game,
        exchange: Exchange,
    ) -> Result<Exchanged, PlayError> {
        let input = game.input();
        let request = Request {
            input: input.as_bytes(),
            rules: exchange.lines,
            limit: self.rules.limits.of(exchange.limit),
            overtime: overtime(&self.rules.overruns),
        };
        bot.exchange(&request).map_err(|error| match error {
            ExchangeError::Interrupted(stderr) => {
                let signal = self.interrupt.and_then(Interrupt::signal).unwrap_or_default();
                PlayError::Interrupted { signal, stderr }
            }
            ExchangeError::HostMemory(lack) => PlayError::HostMemory(lack),
            error @ ExchangeError::Io(_) => PlayError::Exchange(error),
        })
    }
}
