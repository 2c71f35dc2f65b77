//! Times for programs: one JSON object on one line, a row for each turn, tests for CI.

use std::time::Duration;

use serde::Serialize;

use super::{BotTiming, TimingReport, kind_name};
use crate::junit::{Suites, TestCase, failed, passed};
use crate::rows::Rows;
use results::gamelog::Bytes;
use results::host::HostCheck;
use results::timing::{KindStats, Spent, Timed};
use terms::limits::{LimitKind, Limits};
use terms::millis::Millis;
use terms::text::{duration, plural};
use terms::verdict::Culprit;

/// The times of a single bot are fields of the object itself; the times of several bots are a list.
#[derive(Serialize)]
pub(super) struct InJson<'a> {
    #[serde(flatten)]
    only: Option<Measured<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bots: Vec<Measured<'a>>,
    host: HostReport<'a>,
}

#[derive(Serialize)]
struct Measured<'a> {
    #[serde(flatten)]
    times: &'a BotTiming,
    scale: f64,
    broken_by_bot: bool,
    slowest: Vec<Slow<'a>>,
}

/// A turn as measured, not scaled.
#[derive(Serialize)]
struct Slow<'a> {
    game: usize,
    board: &'a str,
    turn: u32,
    wall_ms: Millis,
    choices: Option<usize>,
    stderr: &'a Bytes,
}

/// What this machine adds.
#[derive(Serialize)]
pub(crate) struct HostReport<'a> {
    #[serde(flatten)]
    check: &'a HostCheck,
    smallest_limit_ms: Millis,
    /// Advice for a machine that is too noisy for the limits.
    advice: Vec<String>,
}

impl<'a> InJson<'a> {
    pub(super) fn of(report: &'a TimingReport) -> Self {
        let measured = |times| Measured::of(times, report.thresholds.scale);
        let mut bots: Vec<_> = report.measured.iter().map(measured).collect();
        let only = if bots.len() == 1 { bots.pop() } else { None };
        Self { only, bots, host: host(report) }
    }
}

impl<'a> Measured<'a> {
    fn of(times: &'a BotTiming, scale: f64) -> Self {
        let broken_by_bot = times.analysis.is_broken_by_bot();
        Self { times, scale, broken_by_bot, slowest: times.slowest().map(Slow::of).collect() }
    }
}

impl<'a> Slow<'a> {
    fn of(Timed { game, board, turn, choices }: &'a Timed) -> Self {
        let (number, wall_ms, stderr) = (turn.turn, turn.wall, &turn.stderr);
        Self { game: *game, board, turn: number, wall_ms, choices: *choices, stderr }
    }
}

/// What this machine adds, under the limits of a report.
pub(crate) fn host(report: &TimingReport) -> HostReport<'_> {
    let check = &report.host;
    let advice = check.advice(report.smallest_limit().unwrap_or(Duration::MAX));
    HostReport { check, smallest_limit_ms: Millis(check.smallest_limit()), advice }
}

/// The columns of a turn; only a turn that was late or disturbed has parts of its time.
const COLUMNS: &str = "game board turn kind wall_ms limit_ms certificate/cpu_ms certificate/wait_ms \
    certificate/referee_wait_ms certificate/context_switches certificate/page_faults \
    certificate/peak_memory_bytes choices late_by certificate/parts/computed_ms \
    certificate/parts/kept_waiting_ms certificate/parts/taken_ms certificate/parts/referee_ms \
    certificate/parts/asleep_ms certificate/parts/unknown_ms bot";

/// A turn as measured, not scaled, with its limit.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    timed: &'a Timed,
    kind: LimitKind,
    limit_ms: Option<Millis>,
    /// Whose fault it is that the turn is late; `None` if it is not.
    late_by: Option<Culprit>,
    bot: &'a str,
}

pub(super) fn rows(report: &TimingReport) -> Rows<'_> {
    let limits = &report.thresholds.limits;
    let rows = report.measured.iter().flat_map(|bot| {
        Spent::of_all(&bot.turns).into_iter().map(|spent| Ok(Row::of(&spent, limits, &bot.bot)))
    });
    Rows::new(COLUMNS, rows)
}

impl<'a> Row<'a> {
    fn of(spent: &Spent<'a>, limits: &Limits, bot: &'a str) -> Self {
        let kind = spent.kind();
        let limit = spent.limit(limits);
        let late_by = limit.and_then(|limit| spent.culprit(limit, 1.0));
        Self { timed: spent.timed, kind, limit_ms: limit.map(Millis), late_by, bot }
    }
}

/// A test for each kind of turn, which fails if the bot broke its limit, and one for each game that it lost.
pub(super) fn tests(report: &TimingReport) -> Suites {
    let suite = |measured: &BotTiming| {
        let lost = measured.lost.iter().map(|why| failed("plays to the end", None, "lost", why));
        let kinds = measured.analysis.by_kind.iter().map(case);
        (measured.bot.clone(), kinds.chain(lost).collect())
    };
    Suites { name: "referee timing", suites: report.measured.iter().map(suite).collect() }
}

fn case(stats: &KindStats) -> TestCase {
    let name = format!("{} within the limit", kind_name(stats.kind));
    let max = stats.times.max();
    if stats.bot_overruns == 0 {
        return passed(&name, Some(max));
    }
    let late = plural(
        stats.bot_overruns as u64,
        if stats.kind == LimitKind::Total { "game" } else { "turn" },
    );
    let limit = stats.limits.map_or_else(|| "none".to_owned(), |limits| limits.to_string());
    let slowest = duration(max);
    let why = format!("{late} late by the bot's own fault; the slowest took {slowest} of {limit}");
    failed(&name, Some(max), "timeout", &why)
}
