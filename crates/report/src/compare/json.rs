//! One array on one line, for programs: an object for each comparison.

use std::io::{self, Write};

use serde::Serialize;

use super::verdict;
use crate::inert::write_json;
use results::compare::Comparison;

#[derive(Serialize)]
struct Object<'a> {
    verdict: String,
    more_boards_to_settle: Option<u64>,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

pub(super) fn write(comparisons: &[Comparison], out: &mut dyn Write) -> io::Result<()> {
    let object = |comparison| Object {
        verdict: verdict(comparison),
        more_boards_to_settle: comparison.paired.more_pairs(),
        comparison,
    };
    write_json(&comparisons.iter().map(object).collect::<Vec<_>>(), out)
}
