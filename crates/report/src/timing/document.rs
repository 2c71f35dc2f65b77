//! Times for people: a table, histograms, the slowest turns, and what the figures mean.

use std::time::Duration;

use super::{BotTiming, TimingReport, kind_name};
use crate::document::{Document, Line, Part, Table, Tone};
use crate::figures::in_percent;
use results::timing::{Analysis, KindStats, ProfileResult, Timed};
use statistics::{Distribution, Estimate};
use terms::limits::LimitKind;
use terms::millis::Millis;
use terms::text::{duration, plural, quote};

/// An interval wider than this is not worth printing.
const TELLS_NOTHING: f64 = 0.5;

const HEADINGS: [&str; 11] =
    ["", "count", "min", "p50", "p90", "p99", "p99.9", "max", "limit", "margin", "overruns"];

pub(crate) fn document(report: &TimingReport) -> Document {
    let mut document = Document::default();
    let scale = report.thresholds.scale;
    report.measured.iter().for_each(|measured| headline(measured, &mut document));
    if let Some(measured) = report.measured.first() {
        how(measured, scale, &mut document);
    }
    match &report.measured[..] {
        [] => {}
        [measured] => details(measured, scale, &mut document),
        several => side_by_side(several, &mut document),
    }
    document.list("what this machine adds", host(report));
    document
}

/// All that is known of one bot.
fn details(measured: &BotTiming, scale: f64, document: &mut Document) {
    table(measured, document);
    measured.histograms().for_each(|histogram| document.add(Part::Histogram(histogram)));
    let slowest = measured.slowest().map(|timed| slow(timed, scale, &measured.analysis));
    document.list("slowest turns, by the part of their limit", slowest);
    document.list("what to expect", expectations(&measured.analysis));
}

/// The times of each kind of turn, bot by bot, and how many games of each bot had no timeout of its own.
fn side_by_side(several: &[BotTiming], document: &mut Document) {
    let kinds = LimitKind::ALL;
    for kind in kinds {
        let of_kind = |measured: &BotTiming| {
            let stats = measured.analysis.by_kind.iter().find(|stats| stats.kind == kind)?;
            let mut row = row(stats);
            row[0].clone_from(&measured.bot);
            Some(row)
        };
        let rows: Vec<_> = several.iter().filter_map(of_kind).collect();
        if rows.is_empty() {
            continue;
        }
        let headings = [&[kind_name(kind)], &HEADINGS[1..]].concat();
        let mut table = Table::new(format!("Response times, {}", kind_name(kind)), &headings, rows);
        table.words = vec![0, 10];
        document.table(table);
    }
    let passes = |measured: &BotTiming| {
        let games = measured.analysis.games;
        let results = measured.analysis.passes.iter();
        let kept = results.map(|result| format!("{} of {games}", result.games));
        [measured.bot.clone()].into_iter().chain(kept).collect()
    };
    let profiles = several[0].analysis.passes.iter().map(|result| result.profile);
    let headings: Vec<_> =
        ["games without a timeout of its own"].into_iter().chain(profiles).collect();
    document.table(Table::new("Profiles", &headings, several.iter().map(passes)));
}

fn headline(measured: &BotTiming, document: &mut Document) {
    let BotTiming { bot, game, analysis, lost, .. } = measured;
    let (tone, verdict) = match analysis.is_broken_by_bot() {
        true => (Tone::Bad, "breaks its limits"),
        false if !lost.is_empty() => (Tone::Bad, "loses games"),
        false => (Tone::Good, "keeps its limits"),
    };
    let planned = plural(measured.planned as u64, "game");
    let games = match analysis.games {
        games if games == measured.planned => planned,
        games => format!("{games} of {planned}"),
    };
    let turns = plural(measured.turns.len() as u64, "turn");
    let played = format!(": {games} of {game}, {turns}");
    document.headline(Line::toned(tone, format!("{bot} {verdict}"), played));
    for lost in lost {
        document.note(Line::toned(Tone::Bad, "lost", format!(" {lost}")));
    }
}

fn how(measured: &BotTiming, scale: f64, document: &mut Document) {
    if scale.to_bits() != 1.0_f64.to_bits() {
        document.note(format!("Times are shown {scale} times as long, for a slower judge."));
    }
    if let Some(patience) = measured.patience {
        let patience = duration(patience.0);
        let note = format!(
            "A late turn does not end a game here: the referee waits up to {patience} beyond the limit for an answer."
        );
        document.note(Line::toned(Tone::Soft, note, ""));
    }
}

fn table(measured: &BotTiming, document: &mut Document) {
    let by_kind = &measured.analysis.by_kind;
    let mut table = Table::new("Response times", &HEADINGS, by_kind.iter().map(row));
    table.words = vec![0, 10];
    table.widths = &[13, 7, 9, 9, 9, 9, 9, 9, 9, 9];
    document.table(table);
    for stats in by_kind.iter().filter(|stats| stats.disturbed > 0) {
        let (time, turns) = (duration(stats.taken.0), plural(stats.disturbed as u64, "turn"));
        let kind = kind_name(stats.kind);
        document.note(format!(
            "The machine stalled, or the bot was stopped, for {time} in {turns} ({kind})."
        ));
    }
}

fn row(stats: &KindStats) -> Vec<String> {
    let times = &stats.times;
    let percentiles = [50.0, 90.0, 99.0, 99.9].map(|percent| times.percentile(percent));
    let times = [&[times.min()][..], &percentiles, &[times.max()]].concat();
    let mut row = vec![kind_name(stats.kind).to_owned(), stats.times.count().to_string()];
    row.extend(times.into_iter().map(duration));
    row.push(stats.limits.map_or_else(|| "none".to_owned(), |limits| limits.to_string()));
    row.push(stats.margin.map_or_else(|| "-".to_owned(), percent));
    row.push(match (stats.bot_overruns, stats.host_overruns) {
        (0, 0) => "none".to_owned(),
        (bot, host) => format!("{bot} by the bot, {host} by the host"),
    });
    row
}

fn percent(part: f64) -> String {
    format!("{} %", in_percent(part, 1))
}

fn slow(timed: &Timed, scale: f64, analysis: &Analysis) -> Line {
    let wall = duration(timed.turn.wall.0.mul_f64(scale));
    let choices = timed.choices.map(|choices| plural(choices as u64, "legal move"));
    let choices = choices.map_or(String::new(), |choices| format!(", {choices}"));
    let said = last_words(timed).map_or(String::new(), |said| format!(", wrote {said}"));
    let limit = limit_among_several(timed, analysis);
    let limit = limit.map_or(String::new(), |limit| format!(", limit {}", duration(limit.0)));
    let turn = format!("turn {} of {}{limit}{choices}{said}", timed.turn.turn, timed.board);
    Line::numbered("", wall, 8, turn)
}

/// The limit of a turn, if its judge has named several.
fn limit_among_several(timed: &Timed, analysis: &Analysis) -> Option<Millis> {
    let stats = analysis.by_kind.iter().find(|stats| stats.kind == timed.turn.limit)?;
    let several = stats.limits.filter(|limits| limits.single().is_none());
    timed.turn.asked.as_ref().filter(|_| several.is_some())?.limit
}

/// The last line that the bot wrote to its standard error in this turn.
fn last_words(timed: &Timed) -> Option<String> {
    let stderr = timed.turn.stderr.0.trim_ascii_end();
    let last = stderr.rsplit(|&byte| byte == b'\n').next()?;
    (!last.is_empty()).then(|| quote(last))
}

fn expectations(analysis: &Analysis) -> Vec<Line> {
    let mut lines = chance(analysis);
    let games = analysis.games;
    let pass = |ProfileResult { profile, games: count, passes }: &ProfileResult| {
        let (tone, word) = if *passes { (Tone::Good, "passes") } else { (Tone::Bad, "fails ") };
        let profile = format!("{profile}:");
        let under = format!(" {profile:<10} {count} of {games} games without a timeout of its own");
        Line::toned(tone, word, under)
    };
    if games > 0 {
        lines.extend(analysis.passes.iter().map(pass));
    } // Otherwise the first one was interrupted.
    let kinds = &analysis.by_kind;
    if !kinds.is_empty() && kinds.iter().all(|stats| stats.limits.is_none()) {
        lines.push("This profile has no limits, so a bot cannot break one.".into());
    }
    lines
}

/// The risk of a timeout in a submission, or the number of games that would show it.
fn chance(analysis: &Analysis) -> Vec<Line> {
    let Estimate { estimate, low, high } = analysis.per_submission;
    let played = plural(analysis.games as u64, "game");
    let verb = if analysis.games == 1 { "is" } else { "are" };
    let unknown = format!(
        "{played} {verb} too few to estimate the risk of a timeout in a submission (40 validators)"
    );
    let [estimate, low, high] = [estimate, low, high].map(percent);
    let known = format!(
        "Risk of a timeout in a submission (40 validators): {estimate} (95 % interval {low} to {high}), from {played}."
    );
    let tells = analysis.per_submission.width() <= TELLS_NOTHING;
    match (tells, analysis.games_to_tell) {
        (true, None) => vec![known.into()],
        (true, Some(enough)) => {
            let more = format!("About {enough} games would narrow the interval: --games {enough}.");
            vec![known.into(), Line::toned(Tone::Soft, more, "")]
        }
        (false, Some(enough)) => {
            vec![format!("{unknown}; play {enough}: --games {enough}.").into()]
        }
        (false, None) => vec![format!("{unknown}.").into()],
    }
}

fn host(report: &TimingReport) -> Vec<Line> {
    let host = &report.host;
    let times = |times: &Distribution| {
        let [p50, p99] = [50.0, 99.0].map(|percent| duration(times.percentile(percent)));
        format!("{p50} at the median, {p99} at p99, {} at most", duration(times.max()))
    };
    let load = host.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.1}"));
    let cores = plural(host.online_cores.unwrap_or(host.cores) as u64, "core");
    let share = percent(host.core_share);
    let (round_trip, wake_up) = (times(&host.round_trip), times(&host.wake_up));
    let smallest = duration(host.smallest_limit());
    let mut lines = vec![
        format!("round trip of an echo child: {round_trip}").into(),
        format!("waking up late:              {wake_up}").into(),
        format!("a bot that computes gets:    {share} of a core").into(),
        format!("threads of others:           {load} on {cores}").into(),
        format!("Here and now, blame can be assigned for limits from {smallest}.").into(),
    ];
    lines.extend(warning(report));
    lines
}

/// What helps on a machine that is too noisy for the limits.
fn warning(report: &TimingReport) -> Option<Line> {
    let host = &report.host;
    let smallest = report.smallest_limit().unwrap_or(Duration::MAX);
    let advice = host.advice(smallest);
    if advice.is_empty() {
        return None;
    }
    let (limit, advice) = (duration(smallest), advice.join("; "));
    let what = match host.overload(smallest) {
        Some((others, cores)) => {
            let cores = plural(cores as u64, "core");
            format!("{others:.1} other threads want the {cores} of this machine; ")
        }
        None if host.is_crowded() => "others take bots' cores; ".to_owned(),
        None => String::new(),
    };
    let restless = format!(": {what}too noisy for a limit of {limit}: {advice}");
    Some(Line::toned(Tone::Bad, "warning", restless))
}
