//! The totals of a run's results, added up in one pass.
//!
//! A [`Summary`] feeds the report at the end of a suite, the records, the list of runs, and the pages. It
//! holds boards, and of games no more than the first of each kind of loss.

mod listing;
mod places;
mod tally;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

pub use self::listing::{Listing, list_runs};
pub use self::places::differing_places;
pub use self::tally::{Points, Tally, Totals};
use crate::suite::outcome::{Loss, Outcome, Times};
use crate::suite::plan::{Plan, PlannedBot, RecordId};
use crate::suite::records::{Bests, Record, Records};
use crate::suite::store::{FolderError, RunFolder};
use rules::score::{Direction, Score};
use terms::millis::Millis;

/// A board whose best score has been beaten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewBest {
    /// The name of the board with a new best score.
    pub board: String,
    /// The bot that reached it.
    pub bot: String,
    /// The new best score.
    pub score: Score,
    /// The best score before.
    pub before: Score,
    /// The holder of the best score before.
    pub by: String,
}

/// The response times of a bot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Responses {
    slowest_first: Option<Millis>,
    slowest_later: Option<Millis>,
    /// The number of games whose first response was timed, and the sum of these times.
    games: u32,
    first_sum: Millis,
}

impl Responses {
    fn add(&mut self, times: &Times) {
        self.slowest_first = self.slowest_first.max(times.first);
        self.slowest_later = self.slowest_later.max(times.slowest);
        if let Some(first) = times.first {
            self.games += 1;
            self.first_sum = Millis(self.first_sum.0 + first.0);
        }
    }
}

/// The totals of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// The name of the game that was played.
    pub game: String,
    /// Which of its scores are better.
    pub better: Direction,
    /// The number of each bot's games in the plan, or in this part of it.
    pub planned: Vec<usize>,
    /// The number of opponents in each game.
    pub opponents: usize,
    /// One tally for each bot.
    pub bots: Vec<Tally>,
    /// The first kinds of losses.
    pub losses: Vec<Loss>,
    /// The first kinds of reasons why games were not played.
    pub not_played: Vec<Loss>,
    /// Boards whose best known score has been beaten.
    pub new_bests: Vec<NewBest>,
    /// What bots said, by name: whether it can be a number.
    pub said: BTreeMap<String, bool>,
    /// The response times of each bot.
    responses: Vec<Responses>,
    /// The points of each bot on each board.
    boards: BTreeMap<RecordId, Box<[Points]>>,
}

impl Summary {
    /// The summary of a run without results.
    fn new(folder: &RunFolder) -> Self {
        let plan = &folder.run.plan;
        let tally = |bot: &PlannedBot| Tally {
            bot: bot.name.clone(),
            params: bot.params.clone(),
            better: plan.better,
            ..Tally::default()
        };
        Self {
            game: plan.game.clone(),
            better: plan.better,
            planned: (0..plan.bots.len()).map(|bot| folder.planned_of(bot)).collect(),
            opponents: plan.players() - 1,
            bots: plan.bots.iter().map(tally).collect(),
            responses: vec![Responses::default(); plan.bots.len()],
            ..Self::default()
        }
    }

    /// Adds up a run, and [compares](Self::compare) it with the best `known` scores.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn of(folder: &RunFolder, known: &Bests) -> Result<Self, FolderError> {
        Self::read(folder, known, |_| Ok(()))
    }

    /// As [`Self::of`], and hands each result to `each` once it is added.
    ///
    /// # Errors
    /// When the results cannot be read, or `each` fails.
    pub fn read<E: From<FolderError>>(
        folder: &RunFolder,
        known: &Bests,
        mut each: impl FnMut(Outcome) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut summary = Self::new(folder);
        for outcome in folder.outcomes()? {
            let outcome = outcome?;
            summary.add(&outcome);
            each(outcome)?;
        }
        summary.compare(known);
        summary.new_bests = summary.better_than(known, &folder.run.plan);
        Ok(summary)
    }

    fn add(&mut self, outcome: &Outcome) {
        let Some(bot) = self.bots.iter().position(|bot| bot.bot == outcome.bot) else { return };
        self.bots[bot].add(outcome);
        for (name, said) in &outcome.said {
            *self.said.entry(name.clone()).or_default() |= said.numbers.is_some();
        }
        match (outcome.is_played(), outcome.won) {
            (false, _) => return Loss::add(outcome, &mut self.not_played),
            (true, false) => Loss::add(outcome, &mut self.losses),
            (true, true) => {}
        }
        self.responses[bot].add(&outcome.times);
        let bots = self.bots.len();
        let board = self.boards.entry(outcome.record_id.clone());
        board.or_insert_with(|| vec![Points::default(); bots].into())[bot]
            .add(outcome, self.better);
    }

    /// The points of each bot on each board that has a best score, with that score: the best of what is
    /// known and of this run's own games, so no share exceeds 1; `None` if every game on it was lost. A lone bot on an unrecorded
    /// board has none, and neither has a board on which a ratio means nothing.
    fn boards_with_best(&self, known: &Bests) -> impl Iterator<Item = (&[Points], Option<Score>)> {
        let (has_rivals, better) = (self.bots.len() > 1, self.better);
        let boards = self.boards.iter().filter(|_| self.has_bests());
        boards.filter_map(move |(id, points)| {
            let known = known.best(id);
            let best = best_of(points, known, better);
            let has_ratio = |points: &Points| points.ratio_sum(best, better).is_some();
            let is_compared = (has_rivals || known.is_some()) && points.iter().all(has_ratio);
            is_compared.then_some((points.as_ref(), best))
        })
    }

    /// The best score on a board, of what is known and of this run's own games; `None` for a lone bot on an unrecorded board.
    pub fn best(&self, board: &RecordId, known: &Bests) -> Option<Score> {
        let board_of_one = self.boards.get(board).filter(|_| self.has_bests());
        let (points, known) = (board_of_one?, known.best(board));
        best_of(points, known, self.better).filter(|_| self.bots.len() > 1 || known.is_some())
    }

    /// Whether a board has a best score. In a game of several players a score depends on the opponents.
    fn has_bests(&self) -> bool {
        self.opponents == 0
    }

    /// Compares each bot with the best `known` scores, replacing an earlier comparison, and works out what else it has on all boards.
    pub fn compare(&mut self, known: &Bests) {
        let (better, mut sums) = (self.better, vec![(0, 0.0); self.bots.len()]);
        for (points, best) in self.boards_with_best(known) {
            for ((games, ratios), points) in sums.iter_mut().zip(points) {
                *games += points.games as usize;
                *ratios += points.ratio_sum(best, better).unwrap_or_default();
            }
        }
        for (tally, sum) in self.bots.iter_mut().zip(sums) {
            (tally.compared, tally.ratio_sum) = sum;
        }
        self.count_bests(known);
        for (bot, tally) in self.bots.iter_mut().enumerate() {
            let logs = self.boards.values().map(|points| points[bot].log10());
            let (games, sum) =
                logs.fold((0, 0.0), |(games, sum), (more, logs)| (games + more, sum + logs));
            tally.mean_log10 = (games > 0).then(|| sum / f64::from(games));
            tally.place = Points::mean_place(self.boards.values().map(|points| points[bot]));
        }
    }

    /// Counts the boards on which each bot has the best score, and those on which no other one has it. A record of the bot itself,
    /// such as this run has set, is not another's.
    fn count_bests(&mut self, known: &Bests) {
        self.bots.iter_mut().for_each(|tally| (tally.bests, tally.uniques) = (0, 0));
        for (id, points) in &self.boards {
            let known = known.holder(id);
            let score = known.map(|known| known.score);
            let Some(best) = best_of(points, score, self.better) else { continue };
            let is_best = |points: &&Points| points.best == Some(best);
            let holders = points.iter().filter(is_best).count();
            let by = known.filter(|known| known.score == best).map(|known| &known.by);
            for (tally, _) in self.bots.iter_mut().zip(points).filter(|(_, one)| is_best(one)) {
                tally.bests += 1;
                let is_alone = holders == 1 && by.is_none_or(|by| *by == tally.bot);
                tally.uniques += usize::from(is_alone);
            }
        }
    }

    /// The mean of yours/best of this bot, by index, on each board that has a best score.
    pub fn board_ratios(&self, bot: usize, known: &Bests) -> Vec<f64> {
        let ratio = |(points, best): (&[Points], _)| points[bot].ratio(best, self.better);
        self.boards_with_best(known).filter_map(ratio).collect()
    }

    /// The mean score of this bot, by index, on each board where it has one.
    pub fn board_means(&self, bot: usize) -> Vec<f64> {
        self.boards.values().filter_map(|points| points[bot].mean(self.better)).collect()
    }

    /// The number of boards on which a bot has played.
    pub fn boards(&self) -> usize {
        self.boards.len()
    }

    /// The boards whose best known score has been beaten, in the order of the plan; of equal bots by the first one of the plan.
    fn better_than(&self, known: &Bests, plan: &Plan) -> Vec<NewBest> {
        let better =
            self.boards.iter().filter_map(|(id, points)| {
                let before = known.holder(id)?;
                let records = points.iter().zip(&self.bots).rev();
                let records = records.filter_map(|(points, bot)| Some((points.record(plan)?, bot)));
                let better = self.better;
                let ((score, board), tally) = records.reduce(|best, other| {
                    if better.is_better(best.0.0, other.0.0) { best } else { other }
                })?;
                let new = || NewBest {
                    board: plan.board_name(board),
                    bot: tally.bot.clone(),
                    score,
                    before: before.score,
                    by: before.by.clone(),
                };
                better.is_better(score, before.score).then(|| (board, new()))
            });
        let mut better: Vec<(usize, NewBest)> = better.collect();
        better.sort_by_key(|(board, _)| *board);
        better.into_iter().map(|(_, new)| new).collect()
    }

    /// The best scores of its bots that count.
    pub fn records(&self, folder: &RunFolder) -> Records {
        let plan = &folder.run.plan;
        let mut records = Records::default();
        for (id, points) in &self.boards {
            for (points, tally) in points.iter().zip(&self.bots) {
                let Some((score, board)) = points.record(plan) else { continue };
                records.add(Record {
                    record_id: id.clone(),
                    board: plan.board_name(board),
                    game: plan.game.clone(),
                    bot: tally.bot.clone(),
                    score,
                    better: plan.better,
                });
            }
        }
        records
    }

    /// The slowest response of this bot, by index: among later turns, or without any, among first turns.
    pub fn slowest(&self, bot: usize) -> Option<Millis> {
        let Responses { slowest_first, slowest_later, .. } = self.responses[bot];
        slowest_later.or(slowest_first)
    }

    /// Whether games have later turns than the first; if not, a game is one answer.
    pub fn has_turns(&self) -> bool {
        self.responses.iter().any(|bot| bot.slowest_later.is_some())
    }

    /// The mean time of the first responses of this bot, by index: of its answers, where a game is one.
    pub fn mean_first(&self, bot: usize) -> Option<Duration> {
        let Responses { first_sum, games, .. } = self.responses[bot];
        first_sum.0.checked_div(games)
    }

    /// The number of games with this number of results.
    fn tables(&self, results: impl Iterator<Item = usize>) -> usize {
        results.sum::<usize>() / (self.opponents + 1)
    }

    /// The number of games in the plan, or in this part of it.
    pub fn planned(&self) -> usize {
        self.tables(self.planned.iter().copied())
    }

    /// The number of games that have been played.
    pub fn games(&self) -> usize {
        self.tables(self.bots.iter().map(|tally| tally.games))
    }

    /// The number of lost games; in a game of several players somebody is always last, so there it is the number of failures.
    pub fn lost(&self) -> usize {
        self.bots.iter().map(|tally| tally.lost).sum()
    }

    /// The number of lost games that the host's delays ended.
    pub fn lost_to_host(&self) -> usize {
        self.bots.iter().map(|tally| tally.lost_to_host).sum()
    }

    /// The number of games that could not be played.
    pub fn games_not_played(&self) -> usize {
        self.tables(self.bots.iter().map(|tally| tally.not_played))
    }
}
/// The best score of these games of bots on a board, and of what is known.
fn best_of(points: &[Points], known: Option<Score>, better: Direction) -> Option<Score> {
    let all = points.iter().filter_map(|points| points.best).chain(known);
    all.reduce(|one, other| better.better(one, other))
}
