//! Documents in a terminal: coloured, with columns that line up. Text is inert through [`printable`].

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width};
use terms::text::{duration, printable};

use super::{Line, Part, Table, Tone};
use crate::histogram::Histogram;

/// The longest bar of a histogram, in characters.
const MAX_BAR_CHARS: usize = 40;

impl Tone {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Strong => Style::new().bold(),
            Self::Soft => Style::new().dimmed(),
            Self::Good => AnsiColor::Green.on_default().bold(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
        }
    }
}

pub(super) fn write(parts: &[Part], out: &mut dyn Write) -> io::Result<()> {
    for (index, part) in parts.iter().enumerate() {
        let belongs_above = matches!(part, Part::Note(_) | Part::List("", _));
        if index > 0 && !belongs_above {
            writeln!(out)?;
        }
        write_part(part, out)?;
    }
    Ok(())
}

fn write_part(part: &Part, out: &mut dyn Write) -> io::Result<()> {
    match part {
        Part::Headline(line) => writeln!(out, "{}", styled(line)),
        Part::Note(line) | Part::Sentence(line) => writeln!(out, "  {}", styled(line)),
        Part::List(heading, lines) => {
            write_heading(heading, out)?;
            lines.iter().try_for_each(|line| writeln!(out, "  {}", styled(line)))
        }
        Part::Table(table) => write_table(table, out),
        Part::Histogram(histogram) => write_histogram(histogram, out),
        Part::InTerminal(part) => write_part(part, out),
    }
}

fn write_heading(heading: &str, out: &mut dyn Write) -> io::Result<()> {
    let style = Tone::Strong.style();
    if heading.is_empty() { Ok(()) } else { writeln!(out, "  {style}{heading}{style:#}") }
}

fn styled(line: &Line) -> String {
    let Line { number, tone, toned, rest } = line;
    let (style, toned, rest) = (tone.style(), printable(toned), printable(rest));
    let number = number.as_ref().map(|number| format!("{:>1$}  ", number.value, number.width));
    format!("{}{style}{toned}{style:#}{rest}", number.unwrap_or_default())
}

fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let mut shown = comfy_table::Table::new();
    shown.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    shown.set_header(table.headings.iter().map(|heading| printable(heading)));
    for row in &table.rows {
        shown.add_row(row.iter().map(|cell| printable(cell)));
    }
    for (index, column) in shown.column_iter_mut().enumerate() {
        if !table.words.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if let Some(&width) = table.widths.get(index) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
        }
    }
    for (index, line) in shown.lines().enumerate() {
        let style = if index == 0 { Tone::Strong } else { Tone::Plain }.style();
        writeln!(out, " {style}{}{style:#}", line.trim_end())?;
    }
    Ok(())
}

fn write_histogram(histogram: &Histogram, out: &mut dyn Write) -> io::Result<()> {
    write_heading(histogram.name, out)?;
    let soft = Tone::Soft.style();
    for bar in &histogram.bars {
        let style = if bar.is_late { Tone::Bad } else { Tone::Plain }.style();
        let limit = if bar.ends_at_limit { "  ← limit" } else { "" };
        let blocks = "█".repeat(histogram.length(bar, MAX_BAR_CHARS));
        let (up_to, count) = (duration(bar.up_to), bar.count);
        writeln!(out, "  {up_to:>8} {style}{blocks}{style:#} {count}{soft}{limit}{soft:#}")?;
    }
    Ok(())
}
