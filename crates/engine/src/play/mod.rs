//! The match loop: the only place where a game meets a process.
//!
//! # Theory of operation
//!
//! A game is a sequence of exchanges. For each one, the [`Game`] asks: what to send, how many lines make
//! a reply and which time limit applies. The bot's process carries the exchange out and reports a reply or why
//! none came. That is answered to the game, which applies the official rules and words. Every
//! exchange becomes an [`Event`], recorded after the clock has stopped and before the next one
//! starts, so listeners (the log, a report) take none of the bot's time.
//!
//! A bot's failure is a verdict, never an error. The verdict tells the truth, the game's
//! official wording is what the original would say, and the diagnosis adds the rest once the
//! bot's process has ended and been examined.
//!
//! In a game of several players one bot is asked at a time. A bot is started just before its first question, and ended as soon as it
//! has failed; the game goes on as its referee wants it.
//!
//! [`replay`](results::replay) drives the same [`Game`] by a log, without a process.

mod aftermath;
mod blame;
mod broken_limits;
mod diagnosis;
mod never_ran;
mod overrun;
mod player;
mod quiet;
mod record;
mod stderr;
mod table;
mod traces;

pub(crate) use self::quiet::await_quiet;
use self::record::Record;
use self::table::Table;
pub use self::traces::Traces;
use contain::bot::{
    BotCommand, ContainmentMethod, ExchangeError, HostMemory, SpawnError, process_limit_of_host,
    refused_processes,
};
use contain::cancel::{Cancelled, Canceller};
use results::gamelog::{End, Event, Turn};
use rules::game::{Effect, Game, GameKind, JudgeFailure, Placement, TestCase};
use rules::source::SourceError;
use terms::fault::{AtFault, Attributed};
use terms::limits::MatchRules;
use terms::text::{duration, quote};
use terms::verdict::{NoReply, Verdict};

/// A bot, a test case and everything else that a game needs.
///
/// A program that plays one match after the other should hold a [`Host`](contain::bot::Host) in the meantime.
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
    /// The bots by seat, as many as the game has players.
    seats: Vec<Seated<'a>>,
    rules: MatchRules,
    canceller: Option<&'a Canceller>,
    traces: Option<&'a Traces>,
    /// Whether bots run on while others are asked.
    ponders: bool,
}

/// A bot in a seat.
#[derive(Debug, Clone, Copy)]
pub struct Seated<'a> {
    /// The user's name for it.
    pub name: &'a str,
    /// What starts it.
    pub command: &'a BotCommand,
}

impl<'a> Match<'a> {
    /// A game under its official limits: a test case, in the form that the game reads, and the command that starts the
    /// bot, which has all seats of a game of several players.
    pub fn new(game: &'a GameKind, test_case: &'a str, command: &'a BotCommand) -> Self {
        let rules = MatchRules::official(game.limits);
        Self {
            game,
            test_case,
            board: "board",
            seats: vec![Seated { name: "bot", command }; game.players],
            rules,
            canceller: None,
            traces: None,
            ponders: false,
        }
    }

    /// Names the test case, for the log.
    #[must_use]
    pub fn board(self, board: &'a str) -> Self {
        Self { board, ..self }
    }

    /// Names the bot, for the log.
    #[must_use]
    pub fn bot(mut self, bot: &'a str) -> Self {
        for seated in &mut self.seats {
            seated.name = bot;
        }
        self
    }

    /// Seats bots, as many as the game has players.
    #[must_use]
    pub fn seats(self, seats: impl Into<Vec<Seated<'a>>>) -> Self {
        Self { seats: seats.into(), ..self }
    }

    /// Sets the limits, and the rules for late replies.
    #[must_use]
    pub fn rules(self, rules: MatchRules) -> Self {
        Self { rules, ..self }
    }

    /// Leaves bots running while others are asked, in a game of several players. What they compute then is measured.
    #[must_use]
    pub fn ponder(self, ponders: bool) -> Self {
        Self { ponders, ..self }
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
    /// The game has a different number of players.
    #[error("the game has {players} players, and {bots} bots were seated")]
    Seats {
        /// How many players the game has.
        players: usize,
        /// How many bots there are.
        bots: usize,
    },
    /// A bot did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The game was cancelled.
    #[error("{by}")]
    Cancelled {
        /// The source of the cancellation.
        by: Cancelled,
        /// The bot's standard error in the cancelled exchange.
        stderr: Vec<u8>,
    },
    /// The host had no memory left for the bot, so the bot does not lose.
    #[error(transparent)]
    HostMemory(HostMemory),
    /// The game was lost, or its judge failed, while a limit around the referee kept programs from starting a process or thread.
    #[error(
        "the host refused a process or thread, so nobody is at fault{}: a control group around the referee limits them{} \
         (`pids.max`); raise that, or play fewer games at a time",
        what.as_ref().map(|what| format!(" ({what})")).unwrap_or_default(),
        limit.map(|limit| format!(" to {limit}")).unwrap_or_default()
    )]
    HostProcesses {
        /// What then went wrong, if the judge failed.
        what: Option<String>,
        /// The limit on processes and threads.
        limit: Option<u64>,
    },
    /// The game's judge failed.
    #[error(transparent)]
    Judge(JudgeFailure),
    /// A system call failed, or the process that starts bots was killed.
    #[error(transparent)]
    Exchange(ExchangeError),
}

impl Attributed for PlayError {
    fn at_fault(&self) -> AtFault {
        match self {
            Self::TestCase(_) | Self::Seats { .. } => AtFault::User,
            Self::Spawn(error) => error.at_fault(),
            Self::HostMemory(_) | Self::HostProcesses { .. } | Self::Judge(_) => AtFault::Host,
            Self::Exchange(error) => error.at_fault(),
            Self::Cancelled { .. } => AtFault::Referee,
        }
    }
}

impl Match<'_> {
    /// Plays to the end, and passes every event to `sink` as it happens. Repeats a game that the host has
    /// disturbed if the rules say so, once the machine is quiet or 5 s have passed. Each attempt emits its own start event with
    /// the diagnoses of earlier attempts. Returns the end of the last attempt.
    ///
    /// # Errors
    /// When the test case does not parse, the bot cannot be started, the game is cancelled, or the
    /// system fails. The bot is gone in each of these cases too.
    pub fn play(&self, mut sink: impl FnMut(Event)) -> Result<End, PlayError> {
        let mut disturbed = Vec::new();
        loop {
            let (end, by_host) = self.attempt(&disturbed, &mut sink)?;
            match by_host {
                Some(diagnosis) if self.rules.overruns.retries(disturbed.len()) => {
                    let pinning = self.seats[0].command.pinning.as_ref();
                    let waited = duration(await_quiet(pinning, self.canceller));
                    disturbed.push(format!(
                        "{diagnosis}; the referee waited {waited} for a quiet machine"
                    ));
                }
                _ => return Ok(end),
            }
        }
    }

    /// Plays once. Returns the end of the game, and the diagnosis of a bot that failed through the host's fault.
    fn attempt(
        &self,
        disturbed: &[String],
        sink: &mut impl FnMut(Event),
    ) -> Result<(End, Option<String>), PlayError> {
        let (players, bots) = (self.game.players, self.seats.len());
        if players != bots {
            return Err(PlayError::Seats { players, bots });
        }
        let case = (self.game.parse)(self.test_case).map_err(PlayError::TestCase)?;
        let refused = refused_processes();
        let mut game = self.begin(&case, refused)?;
        // Prepared before the bot starts, so that only sending the input takes time from the bot.
        let start = Event::Start(record::start(self, &case, &game, disturbed));
        let mut record = Record::new(self);
        let mut table = Table::new(self)?;
        table.start(game.ask().map_or(0, |ask| ask.seat))?;
        sink(start);
        while let Some(mut ask) = game.next_ask() {
            let reply = table.exchange(&mut ask)?;
            match game.answer(reply.answer()) {
                Ok(effect) => {
                    // A runtime without its threads hangs, ends, or prints its error. A move by the rules is the bot's own.
                    let is_own = match reply.exchanged.no_reply {
                        Some(no_reply) => matches!(no_reply, NoReply::OverLimit(_)),
                        None => effect.verdict != Verdict::MalformedReply,
                    };
                    if !is_own {
                        check_processes(refused, None)?;
                    }
                    sink(Event::Turn(record.turn(&ask, reply, effect)));
                }
                Err(trouble) => {
                    let turn = record.turn(&ask, reply, Effect::unknown(game.score(ask.seat)));
                    let what = format!("{}; {}", trouble.what, self.last_reply(&turn));
                    let error = self.failed(JudgeFailure { what, ..trouble }, refused);
                    if let PlayError::Judge(_) = error {
                        sink(Event::Turn(turn));
                    }
                    return Err(error);
                }
            }
            if players > 1 {
                table.retire(&game);
            }
        }
        if players > 1 && game.end().is_none_or(|end| end.seats.len() != players) {
            let what = "ended the game without a result for each player";
            return Err(self.failed(JudgeFailure::new(what), refused));
        }
        let (end, by_host) = record.end(&game, table.finish());
        sink(Event::End(end.clone()));
        Ok((end, by_host))
    }

    /// Has the game's referee begin, before the bot starts.
    fn begin(&self, case: &TestCase, refused: u64) -> Result<Game, PlayError> {
        let bot = &self.seats[0].command;
        let place = Placement {
            core: bot.pinning.as_ref().and_then(|pinning| pinning.cores.first().copied()),
            alarm: self.canceller.map(Canceller::alarm),
            is_plain: bot.confinement.method == ContainmentMethod::Plain,
        };
        case.start(&place).map_err(|trouble| self.failed(trouble, refused))
    }

    /// The seat that was asked last, and its reply, after which the judge failed.
    fn last_reply(&self, turn: &Turn) -> String {
        let name = self.seats[turn.seat].name;
        let of = if self.game.players > 1 {
            format!(" of seat {} ({name})", turn.seat)
        } else {
            String::new()
        };
        match turn.no_reply {
            None => format!("the reply{of} before it was {}", quote(turn.reply.0.trim_ascii_end())),
            Some(no_reply) => format!("instead of a reply{of} it was told: {}", no_reply.verdict()),
        }
    }

    /// Why the game has no result: its judge failed, unless somebody has cancelled it, or the host has refused processes.
    fn failed(&self, trouble: JudgeFailure, refused: u64) -> PlayError {
        if let Some(by) = self.canceller.and_then(Canceller::cancelled) {
            return PlayError::Cancelled { by, stderr: Vec::new() };
        }
        let by_host = check_processes(refused, Some(trouble.to_string()));
        by_host.err().unwrap_or(PlayError::Judge(trouble))
    }
}

/// An error if a group around the referee has refused more processes and threads than these.
fn check_processes(refused: u64, what: Option<String>) -> Result<(), PlayError> {
    if refused_processes() <= refused {
        return Ok(());
    }
    Err(PlayError::HostProcesses { what, limit: process_limit_of_host() })
}

#[cfg(test)]
mod made {
    //! What unit tests diagnose: a turn and a bot made by hand, without a process.

    use contain::bot::{BotCommand, Confinement, ContainmentMethod};
    use results::gamelog::Turn;
    use terms::limits::Resources;

    /// The first turn of a game, unanswered for no reason yet.
    pub(super) fn turn() -> Turn {
        let json =
            r#"{"turn": 1, "limit": "turn", "reply": "", "gain": 0, "score": 0, "wall_ms": 60}"#;
        serde_json::from_str(json).expect("a turn")
    }

    /// A bot without limits on its resources, outside any sandbox.
    pub(super) fn command(program: &str) -> BotCommand {
        let (method, resources) = (ContainmentMethod::Plain, Resources::default());
        BotCommand::new(program, [""; 0], Confinement { method, resources, sandbox: None })
    }
}
