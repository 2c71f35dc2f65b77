//! Comparisons of many bots at once: one table of all, any of them as the one to compare with, boards that are copies.

use crate::compare::pairs::{Runs, scores};
use support::prelude::*;

/// Three bots in a run, the second 20 points ahead of the first, and the third 20 behind.
fn three() -> Runs {
    let runs = Runs::new();
    let of = |ahead: i64| scores(80, |n| 1000 + ahead + n * 7 % 11);
    MadeRun::new(&[("a", &of(0)), ("b", &of(20)), ("c", &of(-20))]).save(&runs.path("run"));
    runs
}

#[test]
fn all_bots_are_in_one_table_with_their_intervals_and_verdicts() {
    let runs = three();
    let text = runs.compare(&["run"]).out();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .take_while(|line| !line.contains("Means are"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["2", "bots", "against", "a"]);
    let row = |bot: &str| {
        let row = rows.iter().find(|row| row.first() == Some(&bot)).expect("a row");
        row.join(" ")
    };
    assert_eq!(row("a"), "a 80 0 1005.06 1004.35 to 1005.77 the first one");
    let expected = "b 80 0 1025.06 1024.35 to 1025.77 80 +20.00 ";
    assert!(row("b").starts_with(expected) && row("b").ends_with(" < 0.0001 better"), "{text}");
    assert!(row("c").ends_with(" < 0.0001 worse"), "{text}");
    let markdown = runs.compare(&["run", "--format", "markdown"]).out();
    assert!(markdown.starts_with("### 2 bots against a\n\n| bot | boards |"), "{markdown}");
    assert!(!runs.compare(&["run:a", "run:b"]).out().contains("bots against"));
}

#[test]
fn any_bot_can_be_the_one_that_the_others_are_compared_with() {
    let runs = three();
    let against = |args: &[&str]| {
        let all = runs.compare(&[args, &["--format", "json"]].concat()).json();
        let all = all.as_array().expect("comparisons").iter();
        let names = all.map(|it| {
            let text = |name: &str| it[name].as_str().expect("text").to_owned();
            (text("baseline"), text("challenger"), text("conclusion"))
        });
        names.collect::<Vec<_>>()
    };
    let expected = |all: [[&str; 3]; 2]| {
        all.map(|[one, two, three]| (one.to_owned(), two.to_owned(), three.to_owned()))
    };
    let found = against(&["run", "--baseline", "c"]);
    assert_eq!(found, expected([["c", "a", "better"], ["c", "b", "better"]]));
    let found = against(&["run:a", "run:b", "run:c", "--baseline", "b"]);
    assert_eq!(found, expected([["b", "a", "worse"], ["b", "c", "worse"]]));
    for (args, problem) in [
        (["run", "--baseline", "d"], "there is no `d`; the bots are: `a`, `b`, `c`"),
        (["run", "--baseline", ""], "there is no ``; the bots are: `a`, `b`, `c`"),
    ] {
        let refused = runs.compare(&args);
        assert_code(&refused, 2);
        assert!(refused.err().contains(problem), "{}", refused.err());
    }
    let several = runs.compare(&["run", "run", "--baseline", "a"]);
    assert!(several.err().contains("`a` is in several runs"), "{}", several.err());
}

#[test]
fn a_bot_without_a_shared_board_is_named_and_does_not_count() {
    let runs = three();
    let mut other = MadeRun::new(&[("d", &[7])]);
    other.outcomes[0].record_id = serde_json::from_value("another".into()).expect("an id");
    other.save(&runs.path("other"));
    let text = runs.compare(&["run", "other"]).out();
    assert!(text.contains("p is adjusted for 2 comparisons (Holm)"), "{text}");
    assert!(text.lines().any(|line| line.trim_end().ends_with("no shared board")), "{text}");
    let both = ["Adjusted for 2 comparisons", "once adjusted for 2 comparisons"];
    assert_eq!(both.map(|words| text.matches(words).count()), [2, 1], "{text}");
}

#[test]
fn boards_in_other_colours_are_counted_and_count_once() {
    let runs = Runs::new().run("old", "a", &scores(80, |n| 1000 + n));
    let mut new = MadeRun::new(&[("b", &scores(81, |n| 1000 + n))]);
    // The last board is the third in other colours.
    new.outcomes[80].record_id = new.outcomes[2].record_id.clone();
    new.save(&runs.path("new"));
    let found = runs.compare(&["old", "new", "--format", "json"]).json()[0].take();
    assert_eq!(found["pairs"], 80);
    assert_eq!(found["copied_boards"], 1);
    let text = runs.compare(&["old", "new"]).out();
    assert!(text.contains("1 board is a copy of another and counts once.\n"), "{text}");
}
