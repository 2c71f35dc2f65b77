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

mod aftermath;
mod blame;
mod broken_limits;
mod diagnosis;
#[cfg(test)]
mod made;
mod never_ran;
mod overrun;
mod quiet;
mod record;
mod stderr;
mod traces;

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::diagnosis::{Observations, Seen};
use self::overrun::{assess, overtime};
use self::quiet::await_quiet;
pub use self::traces::Traces;
use contain::bot::{
    BotCommand, BotProcess, ExchangeError, Exchanged, HostMemory, Request, SpawnError,
};
use contain::cancel::{Cancelled, Canceller};
use results::gamelog::{Asked, End, Event, Turn};
use results::said::SaidCollector;
use rules::game::judge::{Place, Trouble};
use rules::game::{Exchange, Game, GameKind};
use rules::ruling::rule;
use rules::source::SourceError;
use terms::fault::{AtFault, Attributed};
use terms::limits::{LimitKind, MatchRules};
use terms::lines::LineRules;
use terms::text::duration;
use terms::verdict::{Culprit, Decision, NoReply, Overrun, Verdict};

/// A bot, a test case and everything else that a game needs.
///
/// A program that plays one match after the other should hold a [`Host`](contain::bot::Host) meanwhile.
///
/// ```
/// use contain::bot::BotCommand;
/// use engine::config::Config;
/// use engine::play::Match;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = Config::resolve([])?;
/// let (name, board) = &config.game.bundled[1];
/// let command = BotCommand::new("true", [""; 0], config.confinement(None)?);
/// let end = Match::new(&config.game, board, &command).board(name).play(|_event| {})?;
/// assert!(!end.won, "it ends without an answer");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Match<'a> {
    pub(crate) game: &'a GameKind,
    pub(crate) test_case: &'a str,
    pub(crate) board: &'a str,
    bot: &'a str,
    command: &'a BotCommand,
    rules: MatchRules,
    canceller: Option<&'a Canceller>,
    traces: Option<&'a Traces>,
}

impl<'a> Match<'a> {
    /// A game under its official limits: a test case, in the form that the game reads, and the command that starts the
    /// bot.
    pub fn new(game: &'a GameKind, test_case: &'a str, command: &'a BotCommand) -> Self {
        let rules = MatchRules::official(game.limits);
        Self {
            game,
            test_case,
            board: "board",
            bot: "bot",
            command,
            rules,
            canceller: None,
            traces: None,
        }
    }

    /// Names the test case, for the log.
    #[must_use]
    pub fn board(self, board: &'a str) -> Self {
        Self { board, ..self }
    }

    /// Names the bot, for the log.
    #[must_use]
    pub fn bot(self, bot: &'a str) -> Self {
        Self { bot, ..self }
    }

    /// Sets the limits, and the rules for late replies.
    #[must_use]
    pub fn rules(self, rules: MatchRules) -> Self {
        Self { rules, ..self }
    }

    /// Sets what can end the game early.
    #[must_use]
    pub fn canceller(self, canceller: impl Into<Option<&'a Canceller>>) -> Self {
        Self { canceller: canceller.into(), ..self }
    }
}

impl<'a> Match<'a> {
    /// Has the exchanges recorded.
    #[must_use]
    pub fn traces(self, traces: impl Into<Option<&'a Traces>>) -> Self {
        Self { traces: traces.into(), ..self }
    }
}

/// Why a game could not be refereed. Nothing that a bot does causes these errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The game cannot read the test case.
    #[error("the test case does not parse: {0}")]
    TestCase(SourceError),
    /// The bot did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The game was cancelled.
    #[error("{by}")]
    Cancelled {
        /// Who did that.
        by: Cancelled,
        /// The bot's standard error in the cancelled exchange.
        stderr: Vec<u8>,
    },
    /// The host had no memory left for the bot, so the bot does not lose.
    #[error(transparent)]
    HostMemory(HostMemory),
    /// The game's judge failed.
    #[error(transparent)]
    Judge(Trouble),
    /// A system call failed, or the process that starts bots was killed.
    #[error(transparent)]
    Exchange(ExchangeError),
}

impl Attributed for PlayError {
    fn at_fault(&self) -> AtFault {
        match self {
            Self::TestCase(_) => AtFault::User,
            Self::Spawn(error) => error.at_fault(),
            Self::HostMemory(_) | Self::Judge(_) => AtFault::Host,
            Self::Exchange(error) => error.at_fault(),
            Self::Cancelled { .. } => AtFault::Referee,
        }
    }
}

impl Match<'_> {
    /// Plays to the end, and passes every event to `sink` as it happens. Repeats a game that the host has
    /// spoilt if the rules say so, once the machine is quiet or 5 s have passed. Each attempt emits its own start event with
    /// the diagnoses of earlier attempts. Returns the end of the last attempt.
    ///
    /// # Errors
    /// When the test case does not parse, the bot cannot be started, the game is cancelled, or the
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
                    let waited = await_quiet(self.command.pinning.as_ref(), self.canceller);
                    let waited = duration(waited);
                    spoilt.push(format!(
                        "{diagnosis}; the referee waited {waited} for a quiet machine"
                    ));
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
        let alarm = self.canceller.map(Canceller::alarm);
        game.begin(&self.place(alarm.as_ref())).map_err(|trouble| self.failed(trouble))?;
        // Prepared before the bot starts, so that only sending the input takes time from the bot.
        let start = Event::Start(record::start(self, game.as_ref(), spoilt));
        let started = Instant::now();
        let mut bot = self.start_bot(game.as_mut())?;
        sink(start);
        let (mut observations, mut collector) = (Observations::new(self), SaidCollector::default());
        let (mut turns, mut forgiven, mut used) = (0, 0, Duration::ZERO);
        let (mut overrun, mut verdict) = (None, Verdict::Completed);
        while let Some(exchange) = game.next_exchange() {
            turns += 1;
            if game.asked().is_some_and(|ask| ask.restarts) {
                bot.finish(self.rules.grace);
                bot = self.start_bot(game.as_mut())?;
                used = Duration::ZERO;
            }
            let limit = self.limit(exchange, used);
            let mut exchanged = self.exchange(&mut bot, game.as_ref(), exchange.lines, limit)?;
            used += exchanged.wall;
            game.took(if exchange.official == limit { exchanged.wall } else { Duration::ZERO });
            let passed = String::from_utf8_lossy(&exchanged.passed).into_owned();
            let asked = record::asked(game.as_ref(), &passed, limit);
            overrun = self.decide(&mut exchanged, limit, &mut forgiven);
            if let (Some(traces), Some(trace)) = (self.traces, exchanged.trace.take()) {
                traces.add(turns, overrun.map(|overrun| overrun.culprit), *trace);
            }
            let awaits_lines = exchanged
                .input
                .awaits_more
                .then(|| (game.input() + passed.as_str()).lines().count());
            let told = game.summary().len();
            let mut ruling = rule(game.as_mut(), &exchanged.reply, exchanged.no_reply);
            game.trouble().map_or(Ok(()), |trouble| Err(self.failed(trouble)))?;
            verdict = ruling.verdict;
            let lines = (exchange.lines.count, awaits_lines);
            let seen = Seen::new(limit, lines, &mut ruling, &exchanged);
            let turn = record::turn(turns, exchange.limit, exchanged, ruling, game.score());
            let said = collector.add(&turn.stderr.0, turn.stderr_dropped);
            let asked =
                asked.map(|asked| Asked { summary: game.summary()[told..].to_vec(), ..asked });
            let turn = Turn { overrun, said, asked, ..turn };
            observations.add(&turn, verdict, seen);
            sink(Event::Turn(turn));
        }
        let ending = bot.finish(self.rules.grace);
        let diagnosis = observations.diagnose(&ending);
        let end = End::by_rules(game.as_ref(), verdict, turns);
        let end = End { drawings: game.drawings(), ..end };
        let end = record::ended(end, ending, diagnosis, collector, started);
        sink(Event::End(end.clone()));
        Ok((end, overrun))
    }

    /// Decides on a late reply, after `forgiven` ones; one that does not count is none.
    fn decide(
        &self,
        exchanged: &mut Exchanged,
        limit: Option<Duration>,
        forgiven: &mut u32,
    ) -> Option<Overrun> {
        let overrun = assess(&self.rules.overruns, exchanged, limit, *forgiven);
        match overrun.map(|overrun| overrun.decision) {
            Some(Decision::Timeout) => exchanged.no_reply = Some(NoReply::Deadline),
            decision => *forgiven += u32::from(decision == Some(Decision::Forgiven)),
        }
        overrun
    }

    /// Starts the bot, with whoever it talks to at the other end of its pipes.
    fn start_bot(&self, game: &mut dyn Game) -> Result<BotProcess, SpawnError> {
        let (cap, alarm) = (self.rules.stderr_cap, self.canceller.map(Canceller::alarm));
        let mut bot = BotProcess::spawn(self.command, cap, alarm)?;
        if self.traces.is_some() {
            bot.trace();
        }
        if let Some(peer) = game.peer() {
            bot.talk_to(peer);
        }
        Ok(bot)
    }

    /// The limit of an exchange, after the earlier ones since the bot's start took `used`.
    fn limit(&self, exchange: Exchange, used: Duration) -> Option<Duration> {
        let limit = self.rules.limit(exchange.limit, exchange.official)?;
        let is_shared = exchange.limit == LimitKind::Total;
        Some(if is_shared { limit.saturating_sub(used) } else { limit })
    }

    /// Where the game's judge is started, if it has one.
    fn place<'p>(&self, alarm: Option<&'p Arc<File>>) -> Place<'p> {
        let pinning = self.command.pinning.as_ref();
        Place { core: pinning.and_then(|pinning| pinning.cores.first().copied()), alarm }
    }

    /// Why the game has no result: its judge failed, unless somebody has cancelled it.
    fn failed(&self, trouble: Trouble) -> PlayError {
        match self.canceller.and_then(Canceller::cancelled) {
            Some(by) => PlayError::Cancelled { by, stderr: Vec::new() },
            None => PlayError::Judge(trouble),
        }
    }

    fn exchange(
        &self,
        bot: &mut BotProcess,
        game: &dyn Game,
        rules: LineRules,
        limit: Option<Duration>,
    ) -> Result<Exchanged, PlayError> {
        let input = game.input();
        let request = Request {
            input: input.as_bytes(),
            rules,
            limit,
            overtime: overtime(&self.rules.overruns),
        };
        bot.exchange(&request).map_err(|error| match error {
            ExchangeError::Cancelled(stderr) => {
                let by = self.canceller.and_then(Canceller::cancelled);
                PlayError::Cancelled { by: by.unwrap_or(Cancelled::ByProgram), stderr }
            }
            ExchangeError::HostMemory(lack) => PlayError::HostMemory(lack),
            error => PlayError::Exchange(error),
        })
    }
}
