//! The paired comparison of two bots on the same boards: which one is better, and how surely.

use std::cmp::min_by;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, Normal};

use super::mean::UNSEEN;
use super::{
    Conclusion, Evidence, Lost, MeanTest, Moments, Needed, PairedBoard, Risk, Tendency, holm, real,
    sign_test,
};

/// The power of a comparison with the suggested number of games.
const POWER: f64 = 0.8;

/// The fewest pairs for a verdict. An event of one board in twenty, such as a bonus, may outweigh the
/// differences on all other boards, and 60 boards miss it in fewer than 5 % of cases.
pub const MIN_PAIRS: usize = 60;

/// The p-value of the sign test below which the bot that wins most boards is named where there are too few for a verdict.
pub const CERTAIN: f64 = 1e-4;

/// The comparison of two bots, the first one the challenger, board by board.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paired {
    /// The number of boards that both have played.
    pub pairs: usize,
    /// The boards on which the first bot has more points.
    pub wins: u64,
    /// The boards on which both have equally many.
    pub draws: u64,
    /// The boards on which the first bot has fewer.
    pub losses: u64,
    /// The mean difference over all boards; a lost game counts with the value of one.
    #[serde(flatten)]
    pub all: MeanTest,
    /// The same over the boards on which both finished a game.
    pub finished: Finished,
    /// The lost games.
    pub lost: Lost,
    /// The two-sided p-value of the sign test. It decides only on fewer boards than a verdict on the mean takes.
    pub sign_p: f64,
    /// The p-value of the verdict, adjusted for the number of comparisons made: of the sign test, where only that can decide.
    pub adjusted_p: f64,
    /// The verdict.
    pub conclusion: Conclusion,
    /// What is probable without being certain: the plain interval leaves out 0, the guarded one does not.
    pub probably: Option<Tendency>,
    /// On too few boards for a verdict on the mean: the first bot certainly has more points, or fewer, on most boards. The sign
    /// test is exact for any number of boards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_boards: Option<Tendency>,
    /// The chance of a false verdict on either side.
    pub risk: Risk,
    /// The number of pairs that would show a difference of this size in four of five comparisons;
    /// `None` if the mean difference is 0.
    pub pairs_to_settle: Option<u64>,
    #[serde(skip)]
    found: Found,
    #[serde(skip)]
    scores: Moments,
}

/// The mean difference on the boards on which both bots finished a game.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Finished {
    /// The number of these boards.
    pub pairs: usize,
    /// The mean difference.
    #[serde(flatten)]
    pub test: MeanTest,
}

/// The strongest evidence of those that may decide: the p-value with the allowance for unseen boards, and the one without,
/// each with the mean that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Found {
    guarded: (f64, f64),
    plain: (f64, f64),
}

impl Paired {
    /// Compares two bots on these boards.
    pub fn of(boards: &[PairedBoard], risk: Risk) -> Self {
        let mut evidence = Evidence::default();
        for board in boards {
            evidence.push(board);
        }
        let differences: Vec<f64> =
            boards.iter().map(|board| board.all[0] - board.all[1]).collect();
        let count = |keep: fn(f64) -> bool| differences.iter().filter(|d| keep(**d)).count() as u64;
        let (wins, losses) = (count(|d| d > 0.0), count(|d| d < 0.0));
        let found = Found::of(&evidence, risk);
        let paired = Self {
            pairs: boards.len(),
            wins,
            draws: boards.len() as u64 - wins - losses,
            losses,
            all: MeanTest::of(&evidence.all, risk),
            finished: Finished {
                pairs: evidence.finished.count(),
                test: MeanTest::of(&evidence.finished, risk),
            },
            lost: evidence.lost(risk),
            sign_p: sign_test(wins, losses),
            adjusted_p: 1.0,
            conclusion: Conclusion::TooFewGames,
            probably: None,
            most_boards: None,
            risk,
            pairs_to_settle: evidence
                .deciding()
                .filter_map(|moments| pairs_to_settle(moments, risk))
                .min(),
            found,
            scores: evidence.finished,
        };
        let sign_p = paired.sign_p;
        paired.concluded(found.guarded.0, found.plain.0).on_most_boards(sign_p)
    }

    /// Names the bot that wins most boards, if the sign test's p-value shows one and there are too few boards for a verdict.
    fn on_most_boards(self, sign_p: f64) -> Self {
        let leader = if self.wins > self.losses { Tendency::Better } else { Tendency::Worse };
        let is_certain = self.pairs < MIN_PAIRS && sign_p < CERTAIN;
        // The mean has no p-value there.
        let adjusted_p = if self.pairs < MIN_PAIRS { sign_p } else { self.adjusted_p };
        Self { most_boards: is_certain.then_some(leader), adjusted_p, ..self }
    }

    fn concluded(self, adjusted_p: f64, plain_p: f64) -> Self {
        let is_shown = |p: f64| self.pairs >= MIN_PAIRS && p < self.risk.both();
        let (guarded, plain) = (self.found.guarded.1, self.found.plain.1);
        let conclusion = match is_shown(adjusted_p) {
            _ if self.pairs < MIN_PAIRS => Conclusion::TooFewGames,
            true if guarded > 0.0 => Conclusion::Better,
            true if guarded < 0.0 => Conclusion::Worse,
            _ => Conclusion::NoDifferenceShown,
        };
        let probably = match conclusion {
            Conclusion::NoDifferenceShown if is_shown(plain_p) && plain > 0.0 => {
                Some(Tendency::Better)
            }
            Conclusion::NoDifferenceShown if is_shown(plain_p) && plain < 0.0 => {
                Some(Tendency::Worse)
            }
            _ => None,
        };
        Self { adjusted_p, conclusion, probably, ..self }
    }

    /// Adjusts the verdicts of several comparisons for their number. One without a board does not count.
    pub fn adjust<'a>(comparisons: impl Iterator<Item = &'a mut Self>) {
        let comparisons: Vec<&mut Self> = comparisons.filter(|paired| paired.pairs > 0).collect();
        let ps = |p: fn(&Self) -> f64| -> Vec<f64> {
            holm(&comparisons.iter().map(|paired| p(paired)).collect::<Vec<_>>())
        };
        let guarded = ps(|paired| paired.found.guarded.0);
        let plain = ps(|paired| paired.found.plain.0);
        let sign = ps(|paired| paired.sign_p);
        for (at, paired) in comparisons.into_iter().enumerate() {
            *paired = paired.clone().concluded(guarded[at], plain[at]).on_most_boards(sign[at]);
        }
    }

    /// Whether the first bot scores higher or lower where both finish, if the one that scores higher loses games that the other
    /// finishes; and the test of these scores. Only the total decides then.
    pub fn contradicted(&self) -> Option<(Tendency, MeanTest)> {
        let test = self.finished.test;
        let (leader, lost) = if test.mean > 0.0 {
            (Tendency::Better, self.lost.only_challenger)
        } else {
            (Tendency::Worse, self.lost.only_baseline)
        };
        let is_shown = test.mean_p < self.risk.both() && self.finished.pairs >= MIN_PAIRS;
        (is_shown && lost > 0).then_some((leader, test))
    }

    /// Whether any of the paired games was lost.
    pub fn has_losses(&self) -> bool {
        self.finished.pairs < self.pairs
            || self.lost.challenger.boards + self.lost.baseline.boards > 0
    }

    /// The differences and scores on the boards that both bots finish.
    pub fn scores(&self) -> &Moments {
        &self.scores
    }

    /// The boards that a mean difference of this size would take.
    pub fn needed(&self, difference: f64) -> Option<Needed> {
        Needed::of(&self.scores, difference, self.risk)
    }

    /// Whether the first bot is worse: in the mean or, on too few boards for that, certainly on most boards.
    pub fn is_worse(&self) -> bool {
        self.conclusion == Conclusion::Worse || self.most_boards == Some(Tendency::Worse)
    }

    /// The number of pairs missing for a verdict.
    pub fn missing_pairs(&self) -> usize {
        MIN_PAIRS.saturating_sub(self.pairs)
    }

    /// The number of further pairs that would settle an open comparison; `None` without a difference.
    pub fn more_pairs(&self) -> Option<u64> {
        let open =
            matches!(self.conclusion, Conclusion::NoDifferenceShown | Conclusion::TooFewGames);
        let needed = self.pairs_to_settle?.max(MIN_PAIRS as u64);
        open.then(|| needed.saturating_sub(self.pairs as u64)).filter(|more| *more > 0)
    }
}

impl Found {
    fn of(evidence: &Evidence, risk: Risk) -> Self {
        let nothing = Self { guarded: (1.0, 0.0), plain: (1.0, 0.0) };
        let enough = |moments: &&Moments| moments.count() >= MIN_PAIRS;
        evidence.deciding().filter(enough).fold(nothing, |found, moments| {
            let MeanTest { mean, mean_p, guarded_p, .. } = MeanTest::of(moments, risk);
            let less = |one: (f64, f64), other: (f64, f64)| {
                min_by(one, other, |one, other| one.0.total_cmp(&other.0))
            };
            Self {
                guarded: less(found.guarded, (guarded_p, mean)),
                plain: less(found.plain, (mean_p, mean)),
            }
        })
    }
}

/// The n at which q² (s² + R² / 2n) / n = μ², where q = z(1-α/2) + z(power), s is the deviation of the
/// differences, R the range of the values, and μ the mean.
fn pairs_to_settle(moments: &Moments, risk: Risk) -> Option<u64> {
    let (count, mean) = (moments.count(), moments.mean());
    (count >= 2 && mean != 0.0)
        .then(|| boards_to_find(mean, moments.variance(), moments.range(), risk))
}

/// The number of boards on which a mean difference of this size is shown in four of five comparisons, if
/// differences have this variance, and scores this range.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive; numbers beyond u64 saturate, and nobody plays that many"
)]
pub fn boards_to_find(mean: f64, variance: f64, range: f64, risk: Risk) -> u64 {
    let normal = Normal::standard();
    let quantiles = normal.inverse_cdf(1.0 - risk.both() / 2.0) + normal.inverse_cdf(POWER);
    let ratio = (quantiles / mean).powi(2);
    let (seen, unseen) = (ratio * variance, ratio * UNSEEN * range.powi(2));
    f64::midpoint(seen, (seen * seen + 4.0 * unseen).sqrt()).ceil().max(real(MIN_PAIRS)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boards on which the second bot has nothing.
    fn boards(differences: &[f64]) -> Vec<PairedBoard> {
        differences.iter().map(|difference| PairedBoard::finished(*difference, 0.0)).collect()
    }

    fn of(differences: &[f64]) -> Paired {
        Paired::of(&boards(differences), Risk::Strict)
    }

    #[test]
    fn what_a_difference_takes_goes_by_the_scores_on_finished_boards() {
        let found = of(&(0..80).map(|n| f64::from(n % 9)).collect::<Vec<_>>());
        assert_eq!((found.scores().count(), found.scores().range()), (80, 8.0));
        assert_eq!(found.needed(1.0), Needed::of(found.scores(), 1.0, Risk::Strict));
        assert!(found.needed(1.0).is_some());
    }

    #[test]
    fn the_verdict_is_one_of_four() {
        let conclusion = |differences: &[f64]| of(differences).conclusion;
        let clear: Vec<f64> = (1..=60).map(f64::from).collect();
        assert_eq!(conclusion(&clear), Conclusion::Better);
        let reversed: Vec<f64> = clear.iter().map(|difference| -difference).collect();
        assert_eq!(conclusion(&reversed), Conclusion::Worse);
        assert!(of(&reversed).is_worse() && !of(&clear).is_worse());
        let mixed: Vec<f64> =
            (1..=60).map(|n| f64::from(if n % 2 == 0 { n } else { -n })).collect();
        assert_eq!(conclusion(&mixed), Conclusion::NoDifferenceShown);
        assert_eq!(conclusion(&clear[..59]), Conclusion::TooFewGames);
        assert_eq!(of(&clear[..40]).missing_pairs(), 20);
        assert_eq!(conclusion(&[]), Conclusion::TooFewGames);
        assert_eq!(conclusion(&[0.0; 60]), Conclusion::NoDifferenceShown);
    }

    #[test]
    fn few_boards_show_who_wins_most_of_them_by_the_exact_sign_test() {
        let on_most = |wins: usize, losses: usize| {
            of(&[vec![1.0; wins], vec![-1.0; losses]].concat()).most_boards
        };
        for (wins, losses, expected) in [
            (15, 0, Some(Tendency::Better)),
            (14, 0, None),
            (0, 15, Some(Tendency::Worse)),
            (1, 17, None),
            (1, 18, Some(Tendency::Worse)),
            (0, 0, None),
            (0, 59, Some(Tendency::Worse)),
            (0, 60, None),
        ] {
            assert_eq!(on_most(wins, losses), expected, "{wins}:{losses}");
        }
        // Each of two comparisons must be twice as certain.
        for (wins, expected) in [(15, None), (16, Some(Tendency::Better))] {
            let mut among = vec![of(&vec![1.0; wins]); 2];
            Paired::adjust(among.iter_mut());
            assert_eq!([among[0].most_boards, among[1].most_boards], [expected; 2], "{wins}");
        }
    }

    #[test]
    fn a_verdict_needs_a_side_and_less_than_5_percent() {
        let even = of(&[0.0; 60]);
        let open = even.concluded(0.01, 0.01);
        assert_eq!((open.conclusion, open.probably), (Conclusion::NoDifferenceShown, None));
        let clear: Vec<f64> = (1..=60).map(f64::from).collect();
        let clear = of(&clear);
        let concluded = |p| clear.clone().concluded(p, 0.01);
        assert_eq!(
            (concluded(0.049).conclusion, concluded(0.049).probably),
            (Conclusion::Better, None)
        );
        let open = concluded(0.05);
        assert_eq!(
            (open.conclusion, open.probably),
            (Conclusion::NoDifferenceShown, Some(Tendency::Better))
        );
        assert_eq!(clear.clone().concluded(0.05, 0.05).probably, None);
        let loose = Paired { risk: Risk::Loose, ..clear };
        assert_eq!(loose.concluded(0.09, 0.09).conclusion, Conclusion::Better);
    }

    #[test]
    fn a_bot_that_scores_higher_and_loses_more_is_better_only_if_the_total_is() {
        let board = |n: u32, gain: f64| {
            let (level, luck) = (1000.0, f64::from(n % 5) - 2.0);
            let is_lost = n == 7;
            let mine = if is_lost { 0.0 } else { level + gain + luck };
            PairedBoard::new([mine, level], [is_lost, false])
        };
        let found =
            |gain| Paired::of(&(0..70).map(|n| board(n, gain)).collect::<Vec<_>>(), Risk::Strict);
        let little = found(25.0);
        assert_eq!((little.conclusion, little.probably), (Conclusion::NoDifferenceShown, None));
        let (leader, scores) = little.contradicted().expect("higher scores, and a lost game");
        assert!(scores.guarded_p < 0.01 && leader == Tendency::Better, "{scores:?}");
        let with = |test, pairs| Paired { finished: Finished { pairs, test }, ..little.clone() };
        assert_eq!(with(scores, 60).contradicted(), Some((leader, scores)));
        assert_eq!(with(scores, 59).contradicted(), None, "too few boards");
        let unsure = MeanTest { mean_p: 0.05, ..scores };
        assert_eq!(with(unsure, 69).contradicted(), None);
        let lost = Lost { only_challenger: 0, ..little.lost };
        assert_eq!(Paired { lost, ..little.clone() }.contradicted(), None);
        assert_eq!(found(200.0).conclusion, Conclusion::Better, "the total is certain");
        // The same seen from the other bot.
        let turned = |n| {
            let PairedBoard { all: [mine, other], lost: [lost, _], .. } = board(n, 25.0);
            PairedBoard::new([other, mine], [false, lost > 0])
        };
        let turned = Paired::of(&(0..70).map(turned).collect::<Vec<_>>(), Risk::Strict);
        assert_eq!(turned.contradicted().map(|(leader, _)| leader), Some(Tendency::Worse));
    }

    #[test]
    fn a_loss_is_one_of_either_bot_or_a_board_that_not_both_finish() {
        let none = of(&[1.0, 2.0]);
        assert!(!none.has_losses());
        // Of several games on a board, some may be lost and others finished.
        for boards in [[1, 0], [0, 1], [1, 1]] {
            let mut some = none.clone();
            (some.lost.challenger.boards, some.lost.baseline.boards) = (boards[0], boards[1]);
            assert!(some.has_losses(), "{boards:?}");
        }
        let unfinished = Finished { pairs: 1, ..none.finished };
        assert!(Paired { finished: unfinished, ..none }.has_losses());
    }

    #[test]
    fn of_many_comparisons_a_verdict_needs_more() {
        let values: Vec<f64> = (0..100).map(|n| if n % 5 < 3 { 6.0 } else { -5.5 }).collect();
        let alone = of(&values);
        assert_eq!(alone.conclusion, Conclusion::Better);
        assert!(alone.adjusted_p < 0.05, "{}", alone.adjusted_p);
        let mut among = vec![alone.clone(); 20];
        among.push(of(&[]));
        Paired::adjust(among.iter_mut());
        let open = |paired: &Paired| paired.conclusion == Conclusion::NoDifferenceShown;
        assert!(among[..20].iter().all(open), "{:?}", among[0]);
        let adjusted = (20.0 * alone.adjusted_p).min(1.0);
        assert!(
            (among[0].adjusted_p - adjusted).abs() < 1e-12,
            "the one without a board is not counted"
        );
    }

    #[test]
    fn what_would_settle_a_difference_is_less_what_was_played() {
        let paired = of(&(0..100).map(|n| if n % 2 == 0 { 6.0 } else { -4.0 }).collect::<Vec<_>>());
        let all = paired.pairs_to_settle.expect("a difference");
        assert_eq!(paired.more_pairs(), Some(all - 100));
        let enough = Paired { pairs_to_settle: Some(100), ..paired };
        assert_eq!(enough.more_pairs(), None, "no more, whatever the verdict");
        assert_eq!(of(&[0.0; 20]).more_pairs(), None);
        assert_eq!(of(&(1..=60).map(f64::from).collect::<Vec<_>>()).more_pairs(), None);
        assert_eq!(of(&[5.0, 5.0]).more_pairs(), Some(58));
    }

    #[test]
    fn wins_draws_and_losses_are_counted() {
        let paired = of(&[1.0, 2.0, 3.0, 0.0, -7.0, -5.0]);
        assert_eq!((paired.wins, paired.draws, paired.losses), (3, 1, 2));
        assert!((paired.all.mean + 1.0).abs() < 1e-12);
        let both = [
            PairedBoard::finished(5.0, 8.0),
            PairedBoard::finished(9.0, 4.0),
            PairedBoard::finished(7.0, 7.0),
        ];
        let paired = Paired::of(&both, Risk::Strict);
        assert_eq!((paired.wins, paired.draws, paired.losses), (1, 1, 1));
    }
}
