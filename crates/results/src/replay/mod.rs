//! Referees a log again, without the bot: the rules must give the same result.
//!
//! Facts that only a process can show come from the log: a missing reply, times, the bot's
//! exit. Everything else is computed again and compared.

pub mod foreign;
pub(crate) mod recorded;

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::gamelog::{Asked, End, Log, SeatEnd, Start, Turn};
use rules::game::{Answer, Ask, Effect, Game, GameKind, JudgeFailure, TestCase, UnknownGame};
use rules::score::Score;
use terms::bounds::JUDGE_LINE;
use terms::lines::{LineRules, Lines, Progress};
use terms::text::cut;
use terms::verdict::{NoReply, Verdict};

/// A log that was refereed again.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Replayed {
    /// The number of exchanges that were refereed.
    pub turns: u32,
    /// The original's game summary so far, with colour marks.
    pub summary: Vec<String>,
    /// The score so far; `None` if there is none.
    pub score: Option<Score>,
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
#[non_exhaustive]
pub enum ReplayError {
    /// The log's game is unknown.
    #[error("1: {0}")]
    UnknownGame(#[from] UnknownGame),
    /// The log is of another game than the one that it was to be refereed by.
    #[error("1: the log is of the game `{logged}`, not of `{expected}`")]
    OtherGame {
        /// The log's game.
        logged: String,
        /// The game that was asked for.
        expected: String,
    },
    /// The game's rules are another program's, and the log does not have what that said.
    #[error("1: the rules of `{0}` are in another program, which the log does not name")]
    NoRules(String),
    /// The log's test case does not parse.
    #[error("1: the test case in the log is damaged: {0}")]
    TestCase(#[from] rules::source::SourceError),
}

/// Referees `log` again, up to the first difference. A game whose rules are in another program is compared with what
/// that program said in the log.
///
/// # Errors
/// When the game or the test case in the log is invalid.
pub fn replay(log: &Log) -> Result<Replayed, ReplayError> {
    let mut game = game_of_log(log)?;
    // Only a recorded judge can be in trouble here: the log stops, and so does the comparison.
    let (replayed, _) = referee(&mut game, log, compare_end);
    Ok(replayed)
}

/// As [`replay`], by the rules of `kind`, which need not be in the table of games.
///
/// # Errors
/// When the log is of another game, or its test case is invalid.
pub fn replay_as(kind: &Arc<GameKind>, log: &Log) -> Result<Replayed, ReplayError> {
    let kind = kind_as(kind, &log.start)?;
    let (replayed, _) = referee(&mut begun(&kind, log)?, log, compare_end);
    Ok(replayed)
}

/// Referees `log` again, up to the first difference, in a `game` on its test case that its judge has just begun; `None` if
/// the judge talks to the bot itself, so that it cannot be given the replies of a log.
///
/// # Errors
/// When the judge fails.
pub fn rejudge(log: &Log, mut game: Game) -> Result<Option<Replayed>, JudgeFailure> {
    if game.ask().is_some_and(|ask| ask.peer.is_some()) {
        return Ok(None);
    }
    match referee(&mut game, log, compare_end_of_judge) {
        (_, Some(trouble)) => Err(trouble),
        (replayed, None) => Ok(Some(replayed)),
    }
}

/// How the end of a log differs from the end of the same game now.
type CompareEnds = fn(&End, &End) -> Option<Difference>;

/// Passes the replies of a log to a game, until its judge fails.
fn referee(
    game: &mut Game,
    log: &Log,
    compare_ends: CompareEnds,
) -> (Replayed, Option<JudgeFailure>) {
    let mut verdict = Verdict::Completed;
    let mut replayed = Replayed::default();
    let mut trouble = None;
    for turn in &log.turns {
        match referee_turn(game, turn) {
            Ok(Ok(effect)) => {
                replayed.turns = turn.turn;
                verdict = effect.verdict;
                replayed.difference = compare_turn(turn, &effect);
            }
            // What became of the reply is unknown.
            Ok(Err(failed)) => (replayed.turns, trouble) = (turn.turn, Some(failed)),
            Err(difference) => replayed.difference = Some(difference),
        }
        if trouble.is_some() || replayed.difference.is_some() {
            break;
        }
    }
    replayed.summary = game.summary().to_vec();
    replayed.score = game.score(0);
    if trouble.is_none() && replayed.difference.is_none() {
        conclude(game, verdict, log, &mut replayed, compare_ends);
    }
    (replayed, trouble)
}

/// Compares the end of the game, if it has come, with the log's.
fn conclude(
    game: &Game,
    verdict: Verdict,
    log: &Log,
    replayed: &mut Replayed,
    compare_ends: CompareEnds,
) {
    replayed.end = game.end().map(|_| end(game, verdict, log, replayed.turns));
    if let Some(logged) = &log.end {
        replayed.difference = match &replayed.end {
            Some(end) => compare_ends(logged, end),
            None => difference(replayed.turns, "the game", &"over", &"not over"),
        };
    }
}

/// The logged game before its first turn, ready to be refereed.
///
/// # Errors
/// When the game or the test case in the log is invalid.
pub fn game_of_log(log: &Log) -> Result<Game, ReplayError> {
    begun(kind_of(&log.start)?.as_ref(), log)
}

fn begun(kind: &GameKind, log: &Log) -> Result<Game, ReplayError> {
    if let Some(judge) = &log.start.judge {
        return Ok(recorded::game_of_log(judge, log));
    }
    let case = (kind.parse)(&log.start.test_case)?;
    case.opening().ok_or_else(|| ReplayError::NoRules(kind.name.clone()))
}

/// The logged game's test case.
///
/// # Errors
/// When the game or the test case in the log is invalid.
pub fn case_of(start: &Start) -> Result<TestCase, ReplayError> {
    Ok((kind_of(start)?.parse)(&start.test_case)?)
}

/// The logged game's row in the table of games.
///
/// # Errors
/// When the table has no such game.
pub fn kind_of(start: &Start) -> Result<Arc<GameKind>, ReplayError> {
    let name = &start.game;
    if let Some(judge) = &start.judge {
        return Ok(Arc::new(recorded::kind_of(start, judge)));
    }
    GameKind::named(name).ok_or_else(|| UnknownGame::new(name).into())
}

/// The row of a log that is to be refereed by the rules of `kind`: this one, unless the log keeps what a judge said.
///
/// # Errors
/// When the log is of another game.
pub fn kind_as(kind: &Arc<GameKind>, start: &Start) -> Result<Arc<GameKind>, ReplayError> {
    if start.judge.is_some() {
        return kind_of(start);
    }
    if start.game != kind.name {
        let (logged, expected) = (start.game.clone(), kind.name.clone());
        return Err(ReplayError::OtherGame { logged, expected });
    }
    Ok(Arc::clone(kind))
}

/// The logged reply to a question, split into lines as during the game.
pub fn reply_to(ask: &Ask, turn: &Turn) -> Lines {
    let mut reply = Lines::split(&turn.reply.0);
    let output_ended =
        matches!(turn.no_reply, None | Some(NoReply::Ended(_) | NoReply::StdoutClosed));
    if ask.lines.eof_ends_line && output_ended {
        reply.end_partial();
    }
    reply
}

/// Passes the reply of a turn to a game; the effect, unless the question was another one.
fn referee_turn(game: &mut Game, turn: &Turn) -> Result<Result<Effect, JudgeFailure>, Difference> {
    let Some(ask) = game.next_ask() else {
        return Err(Difference::of(turn.turn, "the game", &"not over", &"over"));
    };
    if ask.seat != turn.seat {
        return Err(Difference::of(turn.turn, "the seat", &turn.seat, &ask.seat));
    }
    if ask.limit != turn.limit {
        return Err(Difference::of(turn.turn, "limit", &turn.limit, &ask.limit));
    }
    if let Some(difference) = compare_question(&ask, turn) {
        return Err(difference);
    }
    let reply = reply_to(&ask, turn);
    let whole = match ask.lines.count {
        // Only the process could tell.
        LineRules::UNTIL_END => turn.no_reply.is_none(),
        _ => reply.progress(&ask.lines) == Progress::Complete(reply.len()),
    };
    // A complete reply does not count if it came too late, or if the bot exceeded a resource limit.
    let refused = matches!(turn.no_reply, Some(NoReply::Deadline | NoReply::OverLimit(_)));
    if whole != turn.no_reply.is_none() && !(whole && refused) {
        let word = |whole| if whole { "complete" } else { "incomplete" };
        let logged = word(turn.no_reply.is_none());
        return Err(Difference::of(turn.turn, "the reply", &logged, &word(whole)));
    }
    Ok(game.answer(Answer::new(&reply, turn.no_reply).after(counted_time(turn))))
}

/// The first exchange that differed when the bot of `log` played again.
///
/// A log that stops before the end of its game is compared up to there.
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

/// The time of a reply if it counts for a judge: not where the limit was another than its own.
fn counted_time(turn: &Turn) -> Duration {
    let is_official = turn.asked.as_ref().is_some_and(|asked| asked.limit == asked.official);
    if is_official { turn.wall.0 } else { Duration::ZERO }
}

/// How the judge's question differs from the logged one.
fn compare_question(ask: &Ask, turn: &Turn) -> Option<Difference> {
    let asked = turn.asked.as_ref()?;
    let now = Asked::new(ask, None);
    difference(turn.turn, "what the bot is sent", &asked.input, &now.input)
        .or_else(|| difference(turn.turn, "number of lines", &asked.lines, &now.lines))
        .or_else(|| difference(turn.turn, "the judge's limit", &asked.official, &now.official))
}

fn compare_turn(turn: &Turn, effect: &Effect) -> Option<Difference> {
    let number = turn.turn;
    difference(number, "move", &turn.action, &effect.action)
        .or_else(|| difference(number, "gain", &turn.gain, &effect.gain))
        .or_else(|| difference(number, "score", &turn.score, &effect.score))
        .or_else(|| {
            let out = turn.asked.as_ref().map_or(&[][..], |asked| &asked.out);
            difference(number, "players out", &out, &effect.out.as_slice())
        })
}

fn compare_end(logged: &End, end: &End) -> Option<Difference> {
    let metadata = || difference(end.turns, "metadata", &logged.metadata, &end.metadata);
    compare_end_of_judge(logged, end).or_else(metadata)
}

/// As [`compare_end`], for a judge that was started again: its metadata may hold times that it has measured, and no two games
/// have the same.
fn compare_end_of_judge(logged: &End, end: &End) -> Option<Difference> {
    let turn = end.turns;
    difference(turn, "verdict", &logged.verdict, &end.verdict)
        .or_else(|| difference(turn, "official", &logged.official, &end.official))
        .or_else(|| difference(turn, "won", &logged.won, &end.won))
        .or_else(|| difference(turn, "final score", &logged.score, &end.score))
        .or_else(|| difference(turn, "summary", &logged.summary, &end.summary))
        .or_else(|| difference(turn, "number of turns", &logged.turns, &end.turns))
        .or_else(|| difference(turn, "players", &of_seats(logged), &of_seats(end)))
}

/// What the rules decide of each seat.
fn of_seats(end: &End) -> Vec<(u32, Option<String>, Verdict, &str, u32)> {
    let mut all = Vec::new();
    for SeatEnd { place, score, verdict, official, turns, .. } in &end.seats {
        let score = score.map(|score| score.to_string());
        all.push((*place, score, *verdict, official.as_str(), *turns));
    }
    all
}

fn difference<T: serde::Serialize + PartialEq>(
    turn: u32,
    what: &'static str,
    logged: &T,
    refereed: &T,
) -> Option<Difference> {
    (logged != refereed).then(|| Difference::of(turn, what, logged, refereed))
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { turn, what, .. } = self;
        let (logged, refereed) = self.shown();
        write!(f, "turn {turn}: the {what} is {logged} in the log, and {refereed} by the rules")
    }
}

impl Difference {
    /// The value in the log and the value by the rules for people, however long they are.
    pub fn shown(&self) -> (String, String) {
        let shown = |value: &Value| cut(&value.to_string(), JUDGE_LINE);
        (shown(&self.logged), shown(&self.refereed))
    }

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
fn end(game: &Game, verdict: Verdict, log: &Log, turns: u32) -> End {
    let mut end = End::by_rules(game, verdict, turns);
    match log.end.clone() {
        Some(logged) => End {
            seats: {
                let seats = mem::take(&mut end.seats).into_iter();
                let mut of_log = logged.seats.into_iter();
                seats.map(|seat| seat.with_process_of(of_log.next())).collect()
            },
            process: logged.process,
            ..end
        },
        None => end,
    }
}
