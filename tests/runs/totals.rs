//! Totals on a fixed set of boards, which several rounds play.

use support::prelude::*;

/// A bot with scores that differ by the number of its games so far.
const RANDOM: &str =
    "echo x >>games; case $(($(wc -l <games) % 4)) in 1|2) echo 10;; *) echo 14;; esac";

#[test]
fn repeats_of_the_same_boards_give_a_total_over_the_bots_own_randomness() {
    let place = Place::new();
    let settings = "[game.n]\nkind = 'scored'\ncommand = './score {case} {answer}'\ncases = 'in'\n";
    fs::create_dir(place.path("in")).expect("made");
    fs::write(place.path("referee.toml"), settings).expect("written");
    for case in ["1", "2"] {
        fs::write(place.path(&format!("in/{case}.txt")), case).expect("written");
    }
    place.script("score", "read -r n <$2; echo Score = $n");
    place.script("random", &format!("cd '{}'; {RANDOM}", place.folder().display()));
    place.script("same", "echo 12");
    let suite = |bot: &str, run: &str| {
        let args = ["suite", "--game", "n", "--bot", bot, "--repeat", "2", "--run", run];
        place.referee(&args).exits(0).out()
    };
    // The rounds have 20 and 28 points: a mean of 24 plus or minus 12.706 times 4.
    let total = "On these 2 boards ./random totals 24 ± 51 (95 % interval, over its own randomness in 2 rounds).";
    let shown = suite("./random", "one");
    assert!(shown.contains(total), "{shown}");
    assert!(suite("./same", "two").contains("./same totals 24 ± 0 "));
    let compared = place.command(&["compare", "two", "one"]).run().out();
    assert!(compared.contains(total) && compared.contains("./same totals 24 ± 0 "), "{compared}");
    let groups = place.command(&["compare", "two", "one"]).json();
    assert_eq!(groups[0]["of_challenger"]["totals"]["mean"], 24.0);
    assert_eq!(place.command(&["resume", "one"]).json()["bots"][0]["totals"]["rounds"], 2);
    assert_code(&place.referee(&["report", "one", "--html", "page.html"]), 0);
    assert!(fs::read_to_string(place.path("page.html")).expect("a page").contains(total));
    let once = ["suite", "--game", "n", "--bot", "./same", "--run", "once", "--format", "csv"];
    let csv = place.referee(&once).exits(0).out();
    let [head, row, ..] = &csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
    let column = head.split(',').position(|name| name == "mean_ms").expect("a column");
    let mean: f64 = row.split(',').nth(column).expect("a cell").parse().expect("a time");
    assert!(mean > 0.0, "{csv}");
    assert!(!place.command(&["resume", "once"]).run().out().contains("totals"));
}
