//! Shows how many boards a difference would take.

use std::io::{self, Write};

use super::document::{Document, Line, Table, Tone};
use super::figures::difference_digits;
use results::compare::Comparison;
use results::suite::Margin;

/// The headings of the table.
const HEADINGS: [&str; 6] =
    ["", "boards so far", "deviation", "difference", "compare", "--against"];

/// Writes the boards that it takes to show a `difference` between the bots of each comparison.
///
/// # Errors
/// When `out` fails.
pub fn write(
    comparisons: &[Comparison],
    difference: Margin,
    out: &mut dyn Write,
) -> io::Result<()> {
    let headline = format!("Boards to show a difference of {difference}");
    let mut document = Document::default();
    document.headline(Line::toned(Tone::Strong, &headline, ""));
    let rows = comparisons.iter().map(|comparison| row(comparison, difference));
    document.table(Table::new(headline, &HEADINGS, rows));
    document.sentence(
        "compare shows such a difference in four of five comparisons on this many boards. Differences and scores are taken to vary \
         as on the boards so far that both finish.",
    );
    document.write_text(out)
}

fn row(comparison: &Comparison, difference: Margin) -> Vec<String> {
    let digits = difference_digits(comparison);
    let scores = comparison.paired.scores();
    let points = difference.of(comparison.measure, comparison.baseline_mean());
    let needed = comparison.paired.needed(points);
    let shown = |boards: Option<u64>| boards.map_or_else(|| "-".to_owned(), |it| it.to_string());
    vec![
        format!("{} against {}", comparison.challenger, comparison.baseline),
        scores.count().to_string(),
        format!("{:.digits$}", scores.variance().sqrt()),
        format!("{points:.digits$}"),
        shown(needed.map(|needed| needed.compared)),
        shown(needed.and_then(|needed| needed.until_decided)),
    ]
}
