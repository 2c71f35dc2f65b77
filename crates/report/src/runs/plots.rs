//! The plots of a comparison: each board as a point, and how the interval of the mean narrowed.

use std::collections::BTreeMap;

use super::Text;
use super::gather::Gathered;
use crate::figures;
use crate::markup::put;
use results::compare::Comparison;
use results::suite::RecordId;
use statistics::{MeanTest, Moments, real};
use terms::text::plural;

/// The most points in a picture.
const POINTS: usize = 1000;

/// The fewest boards that are worth a picture.
const FEW: usize = 10;

/// The steps in which boards are added.
const STEPS: usize = 60;

pub(super) fn write(gathered: &Gathered, comparison: &Comparison, out: &mut String) {
    if comparison.boards.len() < FEW {
        return;
    }
    out.push_str("<div class=\"pair\">\n");
    scatter(comparison, out);
    narrowing(gathered, comparison, out);
    out.push_str("</div>\n");
}

/// A point for each board: the baseline's points to the right, the challenger's upwards.
fn scatter(comparison: &Comparison, out: &mut String) {
    let Comparison { baseline, challenger, boards, .. } = comparison;
    let values = boards.iter().flat_map(|board| [board.baseline, board.challenger]);
    let (low, high) = range(values);
    let place = |value: f64| 3.0 + 94.0 * (value - low) / (high - low);
    let each = boards.len().div_ceil(POINTS);
    let label =
        format!("{challenger} against {baseline} on {}", plural(boards.len() as u64, "board"));
    put!(
        out,
        "<figure><h3>Each board</h3>\n<svg class=\"scatter\" width=\"100%\" height=\"240\" role=\"img\" aria-label=\"{}\">\n\
         <line class=\"base\" x1=\"3%\" y1=\"97%\" x2=\"97%\" y2=\"3%\"/>\n",
        Text(&label)
    );
    for board in boards.iter().step_by(each) {
        let class = match board.difference {
            difference if difference > 0.0 => "up",
            difference if difference < 0.0 => "down",
            _ => "even",
        };
        put!(
            out,
            "<circle class=\"{class}\" cx=\"{:.1}%\" cy=\"{:.1}%\" r=\"3\"/>\n",
            place(board.baseline),
            100.0 - place(board.challenger)
        );
    }
    let digits = figures::digits(comparison.decimals);
    let part = if each > 1 { format!(" One of {each} boards is shown.") } else { String::new() };
    put!(
        out,
        "</svg>\n<figcaption>Points of {} to the right, of {} upwards, both from {low:.digits$} to {high:.digits$}; on the line they \
         are even.{part}</figcaption></figure>\n",
        Text(baseline),
        Text(challenger)
    );
}

/// The mean difference and its interval, as boards were added in the order of the plan.
fn narrowing(gathered: &Gathered, comparison: &Comparison, out: &mut String) {
    let steps = steps(gathered, comparison);
    // At first the interval is wider than any picture.
    let settled = steps.iter().skip(steps.len() / 6);
    let (low, high) = range(settled.flat_map(|step| [step.low, step.high]).chain([0.0]));
    let Some(last) = steps.last() else { return };
    let x = |boards: f64| 100.0 * boards / last.boards;
    let y = |value: f64| 100.0 * (high - value.clamp(low, high)) / (high - low);
    let point =
        |step: &IntervalPoint, value: f64| format!("{:.1},{:.1} ", x(step.boards), y(value));
    let above: String = steps.iter().map(|step| point(step, step.high)).collect();
    let below: String = steps.iter().rev().map(|step| point(step, step.low)).collect();
    let means: String = steps.iter().map(|step| point(step, step.mean)).collect();
    let digits = figures::difference_digits(comparison);
    // The figures of the table: another order of adding may round them differently.
    let all = &comparison.paired.all;
    let (mean, (at_least, at_most)) = (all.mean, all.interval.unwrap_or((last.low, last.high)));
    let told = format!(
        "after {} the mean difference is {mean:+.digits$}, its interval {at_least:+.digits$} to {at_most:+.digits$}",
        plural(comparison.boards.len() as u64, "board")
    );
    put!(
        out,
        "<figure><h3>The interval as it narrowed</h3>\n<svg class=\"narrowing\" width=\"100%\" height=\"240\" viewBox=\"0 0 100 100\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{told}\">\n<polygon class=\"interval\" points=\"{above}{below}\"/>\n\
         <line class=\"base\" x1=\"0\" x2=\"100\" y1=\"{zero:.1}\" y2=\"{zero:.1}\"/>\n<polyline class=\"mean\" points=\"{means}\"/>\n</svg>\n\
         <figcaption>Boards in the order of the plan, from {low:+.digits$} to {high:+.digits$}: {told}. Below the grey line, which is 0, the mean \
         is worse.</figcaption></figure>\n",
        zero = y(0.0),
    );
}

/// The mean and its interval after some boards.
struct IntervalPoint {
    boards: f64,
    mean: f64,
    low: f64,
    high: f64,
}

/// Empty if the page does not list every board, and so does not know their order.
fn steps(gathered: &Gathered, comparison: &Comparison) -> Vec<IntervalPoint> {
    let differences = comparison.boards.iter().map(|board| (&board.record_id, board.difference));
    let differences: BTreeMap<&RecordId, f64> = differences.collect();
    if gathered.boards.len() < gathered.board_count {
        return Vec::new();
    }
    let mut moments = Moments::default();
    let mut steps = Vec::new();
    let in_order = gathered.boards.iter().filter_map(|board| differences.get(&board.record_id));
    for (count, difference) in (1..).zip(in_order) {
        moments.push([*difference, 0.0]);
        let MeanTest { mean, interval, .. } = MeanTest::of(&moments, comparison.paired.risk);
        let is_shown =
            count % comparison.boards.len().div_ceil(STEPS) == 0 || count == differences.len();
        if let Some((low, high)) = interval.filter(|_| is_shown) {
            steps.push(IntervalPoint { boards: real(count), mean, low, high });
        }
    }
    steps
}

/// The smallest and the largest value, which differ.
pub(super) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
    if low < high { (low, high) } else { (low - 1.0, low + 1.0) }
}
