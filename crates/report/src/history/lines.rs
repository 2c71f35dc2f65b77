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
        "<figcaption>The oldest run ({}) is on the left, the newest ({}) on the right; shaded is the 95 % interval. A line joins runs on \
         the same boards, and a ring is a new best on them.</figcaption></figure>\n</section>\n",
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
         figures\">\n<svg width=\"100%\" height=\"100%\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\">\n"
    );
    for (index, (_, points)) in lines.iter().enumerate() {
        points.windows(2).for_each(|pair| band(axes, pair, &bars::color(index), out));
    }
    out.push_str("</svg>\n");
    for (index, (bot, points)) in lines.iter().enumerate() {
        draw(axes, unit, bot, points, &bars::color(index), out);
    }
    records(axes, unit, lines.iter().flat_map(|(_, points)| points), out);
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

fn band(axes: &Axes, pair: &[Point<'_>], color: &str, out: &mut String) {
    let [one, other] = pair else { return };
    if !compare(one, other) {
        return;
    }
    let corner = |point: &Point<'_>, mean| format!("{:.2},{:.2}", axes.x(point.run), axes.y(mean));
    put!(
        out,
        "<polygon class=\"{color} band\" points=\"{} {} {} {}\"/>\n",
        corner(one, one.mean.interval.1),
        corner(other, other.mean.interval.1),
        corner(other, other.mean.interval.0),
        corner(one, one.mean.interval.0)
    );
}

fn draw(axes: &Axes, unit: Unit, bot: &str, points: &[Point<'_>], color: &str, out: &mut String) {
    for pair in points.windows(2) {
        if let [one, other] = pair
            && compare(one, other)
        {
            put!(
                out,
                "<line class=\"{color}\" x1=\"{:.2}%\" y1=\"{:.2}%\" x2=\"{:.2}%\" y2=\"{:.2}%\"/>\n",
                axes.x(one.run),
                axes.y(one.mean.mean),
                axes.x(other.run),
                axes.y(other.mean.mean)
            );
        }
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

/// Marks each run with a better mean than in any earlier run on the same boards.
fn records<'a>(
    axes: &Axes,
    unit: Unit,
    points: impl Iterator<Item = &'a Point<'a>>,
    out: &mut String,
) {
    let mut by_boards: BTreeMap<String, BTreeMap<usize, f64>> = BTreeMap::new();
    for point in points {
        let best = by_boards.entry(point.entry.run.listing.board_names()).or_default();
        let best = best.entry(point.run).or_insert(point.mean.mean);
        *best = better(unit, *best, point.mean.mean);
    }
    for runs in by_boards.values() {
        let mut before: Option<f64> = None;
        for (run, &best) in runs {
            if before.is_some_and(|before| unit.is_better(best, before)) {
                let (x, y) = (axes.x(*run), axes.y(best));
                put!(out, "<circle class=\"record\" cx=\"{x:.2}%\" cy=\"{y:.2}%\" r=\"7\"/>\n");
            }
            before = Some(before.map_or(best, |before| better(unit, before, best)));
        }
    }
}

/// The better of two means.
fn better(unit: Unit, one: f64, other: f64) -> f64 {
    if unit.is_better(other, one) { other } else { one }
}
