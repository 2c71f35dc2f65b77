//! For people: a row for each bot, then what was lost and what was won.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::{HEADINGS, SuiteReport, alike, decided, headline, losses, row};
use crate::table::table;
use terms::text::printable;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const HEADING: Style = Style::new().bold();

pub(super) fn write(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = &report.summary;
    let is_good = summary.lost() + summary.games_not_played() == 0;
    let style = if is_good { GOOD } else { BAD };
    writeln!(out, "{style}{}{style:#}\n", headline(summary))?;
    write!(out, "{}", table(&HEADINGS, summary.bots.iter().map(row)))?;
    if let Some(decided) = decided(report) {
        writeln!(out, "\n  {HEADING}{}{HEADING:#}", printable(&decided))?;
    }
    tell_losses(report, out)?;
    new_bests(report, out)?;
    for host in &report.noisy_hosts {
        writeln!(out, "\n  {HEADING}{}{HEADING:#}", printable(&host.to_string()))?;
    }
    if report.is_kept {
        writeln!(out, "\n  The run is in {}.", report.folder.path.display())?;
    }
    Ok(())
}

fn tell_losses(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (heading, losses, more) in losses(&report.summary) {
        writeln!(out, "\n  {HEADING}{heading}{HEADING:#}")?;
        for loss in losses {
            let (bot, board) = (printable(&loss.bot), printable(&loss.board));
            let (why, alike) = (printable(&loss.why), alike(loss));
            writeln!(out, "  {:>6}  {bot} on {board}: {why}{alike}", loss.game)?;
        }
        if more > 0 {
            let place = if report.is_kept { ", in results.jsonl" } else { "" };
            writeln!(out, "  and {more} more{place}")?;
        }
    }
    Ok(())
}

fn new_bests(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    if report.summary.new_bests.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n  {HEADING}better than the best known{HEADING:#}")?;
    for best in &report.summary.new_bests {
        let (bot, board, by) = (printable(&best.bot), printable(&best.board), printable(&best.by));
        writeln!(
            out,
            "  {GOOD}{board}{GOOD:#}: {} by {bot}, before {} by {by}",
            best.score, best.before
        )?;
    }
    Ok(())
}
