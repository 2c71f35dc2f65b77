//! One row for each game, read from the run as it is written.

use std::io::{self, Write};

use serde::Serialize;

use super::SuiteReport;
use crate::millis::Millis;
use crate::report::csv_error;
use crate::report::inert::Cell;
use crate::suite::{BoardId, Outcome, SuiteVerdict};

#[derive(Serialize)]
struct Row<'a> {
    game: usize,
    bot: Cell<'a>,
    board: Cell<'a>,
    set: Option<Cell<'a>>,
    repeat: u32,
    verdict: SuiteVerdict,
    won: bool,
    score: i64,
    counts: bool,
    turns: u32,
    wall_ms: Option<Millis>,
    first_ms: Option<Millis>,
    slowest_ms: Option<Millis>,
    bot_overruns: u32,
    host_overruns: u32,
    diagnosis: Option<Cell<'a>>,
    board_id: &'a BoardId,
    session: Option<u32>,
}

pub(super) fn write(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    for outcome in report.folder.outcomes().map_err(io::Error::other)? {
        rows.serialize(row(&outcome.map_err(io::Error::other)?)).map_err(csv_error)?;
    }
    rows.flush()
}

fn row(outcome: &Outcome) -> Row<'_> {
    Row {
        game: outcome.game,
        bot: Cell(&outcome.bot),
        board: Cell(&outcome.board),
        set: outcome.set.as_deref().map(Cell),
        repeat: outcome.repeat,
        verdict: outcome.verdict,
        won: outcome.won,
        score: outcome.score,
        counts: outcome.counts,
        turns: outcome.turns,
        wall_ms: outcome.times.wall,
        first_ms: outcome.times.first,
        slowest_ms: outcome.times.slowest,
        bot_overruns: outcome.times.bot_overruns,
        host_overruns: outcome.times.host_overruns,
        diagnosis: outcome.diagnosis.as_deref().map(Cell),
        board_id: &outcome.board_id,
        session: outcome.session,
    }
}
