//! The figures of scores and comparisons as people read them: how many decimals, p-values, rates of losses.

use results::compare::Comparison;
use statistics::{LossRate, Lost};
use terms::text::plural;

/// The maximum number of decimals to show; JSON has all.
const MAX_DECIMALS: usize = 6;

/// The decimals to show of a figure in the scale of scores with this many.
pub(crate) fn digits(decimals: usize) -> usize {
    decimals.min(MAX_DECIMALS)
}

/// The decimals to show of a mean of scores with this many.
pub(crate) fn mean_digits(decimals: usize) -> usize {
    digits(decimals).max(1)
}

/// The decimals to show of the difference on a board.
pub(crate) fn board_digits(comparison: &Comparison) -> usize {
    digits(comparison.measure.decimals(comparison.decimals))
}

/// The decimals to show of a mean difference.
pub(crate) fn difference_digits(comparison: &Comparison) -> usize {
    mean_digits(comparison.measure.decimals(comparison.decimals))
}

/// The number of comparisons that verdicts are adjusted for: all with a shared board.
pub(crate) fn adjusted_for(comparisons: &[Comparison]) -> usize {
    comparisons.iter().filter(|comparison| comparison.paired.pairs > 0).count()
}

/// A p-value, cut where digits mean nothing: `= 0.0123` or `< 0.0001`.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

/// The loss rates of two bots on the boards that both played, with their intervals.
pub(crate) fn lost(lost: &Lost, challenger: &str, baseline: &str, boards: usize) -> String {
    let Lost { only_challenger, only_baseline, p, .. } = *lost;
    let rate = |LossRate { boards: lost, low, high }: LossRate| {
        let (low, high) = (100.0 * low, 100.0 * high);
        match lost {
            0 => format!("none (at most {high:.1} %)"),
            _ => format!("{lost} ({low:.1} to {high:.1} %)"),
        }
    };
    let each = format!(
        "Of {} that both played, {challenger} lost on {}, {baseline} on {}.",
        plural(boards as u64, "board"),
        rate(lost.challenger),
        rate(lost.baseline)
    );
    if only_challenger + only_baseline == 0 {
        return each;
    }
    let p = p_value(p);
    format!(
        "{each} {challenger} alone on {only_challenger}, {baseline} alone on {only_baseline} (McNemar's test: p {p})."
    )
}
