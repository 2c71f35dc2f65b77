//! `referee timing` with several bots: played in turn, shown side by side.

use support::prelude::*;

const SLEEPER: &str = "@thinker --sleep 20";
const CRASHER: &str = "@misbehaving exit 3 --on-turn 2";

fn timing(place: &Place, args: &[&str]) -> Output {
    let args = [&["timing", "--board", "@clearable"], &PATIENT[..], args].concat();
    place.command(&args).run()
}

#[test]
fn several_bots_are_shown_side_by_side() {
    let place = Place::new();
    let bots = ["--bot", "@first", "--bot", SLEEPER];
    let output = timing(&place, &bots);
    assert_code(&output, 0);
    let text = output.out();
    let starts: Vec<&str> = text.lines().filter(|line| !line.is_empty()).take(2).collect();
    let keeps = "keeps its limits: 1 game of samegame, 21 turns";
    assert_eq!(starts[0], format!("@first {keeps}"), "{text}");
    assert_eq!(starts[1], format!("{SLEEPER} {keeps}"), "{text}");
    assert_eq!(text.matches("A late turn does not end a game").count(), 1, "{text}");
    for (heading, column) in
        [("first turn", "overruns"), ("later turns", "overruns"), ("games without", "relaxed")]
    {
        let table: Vec<&str> =
            text.lines().skip_while(|line| !line.trim_start().starts_with(heading)).collect();
        assert!(table[0].contains(column), "{heading}: {text}");
        assert!(table[1].trim_start().starts_with("@first "), "{heading}: {text}");
        assert!(table[2].trim_start().starts_with(SLEEPER), "{heading}: {text}");
    }
    assert!(text.contains("1 of 1"), "{text}");
}

#[test]
fn programs_read_each_of_several_bots() {
    let place = Place::new();
    let bots = ["--games", "2", "--bot", "@first", "--bot", CRASHER];
    let output = timing(&place, &[&bots[..], &["--format", "json"]].concat());
    assert_code(&output, 1);
    let report = output.json();
    let names = |key: &str| -> Vec<&Value> {
        report["bots"].as_array().expect("a list").iter().map(|bot| &bot[key]).collect()
    };
    assert_eq!(names("bot"), ["@first", CRASHER]);
    assert_eq!(names("games"), [2, 2]);
    assert_eq!(report["bots"][0]["lost"].as_array().map(Vec::len), Some(0));
    assert_eq!(report["bots"][1]["lost"].as_array().map(Vec::len), Some(2));
    assert!(report["host"]["cores"].is_u64() && report.get("bot").is_none(), "{report}");
    let csv = timing(&place, &[&bots[..], &["--format", "csv"]].concat());
    let csv = csv.out();
    let rows = |bot: &str| csv.lines().filter(|line| line.ends_with(&format!(",{bot}"))).count();
    assert_eq!((rows("bot"), rows("@first"), rows(CRASHER)), (1, 42, 4), "{csv}");
    let junit = timing(&place, &[&bots[..], &["--format", "junit"]].concat());
    let junit = junit.out();
    assert!(junit.contains("name=\"@first\"") && junit.contains(CRASHER), "{junit}");
}

#[test]
fn a_bot_named_twice_and_several_bots_of_one_game_are_refused() {
    let place = Place::new();
    let twice = timing(&place, &["--bot", "@first", "--bot", "@first"]);
    assert_code(&twice, 2);
    assert_eq!(twice.err().trim_end(), "error: --bot: `@first` is named twice");
    let play = place.command(&["play", "--bot", "@first", "--bot", "@greedy"]).run().exits(2);
    let several = "this command accepts one --bot; `referee suite` and `referee timing` accept several, and so does \
                   `referee play` with a --game of several players";
    assert_eq!(play.err().trim_end(), format!("error: {several}"));
}
