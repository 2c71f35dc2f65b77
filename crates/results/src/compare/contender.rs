//! A bot's games, by board.

use std::collections::BTreeMap;

use super::groups;
use super::scale::{Finish, Scale};
use crate::said::SaidValue;
use crate::suite::{FolderError, Outcome, RecordId, RunFolder};
use rules::score::Direction;

/// A bot of a run, with its points on each board.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// Its name in a report.
    pub name: String,
    /// The name by which boards are grouped, if not by their properties.
    pub(super) by: Option<String>,
    /// Which scores of its game are better.
    pub(super) better: Direction,
    pub(super) boards: BTreeMap<RecordId, Played>,
}

/// A bot's games on a board.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Played {
    pub(super) board: String,
    /// The groups of the board, such as `colors 5` or `set smoke`.
    pub(super) groups: Vec<String>,
    /// The value of the bot's first game under the grouping name.
    pub(super) value: Option<SaidValue>,
    /// Its games by number; `None` if the host's delay ended the game.
    games: BTreeMap<usize, Option<Finish>>,
}

impl Played {
    /// The number of games that the host's delay ended.
    pub(super) fn lost_by_host(&self) -> usize {
        self.games.values().filter(|game| game.is_none()).count()
    }

    /// The games that the host's delay did not end.
    pub(super) fn finishes(&self) -> impl Iterator<Item = Finish> {
        self.games.values().filter_map(|game| *game)
    }
}

impl Contender {
    /// A bot that has not played yet, of a game with this direction.
    pub fn new(name: String, better: Direction) -> Self {
        Self { name, by: None, better, boards: BTreeMap::new() }
    }

    /// The games of the bots of `folder` that `wanted` selects, in one pass.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn read(folder: &RunFolder, wanted: &[(&str, String)]) -> Result<Vec<Self>, FolderError> {
        Self::read_by(folder, wanted, None)
    }

    /// As [`read`](Self::read), with boards grouped `by` what a bot said under this name, or by this property.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn read_by(
        folder: &RunFolder,
        wanted: &[(&str, String)],
        by: Option<&str>,
    ) -> Result<Vec<Self>, FolderError> {
        let new = |(_, name): &(&str, String)| Self {
            by: by.map(str::to_owned),
            ..Self::new(name.clone(), folder.run.plan.better)
        };
        let mut contenders: Vec<Self> = wanted.iter().map(new).collect();
        for outcome in folder.outcomes()? {
            let outcome = outcome?;
            let bots = wanted.iter().zip(&mut contenders);
            for (_, contender) in bots.filter(|((bot, _), _)| *bot == outcome.bot) {
                contender.add(&outcome);
            }
        }
        Ok(contenders)
    }

    /// Adds a game, if it was played.
    pub fn add(&mut self, outcome: &Outcome) {
        if !outcome.is_played() {
            return;
        }
        let score = self.boards.entry(outcome.record_id.clone()).or_insert_with(|| Played {
            board: outcome.board.clone(),
            groups: groups::of_board(outcome),
            value: None,
            games: BTreeMap::new(),
        });
        let finish = (!outcome.is_lost_by_host()).then(|| Finish::of(outcome));
        if let Some(by) = self.by.as_ref().filter(|_| finish.is_some()) {
            score.value = score.value.take().or_else(|| groups::value(outcome, by));
        }
        score.games.insert(outcome.game, finish);
    }

    /// Whether any board has a value under the grouping name.
    pub fn has_values(&self) -> bool {
        self.boards.values().any(|score| score.value.is_some())
    }

    /// The bot's games on a board that the host's delay did not end.
    pub(super) fn finishes_on(&self, record_id: &RecordId) -> Vec<Finish> {
        self.boards.get(record_id).into_iter().flat_map(Played::finishes).collect()
    }

    /// All games that the host's delay did not end.
    pub(super) fn finishes(&self) -> impl Iterator<Item = Finish> {
        self.boards.values().flat_map(Played::finishes)
    }

    /// The scale of its own games.
    pub(super) fn scale(&self) -> Scale {
        Scale::of(self.better, self.finishes())
    }

    /// The mean points over all games; where lower scores are better, over those that were not lost. 0 without such a game.
    pub fn mean(&self) -> f64 {
        let scale = self.scale();
        let counts = |game: &Finish| self.better.is_higher() || *game != Finish::Lost;
        let games = self.finishes().filter(counts);
        statistics::mean(&games.filter_map(|game| scale.points(game)).collect::<Vec<_>>())
    }

    /// The number of decimals of its scores.
    pub(super) fn decimals(&self) -> usize {
        self.finishes().map(Finish::decimals).max().unwrap_or(0)
    }

    /// The number of boards.
    pub fn boards(&self) -> usize {
        self.boards.len()
    }
}
