//! For CI: a suite of tests for each bot, a test for each game. A lost game is a failure, and one that was
//! not played an error.
//!
//! This is the one report that holds all games in memory, since its numbers come before its tests.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::SuiteReport;
use crate::junit::{TestCase, failed, not_run, passed, write_suites};
use results::suite::Outcome;

pub(super) fn write(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut bots: BTreeMap<String, Vec<TestCase>> = BTreeMap::new();
    for outcome in report.folder.outcomes().map_err(io::Error::other)? {
        let outcome = outcome.map_err(io::Error::other)?;
        bots.entry(outcome.bot.clone()).or_default().push(case(&outcome));
    }
    write_suites("referee suite", &bots.into_iter().collect::<Vec<_>>(), out)
}

fn case(outcome: &Outcome) -> TestCase {
    let name = format!("game {}: {}", outcome.game, outcome.board);
    let took = outcome.times.wall.map(|wall| wall.0);
    if !outcome.is_played() {
        not_run(&name, &outcome.verdict.to_string(), &outcome.loss())
    } else if outcome.won {
        passed(&name, took)
    } else {
        failed(&name, took, &outcome.verdict.to_string(), &outcome.loss())
    }
}
