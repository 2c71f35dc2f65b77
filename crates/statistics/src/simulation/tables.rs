//! The tables of `docs/statistics.md`, which take minutes.

use super::*;

#[test]
#[ignore = "minutes; it makes a table of docs/statistics.md"]
fn table_of_the_sequential_verdict() {
    println!("\n| equal bots | called different | GSPRT: called better |\n|---|---:|---:|");
    for (name, board) in EQUAL {
        let ([worse, _, better], _) = sequential(RUNS, 3000, 0.0, board);
        let ([_, wrong], _) = gsprt(RUNS, 3000, board);
        println!("| {name} | {:.1} % | {:.1} % |", 100.0 * (worse + better), 100.0 * wrong);
        assert!(worse + better <= 0.05 || name == BEYOND, "{name}");
    }
    let ([worse, _, better], _) = to_the_end_of_a_list(RUNS);
    println!(
        "| -50, and +950 on 1 of 20, to the end of a list of 1000 | {:.1} % | |",
        100.0 * (worse + better)
    );
    println!(
        "\n| first bot | one game each | the mean of ten | and 5 % a side | GSPRT | fixed-size test |\n|---|---:|---:|---:|---:|---:|"
    );
    let better: [(&str, Scores, Scores); 3] = [
        ("1 % better", |it| times_as_good(it, 1.01), |it| against_ten(it, 1.01)),
        ("2 % better", |it| times_as_good(it, 1.02), |it| against_ten(it, 1.02)),
        ("5 % better", |it| times_as_good(it, 1.05), |it| against_ten(it, 1.05)),
    ];
    for (name, once, ten) in better {
        let boards = |next, risk| sequential_at(RUNS, 20_000, (0.0, risk), next);
        let found = [(once, Risk::Strict), (ten, Risk::Strict), (ten, Risk::Loose)];
        let cells = found.map(|(next, risk)| {
            let ([wrong, _, found], mean) = boards(next, risk);
            assert!(wrong < 0.05 && found > 0.95, "{name}");
            format!("{mean:.0}")
        });
        let (_, gsprt) = gsprt(RUNS, 20_000, once);
        println!("| {name} | {} | {gsprt:.0} | {:.0} |", cells.join(" | "), fixed_size(once));
    }
}

#[test]
#[ignore = "minutes; it makes a table of docs/statistics.md"]
fn table_of_the_comparison() {
    let sizes = [60, 100, 300, 1000];
    println!("\n| equal bots | {} |", sizes.map(|n| format!("n = {n}")).join(" | "));
    println!("|---|{}", "---:|".repeat(sizes.len()));
    for (name, board) in EQUAL {
        let cells = sizes.map(|n| format!("{:.1} %", 100.0 * called(RUNS, n, board)));
        println!("| {name} | {} |", cells.join(" | "));
    }
    for every in [50.0, 150.0] {
        let rates = sizes.map(|n| with_losses(RUNS, n, every).map(|rate| 100.0 * rate));
        for (index, which) in ["a loss seen", "none seen"].into_iter().enumerate() {
            let cells = rates.map(|rate| format!("{:.1} %", rate[index]));
            println!("| loses 1 of {every}, {which} | {} |", cells.join(" | "));
        }
    }
}

#[test]
#[ignore = "minutes; it makes a table of docs/statistics.md"]
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
        let ([_, even, _], mean) = sequential(RUNS / 4, 20_000, margin, EQUAL[0].1);
        let ([_, wrong, _], _) = sequential(RUNS / 4, 20_000, margin, board);
        println!("| {percent} % | {:.1} % | {mean:.0} | {:.1} % |", 100.0 * even, 100.0 * wrong);
        assert!(wrong <= 0.05);
    }
}

#[test]
#[ignore = "minutes; it makes a table of docs/statistics.md"]
fn table_of_the_interval() {
    let sizes = [10, 20, 40, 60, 100];
    println!("\n| differences | {} |", sizes.map(|n| format!("n = {n}")).join(" | "));
    println!("|---|{}", "---:|".repeat(sizes.len()));
    for value in VALUES {
        let cells = sizes.map(|n| format!("{:.1} %", 100.0 * coverage(RUNS, n, value)));
        println!("| {} | {} |", value.0, cells.join(" | "));
    }
    println!("\n| equal bots | called better or worse: not adjusted | adjusted |\n|---|---:|---:|");
    for bots in [1, 5, 20] {
        let [alone, adjusted] = false_verdicts(RUNS / 4, bots, 100);
        println!("| {bots} against one | {:.1} % | {:.1} % |", 100.0 * alone, 100.0 * adjusted);
        assert!(adjusted <= 0.05);
    }
}
