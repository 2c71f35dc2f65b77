//! The tables behind `docs/statistics.md`, which take minutes.

use super::cases::{Case, Real, made};
use super::*;

/// The numbers of boards of a comparison.
const SIZES: [usize; 4] = [60, 100, 300, 1000];

/// A share in percent, without the sign.
fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// How often a sequence of at most this many boards decides, among those in which a game was lost by then if that is needed.
fn decided(runs: usize, boards: usize, case: &Case) -> f64 {
    let ([silent, decided], _) = tally(runs, |random| {
        let mut sequence = ConfidenceSequence::new(0.0, Risk::Strict);
        let mut has_lost = false;
        while sequence.decided().is_none() && sequence.count() < boards {
            let board = (case.board)(random);
            has_lost |= board.has_losses;
            sequence.push(&board);
        }
        let counts = has_lost || !case.needs_loss;
        (counts.then_some(usize::from(sequence.decided().is_some())), sequence.count())
    });
    decided / (silent + decided).max(f64::MIN_POSITIVE)
}

#[test]
#[ignore = "minutes; it prints a table of error rates"]
fn table_of_equal_bots() {
    let columns = SIZES.map(|n| format!("n = {n}")).join(" | ");
    println!("\n| equal bots | {columns} | until decided |\n|---|{}", "---:|".repeat(5));
    let real = Real::all().into_iter().map(Real::recentred);
    let mut wrong = Vec::new();
    for case in made().into_iter().chain(real) {
        let place = usize::from(!case.needs_loss);
        let mut cells = SIZES.map(|n| called(RUNS, n, &case.board)[place]).to_vec();
        cells.push(decided(RUNS, 20_000, &case));
        // Two standard deviations of the simulation above 5 %.
        let is_wrong = |share: &f64| *share > 0.06;
        let shown = |share: &f64| {
            if is_wrong(share) { format!("**{}**", percent(*share)) } else { percent(*share) }
        };
        println!("| {} | {} |", case.name, cells.iter().map(shown).collect::<Vec<_>>().join(" | "));
        wrong.extend((!case.is_beyond && cells.iter().any(is_wrong)).then_some(case.name));
    }
    assert_eq!(wrong, Vec::<String>::new());
    for every in [50.0, 150.0] {
        let cells = SIZES.map(|n| percent(called(RUNS, n, |random| loser(random, every))[1]));
        println!("| loses 1 game of {every}, and none was lost | {} | |", cells.join(" | "));
    }
    let ([worse, _, better], _) = to_the_end_of_a_list(RUNS);
    println!("to the end of a list of 1000: {} %", percent(worse + better));
}

#[test]
#[ignore = "minutes; it prints a table of error rates"]
fn table_of_power() {
    println!("\n| real bots | {} |", SIZES.map(|n| format!("n = {n}")).join(" | "));
    println!("|---|{}", "---:|".repeat(SIZES.len()));
    for pair in Real::all() {
        let cells = SIZES.map(|n| {
            // What a t test finds in four of five comparisons: 1.96 and 0.84 errors.
            let board = pair.better_by(2.8 * pair.deviation() / real(n).sqrt());
            let ([neither, plain, guarded], _) = tally(RUNS, |random| {
                let boards: Vec<PairedBoard> = (0..n).map(|_| board(random)).collect();
                let found = Paired::of(&boards, Risk::Strict);
                let plain = found.all.mean_p < 0.05 && found.all.mean > 0.0;
                let guarded = found.conclusion == Conclusion::Better;
                (Some(if guarded { 2 } else { usize::from(plain) }), n)
            });
            assert!((neither + plain + guarded - 1.0).abs() < 1e-9);
            format!("{:.0}/{:.0}", 100.0 * guarded, 100.0 * (plain + guarded))
        });
        println!("| {} | {} |", pair.name, cells.join(" | "));
    }
}

#[test]
#[ignore = "minutes; it prints a table of error rates"]
fn table_of_boards_until_decided() {
    println!(
        "\n| first bot | one game each | the mean of ten | and 5 % a side | GSPRT | fixed-size test |\n|---|---:|---:|---:|---:|---:|"
    );
    let better: [(&str, Scores, Scores); 3] = [
        ("1 % better", |it| times_as_good(it, 1.01), |it| against_ten(it, 1.01)),
        ("2 % better", |it| times_as_good(it, 1.02), |it| against_ten(it, 1.02)),
        ("5 % better", |it| times_as_good(it, 1.05), |it| against_ten(it, 1.05)),
    ];
    for (name, once, ten) in better {
        let found = [(once, Risk::Strict), (ten, Risk::Strict), (ten, Risk::Loose)];
        let cells = found.map(|(next, risk)| {
            let ([wrong, _, found], mean) = sequential(RUNS, 20_000, (0.0, risk), finished(next));
            assert!(wrong < 0.05 && found > 0.95, "{name}");
            format!("{mean:.0}")
        });
        let (_, gsprt) = gsprt(RUNS, 20_000, once);
        println!("| {name} | {} | {gsprt:.0} | {:.0} |", cells.join(" | "), fixed_size(once));
    }
    println!(
        "\n| real bots, better by | `--risk 2.5%` | `--risk 5%` | fixed-size test |\n|---|---:|---:|---:|"
    );
    for pair in Real::all().into_iter().filter(|pair| pair.name.ends_with("ratio")) {
        for difference in [0.25, 0.5, 1.0] {
            let cells = [Risk::Strict, Risk::Loose].map(|risk| {
                let (_, mean) = sequential(RUNS, 20_000, (0.0, risk), pair.better_by(difference));
                format!("{mean:.0}")
            });
            let fixed = (3.605 * pair.deviation() / difference).powi(2).ceil();
            let bots = pair.name.trim_end_matches(", ratio");
            println!("| {bots}: {difference} | {} | {fixed:.0} |", cells.join(" | "));
        }
    }
}

#[test]
#[ignore = "minutes; it prints a table of error rates"]
fn table_of_the_margin() {
    println!(
        "\n| margin | equal bots: even | boards, mean | a bot better by the margin: even |\n|---|---:|---:|---:|"
    );
    let at_the_margin: [(f64, Scores); 3] = [
        (1.0, |random| times_as_good(random, 1.01)),
        (2.0, |random| times_as_good(random, 1.02)),
        (5.0, |random| times_as_good(random, 1.05)),
    ];
    for (percent, board) in at_the_margin {
        // The mean score is 3100: the level, and a tenth of the bonus.
        let margin = 31.0 * percent;
        let equal = finished(|random| times_as_good(random, 1.0));
        let ([_, even, _], mean) = sequential(RUNS / 4, 20_000, (margin, Risk::Strict), equal);
        let ([_, wrong, _], _) =
            sequential(RUNS / 4, 20_000, (margin, Risk::Strict), finished(board));
        println!("| {percent} % | {:.1} % | {mean:.0} | {:.1} % |", 100.0 * even, 100.0 * wrong);
        assert!(wrong <= 0.05);
    }
}

#[test]
#[ignore = "minutes; it prints a table of error rates"]
fn table_of_the_interval() {
    let sizes = [10, 20, 40, 60, 100];
    println!("\n| differences | {} |", sizes.map(|n| format!("n = {n}")).join(" | "));
    println!("|---|{}", "---:|".repeat(sizes.len()));
    for value in VALUES {
        let cells = sizes.map(|n| percent(coverage(RUNS, n, value)));
        println!("| {} | {} |", value.0, cells.join(" | "));
    }
    println!("\n| equal bots | called better or worse: not adjusted | adjusted |\n|---|---:|---:|");
    for bots in [1, 5, 20] {
        let [alone, adjusted] = false_verdicts(RUNS / 4, bots, 100);
        println!("| {bots} against one | {:.1} % | {:.1} % |", 100.0 * alone, 100.0 * adjusted);
        assert!(adjusted <= 0.05);
    }
}
