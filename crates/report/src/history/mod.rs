//! Shows a list of runs.

mod data;
mod entry;
mod lines;
mod page;
mod ratings;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::Serialize;

pub use self::page::{BotIndex, ComparedPair, page};
use super::document::{Document, Table};
use super::format::Report;
use super::metrics;
use super::rows::Rows;
use super::suite::{self, share};
use results::suite::{Bests, Commit, Listing, Records, Tally};
use rules::score::Direction;
use terms::text::{duration, plural, size};

/// The runs to list.
#[derive(Debug)]
pub struct History {
    /// The runs, newest first.
    pub runs: Vec<Listed>,
    /// The number of older runs that are not shown.
    pub older: usize,
    /// The folders without a readable run.
    pub broken: Vec<Broken>,
    /// The names of the folders that were searched.
    pub places: String,
}

/// A run, compared with the best scores that are known today.
#[derive(Debug)]
pub struct Listed {
    /// Its folder.
    pub path: PathBuf,
    /// Its summary.
    pub listing: Listing,
    /// The size of its files, if it is shown.
    pub bytes: Option<u64>,
    /// The address of its own page, if it has one.
    pub page: Option<String>,
}

/// A folder without a readable run.
#[derive(Debug, Serialize)]
pub struct Broken {
    /// The folder.
    pub run: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Compares the bots of these runs with the best scores that are known today of each game, and returns these.
pub fn compare(runs: &mut [Listed], records: &Records) -> BTreeMap<String, Bests> {
    let mut bests: BTreeMap<String, Bests> = BTreeMap::new();
    for Listed { listing, .. } in runs {
        let bests = bests.entry(listing.game.clone());
        listing.summary.compare(bests.or_insert_with_key(|game| Bests::of(game, records)));
    }
    bests
}

impl Listed {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn if_of_one(&self, text: impl FnOnce() -> String) -> String {
        if self.listing.summary.opponents == 0 { text() } else { String::new() }
    }

    fn if_of_several(&self, text: impl FnOnce() -> String) -> String {
        if self.listing.summary.opponents > 0 { text() } else { String::new() }
    }

    /// When it was started, and its folder: an order of runs.
    fn key(&self) -> (jiff::Timestamp, &std::path::Path) {
        (self.listing.started, &self.path)
    }
}

/// A row for each bot of each run.
impl Report for History {
    fn document(&self) -> Document {
        let mut document = Document::default();
        if self.runs.is_empty() && self.broken.is_empty() {
            let none = format!("There are no runs in {}.", self.places);
            document.headline(none.into());
        }
        if !self.runs.is_empty() {
            document.table(self.table());
        }
        let broken = |broken: &Broken| format!("{}: {}", broken.run, broken.problem).into();
        document.list("", self.broken.iter().map(broken));
        for sentence in self.sentences() {
            document.sentence(sentence);
        }
        document
    }

    fn value(&self) -> impl Serialize {
        data::entries(self)
    }

    fn rows(&self) -> io::Result<Option<Rows<'_>>> {
        Ok(Some(data::rows(self)))
    }
}

impl History {
    /// A sentence for each thing that there is to say about the table.
    fn sentences(&self) -> impl Iterator<Item = String> {
        let bytes: Vec<u64> = self.runs.iter().filter_map(|run| run.bytes).collect();
        let size =
            (bytes.len() > 1).then(|| format!("These runs take {}.", size(bytes.iter().sum())));
        let about = [self.mixed(), self.mark()].into_iter().flatten().map(str::to_owned);
        about.chain(size).chain(self.more())
    }

    /// The columns that tell something of these runs, with a row for each bot of each run.
    fn table(&self) -> Table {
        let all = || {
            self.runs
                .iter()
                .flat_map(|run| (0..).zip(&run.listing.summary.bots).map(move |bot| (run, bot)))
        };
        let columns: Vec<&Column> = COLUMNS
            .iter()
            .filter(|column| match column.is_shown {
                Shown::Always => true,
                Shown::OfSeveralGames => self.is_of_several_games(),
                Shown::WhereTold => all().any(|(run, bot)| !(column.cell)(run, bot).is_empty()),
            })
            .collect();
        let share = self.better().unwrap_or_default().share_name();
        let heading =
            |column: &&Column| if column.heading.is_empty() { share } else { column.heading };
        let headings: Vec<&str> = columns.iter().map(heading).collect();
        let rows = all().map(|(run, bot)| {
            let cell = |column: &&Column| match (column.cell)(run, bot) {
                empty if empty.is_empty() && !column.is_words => "-".to_owned(),
                cell => cell,
            };
            columns.iter().map(cell).collect()
        });
        let words = (0..columns.len()).filter(|at| columns[*at].is_words).collect();
        Table { words, ..Table::new("Runs", &headings, rows) }
    }

    /// Whether a bot of a run has a share of the best known scores.
    fn has_share(&self) -> bool {
        let mut bots = self.runs.iter().flat_map(|run| &run.listing.summary.bots);
        bots.any(|bot| bot.ratio().is_some())
    }

    fn is_of_several_games(&self) -> bool {
        let games = |run: &Listed, other: &Listed| run.listing.game == other.listing.game;
        !self.runs.windows(2).all(|pair| games(&pair[0], &pair[1]))
    }

    /// The direction of the games of all runs; `None` if they differ.
    fn better(&self) -> Option<Direction> {
        let better = |run: &Listed| run.listing.summary.better;
        let first = self.runs.first().map(better)?;
        self.runs.iter().all(|run| better(run) == first).then_some(first)
    }

    /// What the share means in a list of games with both directions.
    fn mixed(&self) -> Option<&'static str> {
        let is_mixed = !self.runs.is_empty() && self.better().is_none() && self.has_share();
        is_mixed.then_some("yours/best is best/yours in games whose lower scores are better.")
    }

    /// A sentence about the runs that are not shown, if there are any.
    fn more(&self) -> Option<String> {
        let older = plural(self.older as u64, "older run");
        let verb = if self.older == 1 { "is" } else { "are" };
        (self.older > 0).then(|| format!("{older} {verb} not shown; --all shows all."))
    }

    /// What the `*` of a commit means, if any commit shown has it.
    fn mark(&self) -> Option<&'static str> {
        let is_dirty =
            |run: &Listed| run.listing.git.as_ref().is_some_and(|git| git.dirty == Some(true));
        let is_marked = self.runs.iter().any(is_dirty);
        is_marked.then_some("* Some changes were not committed.")
    }
}

/// When a column is shown.
enum Shown {
    Always,
    OfSeveralGames,
    /// If a cell is not empty.
    WhereTold,
}

/// A bot of a run, by index.
type Bot<'a> = (usize, &'a Tally);

/// A column of the table for people.
struct Column {
    /// Empty for the share of the best known scores, whose name depends on the games.
    heading: &'static str,
    is_words: bool,
    is_shown: Shown,
    cell: fn(&Listed, Bot<'_>) -> String,
}

impl Column {
    const fn words(heading: &'static str, cell: fn(&Listed, Bot<'_>) -> String) -> Self {
        Self { heading, is_words: true, is_shown: Shown::Always, cell }
    }

    const fn numbers(heading: &'static str, cell: fn(&Listed, Bot<'_>) -> String) -> Self {
        Self { heading, is_words: false, is_shown: Shown::WhereTold, cell }
    }
}

/// Numbers that mean nothing for a bot are empty: scores and losses in games of several players, places and failures in others.
const COLUMNS: &[Column] = &[
    Column::words("run", |run, bot| once(bot, || run.name())),
    Column::words("started (UTC)", |run, bot| {
        once(bot, || run.listing.started.strftime("%Y-%m-%d %H:%M").to_string())
    }),
    Column {
        is_shown: Shown::OfSeveralGames,
        ..Column::words("game", |run, bot| once(bot, || run.listing.game.clone()))
    },
    Column::words("boards", |run, bot| once(bot, || run.listing.board_names())),
    Column::words("bot", |_, (_, tally)| tally.bot.clone()),
    Column::numbers("games", |run, (bot, Tally { games, .. })| {
        match run.listing.summary.planned[bot] {
            planned if planned == *games => games.to_string(),
            planned => format!("{games}/{planned}"),
        }
    }),
    Column::numbers("sum", |run, (_, tally)| run.if_of_one(|| suite::sum(tally))),
    Column::numbers("mean", |run, (_, tally)| run.if_of_one(|| suite::mean(tally))),
    Column::numbers("", |_, (_, tally)| tally.ratio().map_or_else(String::new, share)),
    Column::numbers("lost", |run, (_, tally)| run.if_of_one(|| tally.lost.to_string())),
    Column::numbers("place", |run, (_, tally)| run.if_of_several(|| suite::place(tally))),
    Column::numbers("failed", |run, (_, tally)| run.if_of_several(|| tally.lost.to_string())),
    Column {
        is_shown: Shown::Always,
        ..Column::numbers("slowest", |run, (bot, _)| {
            let slowest = run.listing.summary.slowest(bot);
            slowest.map_or_else(String::new, |slowest| duration(slowest.0))
        })
    },
    Column {
        is_shown: Shown::WhereTold,
        ..Column::words("size", |run, bot| once(bot, || run.bytes.map(size).unwrap_or_default()))
    },
    Column::words("commit", |run, bot| {
        once(bot, || run.listing.git.as_ref().map(Commit::short).unwrap_or_default())
    }),
    Column::words("comment", |run, bot| {
        once(bot, || one_line(run.listing.comment.as_deref().unwrap_or_default()))
    }),
    Column {
        is_shown: Shown::WhereTold,
        ..Column::words("said, on average", |_, (_, tally)| metrics::means(tally))
    },
];

/// What only the first row of a run shows.
fn once((bot, _): Bot<'_>, text: impl FnOnce() -> String) -> String {
    if bot == 0 { text() } else { String::new() }
}

/// Text with each stretch of blanks and line breaks as one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
