//! What boards say about two bots: their mean difference, the range of their scores, and the games they lost.

use serde::Serialize;

use super::{Estimate, Risk, real, sign_test};

/// What two bots have on a board. Higher values are better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedBoard {
    /// The values of the games that were finished, one mean for each bot; `None` unless both finished one.
    pub finished: Option<[f64; 2]>,
    /// The values of all games, lost ones included, one mean for each bot.
    pub all: [f64; 2],
    /// The lost games of each bot, out of equally many.
    pub lost: [usize; 2],
    /// Whether any game was lost.
    pub has_losses: bool,
}

impl PairedBoard {
    /// A board with one finished game of each bot.
    pub fn finished(score: f64, other: f64) -> Self {
        let all = [score, other];
        Self { finished: Some(all), all, lost: [0, 0], has_losses: false }
    }

    /// A board on which each bot has a value, and may have lost its game.
    pub fn new(all: [f64; 2], lost: [bool; 2]) -> Self {
        let has_losses = lost[0] || lost[1];
        let finished = (!has_losses).then_some(all);
        Self { finished, all, lost: lost.map(usize::from), has_losses }
    }
}

/// Differences added up one by one, and the range of the values behind them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moments {
    count: usize,
    mean: f64,
    /// Σ (difference - mean)².
    squares: f64,
    /// The smallest value of either bot and the largest.
    extremes: Option<(f64, f64)>,
}

impl Moments {
    /// Adds the values of the two bots on a board.
    pub fn push(&mut self, [score, other]: [f64; 2]) {
        let difference = score - other;
        self.count += 1;
        let from_mean = difference - self.mean;
        self.mean += from_mean / real(self.count);
        self.squares += from_mean * (difference - self.mean);
        let (low, high) = self.extremes.unwrap_or((score, score));
        self.extremes = Some((low.min(score).min(other), high.max(score).max(other)));
    }

    /// The number of boards.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The mean difference; 0 without boards.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Σ (difference - mean)².
    pub(crate) fn squares(&self) -> f64 {
        self.squares
    }

    /// The sample variance of the differences.
    pub fn variance(&self) -> f64 {
        self.squares / (real(self.count) - 1.0).max(1.0)
    }

    /// The largest value of either bot less the smallest.
    pub fn range(&self) -> f64 {
        self.extremes.map_or(0.0, |(low, high)| high - low)
    }
}

/// All boards so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// The boards on which both bots finished a game.
    pub finished: Moments,
    /// All boards; a lost game has the value of a lost game.
    pub all: Moments,
    /// The boards on which each bot lost a game.
    lost: [u64; 2],
    /// The boards on which each bot lost more games than the other.
    lost_alone: [u64; 2],
    has_losses: bool,
}

impl Evidence {
    /// Adds a board.
    pub fn push(&mut self, board: &PairedBoard) {
        if let Some(values) = board.finished {
            self.finished.push(values);
        }
        self.all.push(board.all);
        let [mine, others] = board.lost;
        for (bot, (own, other)) in [(mine, others), (others, mine)].into_iter().enumerate() {
            self.lost[bot] += u64::from(own > 0);
            self.lost_alone[bot] += u64::from(own > other);
        }
        self.has_losses |= board.has_losses;
    }

    /// The means that may make a verdict.
    ///
    /// The mean of the boards that both bots finish decides, unless the bot with the higher mean there loses games that the other finishes:
    /// what these cost is a question of the total alone, the mean of all boards, where it is certain.
    pub fn deciding(&self) -> impl Iterator<Item = &Moments> {
        let [mine, others] = self.lost_alone;
        let mean = self.finished.mean();
        let is_contradicted = (mean > 0.0 && mine > 0) || (mean < 0.0 && others > 0);
        let finished = (!is_contradicted).then_some(&self.finished);
        finished.into_iter().chain(self.has_losses.then_some(&self.all))
    }

    /// The lost games, with intervals for this chance on either side.
    pub fn lost(&self, risk: Risk) -> Lost {
        let boards = self.all.count() as u64;
        let rate = |lost| LossRate::of(lost, boards, risk);
        let [challenger, baseline] = self.lost.map(rate);
        let [only_challenger, only_baseline] = self.lost_alone;
        let p = sign_test(only_challenger, only_baseline);
        Lost { challenger, baseline, only_challenger, only_baseline, p }
    }
}

/// How often two bots lose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Lost {
    /// The boards on which the first bot, the challenger, loses.
    pub challenger: LossRate,
    /// The boards on which the second bot, the baseline, loses.
    pub baseline: LossRate,
    /// The boards on which the challenger loses more games than the baseline.
    pub only_challenger: u64,
    /// The boards on which the baseline loses more games than the challenger.
    pub only_baseline: u64,
    /// The two-sided p-value of `McNemar`'s exact test.
    pub p: f64,
}

/// On how many boards a bot loses, and on what share of all boards it may.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LossRate {
    /// The boards on which it lost.
    pub boards: u64,
    /// The lower end of the exact interval of the share.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl LossRate {
    fn of(lost: u64, boards: u64, risk: Risk) -> Self {
        let Estimate { low, high, .. } = Estimate::exact(lost, boards, risk);
        Self { boards: lost, low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_games_are_counted_by_board_and_by_who_lost_more() {
        let mut evidence = Evidence::default();
        for lost in [[1, 1], [2, 1], [0, 3], [0, 0], [1, 0]] {
            let board = PairedBoard::finished(1.0, 1.0);
            evidence.push(&PairedBoard { lost, has_losses: lost != [0, 0], ..board });
        }
        let lost = evidence.lost(Risk::Strict);
        assert_eq!((lost.challenger.boards, lost.baseline.boards), (3, 3));
        assert_eq!((lost.only_challenger, lost.only_baseline), (2, 1));
        assert!((lost.p - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_finished_boards_decide_unless_the_better_bot_there_loses_what_the_other_finishes() {
    for (values, lost, decides) in [
        ([3.0, 2.0], [false, true], true),
        ([3.0, 2.0], [true, false], false),
        ([2.0, 3.0], [true, false], true),
        ([2.0, 3.0], [false, true], false),
        ([2.0, 2.0], [true, false], true),
        ([2.0, 2.0], [false, true], true),
    ] {
        let mut evidence = Evidence::default();
        evidence.push(&PairedBoard::new(values, [false; 2]));
        let only_finished = vec![&evidence.finished];
        assert_eq!(evidence.deciding().collect::<Vec<_>>(), only_finished);
        evidence.push(&PairedBoard::new([0.0; 2], lost));
        let expected = if decides { vec![1, 2] } else { vec![2] };
        let counts: Vec<_> = evidence.deciding().map(Moments::count).collect();
        assert_eq!(counts, expected, "{values:?}, {lost:?}");
    }
}
