//! One row for each turn, as measured.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::TimingReport;
use crate::csv_error;
use crate::inert::Cell;
use results::timing::Timed;
use terms::limits::LimitKind;
use terms::millis::Millis;
use terms::verdict::Culprit;

#[derive(Serialize)]
struct Row<'a> {
    game: usize,
    board: Cell<'a>,
    turn: u32,
    kind: LimitKind,
    wall_ms: Millis,
    limit_ms: Option<Millis>,
    cpu_ms: Option<Millis>,
    wait_ms: Option<Millis>,
    referee_wait_ms: Option<Millis>,
    context_switches: Option<u64>,
    page_faults: Option<u64>,
    peak_memory_bytes: Option<u64>,
    choices: Option<usize>,
    /// Whose fault it is that the turn is late; empty if it is not.
    late_by: Option<Culprit>,
    /// The parts of `wall_ms`, of turns that were late or disturbed.
    computed_ms: Option<Millis>,
    kept_waiting_ms: Option<Millis>,
    taken_ms: Option<Millis>,
    referee_ms: Option<Millis>,
    asleep_ms: Option<Millis>,
    unknown_ms: Option<Millis>,
}

pub(super) fn write(report: &TimingReport, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    for timed in &report.turns {
        let limit = report.thresholds.limits.of(timed.turn.limit);
        rows.serialize(row(timed, limit)).map_err(csv_error)?;
    }
    rows.flush()
}

fn row(timed: &Timed, limit: Option<Duration>) -> Row<'_> {
    let certificate = &timed.turn.certificate;
    Row {
        game: timed.game,
        board: Cell(&timed.board),
        turn: timed.turn.turn,
        kind: timed.turn.limit,
        wall_ms: timed.turn.wall,
        limit_ms: limit.map(Millis),
        cpu_ms: certificate.cpu,
        wait_ms: certificate.wait,
        referee_wait_ms: certificate.referee_wait,
        context_switches: certificate.context_switches,
        page_faults: certificate.page_faults,
        peak_memory_bytes: certificate.peak_memory,
        choices: timed.choices,
        late_by: limit.and_then(|limit| timed.culprit(limit, 1.0)),
        computed_ms: certificate.parts.map(|parts| parts.computed),
        kept_waiting_ms: certificate.parts.map(|parts| parts.kept_waiting),
        taken_ms: certificate.parts.map(|parts| parts.taken),
        referee_ms: certificate.parts.map(|parts| parts.referee),
        asleep_ms: certificate.parts.map(|parts| parts.asleep),
        unknown_ms: certificate.parts.map(|parts| parts.unknown),
    }
}
