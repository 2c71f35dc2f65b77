//! One object on one line, for programs. The games are in `results.jsonl` of the run folder.

use std::io::{self, Write};

use serde::Serialize;

use super::SuiteReport;
use crate::inert::write_json;
use results::compare::Standing;
use results::suite::{Loss, NewBest, Tally};

#[derive(Serialize)]
pub(super) struct Object<'a> {
    /// The folder, if the run is kept.
    run: Option<String>,
    game: &'a str,
    planned: usize,
    games: usize,
    lost: usize,
    /// The games that could not be played.
    games_not_played: usize,
    bots: Vec<Bot<'a>>,
    /// The first kinds of losses.
    losses: &'a [Loss],
    /// The first kinds of reasons why games were not played.
    not_played: &'a [Loss],
    new_bests: &'a [NewBest],
    /// What is said of machines that were too noisy for the limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    noisy_hosts: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'a Standing>,
}

#[derive(Serialize)]
struct Bot<'a> {
    #[serde(flatten)]
    tally: &'a Tally,
    mean: Option<f64>,
    /// The mean of yours/best.
    ratio: Option<f64>,
    marathon: Option<f64>,
}

impl<'a> Bot<'a> {
    fn of(tally: &'a Tally) -> Self {
        Self { tally, mean: tally.mean(), ratio: tally.ratio(), marathon: tally.marathon() }
    }
}

pub(super) fn write(report: &SuiteReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_json(&object(report), out)
}

pub(super) fn object<'a>(report: &'a SuiteReport<'_>) -> Object<'a> {
    let summary = &report.summary;
    Object {
        run: report.is_kept.then(|| report.folder.path.display().to_string()),
        game: &summary.game,
        planned: summary.planned,
        games: summary.games(),
        lost: summary.lost(),
        games_not_played: summary.games_not_played(),
        bots: summary.bots.iter().map(Bot::of).collect(),
        losses: &summary.losses,
        not_played: &summary.not_played,
        new_bests: &summary.new_bests,
        noisy_hosts: report.noisy_hosts.iter().map(ToString::to_string).collect(),
        decision: report.decision.as_ref(),
    }
}
