//! A test of two bots that may be looked at after every game.

use super::real;

/// Whether differences lean to one side, with an error rate that holds however often one looks.
///
/// Under the hypothesis that the bots are equal, a difference is as likely to be d as -d, whatever
/// came before. Each difference is divided by the root mean square of those before it (which knows
/// nothing of the next one), so that points of any size will do; call that z. For every λ,
/// exp(λ Σz - λ² Σz² / 2) then is a supermartingale that starts at 1 (V. de la Peña, 1999), and so is
/// its mean over λ from a normal distribution of deviation τ (H. Robbins, 1970):
///
/// M = (1 + τ² Σz²)^(-1/2) · exp(τ² (Σz)² / (2 (1 + τ² Σz²)))
///
/// Such a process ever reaches 1/α with a chance of at most α (J. Ville, 1939). So a difference is
/// called once M ≥ 20, and equal bots are called different in at most 5 % of all comparisons.
#[derive(Debug, Clone, Default)]
pub struct SequentialTest {
    count: usize,
    /// Σz.
    sum: f64,
    /// Σz².
    squares: f64,
    /// The sum of the squares of the differences themselves.
    raw_squares: f64,
    /// The number of differences that are not 0.
    scaled: usize,
    /// The highest M so far: what was called stays called.
    highest: f64,
    decided: Option<std::cmp::Ordering>,
}

impl SequentialTest {
    /// The chance that equal bots are called different.
    pub const ERROR_RATE: f64 = 0.05;

    /// The typical effect looked for, in standard deviations of a difference. The test is valid with
    /// any; with this one it is quick for effects of about 0.05 to 0.5.
    const TAU: f64 = 0.15;

    /// Takes in the next difference.
    pub fn push(&mut self, difference: f64) {
        self.count += 1;
        if difference == 0.0 {
            return;
        }
        if self.scaled > 0 {
            let z = difference / (self.raw_squares / real(self.scaled)).sqrt();
            self.sum += z;
            self.squares += z * z;
        }
        self.scaled += 1;
        self.raw_squares += difference * difference;
        let evidence = self.evidence();
        self.highest = self.highest.max(evidence);
        if self.decided.is_none() && evidence >= 1.0 / Self::ERROR_RATE {
            self.decided = self.sum.partial_cmp(&0.0);
        }
    }

    /// M as it stands.
    fn evidence(&self) -> f64 {
        let spread = 1.0 + Self::TAU.powi(2) * self.squares;
        (Self::TAU.powi(2) * self.sum.powi(2) / (2.0 * spread)).exp() / spread.sqrt()
    }

    /// Which way the differences lean, once that is decided.
    pub fn decided(&self) -> Option<std::cmp::Ordering> {
        self.decided
    }

    /// How many differences it has seen.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A p-value that holds however often one has looked.
    pub fn p_value(&self) -> f64 {
        (1.0 / self.highest.max(1.0)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;
    use std::thread;

    use rand_core::Rng as _;
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// Comparisons of equal bots, as the issue asks for; each goes on for so many games.
    const COMPARISONS: u64 = 10_000;
    const GAMES: usize = 1000;

    /// A number from 0 to 1.
    fn uniform(random: &mut Pcg64Mcg) -> f64 {
        f64::from(random.next_u32()) / f64::from(u32::MAX)
    }

    /// Nearly normal, with mean 0 and deviation 1.
    fn normal(random: &mut Pcg64Mcg) -> f64 {
        (0..3).map(|_| uniform(random)).sum::<f64>() * 2.0 - 3.0
    }

    /// A SameGame score: a board's own level, the luck of a bot on it, and now and then the bonus.
    fn score(level: f64, random: &mut Pcg64Mcg) -> f64 {
        let bonus = if uniform(random) < 0.1 { 1000.0 } else { 0.0 };
        (level * (1.0 + 0.05 * normal(random)) + bonus).round()
    }

    /// The test after at most `games` games of two bots, the first one `better` times as good.
    fn compare(seed: u64, better: f64, games: usize) -> SequentialTest {
        let mut random = Pcg64Mcg::new((u128::from(seed) << 64) | 1);
        let mut test = SequentialTest::default();
        for _ in 0..games {
            let level = 3000.0 + 600.0 * normal(&mut random);
            test.push(score(level, &mut random) * better - score(level, &mut random));
            if test.decided().is_some() {
                break;
            }
        }
        test
    }

    /// Adds up what `count` gives for each of `seeds`, on two threads.
    fn total(seeds: u64, count: impl Fn(u64) -> usize + Sync) -> usize {
        let half = |start: u64| (start..seeds).step_by(2).map(&count).sum::<usize>();
        thread::scope(|scope| {
            let other = scope.spawn(|| half(1));
            half(0) + other.join().expect("no panic")
        })
    }

    #[test]
    fn equal_bots_are_called_different_in_at_most_5_percent_of_10000_comparisons() {
        let called =
            total(COMPARISONS, |seed| usize::from(compare(seed, 1.0, GAMES).decided().is_some()));
        let rate = real(called) / 1e4;
        assert!(rate <= SequentialTest::ERROR_RATE, "{rate}");
        assert!(rate > 0.005, "a test that never calls is none: {rate}");
    }

    /// The fixed-size test that finds a difference of 1 % in 95 of 100 comparisons, by the normal
    /// distribution: n = ((1.96 + 1.645) σ / μ)².
    fn fixed_size() -> usize {
        let mut random = Pcg64Mcg::new(0xf1bed);
        let differences: Vec<f64> = (0..20_000)
            .map(|_| {
                let level = 3000.0 + 600.0 * normal(&mut random);
                score(level, &mut random) * 1.01 - score(level, &mut random)
            })
            .collect();
        let mean = super::super::mean(&differences);
        let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 2e4;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small count"
        )]
        let size = (3.605_f64.powi(2) * variance / mean.powi(2)).ceil() as usize;
        size
    }

    #[test]
    fn of_bots_1_percent_apart_it_stops_earlier_than_the_fixed_size_test_and_finds_as_many() {
        const RUNS: u64 = 200;
        let fixed = fixed_size();
        let tests = |seed| compare(COMPARISONS + seed, 1.01, 3 * fixed);
        let mean = real(total(RUNS, |seed| tests(seed).count())) / 200.0;
        let right =
            total(RUNS, |seed| usize::from(tests(seed).decided() == Some(Ordering::Greater)));
        assert!(mean < 0.95 * real(fixed), "{mean} of {fixed}");
        assert!(right >= 190, "{right} of {RUNS}");
    }

    #[test]
    fn draws_decide_nothing_and_clear_differences_do_so_soon() {
        let mut test = SequentialTest::default();
        (0..1000).for_each(|_| test.push(0.0));
        assert_eq!((test.decided(), test.count()), (None, 1000));
        assert!((test.p_value() - 1.0).abs() < 1e-12);
        (0..40).for_each(|n| test.push(-100.0 - f64::from(n)));
        assert_eq!(test.decided(), Some(Ordering::Less));
        assert!(test.p_value() < 0.05);
    }
}
