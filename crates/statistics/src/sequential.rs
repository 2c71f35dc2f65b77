//! The mean difference between two bots, with an interval that may be looked at after every board.
//!
//! The interval is an asymptotic confidence sequence (I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy,
//! A. Ramdas, *Time-uniform central limit theory and asymptotic confidence sequences*, 2024, theorem
//! 2.2). After n boards with mean difference m and standard deviation s it is
//!
//! m ± s √(2 (n ρ² + 1) / (n² ρ²) · ln(√(n ρ² + 1) / α))
//!
//! The true mean lies in all of these intervals at once in 95 % of comparisons, so one may stop as soon as
//! an interval leaves out 0. The mean of boards in random order without replacement varies less than that
//! of independent boards, so the interval holds for them too; it does not narrow towards the end of a list
//! of boards, since the bots' luck on these boards is unknown even then.
//!
//! The theorem holds for many boards. Few boards may miss a difference that occurs on one board of sixty
//! and outweighs all others. So the deviation includes two more boards than those seen, on which one
//! bot has the highest score seen and the other 0, as in a lost game. `docs/statistics.md` has the
//! resulting error rates.

use super::real;

/// The chance that an interval ever leaves out the true mean.
const ALPHA: f64 = 0.05;

/// The number of boards for which the intervals are narrowest.
const NARROWEST_AT: f64 = 500.0;

/// The number of unseen boards to allow for.
const UNSEEN: f64 = 2.0;

/// The confidence sequence after some boards.
#[derive(Debug, Clone, Default)]
pub struct ConfidenceSequence {
    count: usize,
    mean: f64,
    /// Σ (difference - mean)².
    squares: f64,
    /// The highest score of either bot.
    highest: f64,
    /// Mean differences below this do not matter.
    margin: f64,
    /// The decision, which is final.
    decided: Option<Decided>,
    lowest_p: Option<f64>,
}

/// A decision that an interval allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// The mean difference is above 0.
    Above,
    /// The mean difference is below 0.
    Below,
    /// The mean difference is within the margin.
    Even,
}

impl ConfidenceSequence {
    /// The fewest boards for a decision.
    pub const MIN_BOARDS: usize = 100;

    /// An empty sequence; mean differences within `margin` of 0 do not matter.
    pub fn new(margin: f64) -> Self {
        Self { margin, ..Self::default() }
    }

    /// Adds a board: the score of one bot, and that of the other.
    pub fn push(&mut self, score: f64, other: f64) {
        let difference = score - other;
        self.count += 1;
        let from_mean = difference - self.mean;
        self.mean += from_mean / real(self.count);
        self.squares += from_mean * (difference - self.mean);
        self.highest = self.highest.max(score.abs()).max(other.abs());
        if self.count < Self::MIN_BOARDS {
            return;
        }
        self.lowest_p = Some(self.lowest_p.unwrap_or(1.0).min(self.p_now()));
        let (low, high) = self.interval().expect("boards");
        self.decided = self.decided.or(match () {
            () if low > 0.0 => Some(Decided::Above),
            () if high < 0.0 => Some(Decided::Below),
            () if -self.margin < low && high < self.margin => Some(Decided::Even),
            () => None,
        });
    }

    /// The number of boards so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The mean difference so far.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The interval of the true mean; `None` without a board.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let half = self.deviation(real(self.count)) * width(real(self.count));
        (self.count > 0).then_some((self.mean - half, self.mean + half))
    }

    /// The decision, if one was made.
    pub fn decided(&self) -> Option<Decided> {
        self.decided
    }

    /// A p-value that holds however often one has looked: the smallest α whose interval has ever left
    /// out 0.
    pub fn p_value(&self) -> f64 {
        self.lowest_p.unwrap_or(1.0)
    }

    /// The estimated number of boards for a decision, if the rest resemble those so far; `None` if it
    /// is decided, or beyond ten million.
    pub fn boards_to_decide(&self) -> Option<u64> {
        const MAX_BOARDS: u64 = 10_000_000;
        let distance = self.mean.abs().max(self.margin - self.mean.abs());
        let decides = |&boards: &u64| {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let n = boards as f64;
            self.deviation(n) * width(n) < distance
        };
        let open = self.decided.is_none() && self.count > 0;
        let steps = std::iter::successors(Some(Self::MIN_BOARDS as u64), |n| Some(n + n / 20));
        steps.take_while(|n| open && *n < MAX_BOARDS).find(decides)
    }

    /// The standard deviation, with an allowance for rare boards that `boards` boards may have
    /// missed.
    fn deviation(&self, boards: f64) -> f64 {
        let seen = self.squares / real(self.count.max(1));
        (seen + UNSEEN * self.highest.powi(2) / boards.max(1.0)).sqrt()
    }

    /// The smallest α whose interval leaves out 0.
    fn p_now(&self) -> f64 {
        let n = real(self.count);
        let spread = n * rho_squared() + 1.0;
        let z = n * self.mean / self.deviation(n).max(f64::MIN_POSITIVE);
        (spread.sqrt() * (-z * z * rho_squared() / (2.0 * spread)).exp()).min(1.0)
    }
}

/// Half the width of an interval after n boards, in standard deviations.
fn width(n: f64) -> f64 {
    let spread = n * rho_squared() + 1.0;
    (2.0 * spread / (n * n * rho_squared()) * (spread.sqrt() / ALPHA).ln()).sqrt()
}

/// The parameter ρ² with the narrowest interval at the chosen number of boards (the paper's appendix B.2).
fn rho_squared() -> f64 {
    let log = -2.0 * ALPHA.ln();
    (log + log.ln_1p()) / NARROWEST_AT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_paper() {
        let mut sequence = ConfidenceSequence::new(0.0);
        // Deviation 1, and no score that would widen it.
        for n in 0..1000 {
            let difference = if n % 2 == 0 { 1.0 } else { -1.0 };
            sequence.push(difference, 0.0);
        }
        let (low, high) = sequence.interval().expect("boards");
        // 1.001 √(2 · 16.9 / (1000² · 0.0159) · ln(√16.9 / 0.05)), by hand.
        assert!((high - 0.096_9).abs() < 5e-4, "{low} {high}");
        assert!((low + high).abs() < 1e-12);
        assert_eq!(sequence.decided(), None);
    }

    #[test]
    fn mean_and_squares_are_the_textbooks() {
        let mut sequence = ConfidenceSequence::new(0.0);
        assert_eq!(sequence.interval(), None);
        for difference in [1.0, 2.0, 4.0, 8.0] {
            sequence.push(difference, 0.0);
        }
        assert!((sequence.mean() - 3.75).abs() < 1e-12, "{sequence:?}");
        assert!((sequence.squares - 28.75).abs() < 1e-12, "{sequence:?}");
    }

    /// A sequence of a hundred boards on which one bot has these points in turn, and the other 200.
    fn in_turn(margin: f64, points: [f64; 2]) -> ConfidenceSequence {
        let mut sequence = ConfidenceSequence::new(margin);
        (0..50).flat_map(|_| points).for_each(|points| sequence.push(points, 200.0));
        sequence
    }

    #[test]
    fn bots_are_even_only_if_the_whole_interval_is_within_the_margin() {
        for points in [[300.0, 0.0], [400.0, 100.0]] {
            let (low, high) = in_turn(0.0, points).interval().expect("boards");
            assert!(low < -1.0 && high > 1.0, "{low} {high}");
            let (near, far) = (high.min(-low), high.max(-low));
            for margin in [near, f64::midpoint(near, far), far] {
                assert_eq!(in_turn(margin, points).decided(), None, "{margin}: {low} {high}");
            }
            assert_eq!(in_turn(far * 1.001, points).decided(), Some(Decided::Even));
        }
    }

    #[test]
    fn an_interval_that_ends_at_0_decides_nothing() {
        let mut sequence = ConfidenceSequence::new(0.0);
        (0..200).for_each(|_| sequence.push(0.0, 0.0));
        assert_eq!((sequence.interval(), sequence.decided()), (Some((0.0, 0.0)), None));
    }

    #[test]
    fn nothing_is_decided_early_and_what_is_decided_stays() {
        let mut sequence = ConfidenceSequence::new(5.0);
        (0..99).for_each(|_| sequence.push(500.0, 100.0));
        assert_eq!((sequence.decided(), sequence.count()), (None, 99));
        assert!((sequence.p_value() - 1.0).abs() < 1e-12);
        sequence.push(500.0, 100.0);
        assert_eq!(sequence.decided(), Some(Decided::Above));
        assert!(sequence.p_value() < 0.05);
        (0..5000).for_each(|_| sequence.push(100.0, 500.0));
        assert_eq!(sequence.decided(), Some(Decided::Above));
    }

    #[test]
    fn the_p_value_is_the_least_of_all_looks() {
        let mut sequence = ConfidenceSequence::new(0.0);
        (0..100).for_each(|_| sequence.push(500.0, 100.0));
        let least = sequence.p_value();
        // The bots are even after as many boards the other way.
        (0..100).for_each(|_| sequence.push(100.0, 500.0));
        assert!(sequence.p_now() > 0.99, "{}", sequence.p_now());
        assert_eq!(sequence.p_value().to_bits(), least.to_bits());
    }

    #[test]
    fn worse_is_decided_as_better_is() {
        let mut sequence = ConfidenceSequence::new(5.0);
        (0..100).for_each(|_| sequence.push(100.0, 500.0));
        assert_eq!(sequence.decided(), Some(Decided::Below));
    }

    #[test]
    fn bots_that_play_alike_are_even_once_a_lost_game_would_not_matter() {
        let mut sequence = ConfidenceSequence::new(15.0);
        let boards = (1..5000).find(|_| {
            sequence.push(3000.0, 3000.0);
            sequence.decided().is_some()
        });
        assert_eq!(sequence.decided(), Some(Decided::Even));
        assert!((600..1500).contains(&boards.expect("it ends")), "{boards:?}");
        let mut strict = ConfidenceSequence::new(0.0);
        (0..5000).for_each(|_| strict.push(3000.0, 3000.0));
        assert_eq!(strict.decided(), None, "without a margin nothing is even");
    }

    #[test]
    fn the_p_value_and_the_interval_say_the_same() {
        for step in 1..200 {
            let mut sequence = ConfidenceSequence::new(0.0);
            for n in 0..150 {
                let noise = if n % 2 == 0 { 40.0 } else { -40.0 };
                sequence.push(100.0 + noise + f64::from(step) * 0.2, 100.0);
            }
            let (low, _) = sequence.interval().expect("boards");
            assert_eq!(sequence.p_now() < ALPHA, low > 0.0, "{step}");
        }
    }

    #[test]
    fn what_would_decide_is_about_what_it_takes() {
        let mut sequence = ConfidenceSequence::new(0.0);
        let mut push = |n: usize| {
            let noise = if n.is_multiple_of(2) { 300.0 } else { -300.0 };
            sequence.push(1000.0 + noise + 20.0, 1000.0);
            sequence.clone()
        };
        let estimate = (0..200).map(&mut push).last().expect("some").boards_to_decide();
        let estimate = estimate.expect("it will be decided");
        let decided = (200..100_000).find(|&n| push(n).decided().is_some()).expect("decided");
        assert!(estimate.abs_diff(decided as u64) < estimate / 10, "{estimate} {decided}");
    }
}
