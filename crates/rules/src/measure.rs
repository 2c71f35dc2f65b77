//! What a leaderboard makes of scores: the measure in which bots are compared.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::score::{Direction, Score};

/// What a leaderboard adds up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The scores, as `CodinGame` does.
    #[default]
    Points,
    /// The share of the best score on the board in percent, as `TopCoder`'s marathons do.
    Ratio,
    /// 100 times the natural logarithm of the score, so that a difference of 1 is about 1 %.
    Log,
    /// The share of the other bot's games that a game beats, in percent; half of those that are even.
    Rank,
    /// The place in a game of several players, in percent: 100 for the first alone, 0 for the last alone.
    Place,
}

impl Measure {
    /// Whether this is the default, which files need not state.
    pub fn is_points(&self) -> bool {
        *self == Self::Points
    }

    /// Whether a game's value depends on games of other bots, or on the worst of all, so that no sum of scores yields it.
    pub fn is_relative(self) -> bool {
        matches!(self, Self::Log | Self::Rank | Self::Place)
    }

    /// What a mean difference is in.
    pub fn unit(self, better: Direction) -> &'static str {
        match (self, better) {
            (Self::Points, _) => "points a board",
            (Self::Ratio, Direction::Higher) => "% of yours/best a board",
            (Self::Ratio, Direction::Lower) => "% of best/yours a board",
            (Self::Log, _) => "% by logarithm a board",
            (Self::Rank, _) => "% more boards won than lost",
            (Self::Place, _) => "% of the places a board",
        }
    }

    /// The decimals to show of values that come from scores with this many.
    pub fn decimals(self, of_scores: usize) -> usize {
        if self.is_points() { of_scores } else { 2 }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Points => "points",
            Self::Ratio => "ratio",
            Self::Log => "log",
            Self::Rank => "rank",
            Self::Place => "place",
        })
    }
}

impl Direction {
    /// The share of the best score that this one is, from 0 to 1; `None` where lower scores are better and the best is below 0.
    ///
    /// Where higher scores are better and none is above 0, each is 1.
    pub fn share(self, score: Score, best: Score) -> Option<f64> {
        let [own, top] = [score, best].map(Score::as_f64);
        match self {
            Self::Higher if best <= Score::ZERO => Some(1.0),
            Self::Higher => Some((own / top).max(0.0)),
            Self::Lower if best < Score::ZERO => None,
            Self::Lower if score <= Score::ZERO => Some(1.0),
            Self::Lower => Some(top / own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_turned_where_lower_is_better() {
        use Direction::{Higher, Lower};
        for (better, score, best, share) in [
            (Higher, 50, 100, Some(0.5)),
            (Higher, -5, 100, Some(0.0)),
            (Higher, -7, -5, Some(1.0)),
            (Lower, 100, 50, Some(0.5)),
            (Lower, 0, 0, Some(1.0)),
            (Lower, 7, 0, Some(0.0)),
            (Lower, 7, -1, None),
        ] {
            assert_eq!(better.share(score.into(), best.into()), share, "{better:?} {score}");
        }
    }
}
