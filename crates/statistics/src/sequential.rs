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
//! and outweighs all others. So the deviation includes two more boards than those seen, on which the bots differ by the whole
//! range of the scores seen. `docs/statistics.md` has the resulting error rates.

use serde::Serialize;

use super::{Evidence, Lost, Moments, PairedBoard, Risk, real};

/// The number of boards for which the intervals are narrowest.
const NARROWEST_AT: f64 = 500.0;

/// The number of unseen boards to allow for.
const SEQUENTIAL_UNSEEN: f64 = 2.0;

/// The confidence sequence after some boards.
///
/// ```
/// use statistics::{PairedBoard, ConfidenceSequence, Decided, Risk};
///
/// // Differences of less than one point do not matter.
/// let mut sequence = ConfidenceSequence::new(1.0, Risk::Strict);
/// for n in 0..200 {
///     sequence.push(&PairedBoard::finished(f64::from(110 + n % 9), f64::from(100 + n % 7)));
/// }
/// assert_eq!(sequence.decided(), Some(Decided::Better));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ConfidenceSequence {
    evidence: Evidence,
    /// Mean differences below this do not matter.
    margin: f64,
    risk: Risk,
    /// The decision, which is final.
    decided: Option<Decided>,
    lowest_p: Option<f64>,
}

/// A decision that an interval allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// The mean difference is above 0.
    Better,
    /// The mean difference is below 0.
    Worse,
    /// The mean difference is within the margin.
    Even,
}

impl ConfidenceSequence {
    /// The fewest boards for a decision.
    pub const MIN_BOARDS: usize = 100;

    /// An empty sequence; mean differences within `margin` of 0 do not matter.
    pub fn new(margin: f64, risk: Risk) -> Self {
        Self { margin, risk, ..Self::default() }
    }

    /// Adds a board.
    pub fn push(&mut self, board: &PairedBoard) {
        self.evidence.push(board);
        if self.count() < Self::MIN_BOARDS {
            return;
        }
        self.lowest_p = Some(self.lowest_p.unwrap_or(1.0).min(self.p_now()));
        self.decided = self.decided.or_else(|| self.decision());
    }

    /// What the boards so far decide.
    fn decision(&self) -> Option<Decided> {
        let enough = |moments: &&Moments| moments.count() >= Self::MIN_BOARDS;
        let side_of_0 = |moments: &Moments| match self.interval_of(moments) {
            (low, _) if low > 0.0 => Some(Decided::Better),
            (_, high) if high < 0.0 => Some(Decided::Worse),
            _ => None,
        };
        let (low, high) = self.interval_of(&self.evidence.all);
        let is_even = -self.margin < low && high < self.margin;
        let found = self.evidence.deciding().filter(enough).find_map(side_of_0);
        found.or(is_even.then_some(Decided::Even))
    }

    /// The number of boards so far.
    pub fn count(&self) -> usize {
        self.evidence.all.count()
    }

    /// The mean difference so far that decides first, and its interval; `None` without a board.
    ///
    /// It is the interval of the boards that both bots finish or, where that must not decide or says less, of all boards.
    pub fn leading(&self) -> Option<(f64, (f64, f64))> {
        let some = self.evidence.deciding().filter(|moments| moments.count() > 0);
        let leading = some.min_by(|a, b| self.p_of(a).total_cmp(&self.p_of(b)))?;
        Some((leading.mean(), self.interval_of(leading)))
    }

    /// The decision, if one was made.
    pub fn decided(&self) -> Option<Decided> {
        self.decided
    }

    /// The lost games so far.
    pub fn lost(&self) -> Lost {
        self.evidence.lost(self.risk)
    }

    /// A p-value that is valid at any stopping time: the smallest α at which an interval has excluded 0.
    pub fn p_value(&self) -> f64 {
        self.lowest_p.unwrap_or(1.0)
    }

    /// The estimated number of boards for a decision, if the rest resemble those so far; `None` if it
    /// is decided, beyond ten million, or nothing is known yet.
    pub fn boards_to_decide(&self) -> Option<u64> {
        let even = Some((&self.evidence.all, self.margin - self.evidence.all.mean().abs()));
        let apart = self.evidence.deciding().map(|moments| (moments, moments.mean().abs()));
        let boards = |(moments, distance): (&Moments, f64)| {
            boards_to_exclude(
                distance,
                moments.squares() / real(moments.count()),
                moments.range(),
                self.risk,
            )
        };
        apart.chain(even).filter_map(boards).min().filter(|_| self.decided.is_none())
    }

    fn interval_of(&self, moments: &Moments) -> (f64, f64) {
        let n = real(moments.count());
        let seen = moments.squares() / n;
        let half = deviation(seen, moments.range(), n) * width(n, self.risk);
        (moments.mean() - half, moments.mean() + half)
    }

    /// The smallest p-value of the means that may decide.
    fn p_now(&self) -> f64 {
        let enough = |moments: &&Moments| moments.count() >= Self::MIN_BOARDS;
        self.evidence
            .deciding()
            .filter(enough)
            .map(|moments| self.p_of(moments))
            .fold(1.0, f64::min)
    }

    /// The smallest α whose interval leaves out 0.
    fn p_of(&self, moments: &Moments) -> f64 {
        let n = real(moments.count());
        let (spread, rho_squared) = (n * rho_squared(self.risk) + 1.0, rho_squared(self.risk));
        let deviation = deviation(moments.squares() / n.max(1.0), moments.range(), n);
        let z = n * moments.mean() / deviation.max(f64::MIN_POSITIVE);
        (spread.sqrt() * (-z * z * rho_squared / (2.0 * spread)).exp()).min(1.0)
    }
}

/// The number of boards after which the interval around a mean leaves out what is this far away, if differences
/// have this variance and scores this range; `None` beyond ten million.
pub fn boards_to_exclude(distance: f64, variance: f64, range: f64, risk: Risk) -> Option<u64> {
    const MAX_BOARDS: u64 = 10_000_000;
    let excludes = |&boards: &u64| {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let n = boards as f64;
        deviation(variance, range, n) * width(n, risk) < distance
    };
    let first = ConfidenceSequence::MIN_BOARDS as u64;
    let steps = std::iter::successors(Some(first), |n| Some(n + n / 20));
    steps.take_while(|n| *n < MAX_BOARDS).find(excludes)
}

/// The standard deviation, with an allowance for rare boards that n boards may have missed.
fn deviation(variance: f64, range: f64, n: f64) -> f64 {
    (variance + SEQUENTIAL_UNSEEN * range.powi(2) / n.max(1.0)).sqrt()
}

/// Half the width of an interval after n boards, in standard deviations.
fn width(n: f64, risk: Risk) -> f64 {
    let spread = n * rho_squared(risk) + 1.0;
    (2.0 * spread / (n * n * rho_squared(risk)) * (spread.sqrt() / risk.both()).ln()).sqrt()
}

/// The parameter ρ² with the narrowest interval at the chosen number of boards (the paper's appendix B.2).
fn rho_squared(risk: Risk) -> f64 {
    let log = -2.0 * risk.both().ln();
    (log + log.ln_1p()) / NARROWEST_AT
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence of a hundred boards on which one bot has these points in turn, and the other 200.
    fn in_turn(margin: f64, points: [f64; 2]) -> ConfidenceSequence {
        let mut sequence = ConfidenceSequence::new(margin, Risk::Strict);
        (0..50)
            .flat_map(|_| points)
            .for_each(|points| sequence.push(&PairedBoard::finished(points, 200.0)));
        sequence
    }

    #[test]
    fn bots_are_even_only_if_the_whole_interval_is_within_the_margin() {
        for points in [[300.0, 0.0], [400.0, 100.0]] {
            let (low, high) = in_turn(0.0, points).leading().expect("boards").1;
            assert!(low < -1.0 && high > 1.0, "{low} {high}");
            let (near, far) = (high.min(-low), high.max(-low));
            for margin in [near, f64::midpoint(near, far), far] {
                assert_eq!(in_turn(margin, points).decided(), None, "{margin}: {low} {high}");
            }
            assert_eq!(in_turn(far * 1.001, points).decided(), Some(Decided::Even));
        }
    }

    #[test]
    fn nothing_is_decided_early_and_what_is_decided_stays() {
        let mut sequence = ConfidenceSequence::new(5.0, Risk::Strict);
        (0..99).for_each(|_| sequence.push(&PairedBoard::finished(500.0, 100.0)));
        assert_eq!((sequence.decided(), sequence.count()), (None, 99));
        assert!((sequence.p_value() - 1.0).abs() < 1e-12);
        sequence.push(&PairedBoard::finished(500.0, 100.0));
        assert_eq!(sequence.decided(), Some(Decided::Better));
        assert!(sequence.p_value() < 0.05);
        (0..5000).for_each(|_| sequence.push(&PairedBoard::finished(100.0, 500.0)));
        assert_eq!(sequence.decided(), Some(Decided::Better));
    }

    #[test]
    fn what_is_nearer_to_being_even_than_to_a_difference_takes_the_boards_of_that() {
        let mut sequence = ConfidenceSequence::new(100.0, Risk::Strict);
        assert_eq!((sequence.leading(), sequence.boards_to_decide()), (None, None));
        let mut boards = (0..100_000).map(|n| if n % 2 == 0 { 920.0 } else { 1120.0 });
        let push = |sequence: &mut ConfidenceSequence, score| {
            sequence.push(&PairedBoard::finished(score, 1000.0));
        };
        boards.by_ref().take(40).for_each(|score| push(&mut sequence, score));
        // The mean is 20, 80 within the margin.
        let even = boards_to_exclude(80.0, 10_000.0, 200.0, Risk::Strict);
        assert!(even.is_some());
        assert_eq!(sequence.boards_to_decide(), even);
        while sequence.decided().is_none() {
            push(&mut sequence, boards.next().expect("enough"));
        }
        assert_eq!((sequence.decided(), sequence.boards_to_decide()), (Some(Decided::Even), None));
    }

    #[test]
    fn what_would_decide_is_about_what_it_takes() {
        let mut sequence = ConfidenceSequence::new(0.0, Risk::Strict);
        let mut push = |n: usize| {
            let noise = if n.is_multiple_of(2) { 300.0 } else { -300.0 };
            sequence.push(&PairedBoard::finished(1000.0 + noise + 20.0, 1000.0));
            sequence.clone()
        };
        let estimate = (0..200).map(&mut push).last().expect("some").boards_to_decide();
        let estimate = estimate.expect("it will be decided");
        let decided = (200..100_000).find(|&n| push(n).decided().is_some()).expect("decided");
        assert!(estimate.abs_diff(decided as u64) < estimate / 10, "{estimate} {decided}");
    }
}
