//! A list of runs for programs: an array on one line, or a row for each bot of each run.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Broken, History, Listed};
use crate::rows::Rows;
use results::suite::Listing;
use rules::score::{Direction, Score};
use terms::millis::Millis;

/// An object for a run, or for a folder that holds none.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Entry<'a> {
    Run {
        run: String,
        #[serde(flatten)]
        listing: &'a Listing,
        bytes: Option<u64>,
        bots: Vec<Totals<'a>>,
    },
    Broken(&'a Broken),
}

/// A row for a bot of a run, or for a folder that holds none.
#[derive(Serialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "each row is written before the next one is made")]
enum Row<'a> {
    Bot {
        run: String,
        boards: String,
        planned: usize,
        bytes: Option<u64>,
        listing: &'a Listing,
        bot: Totals<'a>,
    },
    Broken(&'a Broken),
}

#[derive(Serialize)]
pub(super) struct Totals<'a> {
    bot: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    params: &'a BTreeMap<String, String>,
    games: usize,
    not_played: usize,
    lost: usize,
    sum: Score,
    mean: Option<f64>,
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<f64>,
    slowest_ms: Option<Millis>,
    #[serde(skip_serializing_if = "Direction::is_higher")]
    better: Direction,
}

impl Listed {
    fn entry(&self) -> Entry<'_> {
        Entry::Run {
            run: self.name(),
            listing: &self.listing,
            bytes: self.bytes,
            bots: self.bots().collect(),
        }
    }

    fn bots(&self) -> impl Iterator<Item = Totals<'_>> {
        let summary = &self.listing.summary;
        summary.bots.iter().enumerate().map(|(index, tally)| Totals {
            bot: &tally.bot,
            params: &tally.params,
            games: tally.games,
            not_played: tally.not_played,
            lost: tally.lost,
            sum: tally.sum,
            mean: tally.mean(),
            ratio: tally.ratio(),
            place: tally.place,
            slowest_ms: summary.slowest(index),
            better: tally.better,
        })
    }
}

pub(super) fn entries(history: &History) -> Vec<Entry<'_>> {
    let runs = history.runs.iter().map(Listed::entry);
    runs.chain(history.broken.iter().map(Entry::Broken)).collect()
}

const COLUMNS: &str = "run listing/started listing/game boards bot/bot planned bot/games bot/not_played \
    bot/lost bot/sum bot/mean bot/ratio bot/slowest_ms listing/git/commit listing/git/dirty listing/comment \
    problem bot/place bytes";

pub(super) fn rows(history: &History) -> Rows<'_> {
    let rows = history.runs.iter().flat_map(|run| {
        let listing = &run.listing;
        let (name, boards, bytes) = (run.name(), listing.board_names(), run.bytes);
        run.bots().zip(&listing.summary.planned).map(move |(bot, &planned)| {
            let (run, boards) = (name.clone(), boards.clone());
            Row::Bot { run, boards, planned, bytes, listing, bot }
        })
    });
    let rows = rows.chain(history.broken.iter().map(Row::Broken));
    Rows::new(COLUMNS, rows.map(Ok))
}
