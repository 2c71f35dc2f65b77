//! Pairs the games of bots board by board, and says which one is better.
//!
//! Boards are paired by `record_id`, so a board in another file format, or in
//! other colours, is the same board and counts once, with the means of all games that each bot has played there. Lost games
//! are a question of their own; in the total a lost game is worth less than any other, and 0 where higher scores are better
//! and none is below 0. A game that the host's delay ended is left out and counted. This module plays and shows nothing.

mod alone;
mod contender;
mod decider;
mod field;
mod groups;
mod valuation;

use std::collections::BTreeMap;

use serde::Serialize;

pub use self::alone::BotGroup;
use self::contender::BoardGames;
pub use self::contender::{Contender, NoLogarithm};
pub use self::decider::{Decider, Standing, has_needed_games};
pub use self::field::{MeasureError, Value, add_values};
pub use self::groups::{Chosen, Grouping, GroupingError};
use self::valuation::Valuation;
use crate::is_default;
use crate::suite::RecordId;
use rules::measure::Measure;
use rules::score::Direction;
pub use statistics::Decided as Relation;
use statistics::{Paired, PairedBoard, Risk};

/// The number of boards of a kind that are named.
const NAMED: usize = 5;

/// A board that two bots have played.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoardDifference {
    /// Its name.
    pub board: String,
    /// The digest by which runs share a board, whatever its file format or colours.
    #[serde(skip)]
    pub record_id: RecordId,
    /// The baseline's points.
    pub baseline: f64,
    /// The challenger's points.
    pub challenger: f64,
    /// By how much the challenger is better than the baseline, in the measure of the comparison.
    pub difference: f64,
}

/// Boards that share a property.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The property, such as `colors 5`.
    pub name: String,
    /// The statistics of the differences on them.
    #[serde(flatten)]
    pub paired: Paired,
}

impl Group {
    fn of(name: String, boards: &[PairedBoard], risk: Risk) -> Self {
        Self { name, paired: Paired::of(boards, risk) }
    }
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
///
/// ```no_run
/// use results::compare::{Comparison, Contender};
/// use results::suite::RunFolder;
/// use statistics::Risk;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = RunFolder::open("runs/today".as_ref())?;
/// // The bots of the run, and what to call them.
/// let bots = [("old", "the old one".to_owned()), ("new", "the new one".to_owned())];
/// let contenders = Contender::read(&folder, &bots)?;
/// let comparison = Comparison::of(&contenders[0], &contenders[1], Risk::default());
/// println!("{:?} by {:.1} points", comparison.paired.conclusion, comparison.paired.all.mean);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The name of the baseline.
    pub baseline: String,
    /// The name of the challenger.
    pub challenger: String,
    /// The statistics of the differences: by how much the challenger is better than the baseline, in the measure.
    #[serde(flatten)]
    pub paired: Paired,
    /// The statistics of each group. A property of all boards is not a group, unless it was asked for.
    pub groups: Vec<Group>,
    /// The games left out because the host's delay ended them.
    pub lost_by_host: usize,
    /// The boards left out because one of the two has no value in the measure there, where others have one.
    #[serde(skip_serializing_if = "is_default")]
    pub without_score: usize,
    /// The games left out because they have opponents that the other one has never met.
    #[serde(skip_serializing_if = "is_default")]
    pub other_opponents: usize,
    /// Whether the games have several players.
    #[serde(skip)]
    pub is_of_several: bool,
    /// What is compared of the scores.
    pub measure: Measure,
    /// Which scores are better.
    #[serde(skip_serializing_if = "Direction::is_higher")]
    pub better: Direction,
    /// The points that a lost game counts as; `None` if it counts as 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_points: Option<f64>,
    /// Whether no game has a score, so that a won one counts as 1.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub counts_wins: bool,
    /// The number of decimals of the scores.
    #[serde(skip)]
    pub decimals: usize,
    /// What the baseline has on all its boards.
    pub of_baseline: BotGroup,
    /// What the challenger has on all its boards.
    pub of_challenger: BotGroup,
    /// The number of boards that are copies of others, and count once with them.
    pub copied_boards: usize,
    /// The boards that only the baseline has played.
    pub only_baseline: Unpaired,
    /// The boards that only the challenger has played.
    pub only_challenger: Unpaired,
    /// Every board that both have played; the challenger's largest loss first.
    pub boards: Vec<BoardDifference>,
}

/// A board that two bots have played, with the games of both and what they are worth.
struct Pair<'a> {
    id: &'a RecordId,
    mine: &'a BoardGames,
    theirs: &'a BoardGames,
    values: PairedBoard,
}

/// The boards on which two bots are compared.
#[derive(Default)]
struct Pairing<'a> {
    pairs: Vec<Pair<'a>>,
    lost_by_host: usize,
    without_score: usize,
    copied_boards: usize,
}

impl<'a> Pairing<'a> {
    fn of(baseline: &'a Contender, challenger: &'a Contender, valuation: Valuation) -> Self {
        let (mut pairing, measure) = (Self::default(), challenger.measure);
        for (id, mine) in &challenger.boards {
            let Some(theirs) = baseline.boards.get(id) else { continue };
            pairing.copied_boards += mine.copies_with(theirs);
            pairing.lost_by_host += mine.lost_by_host() + theirs.lost_by_host();
            let games = [mine, theirs].map(|played| played.finishes(measure).collect::<Vec<_>>());
            if games.iter().any(Vec::is_empty) {
                continue;
            }
            let known = challenger.best_known(id, baseline.best_known(id, None));
            match valuation.board(&games[0], &games[1], known) {
                Some(values) => pairing.pairs.push(Pair { id, mine, theirs, values }),
                None => pairing.without_score += 1,
            }
        }
        pairing
    }

    /// The boards, the challenger's largest loss first.
    fn differences(&self, valuation: Valuation, measure: Measure) -> Vec<BoardDifference> {
        let mean = |played: &BoardGames| {
            valuation.mean(&played.finishes(measure).collect::<Vec<_>>()).expect("points")
        };
        let difference = |Pair { id, mine, theirs, values }: &Pair<'_>| BoardDifference {
            board: mine.board.clone(),
            record_id: (*id).clone(),
            baseline: mean(theirs),
            challenger: mean(mine),
            difference: values.all[0] - values.all[1],
        };
        let mut boards: Vec<_> = self.pairs.iter().map(difference).collect();
        boards.sort_by(|a, b| a.difference.total_cmp(&b.difference));
        boards
    }

    /// The groups of boards: those that were chosen, or else by properties that not all boards share.
    fn groups(&self, chosen: &[Grouping], risk: Risk) -> Vec<Group> {
        let mut groups = Vec::new();
        for (index, by) in chosen.iter().enumerate() {
            let value = |pair: &Pair<'_>| {
                let mut played = [pair.mine, pair.theirs].into_iter();
                (played.find_map(|played| played.values[index].clone()), pair.values)
            };
            groups.extend(by.groups(&self.pairs.iter().map(value).collect::<Vec<_>>()));
        }
        if chosen.is_empty() {
            let mut properties: BTreeMap<&str, Vec<_>> = BTreeMap::new();
            for Pair { mine, values, .. } in &self.pairs {
                for (name, value) in &mine.groups {
                    properties.entry(name).or_default().push((Some(value.clone()), *values));
                }
            }
            groups.extend(properties.iter().flat_map(|(name, all)| groups::by_value(name, all)));
            groups.retain(|(_, group)| group.len() < self.pairs.len());
        }
        let group = |(name, boards): (String, Vec<_>)| Group::of(name, &boards, risk);
        groups.into_iter().map(group).collect()
    }
}

impl Comparison {
    /// Compares two bots, in games of several players by those with opponents that both have met.
    pub fn of(baseline: &Contender, challenger: &Contender, risk: Risk) -> Self {
        let [of_baseline, of_challenger] =
            [baseline, challenger].map(|bot| bot.on_all_boards(risk));
        let (both, other_opponents) = Contender::with_common_opponents(baseline, challenger);
        let [baseline, challenger] = [&*both[0], &*both[1]];
        let games = baseline.finishes().chain(challenger.finishes());
        let valuation = Valuation::of(challenger.measure, challenger.better, games);
        let pairing = Pairing::of(baseline, challenger, valuation);
        let values: Vec<PairedBoard> = pairing.pairs.iter().map(|pair| pair.values).collect();
        Self {
            baseline: baseline.name.clone(),
            challenger: challenger.name.clone(),
            paired: Paired::of(&values, risk),
            groups: pairing.groups(&challenger.by, risk),
            lost_by_host: pairing.lost_by_host,
            without_score: pairing.without_score,
            other_opponents,
            is_of_several: challenger.is_of_several(),
            measure: valuation.measure(),
            better: challenger.better,
            lost_points: valuation.lost_points(),
            counts_wins: valuation == Valuation::Wins,
            decimals: baseline.decimals().max(challenger.decimals()),
            of_baseline,
            of_challenger,
            boards: pairing.differences(valuation, challenger.measure),
            copied_boards: pairing.copied_boards,
            only_baseline: only(baseline, challenger),
            only_challenger: only(challenger, baseline),
        }
    }

    /// Compares each of several bots with the first one; verdicts are adjusted for their number.
    pub fn with_first(contenders: &[Contender], risk: Risk) -> Vec<Self> {
        let Some((baseline, challengers)) = contenders.split_first() else { return Vec::new() };
        let mut all: Vec<Self> =
            challengers.iter().map(|challenger| Self::of(baseline, challenger, risk)).collect();
        Paired::adjust(all.iter_mut().map(|comparison| &mut comparison.paired));
        let groups = all.iter_mut().flat_map(|comparison| &mut comparison.groups);
        Paired::adjust(groups.map(|group| &mut group.paired));
        all
    }

    /// The mean of the baseline's points.
    pub fn baseline_mean(&self) -> f64 {
        let points: Vec<f64> = self.boards.iter().map(|board| board.baseline).collect();
        statistics::mean(&points)
    }

    /// The mean difference as a fraction of the baseline's mean, if that is above 0 and points are compared.
    pub fn relative(&self) -> Option<f64> {
        let mean = self.baseline_mean();
        (mean > 0.0 && self.measure.is_points()).then(|| self.paired.all.mean / mean)
    }
}

/// The boards that `one` has played and `other` has not.
fn only(one: &Contender, other: &Contender) -> Unpaired {
    let alone = one.boards.iter().filter(|(id, _)| !other.boards.contains_key(*id));
    let mut alone: Vec<_> = alone.map(|(_, games)| games).collect();
    alone.sort_by_key(|games| games.first());
    let named = alone.iter().take(NAMED).map(|games| games.board.clone());
    Unpaired { count: alone.len(), boards: named.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{BoardId, Outcome, SuiteVerdict, Times};
    use terms::verdict::Verdict;

    pub(super) fn outcome(board: u32, score: i64) -> Outcome {
        Outcome {
            game: 1,
            session: None,
            bot: "bot".to_owned(),
            seat: None,
            board: format!("seed {board}"),
            set: (board < 3).then(|| "small".to_owned()),
            board_id: BoardId::default(),
            record_id: RecordId::named(&board.to_string()),
            traits: BTreeMap::from([("colors".to_owned(), 4 + board % 2)]),
            repeat: 1,
            verdict: SuiteVerdict::Played(Verdict::Completed),
            won: score >= 0,
            forfeit: false,
            score: Some(score.into()),
            best_known: None,
            counts: true,
            official: String::new(),
            diagnosis: None,
            turns: 1,
            said: BTreeMap::new(),
            times: Times::default(),
        }
    }

    pub(super) fn contender(name: &str, scores: &[(u32, i64)]) -> Contender {
        let mut contender = Contender::new(name.to_owned(), Direction::Higher);
        for (game, &(board, score)) in (1..).zip(scores) {
            contender.add(&Outcome { game, ..outcome(board, score) });
        }
        contender
    }

    #[test]
    fn boards_are_paired_and_the_others_listed() {
        let old = contender("old", &[(1, 100), (2, 200), (3, 300), (9, 900)]);
        let new = contender("new", &[(3, 250), (2, 220), (1, 110), (8, 2), (7, 1)]);
        let found = Comparison::of(&old, &new, Risk::Strict);
        let boards: Vec<_> =
            found.boards.iter().map(|board| (board.board.as_str(), board.difference)).collect();
        assert_eq!(boards, [("seed 3", -50.0), ("seed 1", 10.0), ("seed 2", 20.0)]);
        assert_eq!((found.paired.wins, found.paired.losses), (2, 1));
        assert_eq!((found.only_baseline.count, found.only_challenger.count), (1, 2));
        assert_eq!(found.only_challenger.boards, ["seed 8", "seed 7"], "as they were played");
        let groups: Vec<_> =
            found.groups.iter().map(|group| (group.name.as_str(), group.paired.pairs)).collect();
        assert_eq!(groups, [("colors 4", 1), ("colors 5", 2), ("set small", 2)]);
        assert!((found.relative().expect("above 0") + 20.0 / 600.0).abs() < 1e-12);
    }

    #[test]
    fn a_game_that_the_host_ended_is_left_out_and_counted() {
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
        let new = contender("new", &[(1, 110), (1, 9000), (1, 340), (2, 500), (3, 50)]);
        let found = Comparison::of(&old, &new, Risk::Strict);
        let boards: Vec<_> =
            found.boards.iter().map(|board| (board.board.as_str(), board.difference)).collect();
        // The means of 100 and 300, and of 110, 9000 and 340.
        assert_eq!(boards, [("seed 3", 50.0), ("seed 1", 2950.0)]);
        assert_eq!((found.lost_by_host, found.only_baseline.count), (2, 0));
        assert_eq!(found.only_challenger.count, 0);
        assert_eq!(old.finishes_on(&RecordId::named("2")), []);
    }

    #[test]
    fn games_of_a_board_are_averaged_and_a_lost_one_is_worth_nothing() {
        let old = contender("old", &[(1, 100), (1, 200), (1, 150)]);
        let new = contender("new", &[(1, 400), (1, -1)]);
        let found = Comparison::of(&old, &new, Risk::Strict);
        assert_eq!(found.paired.pairs, 1);
        assert!((found.boards[0].difference - 50.0).abs() < 1e-12, "{:?}", found.boards);
        assert!((found.paired.finished.test.mean - 250.0).abs() < 1e-12, "{:?}", found.paired);
        assert_eq!(found.paired.lost.only_challenger, 1);
    }

    fn lower(name: &str, scores: &[(u32, Option<i64>)]) -> Contender {
        let mut contender = Contender::new(name.to_owned(), Direction::Lower);
        for (game, &(board, score)) in (1..).zip(scores) {
            // A lost game was given 0 by its judge.
            let (won, score) = (score.is_some(), Some(score.unwrap_or(0).into()));
            contender.add(&Outcome { game, won, score, ..outcome(board, 0) });
        }
        contender
    }

    #[test]
    fn games_without_a_score_are_compared_by_wins_or_left_out() {
        let bare = |name: &str, won: bool| {
            let mut contender = Contender::new(name.to_owned(), Direction::Lower);
            contender.add(&Outcome { won, score: None, ..outcome(1, 0) });
            contender
        };
        let found = Comparison::of(&bare("old", false), &bare("new", true), Risk::Strict);
        assert!(found.counts_wins && (found.paired.all.mean - 1.0).abs() < 1e-12, "{found:?}");
        let found =
            Comparison::of(&lower("old", &[(1, Some(5))]), &bare("new", true), Risk::Strict);
        assert_eq!((found.without_score, found.boards.len()), (1, 0));
    }
}
