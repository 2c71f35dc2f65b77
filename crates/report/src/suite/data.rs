//! A suite for programs: an object, a line or a row for each game, tests for CI. Games are read from the run
//! one at a time.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::SuiteReport;
use crate::inert;
use crate::junit::{Suites, TestCase, failed, not_run, passed};
use crate::rows::Rows;
use results::compare::Standing;
use results::ratings::League;
use results::suite::{Bests, Loss, NewBest, OutBot, Outcome, Tally};
use rules::measure::Measure;
use rules::score::Score;
use terms::text::plural;

/// The test that stands for the games without a result.
const MISSING: &str = "missing games";

/// The totals in JSON.
#[derive(Serialize)]
pub(super) struct Totals<'a> {
    /// The folder, if the run is kept.
    run: Option<String>,
    game: &'a str,
    /// The measure in which the bots of the run are compared.
    measure: Measure,
    planned: usize,
    games: usize,
    lost: usize,
    /// The games that could not be played.
    games_not_played: usize,
    bots: Vec<Bot<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    out: &'a [OutBot],
    /// The first kinds of losses.
    losses: &'a [Loss],
    /// The first kinds of reasons why games were not played.
    not_played: &'a [Loss],
    new_bests: &'a [NewBest],
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'a Standing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratings: Option<&'a League>,
}

#[derive(Serialize)]
struct Bot<'a> {
    #[serde(flatten)]
    tally: &'a Tally,
    mean: Option<f64>,
    /// The mean of yours/best.
    ratio: Option<f64>,
    marathon: Option<f64>,
    /// What it has in the measure of the run.
    value: Option<f64>,
}

impl<'a> Totals<'a> {
    pub(super) fn of(report: &'a SuiteReport<'_>) -> Self {
        let summary = &report.summary;
        let measure = report.folder.run.plan.measure();
        let bot = |tally: &'a Tally| {
            let (mean, ratio, marathon) = (tally.mean(), tally.ratio(), tally.marathon());
            let value = match measure {
                Measure::Points => mean,
                Measure::Ratio => ratio.map(|ratio| 100.0 * ratio),
                Measure::Log | Measure::Rank | Measure::Place => tally.value,
            };
            Bot { tally, mean, ratio, marathon, value }
        };
        Self {
            run: report.is_kept.then(|| report.folder.path.display().to_string()),
            game: &summary.game,
            measure,
            planned: summary.planned(),
            games: summary.games(),
            lost: summary.lost(),
            games_not_played: summary.games_not_played(),
            bots: summary.bots.iter().map(bot).collect(),
            out: &report.folder.run.out,
            losses: &summary.losses,
            not_played: &summary.not_played,
            new_bests: &summary.new_bests,
            decision: report.decision.as_ref(),
            ratings: report.league.as_ref(),
        }
    }
}

/// A line for programs that follow a run: one for each game as it ends, and a last one with the totals.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line<'a> {
    Game {
        #[serde(flatten)]
        outcome: &'a Outcome,
        /// The best score that was known on its board when the suite began.
        best: Option<Score>,
    },
    Summary(Totals<'a>),
}

/// Writes the line of a game.
///
/// # Errors
/// When `out` fails.
pub fn write_game(outcome: &Outcome, bests: &Bests, out: &mut dyn Write) -> io::Result<()> {
    let best = bests.best(&outcome.record_id);
    inert::write_json(&Line::Game { outcome, best }, out)?;
    out.flush()
}

/// The columns of every table.
const COLUMNS: &str = "game bot board set repeat verdict won score counts turns wall_ms first_ms slowest_ms mean_ms \
    bot_overruns host_overruns diagnosis board_id session";

/// The columns of the tables of a run.
pub(super) fn columns_of(report: &SuiteReport<'_>) -> String {
    let of_seats = if report.summary.opponents > 0 { " seat place spoilt number with" } else { "" };
    format!("{COLUMNS}{of_seats}")
}

/// A row for each game, with the last value of each name that bots say; for numbers also min, max and mean.
pub(super) fn rows<'a>(report: &'a SuiteReport<'_>) -> io::Result<Rows<'a>> {
    let outcomes = report.folder.outcomes().map_err(io::Error::other)?;
    let outcomes = outcomes.map(|outcome| outcome.map_err(io::Error::other));
    let mut rows = Rows::new(&columns_of(report), outcomes);
    for (name, is_number) in &report.summary.said {
        rows.add(format!("said.{name}"), format!("/said/{name}/last"));
        for of_numbers in ["min", "max", "mean"].iter().filter(|_| *is_number) {
            rows.add(format!("said.{name}.{of_numbers}"), format!("/said/{name}/{of_numbers}"));
        }
    }
    Ok(rows)
}

/// A suite of tests for each bot, with a test for each game. A lost game is a failure; one that was
/// not played, or that an interrupted suite did not reach, is an error.
///
/// This is the one report that holds all games in memory, since its numbers come before its tests.
pub(super) fn tests(report: &SuiteReport<'_>) -> io::Result<Suites> {
    let mut bots: BTreeMap<String, Vec<TestCase>> = BTreeMap::new();
    for outcome in report.folder.outcomes().map_err(io::Error::other)? {
        let outcome = outcome.map_err(io::Error::other)?;
        bots.entry(outcome.bot.clone()).or_default().push(case(&outcome));
    }
    let missing = report.missing();
    if missing > 0 {
        let verb = if missing == 1 { "has" } else { "have" };
        let what = format!("{} {verb} no result", plural(missing as u64, "game"));
        bots.entry(MISSING.to_owned()).or_default().push(not_run(MISSING, "interrupted", &what));
    }
    for OutBot { bot, why } in &report.folder.run.out {
        bots.entry(bot.clone()).or_default().push(not_run("start", "out", why));
    }
    Ok(Suites { name: "referee suite", suites: bots.into_iter().collect() })
}

fn case(outcome: &Outcome) -> TestCase {
    let name = format!("game {}: {}", outcome.number(), outcome.board);
    let took = outcome.times.wall.map(|wall| wall.0);
    if !outcome.is_played() {
        not_run(&name, &outcome.verdict.to_string(), &outcome.loss())
    } else if outcome.won {
        passed(&name, took)
    } else {
        failed(&name, took, &outcome.verdict.to_string(), &outcome.loss())
    }
}
