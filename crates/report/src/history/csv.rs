//! One row for each bot of each run, and for each folder that holds none.

use std::io::{self, Write};

use serde::Serialize;

use super::{BotRow, Broken, History, RunRow};
use crate::csv_error;
use crate::inert::Cell;
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
        for bot in &run.bots {
            rows.serialize(row(run, bot)).map_err(csv_error)?;
        }
    }
    for Broken { run, problem } in &history.broken {
        let row = Row { run: Some(Cell(run)), problem: Some(Cell(problem)), ..Row::default() };
        rows.serialize(row).map_err(csv_error)?;
    }
    rows.flush()
}

fn row<'a>(run: &'a RunRow, bot: &'a BotRow) -> Row<'a> {
    Row {
        run: Some(Cell(&run.run)),
        started: Some(run.started),
        game: Some(Cell(&run.game)),
        boards: Some(Cell(&run.board_names)),
        bot: Some(Cell(&bot.bot)),
        planned: Some(run.planned_each()),
        games: Some(bot.games),
        not_played: Some(bot.not_played),
        lost: Some(bot.lost),
        sum: Some(bot.sum),
        mean: bot.mean,
        ratio: bot.ratio,
        slowest_ms: bot.slowest_ms,
        commit: run.git.as_ref().map(|git| git.commit.as_str()),
        dirty: run.git.as_ref().map(|git| git.dirty),
        comment: run.comment.as_deref().map(Cell),
        problem: None,
    }
}
