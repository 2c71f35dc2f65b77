//! Rows for spreadsheets, picked from the JSON form of records.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use super::inert::cell;

/// A column: its heading, and the JSON pointer to its cell in a record.
type Column = (String, String);

/// The headings, and a row for each record.
#[expect(missing_debug_implementations, reason = "it is written at once")]
pub struct Rows<'a> {
    columns: Vec<Column>,
    /// Each in JSON.
    records: Box<dyn Iterator<Item = io::Result<String>> + 'a>,
}

impl<'a> Rows<'a> {
    /// A column for each path of a field in `columns`, whose own name is the heading, or for `HEADING=PATH`.
    pub(super) fn new<T: Serialize>(
        columns: &str,
        records: impl Iterator<Item = io::Result<T>> + 'a,
    ) -> Self {
        let column = |word: &str| {
            let (heading, path) = word.split_once('=').unwrap_or((word, word));
            let heading = heading.rsplit('/').next().unwrap_or(heading);
            (heading.to_owned(), format!("/{path}"))
        };
        let columns = columns.split_whitespace().map(column).collect();
        let records = records.map(|record| Ok(serde_json::to_string(&record?)?));
        Self { columns, records: Box::new(records) }
    }

    /// Adds a column whose path need not be a word.
    pub(super) fn add(&mut self, heading: String, path: String) {
        self.columns.push((heading, path));
    }

    /// Writes them for spreadsheets. Numbers keep the digits that they have in JSON.
    ///
    /// # Errors
    /// When a record is an error, or `out` fails.
    pub(super) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let mut rows = csv::Writer::from_writer(out);
        rows.write_record(self.columns.iter().map(|(heading, _)| heading))?;
        for record in self.records {
            let record = record?;
            let members = members(&record);
            let cells = self.columns.iter().map(|(_, place)| match pick(&members, place) {
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
