//! One row for each board of each comparison.

use std::io::{self, Write};

use serde::Serialize;

use crate::csv_error;
use crate::inert::Cell;
use results::compare::{BoardDifference, Comparison};

#[derive(Serialize)]
struct Row<'a> {
    baseline: Cell<'a>,
    challenger: Cell<'a>,
    board: Cell<'a>,
    baseline_points: f64,
    challenger_points: f64,
    difference: f64,
}

pub(super) fn write(comparisons: &[Comparison], out: &mut dyn Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    for comparison in comparisons {
        for board in &comparison.boards {
            rows.serialize(row(comparison, board)).map_err(csv_error)?;
        }
    }
    rows.flush()
}

fn row<'a>(comparison: &'a Comparison, board: &'a BoardDifference) -> Row<'a> {
    Row {
        baseline: Cell(&comparison.baseline),
        challenger: Cell(&comparison.challenger),
        board: Cell(&board.board),
        baseline_points: board.baseline,
        challenger_points: board.challenger,
        difference: board.difference,
    }
}
