//! One object on one line, for programs. Its fields are a contract; new ones may join them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::inert::write_json;
use super::{GameReport, Response};
use results::replay::Difference;
use rules::game::Seat;
use rules::score::Score;
use terms::millis::Millis;
use terms::verdict::{Culprit, Verdict};

#[derive(Serialize)]
struct Object<'a> {
    game: &'a str,
    board: &'a str,
    bot: &'a str,
    won: bool,
    score: Option<Score>,
    /// Null if the log is incomplete; so are `official` and `metadata`.
    verdict: Option<Verdict>,
    official: Option<&'a str>,
    summary: &'a [String],
    metadata: Option<&'a BTreeMap<String, String>>,
    turns: u32,
    diagnosis: Option<&'a str>,
    timing: Timing<'a>,
    /// The seats of a game of several players.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    seats: Vec<Seated<'a>>,
    profile: &'a str,
    stderr_tail: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stderr_after_verdict: Vec<String>,
    log: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    #[serde(flatten)]
    replay: Option<Replay<'a>>,
}

/// A seat, with its result if the game has one.
#[derive(Serialize)]
struct Seated<'a> {
    seat: Seat,
    bot: &'a str,
    place: Option<u32>,
    score: Option<Score>,
    verdict: Option<Verdict>,
    official: Option<&'a str>,
    turns: Option<u32>,
    diagnosis: Option<&'a str>,
    slowest_turn: Option<&'a Response>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ponder_cpu_ms: Option<Millis>,
    stderr_tail: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stderr_after_verdict: Vec<String>,
}

impl<'a> Seated<'a> {
    fn of(report: &'a GameReport, seat: Seat) -> Self {
        let end = report.end.as_ref().and_then(|end| end.seats.get(seat));
        Self {
            seat,
            bot: report.start.bots().nth(seat).map_or("", |bot| &bot.name),
            place: end.map(|end| end.place),
            score: end.and_then(|end| end.score),
            verdict: end.map(|end| end.verdict),
            official: end.map(|end| end.official.as_str()),
            turns: end.map(|end| end.turns),
            diagnosis: end.and_then(|end| end.process.diagnosis.as_deref()),
            slowest_turn: report.slowest_of(seat),
            ponder_cpu_ms: end.and_then(|end| end.ponder_cpu),
            stderr_tail: report.stderr[seat].before_verdict(),
            stderr_after_verdict: report.stderr[seat].after_verdict(),
        }
    }
}

#[derive(Serialize)]
struct Timing<'a> {
    first_turn: Option<&'a Response>,
    slowest_turn: Option<&'a Response>,
    game_ms: Option<Millis>,
    overruns: Overruns,
    exchanges: &'a [Response],
}

#[derive(Serialize)]
struct Overruns {
    bot: usize,
    host: usize,
}

#[derive(Serialize)]
struct Replay<'a> {
    complete: bool,
    agrees: bool,
    /// The first of `differences`.
    difference: Option<&'a Difference>,
    differences: &'a [Difference],
}

pub(super) fn write(report: &GameReport, out: &mut dyn Write) -> io::Result<()> {
    let end = report.end.as_ref();
    let object = Object {
        game: &report.start.game,
        board: &report.start.board,
        bot: &report.start.bot.name,
        won: end.is_some_and(|end| end.won),
        score: report.score,
        verdict: end.map(|end| end.verdict),
        official: end.map(|end| end.official.as_str()),
        summary: &report.summary,
        metadata: end.map(|end| &end.metadata),
        turns: report.turns,
        diagnosis: end.and_then(|end| end.process.diagnosis.as_deref()),
        timing: Timing {
            first_turn: report.first(),
            slowest_turn: report.slowest(),
            overruns: Overruns {
                bot: report.overruns(Culprit::Bot),
                host: report.overruns(Culprit::Host),
            },
            exchanges: &report.exchanges,
            game_ms: end.and_then(|end| end.process.wall),
        },
        seats: report.shown_seats().map(|seat| Seated::of(report, seat)).collect(),
        profile: &report.start.profile,
        stderr_tail: report.stderr[0].before_verdict(),
        stderr_after_verdict: report.stderr[0].after_verdict(),
        log: report.log.as_ref().map(|log| log.display().to_string()),
        page: report.page.as_ref().map(|page| page.display().to_string()),
        replay: report.replay.as_ref().map(|replay| Replay {
            complete: replay.complete,
            agrees: replay.differences.is_empty(),
            difference: replay.differences.first(),
            differences: &replay.differences,
        }),
    };
    write_json(&object, out)
}
