//! What a game is worth in a comparison. A lost one is worth less than any that was not lost, whatever number its judge sent.

use crate::suite::Outcome;
use rules::score::{Direction, Score};

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

    /// By how much `points` are better than `others`.
    pub(super) fn difference(self, points: f64, others: f64) -> f64 {
        match self {
            Self::Scores { better: Direction::Lower, .. } => others - points,
            Self::Scores { .. } | Self::Wins => points - others,
        }
    }

    /// By how much a game is better than a lost one, at least 0; `None` if it has no score and others do.
    pub(super) fn above_lost(self, game: Finish) -> Option<f64> {
        let lost = self.points(Finish::Lost)?;
        self.points(game).map(|points| self.difference(points, lost).max(0.0))
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
                let above = scale.above_lost(Finish::Won(Some((*score).into())));
                assert!(above.is_some_and(|above| above > 0.0), "{better:?} {score}");
            }
        }
    }

    #[test]
    fn games_without_scores_are_compared_by_wins() {
        for better in [Direction::Higher, Direction::Lower] {
            let scale = Scale::of(better, [Finish::Won(None), Finish::Lost]);
            assert_eq!(scale, Scale::Wins);
            assert_eq!(scale.above_lost(Finish::Won(None)), Some(1.0));
        }
        let some = Scale::of(Direction::Lower, [Finish::Won(None), Finish::Won(Some(Score::ZERO))]);
        assert_eq!(some.points(Finish::Won(None)), None);
    }

    #[test]
    fn a_game_that_is_worse_than_expected_counts_as_a_lost_one() {
        let scale = scale(Direction::Lower, &[10, 20]);
        assert_eq!(scale.above_lost(Finish::Won(Some(15.into()))), Some(25.0));
        assert_eq!(scale.above_lost(Finish::Won(Some(1000.into()))), Some(0.0));
    }
}
