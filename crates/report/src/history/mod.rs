//! Shows a list of runs.

mod data;
mod entry;
mod lines;
mod page;
mod ratings;

use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;

pub use self::page::{BotIndex, ComparedPair, page};
use super::document::{Document, Table};
use super::format::Format;
use super::metrics;
use super::suite::{self, share};
use results::suite::{Commit, Listing, Tally};
use rules::score::Direction;
use terms::text::{duration, plural};

/// The runs to list.
#[derive(Debug)]
pub struct History {
    /// The runs, newest first.
    pub runs: Vec<Listed>,
    /// The number of older runs that are not shown.
    pub older: usize,
    /// The folders without a readable run.
    pub broken: Vec<Broken>,
    /// Whether there are runs that were left out because of their bots or boards.
    pub is_filtered: bool,
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

impl Listed {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// When it was started, and its folder: an order of runs.
    fn key(&self) -> (jiff::Timestamp, &std::path::Path) {
        (self.listing.started, &self.path)
    }
}

impl History {
    /// Writes the list as text, Markdown, JSON, or CSV with a row for each bot of each run.
    ///
    /// # Errors
    /// When `out` fails, or for another format.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => self.document().write_text(out),
            Format::Json => data::write_json(self, out),
            Format::Csv => data::write_csv(self, out),
            Format::Markdown => self.document().write_markdown(out),
            _ => Err(format.unsupported()),
        }
    }

    /// A row for each bot of each run.
    fn document(&self) -> Document {
        let mut document = Document::default();
        if self.runs.is_empty() && self.broken.is_empty() {
            let none = if self.is_filtered {
                "There are runs, but none with such a bot and such boards.".to_owned()
            } else {
                format!("There are no runs in {}.", self.places)
            };
            document.headline(none.into());
        }
        if !self.runs.is_empty() {
            let is_of_several = self.is_of_several_games();
            let has_said = self.has_said();
            let mut rows: Vec<Vec<String>> =
                self.runs.iter().flat_map(|run| rows(run, is_of_several, has_said)).collect();
            let mut headings = headings(self.better()).to_vec();
            headings.extend(has_said.then_some("said, on average"));
            let mut words = &WORDS[..];
            let mut share = SHARE;
            if is_of_several {
                headings.insert(GAME, "game");
                words = &WORDS_WITH_GAME;
                share += 1;
            }
            if !self.has_share() {
                headings.remove(share);
                for row in &mut rows {
                    row.remove(share);
                }
                words = if is_of_several { &WORDS_WITH_GAME_ALONE } else { &WORDS_ALONE };
            }
            document.table(Table { words, ..Table::new("Runs", &headings, rows) });
        }
        let broken = |broken: &Broken| format!("{}: {}", broken.run, broken.problem).into();
        document.list("", self.broken.iter().map(broken));
        for sentence in self.mixed().into_iter().chain(self.mark()) {
            document.sentence(sentence);
        }
        if let Some(more) = self.more() {
            document.sentence(more);
        }
        document
    }

    /// Whether a bot of a run said numbers about itself.
    fn has_said(&self) -> bool {
        let mut bots = self.runs.iter().flat_map(|run| &run.listing.summary.bots);
        bots.any(|bot| !bot.said.is_empty())
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

/// The headings of a table for people.
fn headings(better: Option<Direction>) -> [&'static str; 12] {
    let share = better.unwrap_or_default().share_name();
    [
        "run",
        "started (UTC)",
        "boards",
        "bot",
        "games",
        "sum",
        "mean",
        share,
        "lost",
        "slowest",
        "commit",
        "comment",
    ]
}

/// Which columns hold words; the last one is there if bots said numbers.
const WORDS: [usize; 7] = [0, 1, 2, 3, 10, 11, 12];

/// The column of the share of the best known scores, which a list without any leaves out.
const SHARE: usize = 7;

/// Which columns hold words without that column.
const WORDS_ALONE: [usize; 7] = [0, 1, 2, 3, 9, 10, 11];

/// The column of the game, in a list of runs of several games.
const GAME: usize = 2;

/// Which columns hold words in such a list.
const WORDS_WITH_GAME: [usize; 8] = [0, 1, 2, 3, 4, 11, 12, 13];

/// The same without the column of the share.
const WORDS_WITH_GAME_ALONE: [usize; 8] = [0, 1, 2, 3, 4, 10, 11, 12];

/// The rows of a run for people: one for each bot; the first one also shows the run's date, boards and comment.
fn rows(run: &Listed, names_game: bool, has_said: bool) -> Vec<Vec<String>> {
    let listing = &run.listing;
    let row = |(index, bot): (usize, &Tally)| {
        let once = |text: &dyn Fn() -> String| if index == 0 { text() } else { String::new() };
        let planned = listing.summary.planned[index];
        let games = bot.games.to_string();
        let number = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let mut row = vec![
            once(&|| run.name()),
            once(&|| listing.started.strftime("%Y-%m-%d %H:%M").to_string()),
            once(&|| listing.board_names()),
            bot.bot.clone(),
            if bot.games == planned { games } else { format!("{games}/{planned}") },
            suite::sum(bot),
            suite::mean(bot),
            number(bot.ratio().map(share)),
            bot.lost.to_string(),
            number(listing.summary.slowest(index).map(|slowest| duration(slowest.0))),
            once(&|| listing.git.as_ref().map(Commit::short).unwrap_or_default()),
            once(&|| one_line(listing.comment.as_deref().unwrap_or_default())),
        ];
        row.extend(has_said.then(|| metrics::means(bot)));
        if names_game {
            row.insert(GAME, once(&|| listing.game.clone()));
        }
        row
    };
    listing.summary.bots.iter().enumerate().map(row).collect()
}

/// Text with each stretch of blanks and line breaks as one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
