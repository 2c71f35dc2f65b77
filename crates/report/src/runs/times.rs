//! Histograms of each bot's response times, first and later turns apart, with their limits.

use super::gather::Gathered;
use super::shown::{BotTimes, Responses, ShownBot};
use super::{Text, bars};
use crate::histogram::{Bar, Histogram};
use crate::markup::put;
use crate::timing;
use statistics::Distribution;
use terms::limits::LimitKind;
use terms::text::{duration, plural};

pub(super) fn write(gathered: &Gathered, out: &mut String) {
    out.push_str("<section class=\"card\" id=\"times\">\n<h2>Response times</h2>\n");
    for (index, entrant) in gathered.entrants.iter().enumerate() {
        bot(entrant, &bars::color(index), out);
    }
    out.push_str("</section>\n");
}

fn bot(entrant: &ShownBot, color: &str, out: &mut String) {
    let times = &entrant.times;
    put!(out, "<h3>{}</h3>\n", Text(&entrant.name));
    if times.games == 0 {
        out.push_str("<p class=\"soft\">No game has a response.</p>\n");
        return;
    }
    put!(out, "<p>{}</p>\n<div class=\"pair\">\n", late(times));
    let kinds: &[LimitKind] = match entrant.kinds.as_slice() {
        // Without limits only the results show whether a game has turns.
        [] if times.slowest.times.count() == 0 => &[LimitKind::Total],
        [] => &[LimitKind::FirstTurn, LimitKind::Turn],
        kinds => kinds,
    };
    for &kind in kinds {
        let (name, all) = match kind {
            LimitKind::FirstTurn | LimitKind::Total => (timing::kind_name(kind), &times.first),
            LimitKind::Turn if times.is_whole() => (timing::kind_name(kind), &times.later),
            LimitKind::Turn => ("slowest later turn of each game", &times.slowest),
        };
        let Responses { times, limits } = all;
        if times.count() > 0 {
            histogram(&Histogram::of(name, kind, times, *limits), times, color, out);
        }
    }
    out.push_str("</div>\n");
    times.heat.write(out);
    if times.slowest.times.count() > 0 && !times.is_whole() {
        put!(
            out,
            "<p class=\"soft\">Logs were kept of {} of {}, so not every later turn is known; \
             <code>referee suite --logs all</code> keeps them all.</p>\n",
            times.logged,
            plural(times.games as u64, "game")
        );
    }
}

/// How often the bot was late, and whose fault that was.
fn late(times: &BotTimes) -> String {
    match (times.bot_overruns, times.host_overruns) {
        (0, 0) => "No response was late.".to_owned(),
        (bot, host) => format!("Late responses: {bot} by the bot's fault, {host} by the host's."),
    }
}

fn histogram(histogram: &Histogram, times: &Distribution, color: &str, out: &mut String) {
    let Histogram { name, count, limit, bars, .. } = histogram;
    put!(
        out,
        "<figure class=\"times\"><figcaption><b>{name}</b>: {count}, {} at the median, {} at p99, {} at most\
         </figcaption>\n<table class=\"pictured\"><tbody>\n",
        duration(times.percentile(50.0)),
        duration(times.percentile(99.0)),
        duration(times.max()),
    );
    let (late, in_time): (Vec<&Bar>, _) = bars.iter().partition(|bar| bar.is_late);
    for bar in in_time {
        row(histogram, bar, color, out);
    }
    put!(out, "<tr class=\"limit\"><th colspan=\"3\">{limit}</th></tr>\n");
    for bar in late {
        row(histogram, bar, "late", out);
    }
    out.push_str("</tbody></table></figure>\n");
}

#[expect(clippy::cast_precision_loss, reason = "turns are counted, not grains of sand")]
fn row(histogram: &Histogram, Bar { up_to, count, .. }: &Bar, class: &str, out: &mut String) {
    put!(out, "<tr><th scope=\"row\">≤ {}</th><td>", duration(*up_to));
    bars::open(out, 1);
    bars::bar(out, 0, class, 0.0, bars::percent(*count as f64, histogram.most as f64));
    put!(out, "</svg></td><td>{count}</td></tr>\n");
}
