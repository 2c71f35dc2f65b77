//! For people: a row for each bot of each run.

use std::io::{self, Write};

use super::{HEADINGS, History, NUMBERS, rows};
use crate::table::aligned;
use terms::text::printable;

pub(super) fn write(history: &History, out: &mut dyn Write) -> io::Result<()> {
    if history.runs.is_empty() && history.broken.is_empty() {
        writeln!(out, "There are no runs.")?;
    }
    if !history.runs.is_empty() {
        let rows = history.runs.iter().flat_map(rows);
        write!(out, "{}", aligned(&HEADINGS, rows, &NUMBERS))?;
    }
    for broken in &history.broken {
        writeln!(out, "  {}: {}", printable(&broken.run), printable(&broken.problem))?;
    }
    for sentence in history.mark().map(str::to_owned).into_iter().chain(history.more()) {
        writeln!(out, "\n  {sentence}")?;
    }
    Ok(())
}
