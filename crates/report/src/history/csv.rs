//! One row for each bot of each run, and for each folder that holds none.

use std::io::{self, Write};

use serde::Serialize;

use super::{Broken, History, Listed};
use crate::csv_error;
use crate::inert::Cell;
use results::suite::Tally;
use terms::millis::Millis;

#[derive(Default, Serialize)]
struct Row<'a> {
    run: Option<Cell<'a>>,
    started: Option<jiff::Timestamp>,
    game: Option<Cell<'a>>,
    boards: Option<Cell<'a>>,
    bot: Option<Cell<'a>>,
    planned: Option<usize>,
    games: Option<usize>,
    not_played: Option<usize>,
    lost: Option<usize>,
    sum: Option<i64>,
    mean: Option<f64>,
    ratio: Option<f64>,
    slowest_ms: Option<Millis>,
    commit: Option<&'a str>,
    dirty: Option<bool>,
    comment: Option<Cell<'a>>,
    problem: Option<Cell<'a>>,
}

pub(super) fn write(history: &History, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    for run in &history.runs {
        let (name, boards) = (run.name(), run.listing.board_names());
        for (index, bot) in run.listing.summary.bots.iter().enumerate() {
            let slowest_ms = run.listing.summary.slowest(index);
            let row = Row {
                run: Some(Cell(&name)),
                boards: Some(Cell(&boards)),
                slowest_ms,
                ..row(run, bot)
            };
            rows.serialize(row).map_err(csv_error)?;
        }
    }
    for Broken { run, problem } in &history.broken {
        let row = Row { run: Some(Cell(run)), problem: Some(Cell(problem)), ..Row::default() };
        rows.serialize(row).map_err(csv_error)?;
    }
    rows.flush()
}

/// The row of a bot, without its run, its boards and its slowest response.
fn row<'a>(run: &'a Listed, bot: &'a Tally) -> Row<'a> {
    let listing = &run.listing;
    Row {
        started: Some(listing.started),
        game: Some(Cell(&listing.game)),
        bot: Some(Cell(&bot.bot)),
        planned: Some(run.planned_each()),
        games: Some(bot.games),
        not_played: Some(bot.not_played),
        lost: Some(bot.lost),
        sum: Some(bot.sum),
        mean: bot.mean(),
        ratio: bot.ratio(),
        commit: listing.git.as_ref().map(|git| git.commit.as_str()),
        dirty: listing.git.as_ref().map(|git| git.dirty),
        comment: listing.comment.as_deref().map(Cell),
        ..Row::default()
    }
}
