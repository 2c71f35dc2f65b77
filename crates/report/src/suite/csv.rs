//! One row for each game, read from the run as it is written.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::SuiteReport;
use crate::csv_error;
use crate::inert::Cell;
use results::said::SaidValue;
use results::suite::{BoardId, Outcome, SuiteVerdict};
use terms::millis::Millis;

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
    let names = &report.summary.said;
    let mut rows = csv::WriterBuilder::new().has_headers(false).from_writer(out);
    let mut is_first = true;
    for outcome in report.folder.outcomes().map_err(io::Error::other)? {
        let outcome = outcome.map_err(io::Error::other)?;
        if std::mem::take(&mut is_first) {
            let fixed = fixed_headings(&outcome).map_err(csv_error)?;
            let headings = fixed.iter().map(str::to_owned).chain(said_headings(names));
            rows.write_record(headings).map_err(csv_error)?;
        }
        rows.serialize((row(&outcome), said(&outcome, names))).map_err(csv_error)?;
    }
    rows.flush()
}

/// The headings that every table has.
fn fixed_headings(outcome: &Outcome) -> csv::Result<csv::StringRecord> {
    let mut rows = csv::Writer::from_writer(Vec::new());
    rows.serialize(row(outcome))?;
    let table = rows.into_inner().expect("memory");
    csv::Reader::from_reader(table.as_slice()).headers().cloned()
}

/// The headings of what bots say: the last value of each name, and more where it can be a number.
fn said_headings(names: &BTreeMap<String, bool>) -> impl Iterator<Item = String> {
    names.iter().flat_map(|(name, is_number)| {
        let more: &[&str] = if *is_number { &[".min", ".max", ".mean"] } else { &[] };
        let all = std::iter::once(&"").chain(more);
        all.map(move |suffix| format!("said.{name}{suffix}"))
    })
}

#[derive(Serialize)]
#[serde(untagged)]
enum SaidCell<'a> {
    Text(Cell<'a>),
    Number(f64),
}

/// What the bot of a game said, in the columns of [`said_headings`].
fn said<'a>(outcome: &'a Outcome, names: &BTreeMap<String, bool>) -> Vec<Option<SaidCell<'a>>> {
    let mut cells = Vec::new();
    for (name, is_number) in names {
        let said = outcome.said.get(name);
        cells.push(said.map(|said| match &said.last {
            SaidValue::Text(text) => SaidCell::Text(Cell(text)),
            SaidValue::Number(number) => SaidCell::Number(*number),
        }));
        if *is_number {
            let numbers = said.and_then(|said| said.numbers);
            let three = [numbers.map(|all| all.min), numbers.map(|all| all.max)];
            let three = three.into_iter().chain([numbers.map(|all| all.mean)]);
            cells.extend(three.map(|number| number.map(SaidCell::Number)));
        }
    }
    cells
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
