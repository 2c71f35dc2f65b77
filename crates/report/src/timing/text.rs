//! For people: a table, histograms, the slowest turns, and what the figures mean.

use std::io::{self, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use super::{Bar, TimingReport, bars, kind_name};
use results::timing::{Analysis, KindStats, Timed};
use statistics::Estimate;
use terms::text::{duration, plural, printable, quote};

const HEADING: Style = Style::new().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// An interval wider than this says nothing worth printing.
const TELLS_NOTHING: f64 = 0.5;

/// The longest bar of a histogram, in characters.
const MAX_BAR_CHARS: u64 = 40;

pub(super) fn write(report: &TimingReport, out: &mut dyn Write) -> io::Result<()> {
    if let Some(analysis) = &report.analysis {
        headline(report, analysis, out)?;
        table(&analysis.by_kind, out)?;
        for stats in &analysis.by_kind {
            histogram(stats, out)?;
        }
        slowest(report, analysis, out)?;
        meaning(report, analysis, out)?;
    }
    host(report, out)
}

fn headline(report: &TimingReport, analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    let (fine, verdict) = report.verdict().unwrap_or_default();
    let style = if fine { GOOD } else { BAD };
    let bot = printable(&report.bot);
    let games = report.games(analysis);
    let turns = plural(report.turns.len() as u64, "turn");
    writeln!(out, "{style}{bot} {verdict}{style:#}: {games} of {}, {turns}", report.game)?;
    for lost in &report.lost {
        writeln!(out, "  {BAD}lost{BAD:#} {}", printable(lost))?;
    }
    if report.thresholds.scale.to_bits() != 1.0_f64.to_bits() {
        let scale = report.thresholds.scale;
        writeln!(out, "  Times are shown {scale} times as long, for a slower judge.")?;
    }
    if let Some(patience) = report.patience {
        let patience = duration(patience);
        writeln!(
            out,
            "  {DIM}A late turn ends no game here; answers are awaited up to {patience} beyond their \
             limit.{DIM:#}"
        )?;
    }
    Ok(())
}

fn table(by_kind: &[KindStats], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n  {HEADING}{:<12}{:>6}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}  overruns{HEADING:#}",
        "", "count", "min", "p50", "p90", "p99", "p99.9", "max", "limit", "margin"
    )?;
    for stats in by_kind {
        let times = &stats.times;
        write!(out, "  {:<12}{:>6}", kind_name(stats.kind), times.count())?;
        let percentiles = [50.0, 90.0, 99.0, 99.9].map(|percent| times.percentile(percent));
        let columns = [&[times.min()][..], &percentiles, &[times.max()]].concat();
        for time in columns {
            write!(out, "{:>9}", duration(time))?;
        }
        let limit = stats.limit.map_or_else(|| "none".to_owned(), duration);
        let margin = stats.margin().map_or_else(|| "-".to_owned(), percent);
        writeln!(out, "{limit:>9}{margin:>8}  {}", overruns(stats))?;
    }
    for KindStats { kind, taken: (turns, time), .. } in
        by_kind.iter().filter(|kind| kind.taken.0 > 0)
    {
        let (time, turns) = (duration(*time), plural(*turns as u64, "turn"));
        writeln!(
            out,
            "  The machine was taken from us for {time} in {turns} ({}).",
            kind_name(*kind)
        )?;
    }
    Ok(())
}

fn overruns(stats: &KindStats) -> String {
    match (stats.bot_overruns, stats.host_overruns) {
        (0, 0) => "none".to_owned(),
        (bot, host) => format!("{bot} by the bot, {host} by the host"),
    }
}

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

fn histogram(stats: &KindStats, out: &mut dyn Write) -> io::Result<()> {
    let bars = bars(&stats.times, stats.limit);
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(1).max(1);
    writeln!(out, "\n  {HEADING}{}{HEADING:#}", kind_name(stats.kind))?;
    for Bar { up_to, count } in bars {
        // Even a single turn gets a visible bar.
        let length = (count * MAX_BAR_CHARS).div_ceil(most);
        let bar = "█".repeat(usize::try_from(length).unwrap_or(0));
        let limit = if stats.limit == Some(up_to) { "  ← limit" } else { "" };
        let style = if stats.limit.is_some_and(|limit| up_to > limit) { BAD } else { Style::new() };
        let up_to = duration(up_to);
        writeln!(out, "  {up_to:>8} {style}{bar}{style:#} {count}{DIM}{limit}{DIM:#}")?;
    }
    Ok(())
}

fn slowest(report: &TimingReport, analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n  {HEADING}slowest turns, by the part of their limit{HEADING:#}")?;
    for &index in &analysis.slowest {
        let timed = &report.turns[index];
        let wall = duration(timed.turn.wall.0.mul_f64(report.thresholds.scale));
        let board = printable(&timed.board);
        let choices = timed.choices.map(|choices| plural(choices as u64, "legal move"));
        let choices = choices.map_or(String::new(), |choices| format!(", {choices}"));
        let said = last_words(timed).map_or(String::new(), |said| format!(", wrote {said}"));
        writeln!(out, "  {wall:>8}  turn {} of {board}{choices}{said}", timed.turn.turn)?;
    }
    Ok(())
}

/// The last line that the bot wrote to its standard error in this turn.
fn last_words(timed: &Timed) -> Option<String> {
    let stderr = timed.turn.stderr.0.trim_ascii_end();
    let last = stderr.rsplit(|&byte| byte == b'\n').next()?;
    (!last.is_empty()).then(|| quote(last))
}

fn meaning(report: &TimingReport, analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n  {HEADING}what to expect{HEADING:#}")?;
    chance(analysis, out)?;
    // No game has ended if the first one was interrupted.
    let passes = analysis.passes.iter().filter(|_| analysis.games > 0);
    for pass in passes {
        let (style, word) = if pass.passes { (GOOD, "passes") } else { (BAD, "fails") };
        let games = analysis.games;
        let count = pass.games;
        writeln!(
            out,
            "  {style}{word:<6}{style:#} under {:<9} in {count} of {games} games no timeout of its own",
            pass.profile
        )?;
    }
    if report.by_kind().iter().all(|stats| stats.limit.is_none()) {
        writeln!(out, "  There is no limit in this profile, so nothing can be broken.")?;
    }
    Ok(())
}

/// The chance of a timeout in a submission, or how many games would tell it.
fn chance(analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    let Estimate { estimate, low, high } = analysis.per_submission;
    let played = plural(analysis.games as u64, "game");
    let tells = analysis.per_submission.width() <= TELLS_NOTHING;
    if tells {
        writeln!(
            out,
            "  A timeout among 40 validators: {} (95 % interval {} to {}), from {played}.",
            percent(estimate),
            percent(low),
            percent(high),
        )?;
    }
    let enough = analysis.games_to_tell;
    match (tells, enough) {
        (true, None) => Ok(()),
        (true, Some(enough)) => {
            writeln!(
                out,
                "  {DIM}About {enough} games would narrow the interval: --games {enough}.{DIM:#}"
            )
        }
        (false, Some(enough)) => writeln!(
            out,
            "  How likely a timeout among 40 validators is, {played} cannot tell; about {enough} would: \
             --games {enough}."
        ),
        (false, None) => {
            writeln!(out, "  How likely a timeout among 40 validators is, {played} cannot tell.")
        }
    }
}

fn host(report: &TimingReport, out: &mut dyn Write) -> io::Result<()> {
    let host = &report.host;
    if report.analysis.is_some() {
        writeln!(out)?;
    }
    writeln!(out, "  {HEADING}what this machine adds{HEADING:#}")?;
    let line = |times: &statistics::Distribution| {
        let [p50, p99] = [50.0, 99.0].map(|percent| duration(times.percentile(percent)));
        format!("{p50} at the median, {p99} at p99, {} at most", duration(times.max()))
    };
    writeln!(out, "  round trip of an echo child: {}", line(&host.round_trip))?;
    writeln!(out, "  waking up late:              {}", line(&host.wake_up))?;
    let steal = host.steal.map_or_else(|| "unknown".to_owned(), percent);
    let load = host.load.map_or_else(|| "unknown".to_owned(), |load| load.to_string());
    writeln!(out, "  stolen by other machines:    {steal}; load {load} on {} cores", host.cores)?;
    let smallest = duration(host.smallest_limit());
    writeln!(out, "  Verdicts are meaningful for limits from {smallest}.")?;
    warning(report, out)
}

fn warning(report: &TimingReport, out: &mut dyn Write) -> io::Result<()> {
    let limit = report.smallest_limit().unwrap_or(Duration::MAX);
    let advice = report.host.advice(limit);
    if advice.is_empty() {
        return Ok(());
    }
    let limit = duration(limit);
    writeln!(
        out,
        "  {BAD}warning{BAD:#}: too restless for a limit of {limit}: {}",
        advice.join("; ")
    )
}
