//! What the games of a run come to, for each bot: added up as they come, never kept.

use std::collections::BTreeMap;

use serde::Serialize;

use super::folder::{FolderError, RunFolder};
use super::outcome::{Ending, Outcome};
use crate::records::{Bests, Record, Records};
use crate::verdict::Verdict;

/// How many losses are told of in full.
const LOSSES: usize = 10;

/// What the games of one bot come to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tally {
    /// The bot.
    pub bot: String,
    /// The games that have a result.
    pub games: usize,
    /// Those that it won.
    pub won: usize,
    /// Those that it lost.
    pub lost: usize,
    /// Those among them that were timeouts.
    pub timeouts: usize,
    /// Games in which it was late by its own fault, even if that was forgiven.
    pub late: usize,
    /// The sum of the scores of the games that it won.
    pub sum: i64,
    /// The games on boards of which some other score is known.
    pub compared: usize,
    /// Σ yours/best over these.
    pub ratio_sum: f64,
}

impl Tally {
    /// Takes in a game, on a board whose best score is known to be `best`.
    pub fn see(&mut self, outcome: &Outcome, best: Option<i64>) {
        self.games += 1;
        self.won += usize::from(outcome.won);
        self.lost += usize::from(!outcome.won);
        self.timeouts += usize::from(outcome.verdict == Ending::Played(Verdict::Timeout));
        self.late += usize::from(outcome.times.bot_overruns > 0);
        self.sum += outcome.points();
        if let Some(best) = best {
            self.compared += 1;
            self.ratio_sum += ratio(outcome.points(), best);
        }
    }

    /// The mean score, losses counted as 0.
    pub fn mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
        let mean = self.sum as f64 / self.games as f64;
        (self.games > 0).then_some(mean)
    }

    /// The mean of yours/best, from 0 to 1.
    pub fn ratio(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "games are counted, not grains of sand")]
        let mean = self.ratio_sum / self.compared as f64;
        (self.compared > 0).then_some(mean)
    }

    /// The same in Marathon style: 1,000,000 if every game is the best known.
    pub fn marathon(&self) -> Option<f64> {
        self.ratio().map(|ratio| 1e6 * ratio)
    }
}

/// What part of the best a score is; a best of 0 is reached by any score.
#[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
fn ratio(points: i64, best: i64) -> f64 {
    if best <= 0 { 1.0 } else { points.max(0) as f64 / best as f64 }
}

/// A lost game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The number of the game.
    pub game: usize,
    /// The bot.
    pub bot: String,
    /// The board.
    pub board: String,
    /// Why, in one line.
    pub why: String,
    /// Whether it was a timeout.
    pub is_timeout: bool,
}

/// A board whose best score has been beaten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewBest {
    /// The board.
    pub board: String,
    /// The bot.
    pub bot: String,
    /// Its score.
    pub score: i64,
    /// The best score before.
    pub before: i64,
    /// Whose that was.
    pub by: String,
}

/// What a run comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The game.
    pub game: String,
    /// The games of the plan, or of this shard of it.
    pub planned: usize,
    /// One tally for each bot.
    pub bots: Vec<Tally>,
    /// The first losses.
    pub losses: Vec<Loss>,
    /// Boards on which what was the best known has been beaten.
    pub new_bests: Vec<NewBest>,
}

impl Summary {
    /// Adds up a run. A board's best is the highest of what is known and of this run's own games, so
    /// nobody has more than all of it; a bot alone on a board of which nothing is known has no best.
    ///
    /// The results are read twice, so that memory is taken by boards only.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn of(folder: &RunFolder, known: &Bests) -> Result<Self, FolderError> {
        let plan = &folder.run.plan;
        let (own, counting) = best_of_run(folder)?;
        let tally = |name: &str| Tally { bot: name.to_owned(), ..Tally::default() };
        let mut summary = Self {
            game: plan.game.clone(),
            planned: plan.shard_games(),
            bots: plan.bots.iter().map(|bot| tally(&bot.name)).collect(),
            losses: Vec::new(),
            new_bests: new_bests(&counting, known),
        };
        let bots: BTreeMap<&str, usize> =
            plan.bots.iter().map(|bot| bot.name.as_str()).zip(0..).collect();
        for outcome in folder.outcomes()? {
            let outcome = outcome?;
            let known = known.best(&outcome.record_id).or((plan.bots.len() > 1).then_some(0));
            let best = known.map(|known| own.best(&outcome.record_id).unwrap_or(0).max(known));
            if let Some(&bot) = bots.get(outcome.bot.as_str()) {
                summary.bots[bot].see(&outcome, best);
            }
            if !outcome.won && summary.losses.len() < LOSSES {
                summary.losses.push(Loss::of(&outcome));
            }
        }
        Ok(summary)
    }

    /// The games that have a result.
    pub fn games(&self) -> usize {
        self.bots.iter().map(|tally| tally.games).sum()
    }

    /// The games that were lost.
    pub fn lost(&self) -> usize {
        self.bots.iter().map(|tally| tally.lost).sum()
    }
}

impl Loss {
    fn of(outcome: &Outcome) -> Self {
        Self {
            game: outcome.game,
            bot: outcome.bot.clone(),
            board: outcome.board.clone(),
            why: outcome.loss(),
            is_timeout: outcome.verdict == Ending::Played(Verdict::Timeout),
        }
    }
}

/// The best scores of a run: of all games that were won, and of those that count.
///
/// # Errors
/// When the results cannot be read.
pub fn best_of_run(folder: &RunFolder) -> Result<(Records, Records), FolderError> {
    let (mut won, mut counting) = (Records::default(), Records::default());
    for outcome in folder.outcomes()? {
        let outcome = outcome?;
        if outcome.won {
            won.see(&folder.run.plan.game, &outcome);
        }
        if outcome.counts {
            counting.see(&folder.run.plan.game, &outcome);
        }
    }
    Ok((won, counting))
}

fn new_bests(own: &Records, known: &Bests) -> Vec<NewBest> {
    let beaten = |record: &Record| {
        let before = known.holder(&record.record_id)?;
        (record.score > before.score).then(|| NewBest {
            board: record.board.clone(),
            bot: record.bot.clone(),
            score: record.score,
            before: before.score,
            by: before.by.clone(),
        })
    };
    own.leaders().filter_map(beaten).collect()
}
