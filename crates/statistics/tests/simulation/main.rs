//! Measures the error rates of the verdicts. `scripts/verdicts.py` prints the figures of `docs/statistics.md`, from
//! `REFEREE_RUNS=2000`; without that variable, every test plays some of it.

mod cases;
mod ratings;

use std::thread;

use cases::{Case, jump, level, score, times_as_good};
use rand_core::Rng as _;
use rand_pcg::Pcg64Mcg;

use statistics::{
    Conclusion, ConfidenceSequence, Decided, MeanTest, Moments, Paired, PairedBoard, Risk, mean,
};

/// The number of runs that the environment names, if it does.
fn all_runs() -> Option<usize> {
    std::env::var("REFEREE_RUNS").ok().map(|runs| runs.parse().expect("REFEREE_RUNS is a number"))
}

/// The first value, or the second one if all is measured.
fn few_or_all<T>(few: T, all: T) -> T {
    if all_runs().is_some() { all } else { few }
}

/// A count as a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "games are counted, not grains of sand")]
fn real(count: usize) -> f64 {
    count as f64
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

/// The share of runs with each result, and the mean of the sizes. These are `few` runs, or as many as the environment names.
fn tally<const N: usize>(
    few: usize,
    run: impl Fn(&mut Pcg64Mcg) -> (Option<usize>, usize) + Sync,
) -> ([f64; N], f64) {
    let runs = all_runs().unwrap_or(few);
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

/// The shares of comparisons of at most this many boards that end with worse, even, better and nothing, and the mean number of
/// boards. Those that saw no lost game are left out if it `needs_loss`.
fn sequential(
    runs: usize,
    boards: usize,
    (margin, risk, needs_loss): (f64, Risk, bool),
    next: impl Fn(&mut Pcg64Mcg) -> PairedBoard + Sync,
) -> ([f64; 4], f64) {
    let (shares, size): ([f64; 4], _) = tally(runs, |random| {
        let mut sequence = ConfidenceSequence::new(margin, risk);
        let mut counts = !needs_loss;
        while sequence.decided().is_none() && sequence.count() < boards {
            let board = next(random);
            counts |= board.has_losses;
            sequence.push(&board);
        }
        let place = match sequence.decided() {
            Some(Decided::Worse) => 0,
            Some(Decided::Even) => 1,
            Some(Decided::Better) => 2,
            None => 3,
        };
        (counts.then_some(place), sequence.count())
    });
    let all = shares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    (shares.map(|share| share / all), size)
}

/// Whether a comparison says better or worse.
fn is_called(paired: &Paired) -> bool {
    matches!(paired.conclusion, Conclusion::Better | Conclusion::Worse)
}

/// How often a comparison of this many boards calls bots better or worse, among those in which a game was lost if it `needs_loss`.
fn called(runs: usize, n: usize, case: &Case) -> f64 {
    let ([silent, called], _) = tally(runs, |random| {
        let boards: Vec<PairedBoard> = (0..n).map(|_| (case.board)(random)).collect();
        let counts = !case.needs_loss || boards.iter().any(|board| board.has_losses);
        let called = is_called(&Paired::of(&boards, Risk::Strict));
        (counts.then_some(usize::from(called)), n)
    });
    called / (called + silent).max(f64::MIN_POSITIVE)
}

#[test]
fn equal_bots_are_seldom_called_different_whatever_their_differences_look_like() {
    println!("\n| equal bots | n = 60 | n = 100 | n = 300 | n = 1000 | until decided |");
    let mut wrong = Vec::new();
    for case in cases::made().into_iter().chain(cases::real()) {
        let sizes = few_or_all(&[100][..], &[60, 100, 300, 1000]);
        let mut shares: Vec<f64> = sizes.iter().map(|n| called(400, *n, &case)).collect();
        let rule = (0.0, Risk::Strict, case.needs_loss);
        let ([worse, _, better, _], _) =
            sequential(100, few_or_all(400, 20_000), rule, &case.board);
        shares.push(worse + better);
        println!(
            "| {} | {:.1?} |",
            case.name,
            shares.iter().map(|it| 100.0 * it).collect::<Vec<_>>()
        );
        // Two standard deviations of 2,000 runs above 5 %.
        let is_wrong = !case.is_beyond && shares.iter().any(|share| *share > 0.06);
        wrong.extend(is_wrong.then_some((case.name, shares)));
    }
    assert_eq!(wrong, []);
}

#[test]
fn on_all_of_a_list_equal_bots_are_seldom_called_different() {
    const BOARDS: usize = 1000;
    let ([called], _) = tally(100, |random| {
        // Differences that add up to 0, in random order.
        let mut differences: Vec<(u32, f64)> = (0..BOARDS)
            .map(|n| (random.next_u32(), if n % 20 == 0 { 950.0 } else { -50.0 }))
            .collect();
        differences.sort_unstable_by_key(|(order, _)| *order);
        let mut sequence = ConfidenceSequence::new(0.0, Risk::Strict);
        for (_, difference) in differences {
            let other = level(random);
            sequence.push(&PairedBoard::finished(other + difference, other));
        }
        (sequence.decided().map(|_| 0), BOARDS)
    });
    assert!(called <= 0.05, "{called}");
}

#[test]
fn a_better_bot_is_found_and_equal_ones_are_even_in_time() {
    println!("\n| better by | `--risk 2.5%` | `--risk 5%` |");
    for factor in few_or_all(&[1.05][..], &[1.01, 1.02, 1.05]) {
        for risk in [Risk::Strict, Risk::Loose] {
            let ([worse, _, better, _], boards) =
                sequential(60, 20_000, (0.0, risk, false), times_as_good(*factor));
            println!("| {factor} {risk:?} | {boards:.0} |");
            assert!(worse < 0.05 && better > 0.95, "{factor}: {worse} {better}");
            assert!(*factor < 1.05 || boards < 400.0, "{boards}");
        }
    }
    println!("\n| margin | equal bots: even | boards, mean | a bot better by the margin: even |");
    for percent in few_or_all(&[3.0][..], &[1.0, 2.0, 5.0]) {
        // The mean score is 3100: the level, and a tenth of the bonus.
        let rule = (31.0 * percent, Risk::Strict, false);
        let ([_, even, ..], boards) = sequential(30, 20_000, rule, times_as_good(1.0));
        let better = times_as_good(1.0 + percent / 100.0);
        let ([_, wrong, ..], _) = sequential(30, few_or_all(2000, 20_000), rule, better);
        println!("| {percent} % | {:.1} | {boards:.0} | {:.1} |", 100.0 * even, 100.0 * wrong);
        assert!(even >= 0.9 && wrong <= 0.05, "{even} {wrong}");
        assert!(*percent < 3.0 || boards < 2000.0, "{boards}");
    }
}

/// A value around a known mean, and how often the interval of few values must hold that mean.
type Value = (&'static str, fn(&mut Pcg64Mcg) -> f64, f64, f64);

const VALUES: [Value; 5] = [
    ("normal", normal, 0.0, 0.88),
    ("exponential", |random| -uniform(random).ln(), 1.0, 0.88),
    ("squared normal", |random| normal(random).powi(2), 1.0, 0.88),
    ("lognormal", |random| normal(random).exp(), 1.648_721_270_700_128, 0.8),
    // On few boards the event is often missing.
    ("-53, +1000 on 1 of 20", |random| jump(random, 20.0, 1000.0), 0.0, 0.35),
];

#[test]
fn the_interval_of_the_mean_holds_at_few_boards_too() {
    for (name, value, truth, least) in few_or_all(&VALUES[..3], &VALUES) {
        for n in few_or_all(&[10][..], &[10, 40, 60, 100]) {
            let ([held], _) = tally(150, |random| {
                let mut moments = Moments::default();
                (0..*n).for_each(|_| moments.push([value(random), 0.0]));
                let interval = MeanTest::of(&moments, Risk::Strict).guarded_interval;
                let (low, high) = interval.expect("values");
                // The interval of equal values is a point, up to rounding.
                ((low - 1e-6 <= *truth && *truth <= high + 1e-6).then_some(0), *n)
            });
            println!("| {name} | n = {n} | {:.1} |", 100.0 * held);
            assert!(held >= *least, "{name}: {held}");
        }
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
            let level = level(random);
            let scores = [factor * score(level, random), score(level, random)];
            let lost = [0.02, 0.01].map(|rate| uniform(random) < rate);
            let value = |bot: usize| if lost[bot] { 0.0 } else { scores[bot] };
            boards.push(PairedBoard::new([value(0), value(1)], lost));
            sequence.push(boards.last().expect("one"));
        }
        let compared = Paired::of(&boards, Risk::Strict).conclusion;
        let agrees = match sequence.decided() {
            Some(Decided::Better) => compared == Conclusion::Better,
            Some(Decided::Worse) => compared == Conclusion::Worse,
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
    println!("\n| equal bots | called better or worse: not adjusted | adjusted |");
    for bots in few_or_all(&[10][..], &[1, 5, 20]) {
        let ([adjusted, alone_only], _) = tally(12, |random| {
            let mut boards = vec![Vec::new(); *bots];
            for _ in 0..few_or_all(60, 100) {
                let level = level(random);
                let baseline = score(level, random);
                for list in &mut boards {
                    list.push(PairedBoard::finished(score(level, random), baseline));
                }
            }
            let of = |list: &Vec<_>| Paired::of(list, Risk::Strict);
            let mut all: Vec<Paired> = boards.iter().map(of).collect();
            let alone = all.iter().any(is_called);
            Paired::adjust(all.iter_mut());
            (alone.then_some(usize::from(!all.iter().any(is_called))), *bots)
        });
        println!("| {bots} | {:.1} | {:.1} |", 100.0 * (adjusted + alone_only), 100.0 * adjusted);
        assert!(adjusted <= few_or_all(0.17, 0.05), "{adjusted}");
    }
}
