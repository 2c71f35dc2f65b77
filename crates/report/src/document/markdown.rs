//! Documents in Markdown as GitHub reads it.

use std::io::{self, Write};

use terms::text::printable;

use super::{Line, Part, Table, capitalised};

pub(super) fn write(parts: &[Part], out: &mut dyn Write) -> io::Result<()> {
    let is_shown = |part: &&Part| !matches!(part, Part::InTerminal(_) | Part::Histogram(_));
    for (index, part) in parts.iter().filter(is_shown).enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        match part {
            Part::Headline(line) => writeln!(out, "### {}", escaped(line))?,
            Part::Note(line) | Part::Sentence(line) => writeln!(out, "{}", escaped(line))?,
            Part::List(heading, lines) => list(heading, lines, out)?,
            Part::Table(table) => write_table(table, out)?,
            Part::Histogram(_) | Part::InTerminal(_) => {}
        }
    }
    Ok(())
}

fn list(heading: &str, lines: &[Line], out: &mut dyn Write) -> io::Result<()> {
    if !heading.is_empty() {
        writeln!(out, "{}:\n", capitalised(heading))?;
    }
    lines.iter().try_for_each(|line| writeln!(out, "- {}", escaped(line)))
}

fn escaped(line: &Line) -> String {
    let number = line.number.as_ref().map(|number| format!("{}{}, ", number.noun, number.value));
    format!("{}{}{}", number.unwrap_or_default(), escape(&line.toned), escape(&line.rest))
}

fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let columns = 0..table.headings.len();
    let rule = columns.map(|column| if table.words.contains(&column) { "---|" } else { "---:|" });
    writeln!(out, "{}", of_cells(&table.headings))?;
    writeln!(out, "|{}", rule.collect::<String>())?;
    table.rows.iter().try_for_each(|row| writeln!(out, "{}", of_cells(row)))
}

fn of_cells(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
    format!("| {} |", cells.join(" | "))
}

/// Escapes text so that it is inert in Markdown, and in HTML, which Markdown may contain.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '@' => escaped.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_inert_in_markdown() {
        assert_eq!(escape("a|b*c_d`<x>\n"), r"a\|b\*c\_d\`&lt;x&gt;\\n");
        // Otherwise GitHub would notify the user of that name.
        assert_eq!(escape("@first"), "&#64;first");
    }

    #[test]
    fn tables_have_a_row_for_each_row() {
        let mut out = Vec::new();
        let table = Table::new("", &["bot", "sum"], [vec!["x".to_owned(), "1".to_owned()]]);
        write_table(&table, &mut out).expect("memory");
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            "| bot | sum |\n|---|---:|\n| x | 1 |\n"
        );
    }
}
