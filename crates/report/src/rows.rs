//! Rows for spreadsheets, picked from the JSON form of records.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::inert::cell;

/// A column: its heading, and the JSON pointer to its cell in a record.
pub(super) type Column = (String, String);

/// One column for each path of a field in `paths`; the field's own name is the heading.
pub(super) fn columns(paths: &str) -> Vec<Column> {
    let heading = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    paths.split_whitespace().map(|path| (heading(path), format!("/{path}"))).collect()
}

/// Writes the headings, and a row for each record.
///
/// # Errors
/// When a record is an error, or `out` fails.
pub(super) fn write_rows<T: Serialize>(
    columns: &[Column],
    records: impl IntoIterator<Item = io::Result<T>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record(columns.iter().map(|(heading, _)| heading))?;
    for record in records {
        let record = serde_json::to_value(record?)?;
        let cells = columns.iter().map(|(_, place)| match record.pointer(place) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => cell(text),
            Some(value) => value.to_string(),
        });
        rows.write_record(cells)?;
    }
    rows.flush()
}
