//! Measures the error rates of the verdicts. `cargo test --release -p referee-statistics --test simulation --
//! --include-ignored --nocapture` prints the figures of `docs/statistics.md`; quick versions run with every
//! test.

mod cases;
mod ratings;
mod tables;

use std::thread;

use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

use statistics::{
    Conclusion, ConfidenceSequence, Decided, MeanTest, Moments, Paired, PairedBoard, Risk, mean,
};

const RUNS: usize = 2_000;

/// A count as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "games are counted, not grains of sand")]
fn real(count: usize) -> f64 {
    count as f64
}

/// The standard deviation of values.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (real(values.len()) - 1.0).max(1.0)).sqrt()
}

/// A uniform number above 0 and below 1.
fn uniform(random: &mut Pcg64Mcg) -> f64 {
    (f64::from(random.next_u32()) + 0.5) / (f64::from(u32::MAX) + 1.0)
}

fn normal(random: &mut Pcg64Mcg) -> f64 {
    let angle = std::f64::consts::TAU * uniform(random);
    (-2.0 * uniform(random).ln()).sqrt() * angle.cos()
}

/// The generator of a run. It needs a seed whose bits are all different from the seeds of its
/// neighbours, or runs resemble each other; this is `SplitMix64` (G. Steele, 2014).
fn seeded(run: u64) -> Pcg64Mcg {
    let mix = |number: u64| {
        let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    Pcg64Mcg::new((u128::from(mix(2 * run)) << 64) | u128::from(mix(2 * run + 1)))
}

/// The level of a board.
fn level(random: &mut Pcg64Mcg) -> f64 {
    (3000.0 + 600.0 * normal(random)).max(0.0)
}

/// A `SameGame` score: the board's level, a bot's luck on it, and now and then the bonus.
fn score(level: f64, random: &mut Pcg64Mcg) -> f64 {
    let bonus = if uniform(random) < 0.1 { 1000.0 } else { 0.0 };
    (level * (1.0 + 0.05 * normal(random)) + bonus).round()
}

/// The scores of two bots on a board.
type Scores = fn(&mut Pcg64Mcg) -> (f64, f64);

/// The first bot has a little less on most boards, and `height` more on one of `every`, so that the
/// means are the same.
fn jump(random: &mut Pcg64Mcg, every: f64, height: f64) -> (f64, f64) {
    let other = level(random);
    let gain = if uniform(random) < 1.0 / every { height } else { -height / (every - 1.0) };
    (other + gain, other)
}

fn times_as_good(random: &mut Pcg64Mcg, factor: f64) -> (f64, f64) {
    let level = level(random);
    (score(level, random) * factor, score(level, random))
}

/// The second bot has the mean of ten games.
fn against_ten(random: &mut Pcg64Mcg, factor: f64) -> (f64, f64) {
    let level = level(random);
    let games = [(); 10].map(|()| score(level, random));
    (score(level, random) * factor, mean(&games))
}

/// The number of each result, and the sum of the sizes.
fn tally<const N: usize>(
    runs: usize,
    run: impl Fn(&mut Pcg64Mcg) -> (Option<usize>, usize) + Sync,
) -> ([f64; N], f64) {
    let half = |start: usize| {
        let (mut counts, mut sizes) = ([0; N], 0);
        for seed in (start..runs).step_by(2) {
            let (found, size) = run(&mut seeded(seed as u64));
            if let Some(found) = found {
                counts[found] += 1;
            }
            sizes += size;
        }
        (counts, sizes)
    };
    let (mine, others) = thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        (half(0), other.join().expect("no panic"))
    });
    let share = |index: usize| (real(mine.0[index]) + real(others.0[index])) / real(runs);
    (std::array::from_fn(share), real(mine.1 + others.1) / real(runs))
}

/// The shares of comparisons that end with worse, even and better, and the mean number of boards.
fn sequential(
    runs: usize,
    boards: usize,
    (margin, risk): (f64, Risk),
    next: impl Fn(&mut Pcg64Mcg) -> PairedBoard + Sync,
) -> ([f64; 3], f64) {
    tally(runs, |random| {
        let mut sequence = ConfidenceSequence::new(margin, risk);
        while sequence.decided().is_none() && sequence.count() < boards {
            sequence.push(&next(random));
        }
        let place = sequence.decided().map(|decided| match decided {
            Decided::Below => 0,
            Decided::Even => 1,
            Decided::Above => 2,
        });
        (place, sequence.count())
    })
}

/// Games that no bot loses.
fn finished(next: Scores) -> impl Fn(&mut Pcg64Mcg) -> PairedBoard + Sync {
    move |random| {
        let (score, other) = next(random);
        PairedBoard::finished(score, other)
    }
}

/// Plays a list of boards, on which the differences add up to 0, in random order and to its end.
fn to_the_end_of_a_list(runs: usize) -> ([f64; 3], f64) {
    const BOARDS: usize = 1000;
    tally(runs, |random| {
        let mut differences: Vec<f64> =
            (0..BOARDS).map(|n| if n % 20 == 0 { 950.0 } else { -50.0 }).collect();
        for last in (1..BOARDS).rev() {
            let other = (uniform(random) * real(last + 1)).floor();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place")]
            differences.swap(last, other as usize);
        }
        let mut sequence = ConfidenceSequence::new(0.0, Risk::Strict);
        for difference in differences {
            let other = level(random);
            sequence.push(&PairedBoard::finished(other + difference, other));
        }
        let place = |decided| if decided == Decided::Below { 0 } else { 2 };
        (sequence.decided().map(place), sequence.count())
    })
}

/// The test of fishtest (a generalised sequential probability ratio test) of "30 points better"
/// against "no better", with 5 % for either error; it calls better or not.
fn gsprt(runs: usize, boards: usize, next: Scores) -> ([f64; 2], f64) {
    const EFFECT: f64 = 30.0;
    let bound = 19.0_f64.ln();
    tally(runs, |random| {
        let (mut n, mut mean, mut squares) = (0, 0.0, 0.0);
        while n < boards {
            let (score, other) = next(random);
            let from_mean = score - other - mean;
            n += 1;
            mean += from_mean / real(n);
            squares += from_mean * (score - other - mean);
            let ratio = real(n) * EFFECT * (2.0 * mean - EFFECT) / (2.0 * squares / real(n));
            if n >= ConfidenceSequence::MIN_BOARDS && ratio.abs() >= bound {
                return (Some(usize::from(ratio > 0.0)), n);
            }
        }
        (None, n)
    })
}

/// The boards of the fixed-size test that finds such a difference in 95 of 100 comparisons: ((1.96 +
/// 1.645) σ / μ)².
fn fixed_size(next: Scores) -> f64 {
    let mut random = Pcg64Mcg::new(0xf1bed);
    let differences: Vec<f64> = (0..200_000)
        .map(|_| {
            let (score, other) = next(&mut random);
            score - other
        })
        .collect();
    (3.605 * deviation(&differences) / mean(&differences)).powi(2).ceil()
}

/// A value around a known mean.
type Value = (&'static str, fn(&mut Pcg64Mcg) -> f64, f64);

const VALUES: [Value; 6] = [
    ("normal", normal, 0.0),
    ("exponential", |random| -uniform(random).ln(), 1.0),
    ("squared normal", |random| normal(random).powi(2), 1.0),
    ("lognormal", |random| normal(random).exp(), 1.648_721_270_700_128),
    ("-53, +1000 on 1 of 20", |random| difference(jump(random, 20.0, 1000.0)), 0.0),
    ("-51, +3000 on 1 of 60", |random| difference(jump(random, 60.0, 3000.0)), 0.0),
];

/// A bot that is even in total: it scores a little more than the other, and loses one game of `every`.
fn loser(random: &mut Pcg64Mcg, every: f64) -> PairedBoard {
    let level = level(random);
    let other = score(level, random);
    if uniform(random) < 1.0 / every {
        return PairedBoard::new([0.0, other], [true, false]);
    }
    // 3,100 is the mean score.
    PairedBoard::finished(score(level, random) + 3100.0 / (every - 1.0), other)
}

/// Whether a comparison says better or worse.
fn is_called(paired: &Paired) -> bool {
    matches!(paired.conclusion, Conclusion::Better | Conclusion::Worse)
}

/// How often a comparison of this many boards calls bots better or worse, among those in which a game was lost and those in
/// which none was.
fn called(runs: usize, n: usize, next: impl Fn(&mut Pcg64Mcg) -> PairedBoard + Sync) -> [f64; 2] {
    let ([silent, called, silent_without, called_without], _) = tally(runs, |random| {
        let boards: Vec<PairedBoard> = (0..n).map(|_| next(random)).collect();
        let has_lost = boards.iter().any(|board| board.has_losses);
        let called = is_called(&Paired::of(&boards, Risk::Strict));
        (Some(usize::from(called) + if has_lost { 0 } else { 2 }), n)
    });
    let share = |called: f64, silent: f64| called / (called + silent).max(f64::MIN_POSITIVE);
    [share(called, silent), share(called_without, silent_without)]
}

fn difference((score, other): (f64, f64)) -> f64 {
    score - other
}

/// How often the interval of the mean of `n` values contains the true one.
fn coverage(runs: usize, n: usize, (_, value, truth): Value) -> f64 {
    let ([held], _) = tally(runs, |random| {
        let values: Vec<f64> = (0..n).map(|_| value(random)).collect();
        let mut moments = Moments::default();
        for value in &values {
            moments.push([*value, 0.0]);
        }
        let (low, high) = MeanTest::of(&moments, Risk::Strict).guarded_interval.expect("values");
        // The interval of equal values is a point, up to rounding.
        ((low - 1e-6 <= truth && truth <= high + 1e-6).then_some(0), n)
    });
    held
}

/// How often one of `bots` equal ones is called better or worse than another, not adjusted and adjusted.
fn false_verdicts(runs: usize, bots: usize, boards: usize) -> [f64; 2] {
    let ([adjusted, alone_only], _) = tally(runs, |random| {
        let mut boards_of = vec![Vec::new(); bots];
        for _ in 0..boards {
            let level = level(random);
            let baseline = score(level, random);
            for list in &mut boards_of {
                list.push(PairedBoard::finished(score(level, random), baseline));
            }
        }
        let mut all: Vec<Paired> =
            boards_of.iter().map(|list| Paired::of(list, Risk::Strict)).collect();
        let alone = all.iter().any(is_called);
        Paired::adjust(all.iter_mut());
        let adjusted = all.iter().any(is_called);
        (alone.then_some(usize::from(!adjusted)), boards)
    });
    [adjusted + alone_only, adjusted]
}

#[test]
fn equal_bots_are_seldom_called_different_whatever_their_differences_look_like() {
    for case in cases::made().into_iter().filter(|case| !case.is_beyond) {
        let ([worse, _, better], _) = sequential(100, 400, (0.0, Risk::Strict), case.board);
        // A run that saw no lost game cannot know of one.
        let allowed = if case.needs_loss { 0.15 } else { 0.05 };
        assert!(worse + better <= allowed, "{}: {worse} worse, {better} better", case.name);
    }
    let ([worse, _, better], _) = to_the_end_of_a_list(100);
    assert!(worse + better <= 0.05, "{worse} worse, {better} better");
}

#[test]
fn a_better_bot_is_found_and_equal_ones_are_even_in_time() {
    let ([worse, _, better], boards) =
        sequential(60, 2000, (0.0, Risk::Strict), finished(|it| times_as_good(it, 1.05)));
    assert!(worse <= 0.0 && better >= 1.0 && boards < 400.0, "{worse} {better} {boards}");
    let ([worse, even, better], boards) =
        sequential(30, 5000, (90.0, Risk::Strict), finished(|it| times_as_good(it, 1.0)));
    assert!(even >= 0.9 && boards < 2000.0, "{worse} {even} {better} {boards}");
}

#[test]
fn the_interval_of_the_mean_holds_at_few_boards_too() {
    for value in &VALUES[..3] {
        let held = coverage(150, 10, *value);
        assert!(held >= 0.88, "{}: {held}", value.0);
    }
}

#[test]
fn a_bot_that_loses_is_not_called_better_for_the_games_that_it_finishes() {
    for every in [50.0, 150.0] {
        let [seen, _] = called(400, 100, |random| loser(random, every));
        assert!(seen <= 0.05, "{every}: {seen}");
    }
}

#[test]
fn a_comparison_and_a_run_that_stops_agree_on_the_same_games() {
    let mut decided = 0;
    for run in 0..1000 {
        let random = &mut seeded(run);
        let factor = 0.9 + 0.2 * uniform(random);
        let (mut sequence, mut boards) = (ConfidenceSequence::new(0.0, Risk::Strict), Vec::new());
        while sequence.decided().is_none() && boards.len() < 400 {
            let (score, other) = times_as_good(random, factor);
            let lost = [0.02, 0.01].map(|rate| uniform(random) < rate);
            let zero = |value: f64, lost: bool| if lost { 0.0 } else { value };
            boards.push(PairedBoard::new([zero(score, lost[0]), zero(other, lost[1])], lost));
            sequence.push(boards.last().expect("one"));
        }
        let compared = Paired::of(&boards, Risk::Strict).conclusion;
        let agrees = match sequence.decided() {
            Some(Decided::Above) => compared == Conclusion::Better,
            Some(Decided::Below) => compared == Conclusion::Worse,
            Some(Decided::Even) => false,
            None => true,
        };
        assert!(agrees, "{run}: {:?} {compared:?}", sequence.decided());
        decided += u32::from(sequence.decided().is_some());
    }
    assert!((300..1000).contains(&decided), "{decided}");
}

#[test]
fn of_many_equal_bots_few_are_told_apart() {
    let [alone, adjusted] = false_verdicts(12, 10, 60);
    assert!(adjusted <= 0.17 && alone >= adjusted, "{alone} {adjusted}");
}
