//! For pages such as GitHub's: a table of bots, and what was lost.

use std::io::{self, Write};

use super::{HEADINGS, SuiteReport, alike, decided, headline, losses, row};
use crate::markdown::{escape, table};

pub(super) fn write(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = &report.summary;
    writeln!(out, "### {}\n", headline(summary))?;
    table(&HEADINGS, summary.bots.iter().map(row), out)?;
    if let Some(decided) = decided(report) {
        writeln!(out, "\n{}", escape(&decided))?;
    }
    for (heading, losses, more) in losses(summary) {
        let (first, rest) = heading.split_at(1);
        writeln!(out, "\n{}{rest}:\n", first.to_uppercase())?;
        for loss in losses {
            let (bot, board) = (escape(&loss.bot), escape(&loss.board));
            let (why, alike) = (escape(&loss.why), alike(loss));
            writeln!(out, "- game {}, {bot} on {board}: {why}{alike}", loss.game)?;
        }
        if more > 0 {
            writeln!(out, "- and {more} more")?;
        }
    }
    for host in &report.noisy_hosts {
        writeln!(out, "\n{}", escape(&host.to_string()))?;
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
