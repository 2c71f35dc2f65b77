//! For CI: a test for each kind of turn, which fails if the bot broke its limit, and one for each game
//! that it lost.

use std::io::{self, Write};

use quick_junit::TestCase;

use super::{TimingReport, kind_name};
use crate::report::junit::{failed, passed, write_suites};
use crate::text::{duration, plural};
use crate::timing::Phase;

pub(super) fn write(report: &TimingReport, out: &mut dyn Write) -> io::Result<()> {
    let mut cases: Vec<TestCase> = report.phases().iter().map(case).collect();
    let lost = report.lost.iter().map(|lost| failed("plays to the end", None, "lost", lost));
    cases.extend(lost);
    write_suites("referee timing", vec![(report.bot.clone(), cases)], out)
}

fn case(phase: &Phase) -> TestCase {
    let name = format!("{} within the limit", kind_name(phase.kind));
    let max = phase.times.max();
    if phase.bot_overruns == 0 {
        return passed(&name, Some(max));
    }
    let late = plural(phase.bot_overruns as u64, "turn");
    let limit = phase.limit.map_or_else(|| "none".to_owned(), duration);
    let why = format!(
        "{late} late by the bot's own fault; the slowest took {} of {limit}",
        duration(max)
    );
    failed(&name, Some(max), "timeout", &why)
}
