//! How the differences on boards are distributed: a histogram with a separate column for boards where the
//! two bots are even, the mean, and its 95 % interval.

use super::Text;
use crate::figures;
use crate::markup::put;
use results::compare::Comparison;
use statistics::real;
use terms::text::plural;

/// The approximate maximum number of columns.
const COLUMNS: f64 = 20.0;

/// The most labels below the columns, besides 0.
const LABELS: i32 = 6;

/// The baseline of the columns, and the height of the tallest one; counts are above, edges below.
const BASE: f64 = 140.0;
const HIGHEST: f64 = 110.0;
const HEIGHT: usize = 160;

/// Differences in columns: column 0 is for boards without one, column 1 for those above 0 up to the
/// step, column -1 for those below 0 down to it, and so on.
#[derive(Debug, PartialEq)]
struct Histogram {
    step: f64,
    /// The decimals of edges.
    digits: usize,
    first: i32,
    counts: Vec<u64>,
}

impl Histogram {
    /// The columns of differences between scores with this many decimals.
    fn of(differences: &[f64], digits: usize) -> Self {
        let low = differences.iter().copied().fold(0.0, f64::min);
        let high = differences.iter().copied().fold(0.0, f64::max);
        let step = round_step((high - low) / COLUMNS, digits);
        let first = column(low, step);
        let width = usize::try_from(column(high, step) - first).expect("high is not below low");
        let mut counts = vec![0; width + 1];
        for difference in differences {
            let index = usize::try_from(column(*difference, step) - first).expect("not below low");
            counts[index] += 1;
        }
        Self { step, digits, first, counts }
    }

    /// The width of a column in percent.
    fn width(&self) -> f64 {
        100.0 / real(self.counts.len())
    }

    /// The place of a difference in percent.
    fn place(&self, difference: f64) -> f64 {
        let beside = match difference {
            d if d > 0.0 => 1.0,
            d if d < 0.0 => 0.0,
            _ => 0.5,
        };
        (beside - f64::from(self.first) + difference / self.step) * self.width()
    }

    /// The columns with a number at their outer edge: 0, and others if a phone has room.
    fn labelled(&self) -> impl Iterator<Item = i32> + use<> {
        let last = self.first + i32::try_from(self.counts.len()).expect("some twenty") - 1;
        let every = [1, 2, 5, 10].into_iter().find(|every| (last - self.first) / every <= LABELS);
        let every = every.unwrap_or(20);
        (self.first..=last).filter(move |column| column % every == 0)
    }

    /// The differences that a column holds, in words.
    fn range(&self, column: i32) -> String {
        match column {
            0 => "even".to_owned(),
            1.. => format!("above {} up to {}", self.edge(column - 1), self.edge(column)),
            _ => format!("below {} down to {}", self.edge(column + 1), self.edge(column)),
        }
    }

    /// The difference at a column's outer edge.
    fn edge(&self, column: i32) -> String {
        match column {
            0 => "0".to_owned(),
            _ => format!("{:+.*}", self.digits, f64::from(column) * self.step),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "some twenty columns")]
fn column(difference: f64, step: f64) -> i32 {
    let steps = difference / step;
    (if difference > 0.0 { steps.ceil() } else { steps.floor() }) as i32
}

/// The next of 1, 2, 5, 10, …; scores with decimals, at most `digits` of them, start at smaller steps.
fn round_step(least: f64, digits: usize) -> f64 {
    let finest = -i32::try_from(digits).expect("few");
    let steps =
        (finest..).flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * 10.0_f64.powi(power)));
    steps.into_iter().find(|step| *step >= least).expect("steps have no end")
}

pub(super) fn write(comparison: &Comparison, out: &mut String) {
    let differences: Vec<f64> = comparison.boards.iter().map(|board| board.difference).collect();
    let histogram = Histogram::of(&differences, figures::board_digits(comparison));
    let paired = &comparison.paired;
    let counts = format!(
        "{}: {} above 0, {} even, {} below 0",
        plural(paired.pairs as u64, "board"),
        paired.wins,
        paired.draws,
        paired.losses
    );
    put!(
        out,
        "<h3>Distribution of the differences</h3>\n<figure class=\"differences\">\
             <svg width=\"100%\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
        Text(&counts)
    );
    if let Some((low, high)) = paired.all.interval {
        let (from, to) = (histogram.place(low), histogram.place(high));
        put!(
            out,
            "<rect class=\"interval\" x=\"{from:.2}%\" y=\"0\" width=\"{:.2}%\" height=\"{BASE}\"/>\n",
            (to - from).max(0.3)
        );
    }
    columns(&histogram, out);
    let mean = histogram.place(paired.all.mean);
    put!(
        out,
        "<line class=\"mean\" x1=\"{mean:.2}%\" x2=\"{mean:.2}%\" y1=\"0\" y2=\"{BASE}\"/>\n\
             <line class=\"base\" x1=\"0\" x2=\"100%\" y1=\"{BASE}\" y2=\"{BASE}\"/>\n"
    );
    scale(&histogram, out);
    put!(out, "</svg>\n<figcaption>{}</figcaption></figure>\n", caption(comparison, &counts));
}

fn caption(comparison: &Comparison, counts: &str) -> String {
    let (paired, digits) = (&comparison.paired, figures::difference_digits(comparison));
    let interval = paired.all.interval.map_or(String::new(), |(low, high)| {
        format!(
            "; its {}, {low:+.digits$} to {high:+.digits$}, is shaded",
            paired.risk.interval_name()
        )
    });
    format!("{counts}. The line is the mean, {:+.digits$}{interval}.", paired.all.mean)
}

#[expect(clippy::cast_precision_loss, reason = "boards are counted, not grains of sand")]
fn columns(histogram: &Histogram, out: &mut String) {
    let most = histogram.counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let width = histogram.width();
    for (column, &count) in (histogram.first..).zip(&histogram.counts) {
        if count == 0 {
            continue;
        }
        let left = f64::from(column - histogram.first) * width;
        let height = (HIGHEST * count as f64 / most).max(2.0);
        let class = match column {
            0 => "even",
            1.. => "up",
            _ => "down",
        };
        put!(
            out,
            "<rect class=\"{class}\" x=\"{:.2}%\" y=\"{:.1}\" width=\"{:.2}%\" height=\"{height:.1}\">\
                 <title>{}: {}</title></rect><text class=\"count\" x=\"{:.2}%\" y=\"{:.1}\">{count}</text>\n",
            left + width * 0.06,
            BASE - height,
            width * 0.88,
            histogram.range(column),
            plural(count, "board"),
            left + width / 2.0,
            BASE - height - 4.0
        );
    }
}

/// The scale below the columns: a mark and a number at every few edges, and where 0 is.
fn scale(histogram: &Histogram, out: &mut String) {
    for column in histogram.labelled() {
        let difference = f64::from(column) * histogram.step;
        let x = histogram.place(difference);
        let class = match x {
            ..3.0 => "left",
            97.0.. => "right",
            _ => "count",
        };
        let words = histogram.edge(column);
        put!(
            out,
            "<line class=\"base\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"{BASE}\" y2=\"{}\"/>\
                 <text class=\"{class} edge\" x=\"{x:.2}%\" y=\"156\">{words}</text>\n",
            BASE + 4.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_in_its_column() {
        let histogram = Histogram::of(&[-30.0, -1.0, 0.0, 0.0, 0.5, 2.0, 5.0, 41.0], 0);
        assert_eq!((histogram.step.to_bits(), histogram.first), (5.0_f64.to_bits(), -6));
        assert_eq!(histogram.counts.len(), 6 + 1 + 9);
        assert_eq!(histogram.counts.iter().sum::<u64>(), 8);
        assert_eq!(histogram.counts[0], 1);
        assert_eq!(histogram.counts[5..8], [1, 2, 3]);
        assert_eq!(histogram.counts.last(), Some(&1));
        assert_eq!(histogram.range(1), "above 0 up to +5");
        assert_eq!(histogram.range(-2), "below -5 down to -10");
    }

    #[test]
    fn a_few_edges_have_numbers() {
        let labelled =
            |differences: &[f64]| Histogram::of(differences, 0).labelled().collect::<Vec<_>>();
        assert_eq!(labelled(&[-30.0, 41.0]), [-5, 0, 5], "15 columns, of 5 each");
        assert_eq!(labelled(&[0.0]), [0]);
        assert_eq!(labelled(&[0.0, 3.0]), [0, 1, 2, 3]);
        assert_eq!(labelled(&[-100.0, 100.0]).len(), 5);
    }

    #[test]
    fn places_are_within_the_columns() {
        let histogram = Histogram::of(&[-10.0, 0.0, 10.0], 0);
        let near = |place: f64, expected: f64| assert!((place - expected).abs() < 1e-9, "{place}");
        near(histogram.place(-10.0), 0.0);
        near(histogram.place(0.0), 50.0);
        near(histogram.place(10.0), 100.0);
        assert_eq!(Histogram::of(&[0.0], 0).counts, [1]);
    }

    #[test]
    fn scores_with_decimals_have_narrow_columns() {
        let histogram = Histogram::of(&[-0.3, 0.1, 0.75], 2);
        assert!((histogram.step - 0.1).abs() < 1e-12, "{histogram:?}");
        assert_eq!(histogram.range(3), "above +0.20 up to +0.30");
        assert_eq!(histogram.range(1), "above 0 up to +0.10");
    }
}
