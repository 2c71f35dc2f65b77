//! The mean of each bot over the runs, as lines with their intervals.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::entry::{Entry, Mean, Unit};
use crate::markup::{LONGEST_NAME, Text, put};
use crate::runs::bars::{self, Axes};
use terms::text::abridged;

/// A bot's mean in a run, by the index of the run from the oldest on.
struct Point<'a> {
    run: usize,
    mean: Mean,
    entry: &'a Entry<'a>,
}

/// A run's start and folder.
type Key<'a> = (jiff::Timestamp, &'a Path);

/// A bot and its points, the oldest first.
type Line<'a> = (&'a str, Vec<Point<'a>>);

/// A line for each bot of a game, each with its colour by index. Nothing for fewer than two runs.
pub(super) fn write(bots: &BTreeMap<&str, Vec<Entry<'_>>>, unit: Unit, out: &mut String) {
    let mut runs: Vec<Key<'_>> = bots.values().flatten().map(|entry| entry.run.key()).collect();
    runs.sort_unstable();
    runs.dedup();
    let lines: Vec<Line<'_>> =
        bots.iter().map(|(bot, entries)| (*bot, points(entries, &runs))).collect();
    let all = || lines.iter().flat_map(|(_, points)| points);
    let [Some(first), Some(last)] = [runs.first(), runs.last()] else { return };
    if all().map(|point| point.run).collect::<BTreeSet<_>>().len() < 2 {
        return;
    }
    let low = all().map(|point| point.mean.interval.0).fold(f64::INFINITY, f64::min);
    let high = all().map(|point| point.mean.interval.1).fold(f64::NEG_INFINITY, f64::max);
    let high = if high > low { high } else { low + 0.01 };
    let axes = Axes { points: runs.len(), low, high };
    out.push_str("<section class=\"card lines\">\n<h2>Over time</h2>\n");
    bars::legend(lines.iter().map(|(bot, _)| abridged(bot, LONGEST_NAME)), out);
    picture(&axes, unit, &lines, out);
    let day = |(started, _): &Key<'_>| started.strftime("%Y-%m-%d").to_string();
    put!(
        out,
        "<figcaption>The oldest run ({}) is on the left, the newest ({}) on the right; bars are 95 % intervals. A line joins runs on \
         the same boards.</figcaption></figure>\n</section>\n",
        day(first),
        day(last)
    );
}

fn picture(axes: &Axes, unit: Unit, lines: &[Line<'_>], out: &mut String) {
    let [top, bottom] = [axes.high, axes.low].map(|mean| unit.shown(mean));
    put!(
        out,
        "<figure><div class=\"plot\"><p class=\"axis\"><span>{top}</span><span>{bottom}</span></p>\n\
         <svg width=\"100%\" height=\"220\" role=\"img\" aria-label=\"The mean of each bot in each run, the oldest first; the tables have the \
         figures\">\n"
    );
    for (index, (bot, points)) in lines.iter().enumerate() {
        draw(axes, unit, bot, points, &bars::color(index), out);
    }
    out.push_str("</svg></div>\n");
}

/// The points of a bot, the oldest first.
fn points<'a>(entries: &'a [Entry<'a>], runs: &[Key<'_>]) -> Vec<Point<'a>> {
    let point = |entry: &'a Entry<'a>| {
        let run = runs.binary_search(&entry.run.key()).ok()?;
        Some(Point { run, mean: entry.mean?, entry })
    };
    let mut points: Vec<Point<'_>> = entries.iter().filter_map(point).collect();
    points.sort_by_key(|point| point.run);
    points
}

/// Whether two runs are of the same boards, so that their means compare.
fn compare(one: &Point<'_>, other: &Point<'_>) -> bool {
    one.entry.run.listing.board_names() == other.entry.run.listing.board_names()
}

fn draw(axes: &Axes, unit: Unit, bot: &str, points: &[Point<'_>], color: &str, out: &mut String) {
    let mut line = |from: &Point<'_>, y1: f64, to: &Point<'_>, y2: f64| {
        let ([x1, x2], [y1, y2]) =
            ([from, to].map(|it| axes.x(it.run)), [y1, y2].map(|y| axes.y(y)));
        put!(
            out,
            "<line class=\"{color}\" x1=\"{x1:.2}%\" y1=\"{y1:.2}%\" x2=\"{x2:.2}%\" y2=\"{y2:.2}%\"/>\n"
        );
    };
    for pair in points.windows(2) {
        if let [one, other] = pair
            && compare(one, other)
        {
            line(one, one.mean.mean, other, other.mean.mean);
        }
    }
    for point in points {
        line(point, point.mean.interval.0, point, point.mean.interval.1);
    }
    for point in points {
        let (low, high) = point.mean.interval;
        let run = point.entry.run.path.file_name().unwrap_or_default().to_string_lossy();
        let told = format!(
            "{}, {run}: {}, {} to {}",
            abridged(bot, LONGEST_NAME),
            unit.shown(point.mean.mean),
            unit.shown(low),
            unit.shown(high)
        );
        put!(
            out,
            "<circle class=\"{color}\" cx=\"{:.2}%\" cy=\"{:.2}%\" r=\"4\"><title>{}</title></circle>\n",
            axes.x(point.run),
            axes.y(point.mean.mean),
            Text(&told)
        );
    }
}
