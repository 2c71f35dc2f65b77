//! The ratings of the bots of a game of several players, from the first one to the newest.

use crate::markup::{LONGEST_NAME, Text, put};
use crate::ratings;
use crate::runs::bars::{self, Axes};
use results::ratings::{League, Progress, Rated};
use terms::text::{abridged, plural};

/// A line of ratings, the verdict on the newest bot, and a table of the figures. Nothing for fewer than two bots.
pub(super) fn write(league: &League, out: &mut String) {
    let bots: Vec<&Rated> = league.by_age.iter().map(|&bot| &league.bots[bot]).collect();
    let [first, .., last] = bots[..] else { return };
    let ends = bots.iter().map(|bot| interval(bot));
    let (low, high) = ends
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (a, b)| (low.min(a), high.max(b)));
    let scale = Axes { points: bots.len(), low, high: high.max(low + 1.0) };
    out.push_str("<section class=\"card lines\">\n<h2>Ratings over time</h2>\n");
    if let Some(progress) = league.progress {
        put!(out, "<p>{}</p>\n", Text(&verdict(&bots, progress)));
    }
    picture(&scale, &bots, out);
    put!(
        out,
        "<figcaption>The bot that was first in a run ({}) is on the left, the newest ({}) on the right; bars are 95 % intervals. A line \
         joins bots that games connect.</figcaption></figure>\n",
        Text(&abridged(&first.bot, LONGEST_NAME)),
        Text(&abridged(&last.bot, LONGEST_NAME))
    );
    table(&bots, out);
    for sentence in ratings::sentences(league) {
        put!(out, "<p class=\"soft\">{}</p>\n", Text(&sentence));
    }
    out.push_str("</section>\n");
}

/// Whether the newest bot is better than the older one.
fn verdict(bots: &[&Rated], Progress { versions, elo, margin }: Progress) -> String {
    let [newest, older] =
        [0, versions].map(|age| abridged(&bots[bots.len() - 1 - age].bot, LONGEST_NAME));
    let word = match margin {
        None => "rated without an interval against",
        Some(margin) if elo.abs() <= margin => "not known to differ from",
        Some(_) if elo > 0.0 => "better than",
        Some(_) => "worse than",
    };
    let margin = margin.map_or_else(String::new, |margin| format!(" \u{b1}{margin:.0}"));
    let (elo, versions) = (elo.round() + 0.0, plural(versions as u64, "version"));
    format!("{newest} is {word} {older}, {versions} before it: {elo:+.0}{margin}.")
}

fn interval(bot: &Rated) -> (f64, f64) {
    let margin = bot.rating.margin.unwrap_or_default();
    (bot.rating.elo - margin, bot.rating.elo + margin)
}

fn picture(scale: &Axes, bots: &[&Rated], out: &mut String) {
    let color = bars::color(0);
    put!(
        out,
        "<figure><div class=\"plot\"><p class=\"axis\"><span>{:+.0}</span><span>{:+.0}</span></p>\n\
         <svg width=\"100%\" height=\"220\" role=\"img\" aria-label=\"The rating of each bot, the oldest first; the table has the \
         figures\">\n",
        scale.high,
        scale.low
    );
    let mut line = |[x1, y1]: [f64; 2], [x2, y2]: [f64; 2]| {
        put!(
            out,
            "<line class=\"{color}\" x1=\"{x1:.2}%\" y1=\"{y1:.2}%\" x2=\"{x2:.2}%\" y2=\"{y2:.2}%\"/>\n"
        );
    };
    for (at, bot) in bots.iter().enumerate() {
        let (low, high) = interval(bot);
        line([scale.x(at), scale.y(low)], [scale.x(at), scale.y(high)]);
        let before = bots[..at].iter().rposition(|older| older.rating.group == bot.rating.group);
        if let Some(before) = before {
            let of = |at: usize| [scale.x(at), scale.y(bots[at].rating.elo)];
            line(of(before), of(at));
        }
    }
    for (at, bot) in bots.iter().enumerate() {
        let (x, y) = (scale.x(at), scale.y(bot.rating.elo));
        put!(
            out,
            "<circle class=\"{color}\" cx=\"{x:.2}%\" cy=\"{y:.2}%\" r=\"4\"><title>{}: {}</title></circle>\n",
            Text(&abridged(&bot.bot, LONGEST_NAME)),
            ratings::shown(bot)
        );
    }
    out.push_str("</svg></div>\n");
}

/// The bots, the newest first.
fn table(bots: &[&Rated], out: &mut String) {
    out.push_str(
        "<div class=\"wide tall\" tabindex=\"0\" role=\"region\" aria-label=\"Ratings over time\"><table><thead><tr>\
         <th scope=\"col\">bot</th><th scope=\"col\">rating</th><th scope=\"col\">games</th></tr></thead><tbody>\n",
    );
    for bot in bots.iter().rev() {
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
            Text(&abridged(&bot.bot, LONGEST_NAME)),
            ratings::shown(bot),
            bot.games
        );
    }
    out.push_str("</tbody></table></div>\n");
}
