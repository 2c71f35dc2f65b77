//! Referees a log again, without the bot: the rules must give the same result.
//!
//! Facts that only a process can show come from the log: a missing reply, times, the bot's
//! exit. Everything else is computed again and compared.

pub mod foreign;

use serde_json::Value;

use crate::gamelog::{End, Log, Start, Turn};
use rules::game::{Exchange, Game, GameKind};
use rules::ruling::{Ruling, rule};
use terms::lines::{Lines, Progress};
use terms::verdict::{NoReply, Verdict};

/// A log that was refereed again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    /// The number of exchanges that were refereed.
    pub turns: u32,
    /// The original's game summary so far, with colour marks.
    pub summary: Vec<String>,
    /// The score so far.
    pub score: i64,
    /// How the game ended here; `None` if the log stops before its end.
    pub end: Option<End>,
    /// The first difference from the log.
    pub difference: Option<Difference>,
}

/// A disagreement between a log and the rules.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Difference {
    /// The number of the exchange, from 1; the last one if the end of the game differs.
    pub turn: u32,
    /// The name of the differing value.
    pub what: &'static str,
    /// The value in the log.
    pub logged: Value,
    /// The value by the rules.
    pub refereed: Value,
}

/// Why a log cannot be refereed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The log's game is unknown.
    #[error("1: {}", rules::game::unknown_game(.0))]
    UnknownGame(String),
    /// The log's test case does not parse.
    #[error("1: the test case in the log is damaged: {0}")]
    TestCase(#[from] rules::source::SourceError),
}

/// Referees `log` again, up to the first difference.
///
/// # Errors
/// When the game or the test case in the log is invalid.
pub fn replay(log: &Log) -> Result<Replayed, ReplayError> {
    let mut game = game_of(&log.start)?;
    let mut verdict = Verdict::Completed;
    let mut replayed = Replayed::default();
    for turn in &log.turns {
        match referee_turn(game.as_mut(), turn) {
            Ok(ruling) => {
                replayed.turns = turn.turn;
                verdict = ruling.verdict;
                replayed.difference = compare_turn(game.as_ref(), turn, &ruling);
            }
            Err(difference) => replayed.difference = Some(difference),
        }
        if replayed.difference.is_some() {
            break;
        }
    }
    replayed.summary = game.summary().to_vec();
    replayed.score = game.score();
    if replayed.difference.is_some() {
        return Ok(replayed);
    }
    let over = game.next_exchange().is_none();
    replayed.end = over.then(|| end(game.as_ref(), verdict, log, replayed.turns));
    if let Some(logged) = &log.end {
        replayed.difference = match &replayed.end {
            Some(end) => compare_end(logged, end),
            None => difference(replayed.turns, "the game", &"over", &"not over"),
        };
    }
    Ok(replayed)
}

/// The logged game before its first turn.
///
/// # Errors
/// When the game or the test case in the log is invalid.
pub fn game_of(start: &Start) -> Result<Box<dyn Game>, ReplayError> {
    Ok((kind_of(start)?.parse)(&start.test_case)?)
}

/// The logged game's row in the table of games.
///
/// # Errors
/// When the table has no such game.
pub fn kind_of(start: &Start) -> Result<&'static GameKind, ReplayError> {
    let name = &start.game;
    GameKind::named(name).ok_or_else(|| ReplayError::UnknownGame(name.clone()))
}

/// The logged reply to an exchange, split into lines as during the game.
pub fn reply_to(exchange: &Exchange, turn: &Turn) -> Lines {
    let mut reply = Lines::split(&turn.reply.0);
    let output_ended =
        matches!(turn.no_reply, None | Some(NoReply::Ended(_) | NoReply::StdoutClosed));
    if exchange.lines.eof_ends_line && output_ended {
        reply.end_partial();
    }
    reply
}

fn referee_turn(game: &mut dyn Game, turn: &Turn) -> Result<Ruling, Difference> {
    let Some(exchange) = game.next_exchange() else {
        return Err(Difference::of(turn.turn, "the game", &"not over", &"over"));
    };
    if exchange.limit != turn.limit {
        return Err(Difference::of(turn.turn, "limit", &turn.limit, &exchange.limit));
    }
    let reply = reply_to(&exchange, turn);
    let whole = reply.progress(&exchange.lines) == Progress::Complete(reply.len());
    // A complete reply does not count if it came too late, or if the bot exceeded a resource limit.
    let refused = matches!(turn.no_reply, Some(NoReply::Deadline | NoReply::OverLimit(_)));
    if whole != turn.no_reply.is_none() && !(whole && refused) {
        let word = |whole| if whole { "complete" } else { "incomplete" };
        let logged = word(turn.no_reply.is_none());
        return Err(Difference::of(turn.turn, "the reply", &logged, &word(whole)));
    }
    Ok(rule(game, &reply, turn.no_reply))
}

/// The first exchange that differed when the bot of `log` played again.
///
/// A log that stops before the end of its game is compared as far as it goes.
pub fn first_difference(log: &Log, again: &[Turn]) -> Option<Difference> {
    let pairs = log.turns.iter().zip(again);
    let differs = |(logged, now): (&Turn, &Turn)| {
        difference(logged.turn, "the reply", &logged.reply, &now.reply).or_else(|| {
            difference(logged.turn, "why there is no reply", &logged.no_reply, &now.no_reply)
        })
    };
    pairs.map(differs).find_map(|found| found).or_else(|| {
        let (logged, now) = (log.turns.len(), again.len());
        let last = u32::try_from(logged.min(now)).unwrap_or(u32::MAX);
        let is_comparable = log.end.is_some() || now < logged;
        is_comparable.then(|| difference(last, "number of turns", &logged, &now)).flatten()
    })
}

fn compare_turn(game: &dyn Game, turn: &Turn, ruling: &Ruling) -> Option<Difference> {
    let number = turn.turn;
    difference(number, "move", &turn.action, &ruling.action)
        .or_else(|| difference(number, "gain", &turn.gain, &ruling.gain))
        .or_else(|| difference(number, "score", &turn.score, &game.score()))
}

fn compare_end(logged: &End, end: &End) -> Option<Difference> {
    let turn = end.turns;
    difference(turn, "verdict", &logged.verdict, &end.verdict)
        .or_else(|| difference(turn, "official", &logged.official, &end.official))
        .or_else(|| difference(turn, "won", &logged.won, &end.won))
        .or_else(|| difference(turn, "final score", &logged.score, &end.score))
        .or_else(|| difference(turn, "summary", &logged.summary, &end.summary))
        .or_else(|| difference(turn, "metadata", &logged.metadata, &end.metadata))
        .or_else(|| difference(turn, "number of turns", &logged.turns, &end.turns))
}

fn difference<T: serde::Serialize + PartialEq>(
    turn: u32,
    what: &'static str,
    logged: &T,
    refereed: &T,
) -> Option<Difference> {
    (logged != refereed).then(|| Difference::of(turn, what, logged, refereed))
}

impl Difference {
    fn of(
        turn: u32,
        what: &'static str,
        logged: &impl serde::Serialize,
        refereed: &impl serde::Serialize,
    ) -> Self {
        let value = |json: Result<Value, _>| json.expect("plain data");
        Self {
            turn,
            what,
            logged: value(serde_json::to_value(logged)),
            refereed: value(serde_json::to_value(refereed)),
        }
    }
}

/// The end by the rules, with the process's part taken from the log.
fn end(game: &dyn Game, verdict: Verdict, log: &Log, turns: u32) -> End {
    let end = End::by_rules(game, verdict, turns);
    match log.end.clone() {
        Some(logged) => End {
            diagnosis: logged.diagnosis,
            bot_exit: logged.bot_exit,
            killed: logged.killed,
            late_output: logged.late_output,
            late_output_dropped: logged.late_output_dropped,
            stderr: logged.stderr,
            stderr_dropped: logged.stderr_dropped,
            said: logged.said,
            wall: logged.wall,
            ..end
        },
        None => end,
    }
}
