//! For pages such as GitHub's: a table of bots, and what was lost.

use std::io::{self, Write};

use super::{HEADINGS, SuiteReport, decided, headline, row};
use crate::report::markdown::{escape, table};

pub(super) fn write(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = &report.summary;
    writeln!(out, "### {}\n", headline(summary))?;
    table(&HEADINGS, summary.bots.iter().map(row), out)?;
    if let Some(decided) = decided(report) {
        writeln!(out, "\n{}", escape(&decided))?;
    }
    if !summary.losses.is_empty() {
        writeln!(out, "\nLost games:\n")?;
    }
    for loss in &summary.losses {
        let (bot, board) = (escape(&loss.bot), escape(&loss.board));
        writeln!(out, "- game {}, {bot} on {board}: {}", loss.game, escape(&loss.why))?;
    }
    match summary.lost() - summary.losses.len() {
        0 => {}
        more => writeln!(out, "- and {more} more")?,
    }
    for best in &summary.new_bests {
        let (bot, board, by) = (escape(&best.bot), escape(&best.board), escape(&best.by));
        let (score, before) = (best.score, best.before);
        writeln!(
            out,
            "\nBetter than the best known on {board}: {score} by {bot}, before {before} by {by}."
        )?;
    }
    Ok(())
}
