//! Bars in SVG whose lengths are percentages of the available width.

use std::borrow::Cow;

use crate::markup::{Text, put};
use statistics::real;

/// The height of a bar with its margins, as in `page.css`.
pub(crate) const ROW: usize = 18;

/// The number of colours for entrants, as in `page.css`.
const COLORS: usize = 6;

/// How entrants with the same colour are told apart, as in `page.css`.
const AGAIN: [&str; 3] = ["", " again", " faint"];

/// The classes of an entrant's colour.
pub(crate) fn color(entrant: usize) -> String {
    format!("s{}{}", entrant % COLORS, AGAIN[entrant / COLORS % AGAIN.len()])
}

/// From 0 to 100, and 0 of nothing.
pub(crate) fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (100.0 * part / whole).clamp(0.0, 100.0) } else { 0.0 }
}

/// Opens a picture of `bars` bars below one another. Decorative: the same figures stand next to it as text.
pub(crate) fn open(out: &mut String, bars: usize) {
    put!(out, "<svg class=\"bars\" width=\"100%\" height=\"{}\" aria-hidden=\"true\">", bars * ROW);
}

/// A bar from one place to another, both in percent. Bars get a visible minimum width; empty ones are
/// not drawn.
pub(crate) fn bar(out: &mut String, row: usize, class: &str, from: f64, to: f64) {
    if to <= from {
        return;
    }
    let (y, height) = (row * ROW + 4, ROW - 8);
    put!(
        out,
        "<rect class=\"{class}\" x=\"{from:.2}%\" y=\"{y}\" width=\"{:.2}%\" height=\"{height}\" rx=\"2\"/>",
        (to - from).max(0.3)
    );
}

/// A line from top to bottom, at a place in percent.
pub(crate) fn line(out: &mut String, class: &str, at: f64, height: usize) {
    put!(out, "<line class=\"{class}\" x1=\"{at:.2}%\" x2=\"{at:.2}%\" y1=\"0\" y2=\"{height}\"/>");
}

/// The names of entrants, each with its colour.
pub(crate) fn legend<'a>(names: impl Iterator<Item = Cow<'a, str>>, out: &mut String) {
    out.push_str("<ul class=\"legend\">\n");
    for (index, name) in names.enumerate() {
        put!(
            out,
            "<li><svg class=\"key\" width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"{}\" width=\"12\" height=\"12\" \
             rx=\"3\"/></svg>{}</li>\n",
            color(index),
            Text(&name)
        );
    }
    out.push_str("</ul>\n");
}

/// Where points of a picture are, in percent: by number from the left, by value from below.
pub(crate) struct Axes {
    pub(crate) points: usize,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Axes {
    pub(crate) fn x(&self, number: usize) -> f64 {
        2.0 + 96.0 * real(number) / real(self.points - 1)
    }

    pub(crate) fn y(&self, value: f64) -> f64 {
        96.0 - 92.0 * (value - self.low) / (self.high - self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighteen_entrants_are_told_apart() {
        let colors: std::collections::BTreeSet<String> = (0..18).map(color).collect();
        assert_eq!(
            (colors.len(), color(1), color(7)),
            (18, "s1".to_owned(), "s1 again".to_owned())
        );
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "halves and bounds are exact")]
    fn parts_stay_within_the_whole() {
        assert_eq!([percent(1.0, 2.0), percent(3.0, 2.0), percent(-1.0, 2.0)], [50.0, 100.0, 0.0]);
        assert_eq!(percent(0.0, 0.0), 0.0);
    }
}
