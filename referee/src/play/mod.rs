//! The match loop: the only place where a game meets a process.
//!
//! # Theory of operation
//!
//! A game is a sequence of exchanges. For each one, the game says what to send, how many lines make
//! a reply and which time limit applies; the bot's process carries it out and reports a reply or a
//! silence; [`rule`] hands that to the game, which applies the official rules and words. Every
//! exchange becomes an [`Event`], emitted after the clock has stopped and before the next one
//! starts, so whatever listens (the log, a report) takes none of the bot's time.
//!
//! What the bot does wrong is a verdict, never an error. The verdict tells the truth, the game's
//! official wording is what the original would say, and the diagnosis fills in the rest once the
//! bot's process has ended and been looked at.
//!
//! [`replay`](crate::replay) runs the same [`rule`] on a log, without a process.

mod diagnosis;
mod overrun;

use std::sync::LazyLock;
use std::time::Instant;

use serde_json::Value;

use self::diagnosis::{Asked, Observations};
use crate::bot::{BotCommand, BotProcess, ExchangeError, Exchanged, Request, SpawnError};
use crate::game::{Fault, Game, NoReply, Played, Rejected};
use crate::gamelog::{self, Bytes, End, Event, FORMAT, Host, Start, Turn};
use crate::interrupt::Interrupt;
use crate::limits::{LimitKind, MatchRules};
use crate::lines::Lines;
use crate::millis::Millis;
use crate::verdict::{Decision, Silence, Verdict};

/// Who plays what, and under which rules.
pub struct Setup<'a> {
    /// The name of the game.
    pub game: &'a str,
    /// What the user called the test case.
    pub board: &'a str,
    /// What the user called the bot.
    pub bot: &'a str,
    /// How the bot is started.
    pub command: &'a BotCommand,
    /// What the match goes by.
    pub rules: MatchRules,
    /// The diagnoses of earlier attempts at this game that the host spoilt.
    pub retried: &'a [String],
    /// Ends the game early.
    pub interrupt: Option<Interrupt>,
}

/// Why a game could not be refereed; nothing that a bot does leads here.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The bot did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The referee was interrupted, or failed.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
}

/// Plays `game` to its end and emits every event of it.
///
/// # Errors
/// When the bot cannot be started, a signal interrupts, or the system fails. The bot is gone in
/// each of these cases too.
pub fn play(
    game: &mut dyn Game,
    setup: &Setup<'_>,
    mut emit: impl FnMut(Event),
) -> Result<(), PlayError> {
    // Ready before the bot is, so that nothing but its writing happens while a bot already thinks.
    let start = Event::Start(start(game, setup));
    let started = Instant::now();
    let mut bot =
        BotProcess::spawn(setup.command, setup.rules.stderr_cap, setup.interrupt.clone())?;
    emit(start);
    let mut verdict = Verdict::Completed;
    let mut observations = Observations::default();
    let (mut turns, mut forgiven) = (0, 0);
    while let Some(exchange) = game.next_exchange() {
        turns += 1;
        let kind = exchange.limit;
        let limit = setup.rules.limits.of(kind);
        let rules = exchange.lines;
        let overtime = setup.rules.overruns.overtime();
        let input = game.input();
        let request = Request { input: input.as_bytes(), rules, limit, overtime };
        let mut exchanged = bot.exchange(&request)?;
        let overrun = setup.rules.overruns.assess(&exchanged, limit, forgiven);
        match overrun.map(|overrun| overrun.decision) {
            Some(Decision::Timeout) => exchanged.silence = Some(Silence::Deadline),
            Some(Decision::Forgiven) => forgiven += 1,
            Some(Decision::Accepted | Decision::Measured) | None => {}
        }
        let ruling = rule(game, &exchanged.reply, exchanged.silence);
        verdict = ruling.verdict;
        let wrong_line = ruling.wrong_line;
        let turn = Turn { overrun, ..turn_event(turns, kind, exchanged, ruling, game.score()) };
        let resources = setup.command.confinement.resources;
        let asked = Asked { limit, lines: rules.count, wrong_line, resources };
        observations.see(&turn, verdict, &asked);
        emit(Event::Turn(turn));
    }
    let ending = bot.finish(setup.rules.grace);
    let diagnosis = observations.diagnose(&ending);
    emit(Event::End(End {
        diagnosis,
        bot_exit: ending.exit,
        killed: ending.killed,
        late_output: Bytes(ending.late_output.bytes),
        late_output_dropped: ending.late_output.dropped,
        stderr: Bytes(ending.stderr.bytes),
        stderr_dropped: ending.stderr.dropped,
        wall: Some(Millis(started.elapsed())),
        ..end(game, verdict, turns)
    }));
    Ok(())
}

/// What an exchange did to the game.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// How the game has ended; [`Verdict::Completed`] as long as nothing is wrong.
    pub verdict: Verdict,
    /// The points that the reply brought.
    pub gain: i64,
    /// The move in the game's own terms, where one could be read.
    pub action: Option<Value>,
    /// The line of the reply that was wrong, from 0.
    pub wrong_line: Option<usize>,
}

/// Hands a reply, or the lack of it, to the game.
pub fn rule(game: &mut dyn Game, reply: &Lines, silence: Option<Silence>) -> Ruling {
    if let Some(silence) = silence {
        let why = match silence {
            Silence::Deadline => NoReply::TimeUp,
            Silence::LineTooLong => NoReply::LineTooLong,
            Silence::StdoutClosed | Silence::Ended(_) | Silence::OverLimit(_) => {
                NoReply::OutputEnded
            }
        };
        game.unanswered(reply, why);
        return Ruling { verdict: silence.verdict(), gain: 0, action: None, wrong_line: None };
    }
    match game.accept(reply) {
        Ok(Played { gain, action }) => {
            Ruling { verdict: Verdict::Completed, gain, action: Some(action), wrong_line: None }
        }
        Err(Rejected { fault, line, action }) => {
            let verdict = match fault {
                Fault::Malformed => Verdict::MalformedReply,
                Fault::Illegal => Verdict::IllegalMove,
            };
            Ruling { verdict, gain: 0, action, wrong_line: Some(line) }
        }
    }
}

fn start(game: &dyn Game, setup: &Setup<'_>) -> Start {
    let BotCommand { program, args, cwd, env, pinning, confinement } = setup.command;
    let text = |os: &std::ffi::OsStr| os.to_string_lossy().into_owned();
    Start {
        format: FORMAT,
        referee: env!("CARGO_PKG_VERSION").to_owned(),
        game: setup.game.to_owned(),
        board: setup.board.to_owned(),
        test_case: game.test_case().to_owned(),
        bot: gamelog::Bot {
            name: setup.bot.to_owned(),
            command: std::iter::once(program).chain(args).map(|word| text(word)).collect(),
            cwd: cwd.as_ref().map(|cwd| text(cwd.as_os_str())),
            cores: pinning.as_ref().map(|pinning| pinning.bot.clone()),
            env: env.iter().map(|(key, value)| (text(key), text(value))).collect(),
            containment: confinement.means.name().to_owned(),
            sandbox: confinement.sandbox.is_some(),
            resources: confinement.resources,
        },
        profile: setup.rules.profile.name().to_owned(),
        limits: setup.rules.limits,
        retried: setup.retried.to_vec(),
        host: host(),
        time: jiff::Timestamp::now(),
    }
}

/// The machine that games are played on, as it was found first: to count the processors takes longer
/// than a turn, and a referee that has been pinned would find one.
pub(crate) fn host() -> Host {
    static HOST: LazyLock<Host> = LazyLock::new(|| {
        let uname = rustix::system::uname();
        let (system, release) = (uname.sysname(), uname.release());
        Host {
            os: format!("{} {}", system.to_string_lossy(), release.to_string_lossy()),
            arch: uname.machine().to_string_lossy().into_owned(),
            cpus: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        }
    });
    HOST.clone()
}

fn turn_event(
    turn: u32,
    limit: LimitKind,
    exchanged: Exchanged,
    ruling: Ruling,
    score: i64,
) -> Turn {
    Turn {
        turn,
        limit,
        reply: Bytes(exchanged.reply.into_bytes()),
        unanswered: exchanged.silence,
        action: ruling.action,
        gain: ruling.gain,
        score,
        wall: Millis(exchanged.wall),
        certificate: exchanged.certificate,
        overrun: None,
        early: exchanged.early,
        unread_input: exchanged.unread_input,
        stdin_closed: exchanged.stdin_closed,
        stopped: exchanged.stopped,
        stderr: Bytes(exchanged.stderr.bytes),
        stderr_dropped: exchanged.stderr.dropped,
    }
}

/// The end of a game as far as the game itself knows it; the rest is what a process shows.
pub(crate) fn end(game: &dyn Game, verdict: Verdict, turns: u32) -> End {
    End {
        verdict,
        official: game.official().to_owned(),
        won: verdict == Verdict::Completed,
        score: game.score(),
        summary: game.summary().to_vec(),
        metadata: game.metadata(),
        turns,
        diagnosis: None,
        bot_exit: None,
        killed: false,
        late_output: Bytes::default(),
        late_output_dropped: 0,
        stderr: Bytes::default(),
        stderr_dropped: 0,
        wall: None,
    }
}
