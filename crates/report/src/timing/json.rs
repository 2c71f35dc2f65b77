//! One object on one line, for programs.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::TimingReport;
use crate::inert::write_json;
use results::gamelog::Bytes;
use results::timing::{Analysis, KindStats, ProfileResult, Timed};
use statistics::{Distribution, Estimate};
use terms::limits::LimitKind;
use terms::millis::Millis;

#[derive(Serialize)]
struct Object<'a> {
    #[serde(flatten)]
    bot: Option<BotObject<'a>>,
    host: Host<'a>,
}

#[derive(Serialize)]
struct BotObject<'a> {
    bot: &'a str,
    game: &'a str,
    profile: &'a str,
    scale: f64,
    patience_ms: Option<Millis>,
    games: usize,
    /// More than `games` if the measurement was interrupted.
    planned: usize,
    lost: &'a [String],
    broken_by_bot: bool,
    turns: Vec<Turns>,
    slowest: Vec<Slow<'a>>,
    timeout_per_game: Estimate,
    timeout_per_submission: Estimate,
    /// How many games would narrow the chance for a submission to 20 points; null if these do.
    games_to_tell: Option<usize>,
    passes: &'a [ProfileResult],
}

#[derive(Serialize)]
struct Turns {
    kind: LimitKind,
    #[serde(flatten)]
    times: Percentiles,
    limit_ms: Option<Millis>,
    /// The part of the limit that the slowest turn left.
    margin: Option<f64>,
    bot_overruns: usize,
    host_overruns: usize,
    /// Turns in which the machine stood still or the bot was stopped by others, and for how long in all.
    disturbed: usize,
    taken_ms: Millis,
}

#[derive(Serialize)]
struct Percentiles {
    count: u64,
    min_ms: Millis,
    p50_ms: Millis,
    p90_ms: Millis,
    p99_ms: Millis,
    p999_ms: Millis,
    max_ms: Millis,
}

#[derive(Serialize)]
struct Slow<'a> {
    game: usize,
    board: &'a str,
    turn: u32,
    wall_ms: Millis,
    choices: Option<usize>,
    stderr: &'a Bytes,
}

#[derive(Serialize)]
pub(crate) struct Host<'a> {
    round_trip: Percentiles,
    wake_up: Percentiles,
    steal: Option<f64>,
    load: Option<f64>,
    cores: usize,
    governor: Option<&'a str>,
    on_mains: Option<bool>,
    smallest_limit_ms: Millis,
    /// What to do about a machine that is too restless for the limits.
    advice: Vec<String>,
}

pub(super) fn write(report: &TimingReport, out: &mut dyn Write) -> io::Result<()> {
    let bot = report.analysis.as_ref().map(|analysis| bot(report, analysis));
    let object = Object { bot, host: host(report) };
    write_json(&object, out)
}

fn bot<'a>(report: &'a TimingReport, analysis: &'a Analysis) -> BotObject<'a> {
    BotObject {
        bot: &report.bot,
        game: report.game,
        profile: report.profile,
        scale: report.thresholds.scale,
        patience_ms: report.patience.map(Millis),
        games: analysis.games,
        planned: report.planned,
        lost: &report.lost,
        broken_by_bot: analysis.is_broken_by_bot(),
        turns: analysis.by_kind.iter().map(kind).collect(),
        slowest: analysis.slowest.iter().map(|&index| slow(&report.turns[index])).collect(),
        timeout_per_game: analysis.per_game,
        timeout_per_submission: analysis.per_submission,
        games_to_tell: analysis.games_to_tell,
        passes: &analysis.passes,
    }
}

fn kind(stats: &KindStats) -> Turns {
    Turns {
        kind: stats.kind,
        times: times(&stats.times),
        limit_ms: stats.limit.map(Millis),
        margin: stats.margin(),
        bot_overruns: stats.bot_overruns,
        host_overruns: stats.host_overruns,
        disturbed: stats.taken.0,
        taken_ms: Millis(stats.taken.1),
    }
}

fn times(times: &Distribution) -> Percentiles {
    let percentile = |percent| Millis(times.percentile(percent));
    Percentiles {
        count: times.count(),
        min_ms: Millis(times.min()),
        p50_ms: percentile(50.0),
        p90_ms: percentile(90.0),
        p99_ms: percentile(99.0),
        p999_ms: percentile(99.9),
        max_ms: Millis(times.max()),
    }
}

/// Percentiles of single turns are as measured, without the scale.
fn slow(timed: &Timed) -> Slow<'_> {
    Slow {
        game: timed.game,
        board: &timed.board,
        turn: timed.turn.turn,
        wall_ms: timed.turn.wall,
        choices: timed.choices,
        stderr: &timed.turn.stderr,
    }
}

/// What this machine adds, under the limits of a report.
pub(crate) fn host(report: &TimingReport) -> Host<'_> {
    let host = &report.host;
    Host {
        round_trip: times(&host.round_trip),
        wake_up: times(&host.wake_up),
        steal: host.steal,
        load: host.load,
        cores: host.cores,
        governor: host.governor.as_deref(),
        on_mains: host.on_mains,
        smallest_limit_ms: Millis(host.smallest_limit()),
        advice: host.advice(report.smallest_limit().unwrap_or(Duration::MAX)),
    }
}
