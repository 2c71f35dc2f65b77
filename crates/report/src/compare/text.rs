//! For people: the verdict first, then what it rests on.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::{COLUMNS, advice, columns, tests, unpaired, verdict};
use crate::table::table;
use results::compare::{BoardDifference, Comparison};
use statistics::Conclusion;
use terms::text::printable;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const HEADING: Style = Style::new().bold();

/// How many boards are listed at either end.
const BOARDS: usize = 5;

pub(super) fn write(comparisons: &[Comparison], out: &mut dyn Write) -> io::Result<()> {
    for (index, comparison) in comparisons.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        one(comparison, comparisons.len(), out)?;
    }
    Ok(())
}

/// Shows one comparison, of `comparisons` in all.
fn one(comparison: &Comparison, comparisons: usize, out: &mut dyn Write) -> io::Result<()> {
    let paired = &comparison.paired;
    let style = match paired.conclusion {
        Conclusion::Better => GOOD,
        Conclusion::Worse => BAD,
        Conclusion::NoDifferenceShown | Conclusion::TooFewGames => HEADING,
    };
    writeln!(out, "{style}{}{style:#}", printable(&verdict(comparison)))?;
    if let Some(advice) = advice(paired) {
        writeln!(out, "  {advice}")?;
    }
    let groups = comparison.groups.iter().map(|group| columns(&group.name, &group.paired));
    let rows = std::iter::once(columns("all boards", paired)).chain(groups);
    write!(out, "\n{}", table(&COLUMNS, rows))?;
    writeln!(out, "\n  {}", tests(comparison, comparisons))?;
    extremes(comparison, out)?;
    for sentence in unpaired(comparison) {
        writeln!(out, "\n  {}", printable(&sentence))?;
    }
    Ok(())
}

/// The boards on which most was lost and won.
fn extremes(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let lost = comparison.boards.iter().filter(|board| board.difference < 0.0).take(BOARDS);
    let won = comparison.boards.iter().rev().filter(|board| board.difference > 0.0).take(BOARDS);
    let row = |board: &BoardDifference| {
        let number = |value: f64| format!("{value:.0}");
        let BoardDifference { board, baseline, challenger, difference } = board;
        vec![printable(board), number(*baseline), number(*challenger), format!("{difference:+.0}")]
    };
    for (what, rows) in [
        ("most won on", won.map(row).collect::<Vec<_>>()),
        ("most lost on", lost.map(row).collect()),
    ] {
        if !rows.is_empty() {
            write!(out, "\n{}", table(&[what, "before", "now", "difference"], rows))?;
        }
    }
    Ok(())
}
