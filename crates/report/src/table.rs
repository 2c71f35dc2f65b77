//! Tables for people, in the terminal.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use terms::text::printable;

/// Indented rows under headings; the first column holds words, the others numbers.
pub(super) fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let numbers: Vec<bool> = (0..headings.len()).map(|column| column > 0).collect();
    aligned(headings, rows, &numbers)
}

/// Indented rows under headings; columns of `numbers` are aligned to the right.
pub(super) fn aligned(
    headings: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    numbers: &[bool],
) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings);
    for row in rows {
        table.add_row(row.iter().map(|cell| printable(cell)));
    }
    for (column, _) in table.column_iter_mut().zip(numbers).filter(|(_, is_number)| **is_number) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines = table.lines().map(|line| format!(" {}\n", line.trim_end()));
    lines.collect()
}
