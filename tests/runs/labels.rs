//! Labels of bots, their settings, and what a suite says next to its result.

use support::prelude::*;

const SUITE: [&str; 5] = ["suite", "--seed", "1..3", "--logs", "none"];

/// What a suite of these words did, in a folder of its own.
fn suite(place: &Place, words: &[&str]) -> Output {
    place.command(&[&SUITE[..], words].concat()).patient().run()
}

#[test]
fn a_label_is_the_bots_name_in_tables_and_comparisons() {
    let place = Place::new();
    let both = ["--bot", "@first", "--bot", "@greedy", "--name", "v1", "--name", " v2 "];
    let shown = suite(&place, &[&both[..], &["--run", "both"]].concat()).exits(0).out();
    assert!(shown.contains("\n  v1 ") && shown.contains("\n  v2 "), "{shown}");
    assert!(!shown.contains("@first"), "{shown}");
    let compared = place.referee(&["compare", "both:v2", "both:v1"]).exits(0).out();
    assert!(compared.starts_with("too few boards to compare v1 with v2\n"), "{compared}");
    let tried = ["--bot", "@random --seed {S}", "--param", "S=1,2", "--name", "random"];
    let shown = suite(&place, &tried).exits(0).out();
    assert!(shown.contains("\n  random S=1 ") && shown.contains("\n  random S=2 "), "{shown}");
    for (words, problem) in [
        (&["--bot", "@first", "--name", "a", "--name", "b"][..], "2 labels for 1 bot"),
        (&["--bot", "@first", "--bot", "@greedy", "--name", "a"], "1 label for 2 bots"),
        (&["--bot", "@first", "--name", " "], "a label is a word or a few"),
        (
            &["--bot", "@first", "--bot", "@greedy", "--name", "a", "--name", "a"],
            "`a` is named twice",
        ),
    ] {
        let said = suite(&place, words).exits(2).err();
        assert!(said.contains(problem), "{words:?}: {said}");
    }
}

#[test]
fn a_variable_that_a_bot_inherits_is_recorded_by_its_name() {
    let place = Place::new();
    for (depth, run) in [("3", "shallow"), ("4", "deep")] {
        let words = ["--bot", "@first", "--env", "DEPTH", "--run", run];
        let words = [&SUITE[..], &words].concat();
        let played = place.command(&words).patient().env("DEPTH", depth).run();
        assert_code(&played, 0);
    }
    let compared = place.referee(&["compare", "shallow", "deep"]).exits(0).out();
    let expected = "no difference between @first (DEPTH=4) and @first (DEPTH=3) on ";
    assert!(compared.starts_with(expected), "{compared}");
    let unset = place.command(&["play", "--bot", "@first", "--env", "DEPTH"]);
    let said = unset.env_remove("DEPTH").run().exits(2).err();
    assert!(said.contains("`DEPTH` is not set here; write DEPTH=VALUE"), "{said}");
}

#[test]
fn a_place_for_a_value_without_a_value_is_refused() {
    let place = Place::new();
    place.script("bot", "exit 3");
    let said = suite(&place, &["--bot", "./bot {DEPTH}", "--param", "WIDTH=1,2"]).exits(2).err();
    assert!(
        said.contains("stands for a value of --param DEPTH=VALUES, which is missing"),
        "{said}"
    );
    let said = place.referee(&["play", "--bot", "./bot {DEPTH}"]).exits(2).err();
    assert!(said.contains("`{DEPTH}` stands for a value of --param"), "{said}");
}

#[test]
fn a_quiet_suite_says_its_result_and_its_errors_alone() {
    let place = Place::new();
    let loud = suite(&place, &[]).exits(0);
    assert!(loud.err().contains("these are games of @greedy") && loud.err().contains("3/3 games"));
    let quiet = suite(&place, &["-q"]).exits(0);
    assert_eq!(quiet.err(), "");
    assert!(quiet.out().starts_with("3 games of samegame, 0 lost\n"), "{quiet:?}");
    let wrong = suite(&place, &["--quiet", "--bot", "./none"]).exits(2).err();
    assert!(wrong.starts_with("error: "), "{wrong}");
    assert!(suite(&place, &["-q", "-v"]).exits(2).err().contains("cannot be used with"));
}

#[test]
fn python_that_flushes_only_here_is_told_once() {
    let place = Place::new();
    place.script("bot.py", "exit 3");
    place.script("other", "exit 3");
    let warns = |words: &[&str]| {
        let command = place.command(words).env("PYTHONUNBUFFERED", "1");
        command.run().exits(1).err().matches("PYTHONUNBUFFERED is set here").count()
    };
    assert_eq!(warns(&["play", "--bot", "./bot.py"]), 1);
    assert_eq!(warns(&["play", "--bot", "./other"]), 0);
    assert_eq!(warns(&["play", "--bot", "./bot.py", "--env", "PYTHONUNBUFFERED=1"]), 0);
    let two = ["suite", "--run", "none", "--seed", "1", "--bot", "./bot.py", "--bot", "./bot.py 2"];
    assert_eq!(warns(&two), 1);
    let unset = place.command(&["play", "--bot", "./bot.py"]).env_remove("PYTHONUNBUFFERED");
    assert_eq!(unset.run().exits(1).err(), "");
}

#[test]
fn runs_that_were_put_here_are_listed_and_are_the_latest() {
    let place = Place::new();
    for run in ["first", "second"] {
        let shown = suite(&place, &["--bot", "@first", "--run", run]).exits(0).out();
        assert!(shown.ends_with(&format!("\n  The run is in {run}.\n")), "{shown}");
    }
    fs::create_dir(place.path("tools")).expect("made");
    let listed = place.referee(&["runs", "--format", "json"]).exits(0).json();
    let names: Vec<&Value> =
        listed.as_array().expect("runs").iter().map(|run| &run["run"]).collect();
    assert_eq!(names, ["second", "first"]);
    let compared = place.referee(&["compare", "latest~1", "latest"]).exits(0).out();
    assert!(compared.contains("@first (second) and @first (first)"), "{compared}");
    fs::create_dir(place.path("below")).expect("made");
    fs::write(place.path("referee.toml"), "").expect("written");
    let below = place.command(&["show", "latest"]).current_dir(place.path("below"));
    assert_code(&below.run(), 0);
    let missing = place.referee(&["show", "latest~2"]).exits(2).err();
    assert!(missing.contains("latest~2: there are 2 runs"), "{missing}");
    let elsewhere = tempdir().expect("a folder");
    let run = elsewhere.path().join("run");
    let run = run.to_str().expect("UTF-8");
    let shown = suite(&place, &["--bot", "@first", "--run", run]).exits(0).out();
    assert!(shown.contains("; `latest` and `referee runs` look in "), "{shown}");
}

#[test]
fn a_suite_against_too_few_boards_says_so_before_and_after() {
    let place = Place::new();
    assert_code(&suite(&place, &["--bot", "@first", "--run", "old"]), 0);
    let words = ["suite", "--bot", "@greedy", "--against", "old", "--run", "new"];
    let played = place.command(&words).patient().run().exits(0);
    let (said, shown) = (played.err(), played.out());
    assert!(said.contains("--against decides on 100 boards or more, and these are 3"), "{said}");
    assert!(shown.contains("on 3 boards; a decision takes at least 100"), "{shown}");
    assert!(shown.contains("`referee compare` checks once, on at least 60 boards"), "{shown}");
}

#[test]
fn a_table_has_times_and_no_share_without_a_best_score() {
    let place = Place::new();
    let text = suite(&place, &["--bot", "@first"]).exits(0).out();
    let heading = text.lines().find(|line| line.contains("games  won")).expect("a table");
    assert!(heading.ends_with("mean  slowest turn"), "{heading}");
    let answers = ["--game", "square-remover", "--bot", "@squares-random"];
    let text = place.referee(&[&SUITE[..], &answers].concat()).exits(0).out();
    let heading = text.lines().find(|line| line.contains("games  won")).expect("a table");
    assert!(heading.ends_with("mean time  longest"), "{heading}");
}
