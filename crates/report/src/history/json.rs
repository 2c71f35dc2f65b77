//! One array on one line, for programs: an object for each run, then for each folder that holds none.

use std::io::{self, Write};

use serde::Serialize;

use super::{Broken, History, RunRow};
use crate::inert::write_json;

#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    Run(&'a RunRow),
    Broken(&'a Broken),
}

pub(super) fn write(history: &History, out: &mut dyn Write) -> io::Result<()> {
    let runs = history.runs.iter().map(Entry::Run);
    let entries: Vec<_> = runs.chain(history.broken.iter().map(Entry::Broken)).collect();
    write_json(&entries, out)
}
