//! Tables in Markdown as GitHub reads it.

use std::io::{self, Write};

use terms::text::printable;

/// Writes a table whose first column holds words and the others numbers.
pub(super) fn table(
    headings: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let numbers: Vec<bool> = (0..headings.len()).map(|column| column > 0).collect();
    aligned(headings, rows, &numbers, out)
}

/// Writes a table; columns of `numbers` are aligned to the right.
pub(super) fn aligned(
    headings: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    numbers: &[bool],
    out: &mut dyn Write,
) -> io::Result<()> {
    let rule = numbers.iter().map(|is_number| if *is_number { "---:|" } else { "---|" });
    writeln!(out, "| {} |", headings.join(" | "))?;
    writeln!(out, "|{}", rule.collect::<String>())?;
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    Ok(())
}

/// Escapes text so that it is inert in Markdown, and in HTML, which Markdown may contain.
pub(super) fn escape(text: &str) -> String {
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
        // Otherwise GitHub would tell somebody who has that name.
        assert_eq!(escape("@first"), "&#64;first");
    }

    #[test]
    fn tables_have_a_row_for_each_row() {
        let mut out = Vec::new();
        table(&["bot", "sum"], [vec!["x".to_owned(), "1".to_owned()]], &mut out).expect("memory");
        assert_eq!(
            String::from_utf8(out).expect("UTF-8"),
            "| bot | sum |\n|---|---:|\n| x | 1 |\n"
        );
    }
}
