//! What is compared of scores: points, ratios, logarithms, ranks.

use referee::measure::Measure;

use crate::compare::pairs::{Runs, scores};
use support::prelude::*;

/// Boards of two sizes: the second bot is 300 points behind on large ones, and 10 % ahead on small ones, of which there are as many.
fn of_two_sizes() -> Runs {
    let old = scores(240, |n| if n % 2 == 0 { 10_000 + n } else { 1000 + n });
    let new = scores(240, |n| if n % 2 == 0 { 9700 + n + n % 11 } else { 1100 + n + n % 7 });
    Runs::new().run("old", "a", &old).run("new", "b", &new)
}

#[test]
fn a_measure_may_turn_a_verdict_and_is_named() {
    let runs = of_two_sizes();
    let found = |measure: &[&str]| {
        let args = [&["old", "new", "--format", "json"], measure].concat();
        runs.compare(&args).json()[0].take()
    };
    let plain = found(&[]);
    assert_eq!((&plain["conclusion"], &plain["measure"]), (&"worse".into(), &"points".into()));
    assert_eq!(found(&["--score", "points"])["mean"], plain["mean"]);
    for (measure, conclusion, mean) in
        [("ratio", "better", 3.0), ("log", "better", 3.0), ("rank", "no_difference_shown", 0.0)]
    {
        let found = found(&["--score", measure]);
        assert_eq!(found["conclusion"], conclusion, "{measure}: {found}");
        assert_eq!(found["measure"], measure);
        let difference = found["mean"].as_f64().expect("a number");
        assert!((difference - mean).abs() < 0.5, "{measure}: {difference}");
        // Boards keep their points.
        let boards = found["boards"].as_array().expect("boards");
        assert!(boards.iter().any(|board| board["baseline"] == 10_002.0), "{measure}");
    }
    let text = runs.compare(&["old", "new", "--score", "ratio"]).out();
    assert!(text.contains("\n  Compared is yours/best in percent, "), "{text}");
    assert!(!text.contains("'s mean."), "percent of what, in a measure that is in percent: {text}");
    let needed = runs.compare(&["old", "new", "--score", "ratio", "--plan", "0.5%"]).out();
    assert!(needed.lines().any(|line| line.contains(" 0.50 ")), "{needed}");
}

#[test]
fn a_run_keeps_its_measure_for_its_table_its_page_and_its_comparison() {
    let runs = Runs::new();
    let bots: [(&str, &[i64]); 3] = [("a", &[100, 400]), ("b", &[200, 300]), ("c", &[50, 100])];
    for (measure, column, values) in [
        (Measure::Points, None, [250.0, 250.0, 75.0]),
        (Measure::Ratio, None, [75.0, 87.5, 25.0]),
        (Measure::Log, Some("log"), [529.8317, 550.1050, 425.8597]),
        (Measure::Rank, Some("rank"), [75.0, 75.0, 0.0]),
    ] {
        let name = measure.to_string();
        let mut run = MadeRun::new(&bots);
        run.plan().measure = Some(measure);
        run.save(&runs.path(&name));
        let found = runs.referee(&["show", &name, "--format", "json"]).json()["summary"].take();
        assert_eq!(found["measure"], name);
        for (bot, value) in values.into_iter().enumerate() {
            let found = found["bots"][bot]["value"].as_f64().expect("a number");
            assert!((found - value).abs() < 1e-3, "{name}: {found} {value}");
        }
        let text = runs.referee(&["show", &name]).out();
        runs.referee(&["report", &name, "--html", "page.html", "--force"]);
        let page = fs::read_to_string(runs.path("page.html")).expect("a page");
        for (heading, is_there) in ["log", "rank"].map(|it| (it, Some(it) == column)) {
            let cell = format!(">{heading}</th>");
            assert_eq!(page.contains(&cell), is_there, "{name} {heading}");
            assert_eq!(text.contains(&format!("\n  {heading}: the ")), is_there, "{text}");
        }
        let compared = runs.compare(&[&name, "--format", "json"]).json();
        assert_eq!(compared[0]["measure"], name);
    }
}

#[test]
fn a_score_without_a_logarithm_is_refused_and_named() {
    let runs = Runs::new().run("zero", "./bot", &[100, 0]).run("old", "./old", &[100, 50]);
    let problem = "./bot has a score of 0 on seed 2, and only scores above 0 have a logarithm; \
                   take --score points, ratio or rank";
    for args in [
        &["compare", "zero:./bot", "old", "--score", "log"][..],
        &["report", "old", "zero", "--score", "log", "--html", "page.html"],
        &["suite", "--bot", "@first", "--against", "zero", "--score", "log", "--run", "new"],
    ] {
        let output = runs.referee(args);
        let said = output.err();
        assert_code(&output, 2);
        assert!(said.contains(problem.trim_start_matches("./bot")), "{args:?}: {said}");
        assert!(!runs.path("new").exists() && !runs.path("page.html").exists());
    }
}

#[test]
fn a_suite_without_an_opponent_takes_a_measure() {
    let runs = Runs::new();
    let args = [
        "suite", "--bot", "@first", "--bot", "@greedy", "--seed", "1", "--score", "rank", "--run",
        "new",
    ];
    let output = runs.referee(&[&args[..], &PATIENT].concat());
    let text = output.out();
    assert!(text.contains("yours/best    rank  ") && text.contains("  100.00  "), "{output:?}");
    let compared = runs.compare(&["new"]).out();
    assert!(compared.contains("Compared is the better score"), "{compared}");
}

#[test]
fn a_ratio_is_to_the_best_that_was_known_when_the_games_were_played() {
    let runs = Runs::new().run("old", "a", &scores(80, |n| 1000 + n));
    let mean = |new: &str| {
        let args = ["old", new, "--score", "ratio", "--format", "json"];
        runs.compare(&args).json()[0]["mean"].as_f64().expect("a number")
    };
    let new = MadeRun::new(&[("b", &scores(80, |n| 900 + n))]);
    new.save(&runs.path("new"));
    let mut known = MadeRun::new(&[("b", &scores(80, |n| 900 + n))]);
    known.outcomes.iter_mut().for_each(|game| game.best_known = Some(2000.into()));
    known.save(&runs.path("known"));
    // To the better of the two, which has about 1,040 points, and to 2,000.
    assert!((-10.0..-9.0).contains(&mean("new")), "{}", mean("new"));
    assert!((mean("known") + 5.0).abs() < 1e-9, "{}", mean("known"));
}
