//! For pages such as GitHub's: the table of times.

use std::io::{self, Write};

use super::{TimingReport, kind_name};
use crate::markdown::{escape, table};
use results::timing::KindStats;
use statistics::Distribution;
use terms::text::duration;

const HEADINGS: [&str; 9] =
    ["", "count", "p50", "p99", "max", "limit", "margin", "late by the bot", "late by the host"];

pub(super) fn write(report: &TimingReport, out: &mut dyn Write) -> io::Result<()> {
    if let Some(analysis) = &report.analysis {
        let verdict = report.verdict().map_or("", |(_, verdict)| verdict);
        let games = report.games(analysis);
        writeln!(out, "### {} {verdict}: {games} of {}\n", escape(&report.bot), report.game)?;
        table(&HEADINGS, analysis.by_kind.iter().map(row), out)?;
        for lost in &report.lost {
            writeln!(out, "\nLost: {}", escape(lost))?;
        }
        writeln!(out)?;
    }
    let host = [("round trip", &report.host.round_trip), ("waking up late", &report.host.wake_up)];
    let times = |times: &Distribution| percentiles(times).map(duration).to_vec();
    let rows = host.map(|(name, measured)| [vec![name.to_owned()], times(measured)].concat());
    table(&["this machine", "p50", "p99", "max"], rows, out)
}

fn percentiles(times: &Distribution) -> [std::time::Duration; 3] {
    [times.percentile(50.0), times.percentile(99.0), times.max()]
}

fn row(stats: &KindStats) -> Vec<String> {
    let [p50, p99, max] = percentiles(&stats.times).map(duration);
    vec![
        kind_name(stats.kind).to_owned(),
        stats.times.count().to_string(),
        p50,
        p99,
        max,
        stats.limit.map_or_else(|| "none".to_owned(), duration),
        stats.margin().map_or_else(|| "-".to_owned(), |part| format!("{:.1} %", part * 100.0)),
        stats.bot_overruns.to_string(),
        stats.host_overruns.to_string(),
    ]
}
