//! Rows for spreadsheets, picked out of records as JSON shows them.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::inert::cell;

/// A column: its heading, and where its cells are in a record, as a JSON pointer.
pub(super) type Column = (String, String);

/// The columns that `paths` names, each by the path of a field; the field's own name is the heading.
pub(super) fn columns(paths: &str) -> Vec<Column> {
    let heading = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    paths.split_whitespace().map(|path| (heading(path), format!("/{path}"))).collect()
}

/// Writes the headings, and a row for each record.
///
/// # Errors
/// When there is an error among the records, or `out` fails.
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
