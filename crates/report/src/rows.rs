//! Rows for spreadsheets, picked from the JSON form of records.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use super::inert::cell;

/// A column: its heading, and the JSON pointer to its cell in a record.
pub(super) type Column = (String, String);

/// One column for each path of a field in `paths`; the field's own name is the heading.
pub(super) fn columns(paths: &str) -> Vec<Column> {
    let heading = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    paths.split_whitespace().map(|path| (heading(path), format!("/{path}"))).collect()
}

/// Writes the headings, and a row for each record. Numbers keep the digits that they have in JSON.
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
        let record = serde_json::to_string(&record?)?;
        let members = members(&record);
        let cells = columns.iter().map(|(_, place)| match pick(&members, place) {
            None => String::new(),
            Some(value) => match serde_json::from_str::<String>(&value) {
                Ok(text) => cell(&text),
                Err(_) => value,
            },
        });
        rows.write_record(cells)?;
    }
    rows.flush()
}

/// The members of a JSON object by name, or the items of an array by number; none of any other value.
fn members(json: &str) -> BTreeMap<String, &RawValue> {
    if json.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
        (0..).map(|index: usize| index.to_string()).zip(items).collect()
    } else {
        serde_json::from_str(json).unwrap_or_default()
    }
}

/// The value at a JSON pointer, as JSON; `None` if it is null or missing.
fn pick(record: &BTreeMap<String, &RawValue>, place: &str) -> Option<String> {
    let mut keys = place.split('/').skip(1);
    let first = record.get(keys.next()?)?.get();
    let value =
        keys.try_fold(first, |json, key| members(json).get(key).map(|value| value.get()))?;
    (value != "null").then(|| value.to_owned())
}
