//! For people: a row for each bot, then what was lost and what was won.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::SuiteReport;
use crate::report::table::table;
use crate::suite::Tally;
use crate::text::{plural, printable};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const HEADING: Style = Style::new().bold();

pub(super) fn write(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = &report.summary;
    let (games, lost) = (summary.games(), summary.lost());
    let style = if lost == 0 { GOOD } else { BAD };
    let played = match summary.planned - games {
        0 => plural(games as u64, "game"),
        _ => format!("{games} of {}", plural(summary.planned as u64, "game")),
    };
    writeln!(out, "{style}{played} of {}, {lost} lost{style:#}\n", summary.game)?;
    let headings = ["bot", "games", "won", "lost", "sum", "mean", "best = 1,000,000"];
    write!(out, "{}", table(&headings, summary.bots.iter().map(row)))?;
    losses(report, out)?;
    new_bests(report, out)?;
    writeln!(out, "\n  The run is in {}.", report.folder.path.display())
}

fn row(tally: &Tally) -> Vec<String> {
    let rounded = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
    vec![
        printable(&tally.bot),
        tally.games.to_string(),
        tally.won.to_string(),
        tally.lost.to_string(),
        tally.sum.to_string(),
        tally.mean().map_or("-".to_owned(), |mean| format!("{mean:.1}")),
        rounded(tally.marathon()),
    ]
}

fn losses(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let losses = &report.summary.losses;
    if losses.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n  {HEADING}lost games{HEADING:#}")?;
    for loss in losses {
        let (bot, board) = (printable(&loss.bot), printable(&loss.board));
        writeln!(out, "  {:>6}  {bot} on {board}: {}", loss.game, printable(&loss.why))?;
    }
    match report.summary.lost() - losses.len() {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more, in results.jsonl"),
    }
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
