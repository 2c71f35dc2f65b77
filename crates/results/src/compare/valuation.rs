//! What a game is worth in a comparison. A lost one is worth less than any that was not lost, whatever number its judge sent.

use crate::suite::Outcome;
use rules::measure::Measure;
use rules::score::{Direction, Score};
use statistics::PairedBoard;

/// What comparisons know of a game's end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Finish {
    Lost,
    /// With its score, if it has one.
    Won(Option<Score>),
    /// With its place in percent, which is its value whether it was lost or not: the judge's ranking is the contest.
    Placed {
        place: f64,
        is_lost: bool,
    },
}

impl Finish {
    pub(super) fn of(outcome: &Outcome, measure: Measure) -> Self {
        match (outcome.place(), outcome.won) {
            (Some(place), won) if measure == Measure::Place => {
                Self::Placed { place, is_lost: !won }
            }
            (_, true) => Self::Won(outcome.score),
            (_, false) => Self::Lost,
        }
    }

    pub(super) fn is_lost(self) -> bool {
        matches!(self, Self::Lost | Self::Placed { is_lost: true, .. })
    }

    /// The number of decimals of its score.
    pub(super) fn decimals(self) -> usize {
        match self {
            Self::Won(Some(score)) => score.decimals(),
            Self::Won(None) | Self::Lost | Self::Placed { .. } => 0,
        }
    }
}

/// What games are worth in a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Valuation {
    /// Games have scores; `lost` is what a lost one counts as, in points and in the measure.
    Scores { measure: Measure, better: Direction, lost: Lost },
    /// No game has a score: one that was won counts as 1, a lost one as 0.
    Wins,
}

/// What a lost game counts as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lost {
    points: f64,
    /// The same as the logarithm in [`Measure::Log`].
    log: f64,
}

impl Valuation {
    /// The valuation of a comparison of these games.
    ///
    /// A lost game counts as 0 if higher is better and no score is below 0. Otherwise it counts as worse than the worst score,
    /// by the larger of its distance from 0 and from the best score. This is twice the worst score in games of
    /// time or cost, as the "penalised average" of comparisons of solvers. By logarithm it is as far below the worst score as that
    /// is below the best, and at least by a factor of 2.
    pub(super) fn of(
        measure: Measure,
        better: Direction,
        games: impl IntoIterator<Item = Finish>,
    ) -> Self {
        let (mut scores, mut logs, mut is_any_without) = (None, None, false);
        for game in games {
            match game {
                Finish::Won(Some(score)) => {
                    let (best, worst) = scores.unwrap_or((score, score));
                    scores = Some((better.better(best, score), better.worse(worst, score)));
                    if let Some(log) = logarithm(better, score) {
                        let (best, worst) = logs.unwrap_or((log, log));
                        logs = Some((log.max(best), log.min(worst)));
                    }
                }
                Finish::Won(None) => is_any_without = true,
                Finish::Lost | Finish::Placed { .. } => {}
            }
        }
        let log = logs.map_or(0.0, |(best, worst)| worst - (best - worst).max(LOST_BY));
        let of = |points| Self::Scores { measure, better, lost: Lost { points, log } };
        match scores {
            // Places are values by themselves.
            _ if measure == Measure::Place => of(0.0),
            Some((best, worst)) => of(lost(better, best, worst)),
            None if better.is_higher() && !is_any_without => of(0.0),
            None => Self::Wins,
        }
    }

    /// The measure that it compares in.
    pub(super) fn measure(self) -> Measure {
        match self {
            Self::Scores { measure, .. } => measure,
            Self::Wins => Measure::Points,
        }
    }

    /// The points of a game; `None` if it has no score and others do.
    pub(super) fn points(self, game: Finish) -> Option<f64> {
        match (self, game) {
            (_, Finish::Placed { place, .. }) => Some(place),
            (Self::Scores { lost, .. }, Finish::Lost) => Some(lost.points),
            (Self::Scores { .. }, Finish::Won(score)) => score.map(Score::as_f64),
            (Self::Wins, Finish::Lost) => Some(0.0),
            (Self::Wins, Finish::Won(_)) => Some(1.0),
        }
    }

    /// The mean points of games; `None` without any that has points.
    pub(super) fn mean(self, games: &[Finish]) -> Option<f64> {
        mean(games.iter().map(|game| self.points(*game)))
    }

    /// The value of a game in the measure, where higher is better; `None` if it has none. `rivals` are the other bot's games on
    /// the board, and `best` is the best score there.
    pub(super) fn value(self, game: Finish, rivals: &[Finish], best: Option<Score>) -> Option<f64> {
        let Self::Scores { measure, better, lost } = self else { return self.points(game) };
        let turned = |points: f64| if better.is_higher() { points } else { -points };
        match (measure, game) {
            (_, Finish::Placed { place, .. }) => Some(place),
            (Measure::Place, _) | (_, Finish::Won(None)) => None,
            (Measure::Points, game) => self.points(game).map(turned),
            (Measure::Ratio, Finish::Lost) => Some(0.0),
            (Measure::Ratio, Finish::Won(score)) => {
                score.zip(best).and_then(|(score, best)| better.share(score, best)).map(percent)
            }
            (Measure::Log, Finish::Won(Some(score)))
                if better.is_higher() || score > Score::ZERO =>
            {
                Some(percent(logarithm(better, score).unwrap_or(lost.log)))
            }
            (Measure::Log, Finish::Won(_)) => None,
            (Measure::Log, Finish::Lost) => Some(percent(lost.log)),
            (Measure::Rank, _) => mean(rivals.iter().map(|other| rank(better, game, *other))),
        }
    }

    /// What two bots have on a board on which `known` was the best score; `None` unless both have a game with a value.
    ///
    /// Games that are worse than a lost one, which a valuation that was made of other games allows, count as lost ones in the total.
    pub(super) fn board(
        self,
        mine: &[Finish],
        others: &[Finish],
        known: Option<Score>,
    ) -> Option<PairedBoard> {
        let best = self.best(mine.iter().chain(others), known);
        let least = self.value(Finish::Lost, &[], best).unwrap_or(f64::NEG_INFINITY);
        let values = |games: &[Finish], rivals: &[Finish], least: f64| {
            let value = |game: &Finish| Some(self.value(*game, rivals, best)?.max(least));
            mean(games.iter().map(value))
        };
        let of_finished = |games, rivals| values(games, rivals, f64::NEG_INFINITY);
        let finished = |games: &[Finish]| -> Vec<Finish> {
            games.iter().copied().filter(|it| *it != Finish::Lost).collect()
        };
        let (my_finished, their_finished) = (finished(mine), finished(others));
        let pairs = || mine.iter().zip(others);
        let lost = |game: &Finish| game.is_lost();
        Some(PairedBoard {
            finished: of_finished(&my_finished, &their_finished)
                .zip(of_finished(&their_finished, &my_finished))
                .map(<[f64; 2]>::from),
            all: [values(mine, others, least)?, values(others, mine, least)?],
            lost: [
                pairs().filter(|(game, _)| lost(game)).count(),
                pairs().filter(|(_, game)| lost(game)).count(),
            ],
            has_losses: mine.iter().chain(others).any(lost),
        })
    }

    /// The best score of these games and of what was known.
    pub(super) fn best<'a>(
        self,
        games: impl Iterator<Item = &'a Finish>,
        known: Option<Score>,
    ) -> Option<Score> {
        let Self::Scores { better, .. } = self else { return None };
        let scores = games.filter_map(|game| match game {
            Finish::Won(score) => *score,
            Finish::Lost | Finish::Placed { .. } => None,
        });
        scores.chain(known).reduce(|one, other| better.better(one, other))
    }

    /// The points that a lost game counts as, where they count and that is not simply 0.
    pub(super) fn lost_points(self) -> Option<f64> {
        match self {
            Self::Scores { measure: Measure::Points, better, lost } => {
                (!better.is_higher() || lost.points < 0.0).then_some(lost.points)
            }
            Self::Scores { .. } | Self::Wins => None,
        }
    }
}

/// The least logarithm by which a lost game is below the worst score.
const LOST_BY: f64 = std::f64::consts::LN_2;

fn percent(part: f64) -> f64 {
    100.0 * part
}

/// The mean of the known values; `None` if none is known. Games that end alike have the same one, in whichever order.
pub(super) fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut values: Vec<f64> = values.flatten().collect();
    values.sort_unstable_by(f64::total_cmp);
    (!values.is_empty()).then(|| statistics::mean(&values))
}

/// The logarithm of a score above 0, turned so that higher is better.
fn logarithm(better: Direction, score: Score) -> Option<f64> {
    let log = (score > Score::ZERO).then(|| score.as_f64().ln())?;
    Some(if better.is_higher() { log } else { -log })
}

/// 100 if a game is better than another, 50 if they are even, else 0; `None` if one was won without a score.
fn rank(better: Direction, game: Finish, other: Finish) -> Option<f64> {
    match (game, other) {
        (Finish::Won(None) | Finish::Placed { .. }, _)
        | (_, Finish::Won(None) | Finish::Placed { .. }) => None,
        (Finish::Won(Some(one)), Finish::Won(Some(two))) if one != two => {
            Some(if better.is_better(one, two) { 100.0 } else { 0.0 })
        }
        (Finish::Won(_), Finish::Won(_)) | (Finish::Lost, Finish::Lost) => Some(50.0),
        (Finish::Won(_), Finish::Lost) => Some(100.0),
        (Finish::Lost, Finish::Won(_)) => Some(0.0),
    }
}

/// What a lost game counts as, among games with these scores.
fn lost(better: Direction, best: Score, worst: Score) -> f64 {
    let (best, worst) = (best.as_f64(), worst.as_f64());
    if better.is_higher() && worst >= 0.0 {
        return 0.0;
    }
    let distance = worst.abs().max((best - worst).abs());
    let distance = if distance > 0.0 { distance } else { 1.0 };
    if better.is_higher() { worst - distance } else { worst + distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valuation(better: Direction, scores: &[i64]) -> Valuation {
        valuation_in(Measure::Points, better, scores)
    }

    fn valuation_in(measure: Measure, better: Direction, scores: &[i64]) -> Valuation {
        Valuation::of(measure, better, scores.iter().map(|score| won(*score)))
    }

    fn won(score: i64) -> Finish {
        Finish::Won(Some(score.into()))
    }

    /// The values on a board on which the other bot loses.
    fn values(valuation: Valuation, game: Finish) -> Option<[f64; 2]> {
        valuation.board(&[game], &[Finish::Lost], None).map(|board| board.all)
    }

    #[test]
    fn a_lost_game_is_worse_than_any_score() {
        for (better, scores, lost) in [
            (Direction::Higher, &[300, 0][..], 0.0),
            (Direction::Higher, &[], 0.0),
            (Direction::Higher, &[300, -5], -310.0),
            (Direction::Lower, &[300, 200], 600.0),
            (Direction::Lower, &[0], 1.0),
            (Direction::Lower, &[-50, -10], 30.0),
        ] {
            let valuation = valuation(better, scores);
            assert_eq!(valuation.points(Finish::Lost), Some(lost), "{better:?} {scores:?}");
            for score in scores.iter().filter(|score| **score != 0 || !better.is_higher()) {
                let values = values(valuation, won(*score));
                assert!(values.is_some_and(|[won, lost]| won > lost), "{better:?} {score}");
            }
        }
    }

    #[test]
    fn games_without_scores_are_compared_by_wins() {
        for better in [Direction::Higher, Direction::Lower] {
            let valuation =
                Valuation::of(Measure::Ratio, better, [Finish::Won(None), Finish::Lost]);
            assert_eq!(valuation, Valuation::Wins);
            assert_eq!(values(valuation, Finish::Won(None)), Some([1.0, 0.0]));
        }
        let some = Valuation::of(Measure::Points, Direction::Lower, [Finish::Won(None), won(0)]);
        assert_eq!(some.points(Finish::Won(None)), None);
    }

    #[test]
    fn a_game_that_is_worse_than_expected_counts_as_a_lost_one() {
        let valuation = valuation(Direction::Lower, &[10, 20]);
        assert_eq!(values(valuation, won(15)), Some([-15.0, -40.0]));
        assert_eq!(values(valuation, won(1000)), Some([-40.0, -40.0]));
    }

    #[test]
    fn games_of_a_board_are_averaged_and_lost_ones_counted_in_pairs() {
        let valuation = valuation(Direction::Higher, &[100, 500]);
        let board =
            valuation.board(&[won(100), Finish::Lost], &[won(200), won(400), Finish::Lost], None);
        let board = board.expect("games of both");
        assert_eq!((board.finished, board.all), (Some([100.0, 300.0]), [50.0, 200.0]));
        assert_eq!((board.lost, board.has_losses), ([1, 0], true));
        let lost = valuation.board(&[Finish::Lost], &[won(200)], None).expect("games of both");
        assert_eq!((lost.finished, lost.lost), (None, [1, 0]));
        assert_eq!(valuation.board(&[Finish::Won(None)], &[won(200)], None), None);
    }

    #[test]
    fn games_that_end_alike_are_even_however_many_there_are_and_in_whichever_order() {
        let won = |score: &str| Finish::Won(Some(score.parse().expect("a score")));
        for (mine, others) in [
            (vec!["0.1"; 3], vec!["0.1"]),
            (vec!["0.7"; 10], vec!["0.7"; 3]),
            (vec!["0.1", "0.2", "0.3"], vec!["0.3", "0.1", "0.2"]),
        ] {
            let [mine, others] =
                [mine, others].map(|scores| scores.into_iter().map(won).collect::<Vec<_>>());
            for measure in [Measure::Points, Measure::Ratio, Measure::Log] {
                let known = Some("2.3".parse().expect("a score"));
                let valuation = Valuation::of(measure, Direction::Higher, mine.iter().copied());
                let board = valuation.board(&mine, &others, known).expect("scores");
                assert_eq!(board.all[0].to_bits(), board.all[1].to_bits(), "{measure} {mine:?}");
            }
        }
    }

    /// The values of two bots' games on a board: of the games that they finish, and of all.
    fn valued(
        (measure, better): (Measure, Direction),
        [mine, others]: [&[Finish]; 2],
        known: Option<i64>,
    ) -> Option<(Option<[f64; 2]>, [f64; 2])> {
        let valuation = Valuation::of(measure, better, mine.iter().chain(others).copied());
        let board = valuation.board(mine, others, known.map(Score::from))?;
        let rounded = |values: [f64; 2]| values.map(|value| (value * 1e6).round() / 1e6);
        Some((board.finished.map(rounded), rounded(board.all)))
    }

    #[test]
    fn a_ratio_is_to_the_best_of_both_bots_and_of_what_was_known() {
        use Direction::{Higher, Lower};
        let found = |better, mine: &[Finish], others: &[Finish], known| {
            valued((Measure::Ratio, better), [mine, others], known)
        };
        let both = |values| Some((Some(values), values));
        assert_eq!(found(Higher, &[won(50)], &[won(40)], None), both([100.0, 80.0]));
        assert_eq!(found(Higher, &[won(50)], &[won(40)], Some(200)), both([25.0, 20.0]));
        assert_eq!(found(Higher, &[won(50)], &[won(40)], Some(10)), both([100.0, 80.0]));
        assert_eq!(found(Lower, &[won(50)], &[won(40)], None), both([80.0, 100.0]));
        assert_eq!(found(Lower, &[won(50)], &[won(40)], Some(20)), both([40.0, 50.0]));
        let with_loss = found(Higher, &[won(50), Finish::Lost], &[won(25)], None);
        assert_eq!(with_loss, Some((Some([100.0, 50.0]), [50.0, 50.0])));
        assert_eq!(found(Lower, &[won(5)], &[won(4)], Some(-1)), None, "it means nothing");
    }

    #[test]
    fn logarithms_differ_by_a_factor_and_a_lost_game_is_below_all() {
        use Direction::{Higher, Lower};
        let found = |better, mine: &[Finish], others: &[Finish]| {
            let (finished, all) = valued((Measure::Log, better), [mine, others], None)?;
            Some((finished.map(|[one, other]| one - other), all[0] - all[1]))
        };
        let near = |found: Option<(Option<f64>, f64)>, factor: f64| {
            let difference = found.expect("values").1;
            assert!((difference - 100.0 * factor.ln()).abs() < 1e-3, "{difference} {factor}");
        };
        near(found(Higher, &[won(110)], &[won(100)]), 1.1);
        near(found(Lower, &[won(110)], &[won(100)]), 1.0 / 1.1);
        near(found(Higher, &[won(110)], &[Finish::Lost]), 2.0);
        near(found(Higher, &[won(110)], &[won(0)]), 2.0);
        near(found(Lower, &[won(110)], &[Finish::Lost]), 2.0);
        assert_eq!(found(Higher, &[won(110)], &[Finish::Lost]).expect("values").0, None);
        assert_eq!(found(Lower, &[won(110)], &[won(0)]), None, "the logarithm of 0 has no end");
    }

    #[test]
    fn a_rank_is_the_share_of_the_other_games_that_are_beaten() {
        use Direction::{Higher, Lower};
        let found = |better, mine: &[Finish], others: &[Finish]| {
            valued((Measure::Rank, better), [mine, others], Some(1000))
        };
        let both = |values| Some((Some(values), values));
        assert_eq!(found(Higher, &[won(50)], &[won(40)]), both([100.0, 0.0]));
        assert_eq!(found(Lower, &[won(50)], &[won(40)]), both([0.0, 100.0]));
        assert_eq!(found(Lower, &[won(40)], &[won(40)]), both([50.0, 50.0]));
        let several = found(Higher, &[won(50)], &[won(40), won(60), won(50), Finish::Lost]);
        assert_eq!(several, Some((Some([50.0, 50.0]), [62.5, 37.5])));
        let lost = found(Higher, &[Finish::Lost], &[Finish::Lost]);
        assert_eq!(lost, Some((None, [50.0, 50.0])));
    }
}
