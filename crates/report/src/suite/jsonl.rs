//! For programs that read along: a line for each game as it ends, and a last one with the summary.

use std::io::{self, Write};

use serde::Serialize;

use super::SuiteReport;
use super::json::{Object, object};
use crate::inert::write_json;
use results::suite::{Bests, Outcome};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line<'a> {
    Game(Game<'a>),
    Summary(Object<'a>),
}

#[derive(Serialize)]
struct Game<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    /// The best score that was known on its board when the suite began.
    best: Option<i64>,
}

/// Writes the line of a game.
///
/// # Errors
/// When `out` fails.
pub fn write_game(outcome: &Outcome, bests: &Bests, out: &mut dyn Write) -> io::Result<()> {
    let best = bests.best(&outcome.record_id);
    write_json(&Line::Game(Game { outcome, best }), out)?;
    out.flush()
}

pub(super) fn write(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_json(&Line::Summary(object(report)), out)
}
