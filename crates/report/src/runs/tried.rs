//! The values of `--param` that were tried, each against what the bot has in the measure.

use std::collections::{BTreeMap, BTreeSet};

use super::Text;
use super::gather::Gathered;
use super::shown::ShownBot;
use crate::figures::interval_digits;
use crate::markup::put;
use results::compare::Value;
use rules::measure::Measure;
use rules::score::Direction;
use statistics::real;
use terms::text::plural;

/// A bot with a value of the parameter in question, which is at `x` in the picture, in percent.
struct Point<'a> {
    x: f64,
    tried: &'a str,
    bot: &'a ShownBot,
    value: Value,
}

/// A picture for each parameter of which several values were tried.
pub(super) fn write(gathered: &Gathered, out: &mut String) {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, value) in gathered.entrants.iter().flat_map(|bot| &bot.tally.params) {
        names.entry(name).or_default().insert(value);
    }
    let tried = names.iter().filter(|(_, values)| values.len() > 1);
    let plots = tried.filter_map(|(name, values)| Plot::of(gathered, name, values));
    let pictures: String = plots.map(|plot| plot.html(gathered)).collect();
    if !pictures.is_empty() {
        put!(
            out,
            "<section class=\"card\" id=\"tried\">\n<h2>Values tried</h2>\n{pictures}</section>\n"
        );
    }
}

/// The picture of a parameter.
struct Plot<'a> {
    name: &'a str,
    values: usize,
    /// From left to right; at least one.
    points: Vec<Point<'a>>,
    /// What is at the bottom and at the top.
    low: f64,
    high: f64,
    digits: usize,
}

impl<'a> Plot<'a> {
    /// `None` if no bot with one of the values has a mean.
    fn of(gathered: &'a Gathered, name: &'a str, values: &BTreeSet<&'a str>) -> Option<Self> {
        let values = in_order(values);
        let point = |bot: &'a ShownBot| {
            let tried = bot.tally.params.get(name)?;
            let place = values.iter().position(|value| value == tried)?;
            let x = 3.0 + 94.0 * real(place) / real(values.len() - 1);
            Some(Point { x, tried, bot, value: bot.value? })
        };
        let mut points: Vec<Point<'_>> = gathered.entrants.iter().filter_map(point).collect();
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        let ends = |Point { value: Value { mean, interval }, .. }: &Point<'_>| {
            let (low, high) = interval.unwrap_or((*mean, *mean));
            [low, high]
        };
        let (low, high) = range(points.iter().flat_map(ends));
        let decimals = points.iter().map(|point| point.bot.tally.sum.decimals()).max()?;
        let digits = interval_digits(gathered.measure.decimals(decimals), Some((low, high)));
        Some(Self { name, values: values.len(), points, low, high, digits })
    }

    /// The place of a mean, in percent from the top.
    fn y(&self, mean: f64) -> f64 {
        96.0 - 92.0 * (mean - self.low) / (self.high - self.low)
    }

    fn html(&self, gathered: &Gathered) -> String {
        let Self { name, ref points, low, high, digits, .. } = *self;
        let best = best(gathered, points);
        let told = format!(
            "{name}: the best mean, {:.digits$}, has {} of {}",
            best.value.mean,
            best.tried,
            plural(self.values as u64, "value")
        );
        let mut out = format!(
            "<figure><h3>{}</h3>\n<div class=\"plot\"><p class=\"axis\"><span>{high:.digits$}</span><span>{low:.digits$}</span></p>\n\
             <svg class=\"tried\" width=\"100%\" height=\"220\" role=\"img\" aria-label=\"{}\">\n",
            Text(name),
            Text(&told)
        );
        self.line(&mut out);
        for point in points {
            self.draw(point, &mut out);
        }
        let (x, y) = (best.x, self.y(best.value.mean));
        put!(&mut out, "<circle class=\"record\" cx=\"{x:.2}%\" cy=\"{y:.2}%\" r=\"8\"/>\n");
        let ends = [points.first(), points.last()].map(|point| point.map_or("", |it| it.tried));
        put!(
            &mut out,
            "</svg></div>\n<figcaption>{}, from {} on the left to {} on the right, against {}. A point is a bot, with the 95 % interval \
             of its mean; the line joins the means of the values, and the ring is the best. The best of many looks better than it is: \
             compare it on other boards.</figcaption></figure>\n",
            Text(name),
            Text(ends[0]),
            Text(ends[1]),
            what(gathered.measure, gathered.better),
        );
        out
    }

    /// The line through the mean of the points at each place.
    fn line(&self, out: &mut String) {
        for pair in means(&self.points).windows(2) {
            let [x1, x2] = [pair[0].0, pair[1].0];
            let [y1, y2] = [self.y(pair[0].1), self.y(pair[1].1)];
            put!(
                out,
                "<line class=\"mean\" x1=\"{x1:.2}%\" y1=\"{y1:.2}%\" x2=\"{x2:.2}%\" y2=\"{y2:.2}%\"/>\n"
            );
        }
    }

    fn draw(&self, Point { x, tried, bot, value }: &Point<'_>, out: &mut String) {
        let (digits, mean) = (self.digits, value.mean);
        let mut told = format!("{}: {mean:.digits$} with {tried}", bot.name);
        if let Some((low, high)) = value.interval {
            put!(&mut told, ", {low:.digits$} to {high:.digits$}");
            let [y1, y2] = [high, low].map(|end| self.y(end));
            put!(out, "<line x1=\"{x:.2}%\" y1=\"{y1:.2}%\" x2=\"{x:.2}%\" y2=\"{y2:.2}%\"/>\n");
        }
        put!(
            out,
            "<circle class=\"s0\" cx=\"{x:.2}%\" cy=\"{:.2}%\" r=\"4\"><title>{}</title></circle>\n",
            self.y(mean),
            Text(&told)
        );
    }
}

/// The smallest and the largest value, which differ.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
    if low < high { (low, high) } else { (low - 1.0, low + 1.0) }
}

/// The best of some points by their means.
fn best<'a, 'b>(gathered: &Gathered, points: &'a [Point<'b>]) -> &'a Point<'b> {
    let is_turned = matches!(gathered.measure, Measure::Points | Measure::Log);
    let sign = if is_turned && !gathered.better.is_higher() { -1.0 } else { 1.0 };
    let worth = |point: &Point<'_>| sign * point.value.mean;
    let best = points.iter().max_by(|one, other| worth(one).total_cmp(&worth(other)));
    best.expect("at least one")
}

/// The mean of the points at each place.
fn means(points: &[Point<'_>]) -> Vec<(f64, f64)> {
    let at = |points: &[Point<'_>]| {
        let sum: f64 = points.iter().map(|point| point.value.mean).sum();
        (points[0].x, sum / real(points.len()))
    };
    points.chunk_by(|one, other| one.tried == other.tried).map(at).collect()
}

/// What the means are of.
fn what(measure: Measure, better: Direction) -> &'static str {
    match measure {
        Measure::Points if better.is_higher() => "the mean points of a board",
        Measure::Points => "the mean points of a board, of which fewer are better",
        Measure::Ratio => "the mean share of the best score of these bots, in percent",
        Measure::Log => "the mean of 100 times the logarithm of the score",
        Measure::Rank => "the share of the other bots' games that are beaten, in percent",
        Measure::Place => "the mean place, in percent",
    }
}

/// The values from the left to the right: numbers by size, then words.
fn in_order<'a>(values: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let mut values: Vec<&str> = values.iter().copied().collect();
    let number = |value: &str| value.parse().ok().filter(|it: &f64| it.is_finite());
    values.sort_by(|one, other| {
        let [one, other] = [one, other].map(|value| number(value).unwrap_or(f64::INFINITY));
        one.total_cmp(&other)
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_by_their_size_and_words_after_them() {
        for (values, expected) in [
            (&["10", "2.0", "1e2", "-3"][..], &["-3", "2.0", "10", "1e2"][..]),
            (&["on", "1", "off"], &["1", "off", "on"]),
        ] {
            assert_eq!(in_order(&values.iter().copied().collect()), expected);
        }
    }
}
