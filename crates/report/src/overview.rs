//! Shows all bots of several comparisons with one of them in one table.

use super::document::{Document, Line, Table, Tone};
use super::figures::{adjusted_for, difference_digits, p_cell, span_cell};
use super::groups;
use results::compare::{BotGroup, Comparison};
use rules::measure::Measure;
use statistics::{Conclusion, Tendency};

/// A row for each bot, the baseline first; `None` unless several bots are compared with it.
pub(super) fn document(comparisons: &[Comparison]) -> Option<Document> {
    let [first, _, ..] = comparisons else { return None };
    let headline = format!("{} bots against {}", comparisons.len(), first.baseline);
    let interval = first.paired.risk.interval_name();
    let mean = if first.measure == Measure::Place { "mean place" } else { "mean points" };
    let headings = [
        "bot",
        "boards",
        if first.is_of_several { "failed games" } else { "lost games" },
        mean,
        interval,
        "shared",
        "difference",
        "guarded interval",
        "adjusted p",
        "verdict",
    ];
    let decimals = comparisons.iter().map(|it| it.decimals).max().unwrap_or(0);
    let mut baseline = alone(&first.baseline, &first.of_baseline, decimals);
    baseline.extend(["", "", "", ""].map(str::to_owned));
    baseline.push("the first one".to_owned());
    let rows = comparisons.iter().map(|comparison| row(comparison, decimals));
    let mut document = Document::default();
    document.headline(Line::toned(Tone::Strong, &headline, ""));
    let rows = std::iter::once(baseline).chain(rows);
    document.table(Table { words: vec![0, 9], ..Table::new(headline, &headings, rows) });
    document.sentence(format!(
        "Means cover each bot's boards; the other figures cover the boards that it shares with {}. p is adjusted \
         for {} comparisons (Holm).",
        first.baseline,
        adjusted_for(comparisons)
    ));
    if let Some(sentence) = best(comparisons) {
        document.sentence(sentence);
    }
    Some(document)
}

/// Which bot has the highest mean, by how much, and how certain that is.
fn best(comparisons: &[Comparison]) -> Option<String> {
    let played = comparisons.iter().filter(|it| it.paired.pairs > 0);
    let best = played.max_by(|a, b| a.paired.all.mean.total_cmp(&b.paired.all.mean))?;
    let (test, digits) = (&best.paired.all, difference_digits(best));
    let Comparison { baseline, challenger, .. } = best;
    if test.mean <= 0.0 {
        return Some(format!(
            "No bot has a better mean than {baseline}, on the boards that they share."
        ));
    }
    let (low, high) = test.guarded_interval?;
    let (mean, unit) = (test.mean, best.measure.unit(best.better));
    Some(format!(
        "{challenger} has the best mean: {mean:+.digits$} {unit} against {baseline}, and with the allowance for boards not \
         seen between {low:+.digits$} and {high:+.digits$}, not adjusted for having chosen it."
    ))
}

/// What a bot has on its own boards.
fn alone(name: &str, group: &BotGroup, decimals: usize) -> Vec<String> {
    let mut cells = groups::row(group, decimals);
    name.clone_into(&mut cells[0]);
    // The column of games is left out.
    cells.remove(2);
    cells
}

fn row(comparison: &Comparison, decimals: usize) -> Vec<String> {
    let paired = &comparison.paired;
    let mut row = alone(&comparison.challenger, &comparison.of_challenger, decimals);
    row.push(paired.pairs.to_string());
    if paired.pairs == 0 {
        row.extend(["-", "-", "-", "no shared board"].map(str::to_owned));
        return row;
    }
    let digits = difference_digits(comparison);
    row.extend([
        format!("{:+.digits$}", paired.all.mean),
        span_cell(paired.all.guarded_interval, digits),
        p_cell(paired.adjusted_p),
        word(comparison).to_owned(),
    ]);
    row
}

/// The verdict on a bot, in a few words.
fn word(comparison: &Comparison) -> &'static str {
    let paired = &comparison.paired;
    match (paired.conclusion, paired.probably) {
        (Conclusion::Better, _) => "better",
        (Conclusion::Worse, _) => "worse",
        (Conclusion::TooFewGames, _) => match paired.most_boards {
            Some(Tendency::Better) => "better on most boards",
            Some(Tendency::Worse) => "worse on most boards",
            None => "too few boards",
        },
        (_, Some(Tendency::Better)) => "probably better",
        (_, Some(Tendency::Worse)) => "probably worse",
        (_, None) if paired.contradicted().is_some() => "scores against losses",
        (_, None) => "no difference shown",
    }
}
