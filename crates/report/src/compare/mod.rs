//! Shows how bots compare: one file for each format.

mod csv;
mod json;
mod junit;
mod markdown;
mod text;

use std::io::{self, Write};

use super::format::{Format, write_as};
use results::compare::Comparison;
use statistics::{Conclusion, MIN_PAIRS, Paired};
use terms::text::plural;

/// Writes comparisons with one baseline.
///
/// # Errors
/// When `out` fails.
pub fn write(comparisons: &[Comparison], format: Format, out: &mut dyn Write) -> io::Result<()> {
    write_as!(format, comparisons, out)
}

/// The verdict in words.
pub(super) fn verdict(comparison: &Comparison) -> String {
    let Comparison { baseline, challenger, paired, .. } = comparison;
    match paired.conclusion {
        Conclusion::Better => format!("{challenger} is better than {baseline}"),
        Conclusion::Worse => format!("{challenger} is worse than {baseline}"),
        Conclusion::NoDifferenceShown => {
            format!("no difference shown between {challenger} and {baseline}")
        }
        Conclusion::TooFewGames => {
            format!("too few boards to compare {challenger} with {baseline}")
        }
    }
}

/// What it would take to know more, as a sentence; `None` if there is nothing more to know.
pub(super) fn advice(paired: &Paired) -> Option<String> {
    if paired.missing_pairs() > 0 {
        let more = plural(paired.missing_pairs() as u64, "more board");
        return Some(format!("A verdict takes {MIN_PAIRS} boards: {more}, such as --seed 1..N."));
    }
    let more = plural(paired.more_pairs()?, "more board");
    Some(format!("About {more} would settle a difference of this size."))
}

/// The headings of a table of groups, and one row of it.
pub(super) const COLUMNS: [&str; 8] =
    ["", "boards", "won", "even", "lost", "mean", "95 % interval", "p"];

pub(super) fn columns(name: &str, paired: &Paired) -> Vec<String> {
    let interval = paired.interval.map(|(low, high)| format!("{low:+.1} to {high:+.1}"));
    vec![
        name.to_owned(),
        paired.pairs.to_string(),
        paired.wins.to_string(),
        paired.draws.to_string(),
        paired.losses.to_string(),
        format!("{:+.1}", paired.mean),
        interval.unwrap_or_else(|| "-".to_owned()),
        p_value(paired.signed_rank_p).trim_start_matches("= ").to_owned(),
    ]
}

/// What the verdict rests on, as a sentence or two; `comparisons` is their number.
pub(super) fn tests(comparison: &Comparison, comparisons: usize) -> String {
    let Paired { mean_p, sign_p, adjusted_p, .. } = comparison.paired;
    let relative = comparison.relative().map(|part| format!(", {:+.2} % on average", 100.0 * part));
    let adjusted = match comparisons {
        1 => String::new(),
        count => format!(
            " Adjusted for {count} comparisons (Holm), the verdict's p {}.",
            p_value(adjusted_p)
        ),
    };
    format!(
        "p is that of the signed-rank test; the mean has p {}, the sign test p {}{}.{adjusted}",
        p_value(mean_p),
        p_value(sign_p),
        relative.unwrap_or_default()
    )
}

/// A p-value with as many digits as mean something: `= 0.0123` or `< 0.0001`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

/// A sentence for each of the two that has played boards which the other has not.
pub(super) fn unpaired(comparison: &Comparison) -> impl Iterator<Item = String> {
    let Comparison { baseline, challenger, only_baseline, only_challenger, .. } = comparison;
    let both = [(baseline, only_baseline), (challenger, only_challenger)];
    both.into_iter().filter(|(_, boards)| boards.count > 0).map(|(who, unpaired)| {
        let named = unpaired.boards.join(", ");
        let more = if unpaired.count > unpaired.boards.len() { ", …" } else { "" };
        let boards = plural(unpaired.count as u64, "board");
        format!("Only {who} has played {boards}: {named}{more}.")
    })
}
