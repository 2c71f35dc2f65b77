//! What a game is worth in a comparison. A lost one is worth less than any that was not lost, whatever number its judge sent.

use crate::suite::Outcome;
use rules::score::{Direction, Score};
use statistics::Board;

/// How a game ended, as far as comparisons know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Finish {
    Lost,
    /// With its score, if it has one.
    Won(Option<Score>),
}

impl Finish {
    pub(super) fn of(outcome: &Outcome) -> Self {
        if outcome.won { Self::Won(outcome.score) } else { Self::Lost }
    }

    /// The number of decimals of its score.
    pub(super) fn decimals(self) -> usize {
        match self {
            Self::Won(Some(score)) => score.decimals(),
            Self::Won(None) | Self::Lost => 0,
        }
    }
}

/// The points of games, in the game's own scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scale {
    /// Games have scores; `lost` is what a lost one counts as.
    Scores { better: Direction, lost: f64 },
    /// No game has a score: one that was won counts as 1, a lost one as 0.
    Wins,
}

impl Scale {
    /// The scale of a comparison of these games.
    ///
    /// A lost game counts as 0 if higher is better and no score is below 0. Otherwise it counts as worse than the worst score,
    /// by as much as that is away from 0, or from the best score if that is more. This is twice the worst score in games of
    /// time or cost, as the "penalised average" of comparisons of solvers.
    pub(super) fn of(better: Direction, games: impl IntoIterator<Item = Finish>) -> Self {
        let (mut scores, mut is_any_without) = (None, false);
        for game in games {
            match game {
                Finish::Won(Some(score)) => {
                    let (best, worst) = scores.unwrap_or((score, score));
                    scores = Some((better.better(best, score), better.worse(worst, score)));
                }
                Finish::Won(None) => is_any_without = true,
                Finish::Lost => {}
            }
        }
        match scores {
            Some((best, worst)) => Self::Scores { better, lost: lost(better, best, worst) },
            None if better.is_higher() && !is_any_without => Self::Scores { better, lost: 0.0 },
            None => Self::Wins,
        }
    }

    /// The points of a game; `None` if it has no score and others do.
    pub(super) fn points(self, game: Finish) -> Option<f64> {
        match (self, game) {
            (Self::Scores { lost, .. }, Finish::Lost) => Some(lost),
            (Self::Scores { .. }, Finish::Won(score)) => score.map(Score::as_f64),
            (Self::Wins, Finish::Lost) => Some(0.0),
            (Self::Wins, Finish::Won(_)) => Some(1.0),
        }
    }

    /// The points turned so that higher is better.
    fn value(self, points: f64) -> f64 {
        match self {
            Self::Scores { better: Direction::Lower, .. } => -points,
            Self::Scores { .. } | Self::Wins => points,
        }
    }

    /// By how much `points` are better than `others`.
    pub(super) fn difference(self, points: f64, others: f64) -> f64 {
        self.value(points) - self.value(others)
    }

    /// The mean points of games; `None` without any that has points.
    pub(super) fn mean(self, games: &[Finish]) -> Option<f64> {
        let points: Vec<f64> = games.iter().filter_map(|game| self.points(*game)).collect();
        (!points.is_empty()).then(|| statistics::mean(&points))
    }

    /// What two bots have on a board; `None` unless both have a game with points.
    ///
    /// Games that are worse than a lost one, which a scale that was made of other games allows, count as lost ones in the total.
    pub(super) fn board(self, mine: &[Finish], others: &[Finish]) -> Option<Board> {
        let lost = self.points(Finish::Lost).map(|points| self.value(points));
        let all = |games: &[Finish]| {
            let values =
                games.iter().filter_map(|game| self.points(*game).map(|it| self.value(it)));
            let values: Vec<f64> =
                values.map(|value| lost.map_or(value, |lost| value.max(lost))).collect();
            (!values.is_empty()).then(|| statistics::mean(&values))
        };
        let finished = |games: &[Finish]| {
            let finished: Vec<_> = games.iter().copied().filter(|it| *it != Finish::Lost).collect();
            self.mean(&finished).map(|points| self.value(points))
        };
        let pairs = || mine.iter().zip(others);
        let lost = |game: &Finish| *game == Finish::Lost;
        Some(Board {
            finished: finished(mine).zip(finished(others)).map(<[f64; 2]>::from),
            all: [all(mine)?, all(others)?],
            lost: [
                pairs().filter(|(game, _)| lost(game)).count(),
                pairs().filter(|(_, game)| lost(game)).count(),
            ],
            has_losses: mine.iter().chain(others).any(lost),
        })
    }

    /// What a lost game counts as, where that is not simply 0.
    pub(super) fn lost_points(self) -> Option<f64> {
        match self {
            Self::Scores { better, lost } => (!better.is_higher() || lost < 0.0).then_some(lost),
            Self::Wins => None,
        }
    }
}

/// What a lost game counts as, beside games with these scores.
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

    fn scale(better: Direction, scores: &[i64]) -> Scale {
        Scale::of(better, scores.iter().map(|score| Finish::Won(Some((*score).into()))))
    }

    /// The values on a board on which the other bot loses.
    fn values(scale: Scale, game: Finish) -> Option<[f64; 2]> {
        scale.board(&[game], &[Finish::Lost]).map(|board| board.all)
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
            let scale = scale(better, scores);
            assert_eq!(scale.points(Finish::Lost), Some(lost), "{better:?} {scores:?}");
            for score in scores.iter().filter(|score| **score != 0 || !better.is_higher()) {
                let values = values(scale, Finish::Won(Some((*score).into())));
                assert!(values.is_some_and(|[won, lost]| won > lost), "{better:?} {score}");
            }
        }
    }

    #[test]
    fn games_without_scores_are_compared_by_wins() {
        for better in [Direction::Higher, Direction::Lower] {
            let scale = Scale::of(better, [Finish::Won(None), Finish::Lost]);
            assert_eq!(scale, Scale::Wins);
            assert_eq!(values(scale, Finish::Won(None)), Some([1.0, 0.0]));
        }
        let some = Scale::of(Direction::Lower, [Finish::Won(None), Finish::Won(Some(Score::ZERO))]);
        assert_eq!(some.points(Finish::Won(None)), None);
    }

    #[test]
    fn a_game_that_is_worse_than_expected_counts_as_a_lost_one() {
        let scale = scale(Direction::Lower, &[10, 20]);
        assert_eq!(values(scale, Finish::Won(Some(15.into()))), Some([-15.0, -40.0]));
        assert_eq!(values(scale, Finish::Won(Some(1000.into()))), Some([-40.0, -40.0]));
    }

    #[test]
    fn games_of_a_board_are_averaged_and_lost_ones_counted_in_pairs() {
        let scale = scale(Direction::Higher, &[100, 500]);
        let won = |score: i64| Finish::Won(Some(score.into()));
        let board = scale.board(&[won(100), Finish::Lost], &[won(200), won(400), Finish::Lost]);
        let board = board.expect("games of both");
        assert_eq!((board.finished, board.all), (Some([100.0, 300.0]), [50.0, 200.0]));
        assert_eq!((board.lost, board.has_losses), ([1, 0], true));
        let lost = scale.board(&[Finish::Lost], &[won(200)]).expect("games of both");
        assert_eq!((lost.finished, lost.lost), (None, [1, 0]));
        assert_eq!(scale.board(&[Finish::Won(None)], &[won(200)]), None);
    }
}
