//! Groups of boards that `compare --by` chooses.

use insta::assert_snapshot;

use crate::compare::pairs::{Runs, scores};
use support::prelude::*;

/// Runs of two bots on 80 boards, whose property n is 1 to 20 four times over.
fn runs() -> Runs {
    let runs = Runs::new();
    for (name, ahead) in [("old", 0), ("new", 5)] {
        let mut run = MadeRun::new(&[(name, &scores(80, |n| 100 + ahead + n % 3))]);
        for (outcome, n) in run.outcomes.iter_mut().zip(0..) {
            outcome.traits =
                BTreeMap::from([("n".to_owned(), n % 20 + 1), ("colors".to_owned(), 4 + n % 2)]);
        }
        run.save(&runs.path(name));
    }
    runs
}

/// The names of the groups and their numbers of boards.
fn groups(json: &Value, boards: &str) -> Vec<(String, u64)> {
    let groups = json["groups"].as_array().expect("groups").iter();
    groups
        .map(|group| {
            let name = group["name"].as_str().expect("a name").to_owned();
            (name, group[boards].as_u64().expect("a number"))
        })
        .collect()
}

#[test]
fn several_names_and_chosen_values_group_the_boards() {
    let runs = runs();
    let found = |by: &[&str]| {
        let output = runs.compare(&[&["old", "new", "--format", "json"], by].concat());
        groups(&output.json()[0], "pairs")
    };
    let pairs = |expected: &[(&str, u64)]| -> Vec<_> {
        expected.iter().map(|(name, boards)| ((*name).to_owned(), *boards)).collect()
    };
    let both = pairs(&[("n 10 to 20", 44), ("colors 4", 40), ("colors 5", 40)]);
    assert_eq!(found(&["--by", "n=10..20", "--by", "colors"]), both);
    let chosen = pairs(&[("n 2", 4), ("n 3 to 5", 12), ("n from 6", 60)]);
    assert_eq!(found(&["--by", "n=2,3..5,6.."]), chosen);
    let four =
        pairs(&[("n 1 to 5", 20), ("n 6 to 10", 20), ("n 11 to 15", 20), ("n 16 to 20", 20)]);
    assert_eq!(found(&["--by", "n"]), four);
}

#[test]
fn a_bot_alone_is_shown_by_its_groups() {
    let runs = runs();
    let output = runs.compare(&["old", "--by", "colors,n=1..4"]);
    assert_code(&output, 0);
    assert_snapshot!(output.out(), @"
    old

                  boards  games  lost    mean     95 % interval
      all boards      80     80     0  101.01  100.83 to 101.19
      colors 4        40     40     0  101.00  100.74 to 101.26
      colors 5        40     40     0  101.02  100.76 to 101.29
      n 1 to 4        16     16     0  101.00  100.56 to 101.44
    ");
    let alone = runs.compare(&["old", "--by", "n=1..4", "--format", "json"]).json();
    assert_eq!(alone["bot"], "old");
    let expected = [("all boards".to_owned(), 80), ("n 1 to 4".to_owned(), 16)];
    assert_eq!(groups(&alone, "boards"), expected);
    let csv = runs.compare(&["old", "--by", "n=1..4", "--format", "csv"]).out();
    assert_eq!(csv.lines().next(), Some("group,boards,games,lost,mean,low,high"));
    assert_eq!(csv.lines().count(), 3);
    for more in [&[][..], &["--by", "n", "--format", "junit"], &["--by", "n", "--score", "log"]] {
        let refused = runs.compare(&[&["old"], more].concat());
        assert_code(&refused, 2);
        assert!(refused.err().contains("has only `old` to compare"), "{more:?}");
    }
}

#[test]
fn what_no_board_has_is_refused_with_what_there_is() {
    let runs = runs();
    let refused = |by: &str| {
        let output = runs.compare(&["old", "new", "--by", by]);
        assert_code(&output, 2);
        output.err()
    };
    assert!(refused("colors,m").contains("--by m: no bot said this name"), "{}", refused("m"));
    assert!(refused("m").contains("; there are: colors, n\n"), "{}", refused("m"));
    assert_eq!(refused("n=30.."), "error: --by n: no board has from 30; there are: 1 to 20\n");
    assert_eq!(refused("colors=7"), "error: --by colors: no board has 7; there are: 4, 5\n");
    assert!(refused("n=5..3").contains("error: --by: `n=5..3` is neither a name"));
}
