//! A bot's games, by board.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::groups::{self, Grouping};
use super::valuation::{Finish, Valuation};
use crate::digest::digest;
use crate::metrics::MetricValue;
use crate::suite::{BoardId, FolderError, Outcome, Plan, PlannedBot, RecordId, RunFolder};
use rules::measure::Measure;
use rules::score::{Direction, Score};
use terms::fault::Attributed;

/// A bot of a run, with its points on each board.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// Its name in a report.
    pub name: String,
    /// How boards are grouped, if not by their properties.
    pub(super) by: Vec<Grouping>,
    /// Which scores of its game are better.
    pub(super) better: Direction,
    /// What is compared of its scores.
    pub(super) measure: Measure,
    pub(super) boards: BTreeMap<RecordId, BoardGames>,
    pub(super) field: Field,
}

/// The bots that a bot of games of several players meets.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Field {
    /// Whether the bots that are compared play each other, or each the same pool.
    is_entrant: bool,
    /// What identifies the bot.
    own: String,
    /// What identifies each bot of the run, by name; another program is another bot, whatever its name.
    bots: BTreeMap<String, String>,
    /// The bots in the other seats: each set of them once. Empty if all games have one player.
    others: Vec<BTreeSet<String>>,
}

/// A score that cannot be compared by its logarithm.
#[derive(Debug, thiserror::Error)]
#[error("{bot} has a score of {score} on {board}, and only scores above 0 have a logarithm")]
pub struct NoLogarithm {
    bot: String,
    board: String,
    score: Score,
}

impl Attributed for NoLogarithm {}

/// How a game ended, by its score and by its place.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ended {
    scored: Finish,
    placed: Finish,
    /// The bots in the other seats, by index; 0 in a game of one player.
    others: usize,
}

/// A bot's games on a board.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoardGames {
    pub(super) board: String,
    /// The boards with its `record_id`, itself among them.
    copies: BTreeSet<BoardId>,
    /// What the board is grouped by, such as `colors` or `set`, with its values.
    pub(super) groups: BTreeMap<String, MetricValue>,
    /// The best score that was known when its games were played.
    best_known: Option<Score>,
    /// The value of the bot's first game under the name of each grouping.
    pub(super) values: Vec<Option<MetricValue>>,
    /// Its games by number; `None` if the host's delay ended the game.
    games: BTreeMap<usize, Option<Ended>>,
}

impl BoardGames {
    /// The number of boards that are copies of another one in the games of two bots.
    pub(super) fn copies_with(&self, other: &Self) -> usize {
        self.copies.union(&other.copies).count() - 1
    }

    /// The number of its first game.
    pub(super) fn first(&self) -> Option<usize> {
        self.games.keys().next().copied()
    }

    /// The number of games that the host's delay ended.
    pub(super) fn lost_by_host(&self) -> usize {
        self.games.values().filter(|game| game.is_none()).count()
    }

    /// The games that the host's delay did not end, as this measure sees them.
    pub(super) fn finishes(&self, measure: Measure) -> impl Iterator<Item = Finish> {
        self.games.values().flatten().map(move |ended| match measure {
            Measure::Place => ended.placed,
            _ => ended.scored,
        })
    }
}

impl Contender {
    /// A bot that has not played yet, of a game with this direction.
    pub fn new(name: String, better: Direction) -> Self {
        Self {
            name,
            by: Vec::new(),
            better,
            measure: Measure::default(),
            boards: BTreeMap::new(),
            field: Field::default(),
        }
    }

    /// The bot of this name among the others of a plan.
    #[must_use]
    pub fn among(self, plan: &Plan, bot: &str) -> Self {
        let identity = |bot: &PlannedBot| {
            let bot = PlannedBot { pool: false, ..bot.clone() };
            digest(&serde_json::to_vec(&bot).expect("plain data"))
        };
        let bots: BTreeMap<String, String> =
            plan.bots.iter().map(|bot| (bot.name.clone(), identity(bot))).collect();
        let is_entrant = plan.bots[plan.entrants()].iter().any(|entrant| entrant.name == bot);
        let own = bots.get(bot).cloned().unwrap_or_default();
        Self { field: Field { is_entrant, own, bots, others: Vec::new() }, ..self }
    }

    /// Whether its games have several players.
    pub fn is_of_several(&self) -> bool {
        !self.field.others.is_empty()
    }

    /// Two bots, each with its games against opponents that both have met, or against the other one; and the number of games that
    /// are left out. Bots of one run meet each other, or the same pool.
    pub(super) fn with_common_opponents<'a>(
        one: &'a Self,
        other: &'a Self,
    ) -> ([Cow<'a, Self>; 2], usize) {
        let fields = [&one.field, &other.field];
        let [is_alike, is_entrant] =
            [one.field.bots == other.field.bots, fields.iter().all(|field| field.is_entrant)];
        if is_alike && is_entrant || fields.iter().all(|field| field.others.is_empty()) {
            return ([one, other].map(Cow::Borrowed), 0);
        }
        let [met, met_by_other] = fields.map(|field| {
            field.others.iter().flatten().chain([&field.own]).collect::<BTreeSet<_>>()
        });
        let common: BTreeSet<&String> = met.intersection(&met_by_other).copied().collect();
        let mut left_out = 0;
        let bots = [one, other].map(|bot| {
            let mut bot = bot.clone();
            let is_common: Vec<bool> = bot
                .field
                .others
                .iter()
                .map(|set| set.iter().all(|it| common.contains(it)))
                .collect();
            for on_board in bot.boards.values_mut() {
                let before = on_board.games.len();
                on_board.games.retain(|_, game| game.is_none_or(|game| is_common[game.others]));
                left_out += before - on_board.games.len();
            }
            Cow::Owned(bot)
        });
        (bots, left_out)
    }

    /// The bot, to be compared in this measure.
    #[must_use]
    pub fn measured_in(self, measure: Measure) -> Self {
        Self { measure, ..self }
    }

    /// The games of the bots of `folder` that `wanted` selects, in one pass.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn read(folder: &RunFolder, wanted: &[(&str, String)]) -> Result<Vec<Self>, FolderError> {
        Self::read_by(folder, wanted, &[])
    }

    /// As [`read`](Self::read), with boards grouped `by` what a bot said, or by properties.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn read_by(
        folder: &RunFolder,
        wanted: &[(&str, String)],
        by: &[Grouping],
    ) -> Result<Vec<Self>, FolderError> {
        let new = |(bot, name): &(&str, String)| Self {
            by: by.to_vec(),
            measure: folder.run.plan.measure(),
            ..Self::new(name.clone(), folder.run.plan.better).among(&folder.run.plan, bot)
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

    /// Checks that each score has a value in the measure.
    ///
    /// # Errors
    /// When scores are compared by logarithm, and one is not above 0.
    pub fn check_scores(&self) -> Result<(), NoLogarithm> {
        let on_board = |on| BoardGames::finishes(on, self.measure).map(move |game| (on, game));
        let games = self.boards.values().flat_map(on_board);
        for (on, game) in games.filter(|_| self.measure == Measure::Log) {
            if let Finish::Won(Some(score)) = game
                && score <= Score::ZERO
            {
                return Err(NoLogarithm { bot: self.name.clone(), board: on.board.clone(), score });
            }
        }
        Ok(())
    }

    /// Adds a game, if it was played.
    pub fn add(&mut self, outcome: &Outcome) {
        if !outcome.is_played() {
            return;
        }
        let others = self.field.index_of(outcome);
        let score = self.boards.entry(outcome.record_id.clone()).or_insert_with(|| BoardGames {
            board: outcome.board.clone(),
            copies: BTreeSet::new(),
            groups: groups::of_board(outcome),
            best_known: None,
            values: vec![None; self.by.len()],
            games: BTreeMap::new(),
        });
        let ended = (!outcome.is_lost_by_host()).then(|| Ended {
            scored: Finish::of(outcome, Measure::Points),
            placed: Finish::of(outcome, Measure::Place),
            others,
        });
        for (by, value) in self.by.iter().zip(&mut score.values).filter(|_| ended.is_some()) {
            *value = value.take().or_else(|| groups::value(outcome, &by.name));
        }
        score.copies.insert(outcome.board_id.clone());
        score.best_known = better_of(self.better, score.best_known, outcome.best_known);
        score.games.insert(outcome.game, ended);
    }

    /// The values of its boards under the name of a grouping, by its index.
    pub fn values(&self, grouping: usize) -> impl Iterator<Item = &MetricValue> {
        self.boards.values().filter_map(move |played| played.values.get(grouping)?.as_ref())
    }

    /// The best score on a board that was known when the bot played there, or of this game.
    pub(super) fn best_known(&self, record_id: &RecordId, now: Option<Score>) -> Option<Score> {
        let known = self.boards.get(record_id).and_then(|played| played.best_known);
        better_of(self.better, known, now)
    }

    /// The bot's games on a board that the host's delay did not end.
    pub(super) fn finishes_on(&self, record_id: &RecordId) -> Vec<Finish> {
        self.boards.get(record_id).into_iter().flat_map(|on| on.finishes(self.measure)).collect()
    }

    /// All games that the host's delay did not end.
    pub(super) fn finishes(&self) -> impl Iterator<Item = Finish> {
        self.boards.values().flat_map(|on| on.finishes(self.measure))
    }

    /// The valuation of its own games.
    pub(super) fn valuation(&self) -> Valuation {
        Valuation::of(self.measure, self.better, self.finishes())
    }

    /// The mean points over all games; where lower scores are better, over those that were not lost. 0 without such a game.
    pub fn mean(&self) -> f64 {
        let valuation = self.valuation();
        let counts = |game: &Finish| self.better.is_higher() || *game != Finish::Lost;
        let games = self.finishes().filter(counts);
        statistics::mean(&games.filter_map(|game| valuation.points(game)).collect::<Vec<_>>())
    }

    /// The number of decimals of its scores.
    pub fn decimals(&self) -> usize {
        self.finishes().map(Finish::decimals).max().unwrap_or(0)
    }

    /// The number of boards.
    pub fn boards(&self) -> usize {
        self.boards.len()
    }
}

impl Field {
    /// The index of those in the other seats.
    fn index_of(&mut self, outcome: &Outcome) -> usize {
        let Some(seat) = &outcome.seat else { return 0 };
        let others = seat.bots.iter().enumerate().filter(|(at, _)| *at != seat.seat);
        let identity = |name: &String| self.bots.get(name).unwrap_or(name).clone();
        let others: BTreeSet<String> = others.map(|(_, name)| identity(name)).collect();
        self.others.iter().position(|known| *known == others).unwrap_or_else(|| {
            self.others.push(others);
            self.others.len() - 1
        })
    }
}

/// The better of two scores that need not be there.
fn better_of(better: Direction, one: Option<Score>, other: Option<Score>) -> Option<Score> {
    one.into_iter().chain(other).reduce(|one, other| better.better(one, other))
}
