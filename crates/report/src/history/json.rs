//! One array on one line, for programs: an object for each run, then for each folder that holds none.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::{Broken, History, Listed};
use crate::inert::write_json;
use results::suite::{Listing, Tally};
use terms::millis::Millis;

#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    Run(ListedRun<'a>),
    Broken(&'a Broken),
}

#[derive(Serialize)]
struct ListedRun<'a> {
    run: String,
    #[serde(flatten)]
    listing: &'a Listing,
    bots: Vec<ListedBot<'a>>,
}

#[derive(Serialize)]
struct ListedBot<'a> {
    bot: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    params: &'a BTreeMap<String, String>,
    games: usize,
    not_played: usize,
    lost: usize,
    sum: i64,
    mean: Option<f64>,
    ratio: Option<f64>,
    slowest_ms: Option<Millis>,
}

impl<'a> ListedRun<'a> {
    fn of(run: &'a Listed) -> Self {
        let summary = &run.listing.summary;
        let bot = |(index, tally): (usize, &'a Tally)| {
            let Tally { bot, params, games, not_played, lost, sum, .. } = tally;
            ListedBot {
                bot,
                params,
                games: *games,
                not_played: *not_played,
                lost: *lost,
                sum: *sum,
                mean: tally.mean(),
                ratio: tally.ratio(),
                slowest_ms: summary.slowest(index),
            }
        };
        let bots = summary.bots.iter().enumerate().map(bot).collect();
        Self { run: run.name(), listing: &run.listing, bots }
    }
}

pub(super) fn write(history: &History, out: &mut dyn Write) -> io::Result<()> {
    let runs = history.runs.iter().map(|run| Entry::Run(ListedRun::of(run)));
    let entries: Vec<_> = runs.chain(history.broken.iter().map(Entry::Broken)).collect();
    write_json(&entries, out)
}
