//! Pairs the games of bots board by board, and says who is better.
//!
//! Boards are paired by `record_id`, so a board in another file format, or in
//! other colours, is the same board and counts once. Of several games of two bots on a board the first is
//! paired with the first, the second with the second, and the mean of these differences counts; games
//! that only one of them has played do not. A lost game is worth 0; a pair with a game that the host's delay
//! ended is left out and counted. This module plays and shows nothing.

mod decider;
mod groups;

use std::collections::BTreeMap;

use serde::Serialize;

pub use self::decider::{Decider, Relation, Standing, has_needed_games};
use crate::said::SaidValue;
use crate::suite::{FolderError, Outcome, RecordId, RunFolder};
use statistics::Paired;

/// A bot of a run, with its points on each board.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// Its name in a report.
    pub name: String,
    /// The name by which boards are grouped, if not by their properties.
    by: Option<String>,
    boards: BTreeMap<RecordId, Score>,
}

/// A bot's games on a board.
#[derive(Debug, Clone, PartialEq)]
struct Score {
    board: String,
    /// The groups of the board, such as `colors 5` or `set smoke`.
    groups: Vec<String>,
    /// The value of the bot's first game under the grouping name.
    value: Option<SaidValue>,
    /// Its games by number, with their points; `None` if the host's delay ended the game.
    games: BTreeMap<usize, Option<i64>>,
}

impl Score {
    /// The mean points of this bot's and another bot's games, as far as both have played, and the number of
    /// pairs that were lost by the host's fault; `None` if these are all.
    #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
    fn paired_means(&self, other: &Self) -> (Option<(f64, f64)>, usize) {
        let pairs = self.games.values().zip(other.games.values());
        let pairs: Vec<_> = pairs.filter_map(|(mine, others)| mine.zip(*others)).collect();
        let (mine, others) = pairs.iter().fold((0, 0), |sums, (a, b)| (sums.0 + a, sums.1 + b));
        let count = pairs.len() as f64;
        let means = (count > 0.0).then_some((mine as f64 / count, others as f64 / count));
        (means, self.games.len().min(other.games.len()) - pairs.len())
    }
}

impl Contender {
    /// A bot that has not played yet.
    pub fn new(name: String) -> Self {
        Self { name, by: None, boards: BTreeMap::new() }
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
            ..Self::new(name.clone())
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
        let score = self.boards.entry(outcome.record_id.clone()).or_insert_with(|| Score {
            board: outcome.board.clone(),
            groups: groups::of_board(outcome),
            value: None,
            games: BTreeMap::new(),
        });
        let points = (!outcome.is_lost_by_host()).then(|| outcome.points());
        if let Some(by) = self.by.as_ref().filter(|_| points.is_some()) {
            score.value = score.value.take().or_else(|| groups::value(outcome, by));
        }
        score.games.insert(outcome.game, points);
    }

    /// Whether any board has a value under the grouping name.
    pub fn has_values(&self) -> bool {
        self.boards.values().any(|score| score.value.is_some())
    }

    /// The points of the bot's first game on a board, of those that the host's delay did not end.
    pub fn first_points(&self, record_id: &RecordId) -> Option<i64> {
        self.boards.get(record_id)?.games.values().find_map(|points| *points)
    }

    /// The mean points over all games.
    #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
    pub fn mean(&self) -> f64 {
        let points = || self.boards.values().flat_map(|score| score.games.values().flatten());
        points().sum::<i64>() as f64 / points().count().max(1) as f64
    }

    /// The number of boards.
    pub fn boards(&self) -> usize {
        self.boards.len()
    }
}

/// A board that two bots have played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoardDifference {
    /// Its name.
    pub board: String,
    /// The baseline's points.
    pub baseline: f64,
    /// The challenger's points.
    pub challenger: f64,
    /// The challenger's points minus the baseline's.
    pub difference: f64,
}

/// Boards that share a property.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// The property, such as `colors 5`.
    pub name: String,
    /// The statistics of the differences on them.
    #[serde(flatten)]
    pub paired: Paired,
}

/// Boards that only one of two bots has played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unpaired {
    /// Their number.
    pub count: usize,
    /// The first few.
    pub boards: Vec<String>,
}

/// A challenger compared with a baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The name of the baseline.
    pub baseline: String,
    /// The name of the challenger.
    pub challenger: String,
    /// The statistics of the differences: the challenger's points minus the baseline's.
    #[serde(flatten)]
    pub paired: Paired,
    /// The statistics of each group. A property of all boards is not a group, unless it was asked for.
    pub groups: Vec<Group>,
    /// The pairs of games left out because the host's delay ended one of the two.
    pub lost_by_host: usize,
    /// The boards that only the baseline has played.
    pub only_baseline: Unpaired,
    /// The boards that only the challenger has played.
    pub only_challenger: Unpaired,
    /// Every board that both have played; the challenger's greatest loss first.
    pub boards: Vec<BoardDifference>,
}

impl Comparison {
    /// Compares two bots.
    pub fn of(baseline: &Contender, challenger: &Contender) -> Self {
        let (mut boards, mut lost_by_host) = (Vec::new(), 0);
        let mut by_group: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let mut by_value = Vec::new();
        for (id, mine) in &challenger.boards {
            let Some(theirs) = baseline.boards.get(id) else { continue };
            let (means, left_out) = mine.paired_means(theirs);
            lost_by_host += left_out;
            let Some((challengers, baselines)) = means else { continue };
            let difference = challengers - baselines;
            for group in &mine.groups {
                by_group.entry(group.clone()).or_default().push(difference);
            }
            by_value.push((mine.value.clone().or_else(|| theirs.value.clone()), difference));
            boards.push(BoardDifference {
                board: mine.board.clone(),
                baseline: baselines,
                challenger: challengers,
                difference,
            });
        }
        boards.sort_by(|a, b| a.difference.total_cmp(&b.difference));
        let differences: Vec<f64> = boards.iter().map(|board| board.difference).collect();
        by_group.retain(|_, group| group.len() < differences.len());
        let groups = match &challenger.by {
            Some(by) => groups::by_value(by, &by_value),
            None => by_group.into_iter().collect(),
        };
        let group = |(name, differences): (String, Vec<f64>)| Group {
            name,
            paired: Paired::of(&differences),
        };
        Self {
            baseline: baseline.name.clone(),
            challenger: challenger.name.clone(),
            paired: Paired::of(&differences),
            groups: groups.into_iter().map(group).collect(),
            lost_by_host,
            only_baseline: only(baseline, challenger),
            only_challenger: only(challenger, baseline),
            boards,
        }
    }

    /// Compares each of several bots with the first one; verdicts are adjusted for their number.
    pub fn with_first(contenders: &[Contender]) -> Vec<Self> {
        let Some((baseline, challengers)) = contenders.split_first() else { return Vec::new() };
        let mut all: Vec<Self> =
            challengers.iter().map(|challenger| Self::of(baseline, challenger)).collect();
        Paired::adjust(all.iter_mut().map(|comparison| &mut comparison.paired));
        let groups = all.iter_mut().flat_map(|comparison| &mut comparison.groups);
        Paired::adjust(groups.map(|group| &mut group.paired));
        all
    }

    /// The mean difference as a fraction of the baseline's mean, if that is above 0.
    pub fn relative(&self) -> Option<f64> {
        let baseline: Vec<f64> = self.boards.iter().map(|board| board.baseline).collect();
        let mean = statistics::mean(&baseline);
        (mean > 0.0).then(|| self.paired.mean / mean)
    }
}

/// The boards that `one` has played and `other` has not.
fn only(one: &Contender, other: &Contender) -> Unpaired {
    const NAMED: usize = 5;
    let alone = || one.boards.iter().filter(|(id, _)| !other.boards.contains_key(*id));
    Unpaired {
        count: alone().count(),
        boards: alone().take(NAMED).map(|(_, score)| score.board.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{BoardId, SuiteVerdict, Times};
    use terms::verdict::Verdict;

    pub(super) fn outcome(board: u32, score: i64) -> Outcome {
        Outcome {
            game: 1,
            session: None,
            bot: "bot".to_owned(),
            board: format!("seed {board}"),
            set: (board < 3).then(|| "small".to_owned()),
            board_id: BoardId::default(),
            record_id: RecordId::named(&board.to_string()),
            traits: BTreeMap::from([("colors".to_owned(), 4 + board % 2)]),
            repeat: 1,
            verdict: SuiteVerdict::Played(Verdict::Completed),
            won: score >= 0,
            score,
            counts: true,
            official: String::new(),
            diagnosis: None,
            turns: 1,
            said: BTreeMap::new(),
            times: Times::default(),
        }
    }

    pub(super) fn contender(name: &str, scores: &[(u32, i64)]) -> Contender {
        let mut contender = Contender::new(name.to_owned());
        for (game, &(board, score)) in (1..).zip(scores) {
            contender.add(&Outcome { game, ..outcome(board, score) });
        }
        contender
    }

    #[test]
    fn boards_are_paired_and_the_others_listed() {
        let old = contender("old", &[(1, 100), (2, 200), (3, 300), (9, 900)]);
        let new = contender("new", &[(3, 250), (2, 220), (1, 110), (7, 1), (8, 2)]);
        let found = Comparison::of(&old, &new);
        let boards: Vec<_> =
            found.boards.iter().map(|board| (board.board.as_str(), board.difference)).collect();
        assert_eq!(boards, [("seed 3", -50.0), ("seed 1", 10.0), ("seed 2", 20.0)]);
        assert_eq!((found.paired.wins, found.paired.losses), (2, 1));
        assert_eq!((found.only_baseline.count, found.only_challenger.count), (1, 2));
        assert_eq!(found.only_challenger.boards, ["seed 7", "seed 8"]);
        let groups: Vec<_> =
            found.groups.iter().map(|group| (group.name.as_str(), group.paired.pairs)).collect();
        assert_eq!(groups, [("colors 4", 1), ("colors 5", 2), ("set small", 2)]);
        assert!((found.relative().expect("above 0") + 20.0 / 600.0).abs() < 1e-12);
    }

    #[test]
    fn a_pair_with_a_game_that_the_host_ended_is_left_out_and_counted() {
        let late = |game, board, bot_overruns, host_overruns| {
            let verdict = SuiteVerdict::Played(Verdict::Timeout);
            let times = Times { bot_overruns, host_overruns, ..Times::default() };
            Outcome { game, verdict, times, ..outcome(board, -1) }
        };
        let mut old = contender("old", &[(1, 100)]);
        old.add(&late(2, 1, 0, 1));
        old.add(&Outcome { game: 3, ..outcome(1, 300) });
        old.add(&late(4, 2, 0, 1));
        // On board 3 the bot itself was late in the end.
        old.add(&late(5, 3, 1, 0));
        let new = contender("new", &[(1, 110), (1, 9000), (1, 330), (2, 500), (3, 50)]);
        let found = Comparison::of(&old, &new);
        let boards: Vec<_> =
            found.boards.iter().map(|board| (board.board.as_str(), board.difference)).collect();
        assert_eq!(boards, [("seed 1", 20.0), ("seed 3", 50.0)]);
        assert_eq!((found.lost_by_host, found.only_baseline.count), (2, 0));
        assert_eq!(found.only_challenger.count, 0);
        assert_eq!(old.first_points(&RecordId::named("2")), None);
    }

    #[test]
    fn games_of_a_board_are_paired_one_by_one_and_a_lost_one_is_worth_nothing() {
        let old = contender("old", &[(1, 100), (1, 200), (1, 9000)]);
        let new = contender("new", &[(1, 400), (1, -1)]);
        let found = Comparison::of(&old, &new);
        assert_eq!(found.paired.pairs, 1);
        assert!((found.boards[0].difference - 50.0).abs() < 1e-12, "{:?}", found.boards);
    }
}
