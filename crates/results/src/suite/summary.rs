//! The totals of a run for each bot, added up while its results are read and never kept.
//!
//! Games that were not played are counted apart; they enter no sum and no mean.

use std::collections::BTreeMap;

use serde::Serialize;

use super::folder::{FolderError, RunFolder};
use super::ids::RecordId;
use super::outcome::{Outcome, SuiteVerdict};
use super::plan::PlannedBot;
use super::records::{Best, Bests, Records};
use crate::said::SaidInRun;
use terms::verdict::Verdict;

/// The most kinds of losses to report.
const LOSSES: usize = 10;

/// The totals of one bot.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tally {
    /// The bot.
    pub bot: String,
    /// The games that it has played.
    pub games: usize,
    /// The games that could not be played.
    pub not_played: usize,
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
    /// The games on boards with another known score.
    pub compared: usize,
    /// Σ yours/best over these.
    pub ratio_sum: f64,
    /// The numbers that the bot said, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub said: BTreeMap<String, SaidInRun>,
}

impl Tally {
    /// Adds a game, on a board whose best known score is `best`.
    pub fn add(&mut self, outcome: &Outcome, best: Option<i64>) {
        if !outcome.is_played() {
            self.not_played += 1;
            return;
        }
        self.games += 1;
        self.won += usize::from(outcome.won);
        self.lost += usize::from(!outcome.won);
        self.timeouts += usize::from(outcome.verdict == SuiteVerdict::Played(Verdict::Timeout));
        self.late += usize::from(outcome.times.bot_overruns > 0);
        self.sum += outcome.points();
        for (name, said) in &outcome.said {
            if let Some(numbers) = said.numbers {
                let so_far = self.said.get(name).copied();
                self.said.insert(name.clone(), SaidInRun::add(so_far, numbers));
            }
        }
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

/// A score's share of the best; any score reaches a best of 0.
#[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
fn ratio(points: i64, best: i64) -> f64 {
    if best <= 0 { 1.0 } else { points.max(0) as f64 / best as f64 }
}

/// A lost game, or one that was not played, with others that ended alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The number of the game.
    pub game: usize,
    /// The bot.
    pub bot: String,
    /// The board.
    pub board: String,
    /// How it ended.
    pub verdict: SuiteVerdict,
    /// Why, in one line.
    pub why: String,
    /// Whether it was a timeout.
    pub is_timeout: bool,
    /// How many more games of the bot ended alike, turns and times apart.
    pub alike: usize,
}

/// Losses by kind: the first few kinds.
#[derive(Debug, Default)]
struct Losses {
    listed: Vec<Loss>,
    /// Their places in the list, by bot and kind.
    places: BTreeMap<(String, String), usize>,
}

impl Losses {
    fn add(&mut self, outcome: &Outcome) {
        let kind = (outcome.bot.clone(), loss_kind(&outcome.loss()));
        match self.places.get(&kind) {
            Some(&place) => self.listed[place].alike += 1,
            None if self.listed.len() < LOSSES => {
                self.places.insert(kind, self.listed.len());
                self.listed.push(Loss::of(outcome));
            }
            None => {}
        }
    }
}

/// The reason for a loss without turn, times and moves, so that games lost in the same way have the
/// same kind. Exit statuses stay.
pub fn loss_kind(loss: &str) -> String {
    let mut kind = String::new();
    let mut before = "";
    for word in loss.split_whitespace() {
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        let is_unit = matches!(word.trim_end_matches([',', ';']), "ns" | "µs" | "ms" | "s" | "min");
        if is_number && before != "status" {
            kind.push('#');
        } else if !(is_unit && before.starts_with(|first: char| first.is_ascii_digit())) {
            let digits = |c: char| if c.is_ascii_digit() && word.contains('=') { '#' } else { c };
            kind.extend(word.chars().map(digits));
        }
        kind.push(' ');
        before = word;
    }
    kind
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

/// The totals of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The game.
    pub game: String,
    /// The games of the plan, or of this part of it.
    pub planned: usize,
    /// One tally for each bot.
    pub bots: Vec<Tally>,
    /// The first kinds of losses.
    pub losses: Vec<Loss>,
    /// The first kinds of reasons why games were not played.
    pub not_played: Vec<Loss>,
    /// Boards whose best known score has been beaten.
    pub new_bests: Vec<NewBest>,
}

impl Summary {
    /// Adds up a run. A board's best is the highest of what is known and of this run's own games, so no
    /// ratio exceeds 1; a lone bot on an unrecorded board has none.
    ///
    /// The results are read twice, so that memory is taken only by boards that have a best.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn of(folder: &RunFolder, known: &Bests) -> Result<Self, FolderError> {
        let plan = &folder.run.plan;
        let bests = RunBests::of(folder, known)?;
        let tally = |bot: &PlannedBot| Tally { bot: bot.name.clone(), ..Tally::default() };
        let mut bots: BTreeMap<&str, Tally> =
            plan.bots.iter().map(|bot| (bot.name.as_str(), tally(bot))).collect();
        let (mut losses, mut not_played) = (Losses::default(), Losses::default());
        for outcome in folder.outcomes()? {
            let outcome = outcome?;
            if let Some(tally) = bots.get_mut(outcome.bot.as_str()) {
                tally.add(&outcome, bests.highest.get(&outcome.record_id).copied());
            }
            match (outcome.is_played(), outcome.won) {
                (false, _) => not_played.add(&outcome),
                (true, false) => losses.add(&outcome),
                (true, true) => {}
            }
        }
        Ok(Self {
            game: plan.game.clone(),
            planned: folder.planned(),
            bots: plan.bots.iter().filter_map(|bot| bots.remove(bot.name.as_str())).collect(),
            losses: losses.listed,
            not_played: not_played.listed,
            new_bests: bests.new.into_values().collect(),
        })
    }

    /// The games that have been played.
    pub fn games(&self) -> usize {
        self.bots.iter().map(|tally| tally.games).sum()
    }

    /// The games that were lost.
    pub fn lost(&self) -> usize {
        self.bots.iter().map(|tally| tally.lost).sum()
    }

    /// How many games could not be played.
    pub fn games_not_played(&self) -> usize {
        self.bots.iter().map(|tally| tally.not_played).sum()
    }
}

impl Loss {
    fn of(outcome: &Outcome) -> Self {
        Self {
            game: outcome.game,
            bot: outcome.bot.clone(),
            board: outcome.board.clone(),
            verdict: outcome.verdict,
            why: outcome.loss(),
            is_timeout: outcome.verdict == SuiteVerdict::Played(Verdict::Timeout),
            alike: 0,
        }
    }
}

/// The best scores on the boards of a run that have a best.
#[derive(Default)]
struct RunBests {
    /// The highest known or in this run, by board.
    highest: BTreeMap<RecordId, i64>,
    /// The beaten best scores, by board.
    new: BTreeMap<RecordId, NewBest>,
}

impl RunBests {
    fn of(folder: &RunFolder, known: &Bests) -> Result<Self, FolderError> {
        let rivals = folder.run.plan.bots.len() > 1;
        let mut bests = Self::default();
        for outcome in folder.outcomes()? {
            let outcome = outcome?;
            let before = known.holder(&outcome.record_id);
            if rivals || before.is_some() {
                let known = before.map_or(0, |best| best.score);
                let highest = bests.highest.entry(outcome.record_id.clone()).or_insert(known);
                *highest = outcome.points().max(*highest);
            }
            if let Some(before) = before.filter(|_| outcome.counts) {
                bests.add_record(&outcome, before);
            }
        }
        Ok(bests)
    }

    /// Adds a game that counts, on a board whose best score was `before`.
    fn add_record(&mut self, outcome: &Outcome, before: &Best) {
        let so_far = self.new.get(&outcome.record_id).map_or(before.score, |new| new.score);
        if outcome.score > so_far {
            let new = NewBest {
                board: outcome.board.clone(),
                bot: outcome.bot.clone(),
                score: outcome.score,
                before: before.score,
                by: before.by.clone(),
            };
            self.new.insert(outcome.record_id.clone(), new);
        }
    }
}

/// The records of a run: the best scores of its bots that count.
///
/// # Errors
/// When the results cannot be read.
pub fn records_of(folder: &RunFolder) -> Result<Records, FolderError> {
    let mut records = Records::default();
    let run = std::path::absolute(&folder.path).ok();
    for outcome in folder.outcomes()? {
        let outcome = outcome?;
        if outcome.counts {
            records.add_outcome(&folder.run.plan.game, &outcome, run.as_deref());
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_a_kind_differ_in_turns_times_and_moves_only() {
        let crash = "crash: turn 3: the bot was killed by SIGSEGV after 270 µs without answering";
        for (other, is_alike) in [
            ("crash: turn 41: the bot was killed by SIGSEGV after 1.2 ms without answering", true),
            ("crash: turn 3: the bot was killed by SIGABRT after 270 µs without answering", false),
            ("timeout: turn 3: no answer within 50 ms; the bot's fault", false),
        ] {
            assert_eq!(loss_kind(crash) == loss_kind(other), is_alike, "{other}");
        }
        let status =
            |status: u32| loss_kind(&format!("crash: the bot exited with status {status}"));
        assert_ne!(status(3), status(4));
        assert_eq!(loss_kind("out of bounds: x=3, y=15"), loss_kind("out of bounds: x=9, y=21"));
    }
}
