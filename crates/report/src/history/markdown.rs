//! For pages such as GitHub's: a table with a row for each bot of each run.

use std::io::{self, Write};

use super::{HEADINGS, History, NUMBERS, rows};
use crate::markdown::{aligned, escape};

pub(super) fn write(history: &History, out: &mut dyn Write) -> io::Result<()> {
    aligned(&HEADINGS, history.runs.iter().flat_map(rows), &NUMBERS, out)?;
    if !history.broken.is_empty() {
        writeln!(out)?;
    }
    for broken in &history.broken {
        writeln!(out, "- {}: {}", escape(&broken.run), escape(&broken.problem))?;
    }
    for sentence in history.mark().map(str::to_owned).into_iter().chain(history.more()) {
        writeln!(out, "\n{}", escape(&sentence))?;
    }
    Ok(())
}
