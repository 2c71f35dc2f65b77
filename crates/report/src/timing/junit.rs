//! For CI: a test for each kind of turn, which fails if the bot broke its limit, and one for each game
//! that it lost.

use std::io::{self, Write};

use super::{TimingReport, kind_name};
use crate::junit::{TestCase, failed, passed, write_suites};
use results::timing::KindStats;
use terms::text::{duration, plural};

pub(super) fn write(report: &TimingReport, out: &mut dyn Write) -> io::Result<()> {
    let mut cases: Vec<TestCase> = report.by_kind().iter().map(case).collect();
    let lost = report.lost.iter().map(|lost| failed("plays to the end", None, "lost", lost));
    cases.extend(lost);
    write_suites("referee timing", &[(report.bot.clone(), cases)], out)
}

fn case(stats: &KindStats) -> TestCase {
    let name = format!("{} within the limit", kind_name(stats.kind));
    let max = stats.times.max();
    if stats.bot_overruns == 0 {
        return passed(&name, Some(max));
    }
    let late = plural(stats.bot_overruns as u64, "turn");
    let limit = stats.limit.map_or_else(|| "none".to_owned(), duration);
    let why = format!(
        "{late} late by the bot's own fault; the slowest took {} of {limit}",
        duration(max)
    );
    failed(&name, Some(max), "timeout", &why)
}
