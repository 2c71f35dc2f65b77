//! Shows a list of runs: one file for each format.

mod csv;
mod json;
mod markdown;
mod page;
mod text;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use self::page::page;
use results::suite::{Bests, Commit, ListedBot, Listing};
use terms::millis::Millis;
use terms::text::{duration, plural};

/// How a list of runs is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ListFormat {
    /// For people
    #[default]
    Text,
    /// For programs: one array on one line
    Json,
    /// For spreadsheets: a row for each bot of each run
    Csv,
    /// For pages such as GitHub's
    Markdown,
}

/// The runs to list.
pub struct History {
    /// The runs, newest first.
    pub runs: Vec<RunRow>,
    /// How many older ones are not shown.
    pub older: usize,
    /// The folders that hold no run that can be read.
    pub broken: Vec<Broken>,
}

/// A run on a page.
pub struct Listed {
    /// Its folder.
    pub path: PathBuf,
    /// What is shown of it.
    pub listing: Listing,
    /// The address of its own page.
    pub page: Option<String>,
}

/// A folder that holds no run that can be read.
#[derive(Debug, Serialize)]
pub struct Broken {
    /// The folder.
    pub run: String,
    /// What is wrong with it.
    pub problem: String,
}

/// A run. In JSON its fields are a contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunRow {
    /// Its folder.
    pub run: String,
    /// When it was started.
    pub started: jiff::Timestamp,
    /// The game.
    pub game: String,
    /// The number of boards.
    pub boards: usize,
    /// The board sets that these come from.
    pub sets: Vec<String>,
    /// The first and the last seed.
    pub seeds: Option<(i64, i64)>,
    /// What the boards are called in a table.
    #[serde(skip)]
    pub board_names: String,
    /// The games of the plan.
    pub planned: usize,
    /// How many parts it has that are not merged.
    pub parts: u32,
    /// The commit that it was started from.
    pub git: Option<Commit>,
    /// The run of the opponent.
    pub against: Option<PathBuf>,
    /// The user's comment.
    pub comment: Option<String>,
    /// The bots.
    pub bots: Vec<BotRow>,
}

/// A bot of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BotRow {
    bot: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    params: BTreeMap<String, String>,
    games: usize,
    not_played: usize,
    lost: usize,
    sum: i64,
    mean: Option<f64>,
    /// The mean of yours/best, from 0 to 1.
    ratio: Option<f64>,
    slowest_ms: Option<Millis>,
}

impl RunRow {
    /// The row of the run in `path`, compared with the best scores that are known today.
    pub fn new(path: &Path, listing: &Listing, bests: &Bests) -> Self {
        let bots = listing.bots.iter().enumerate();
        Self {
            run: path.display().to_string(),
            started: listing.started,
            game: listing.game.clone(),
            boards: listing.boards,
            sets: listing.sets.clone(),
            seeds: listing.seeds,
            board_names: listing.board_names(),
            planned: listing.planned,
            parts: listing.parts,
            git: listing.git.clone(),
            against: listing.against.clone(),
            comment: listing.comment.clone(),
            bots: bots.map(|(index, bot)| BotRow::new(bot, listing.ratio(index, bests))).collect(),
        }
    }

    /// How many games each bot has, at most.
    fn planned_each(&self) -> usize {
        self.planned / self.bots.len().max(1)
    }
}

impl BotRow {
    fn new(listed: &ListedBot, ratio: Option<f64>) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
        let mean = listed.sum as f64 / listed.games as f64;
        Self {
            bot: listed.bot.clone(),
            params: listed.params.clone(),
            games: listed.games,
            not_played: listed.not_played,
            lost: listed.lost,
            sum: listed.sum,
            mean: (listed.games > 0).then_some(mean),
            ratio,
            slowest_ms: listed.slowest,
        }
    }
}

impl History {
    /// Writes the list.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, format: ListFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            ListFormat::Text => text::write(self, out),
            ListFormat::Json => json::write(self, out),
            ListFormat::Csv => csv::write(self, out),
            ListFormat::Markdown => markdown::write(self, out),
        }
    }

    /// A sentence about the runs that are not shown, if there are any.
    fn more(&self) -> Option<String> {
        let older = plural(self.older as u64, "older run");
        let verb = if self.older == 1 { "is" } else { "are" };
        (self.older > 0).then(|| format!("{older} {verb} not shown; --all shows all."))
    }

    /// What the mark of a commit means, if one has it.
    fn mark(&self) -> Option<&'static str> {
        let is_dirty = |run: &RunRow| run.git.as_ref().is_some_and(|git| git.dirty);
        let is_marked = self.runs.iter().any(is_dirty);
        is_marked.then_some("* There were changes that were not committed.")
    }
}

/// The headings of a table for people.
const HEADINGS: [&str; 12] = [
    "run",
    "started",
    "boards",
    "bot",
    "games",
    "sum",
    "mean",
    "yours/best",
    "lost",
    "slowest",
    "commit",
    "comment",
];

/// Which columns hold numbers.
const NUMBERS: [bool; 12] =
    [false, false, false, false, true, true, true, true, true, true, false, false];

/// The rows of a run for people: one for each bot; what is the run's own stands in the first one.
fn rows(run: &RunRow) -> Vec<Vec<String>> {
    let row = |(index, bot): (usize, &BotRow)| {
        let once = |text: &dyn Fn() -> String| if index == 0 { text() } else { String::new() };
        let planned = run.planned_each();
        let games = bot.games.to_string();
        let number = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        vec![
            once(&|| run.run.clone()),
            once(&|| run.started.strftime("%Y-%m-%d %H:%M").to_string()),
            once(&|| run.board_names.clone()),
            bot.bot.clone(),
            if bot.games == planned { games } else { format!("{games}/{planned}") },
            bot.sum.to_string(),
            number(bot.mean.map(|mean| format!("{mean:.1}"))),
            number(bot.ratio.map(|ratio| format!("{:.2} %", 100.0 * ratio))),
            bot.lost.to_string(),
            number(bot.slowest_ms.map(|slowest| duration(slowest.0))),
            once(&|| run.git.as_ref().map(Commit::short).unwrap_or_default()),
            once(&|| one_line(run.comment.as_deref().unwrap_or_default())),
        ]
    };
    run.bots.iter().enumerate().map(row).collect()
}

/// Text with each stretch of blanks and line breaks as one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
