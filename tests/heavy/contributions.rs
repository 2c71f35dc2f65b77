//! Contributions to CodinGame as their authors publish them, from `init --codingame` to a suite that is killed and resumed.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::support::place::{Place, assert_code, stderr};
use crate::support::terminal::{Terminal, can_watch};
use crate::support::{finished, json, shared_data, wait_until};

/// A place with the games 2048 and number-shifting in its settings, and bots for them.
fn with_contributions() -> Option<Place> {
    let shared = shared_data("contributions to CodinGame")?.join("judges/codingame");
    let place = Place::new();
    for name in ["engine-3.15.2.jar", "2048", "numbershifting"] {
        symlink(shared.join(name), place.path(name)).expect("a link");
    }
    for (folder, game) in [("2048", "2048"), ("numbershifting", "number-shifting")] {
        let init = place.command(&["init", "--codingame", folder]).output().expect("runs");
        assert_code(&init, 0);
        let said = String::from_utf8_lossy(&init.stdout).into_owned();
        assert!(said.starts_with(&format!("referee.toml has the game {game} now.")), "{said}");
    }
    // Six lines, a move; the first level is given, and solved in three moves.
    let around = "while :; do for move in U R D L; do\n\
                  for line in 1 2 3 4 5 6; do read -r ignored || exit 0; done; echo $move\ndone; done";
    let shift = "echo first_level; read -r width height\n\
                 for line in 1 2 3 4 5; do read -r ignored; done\n\
                 printf '2 0 D +\\n2 3 R -\\n7 3 L -\\n'; read -r width height; echo 0 0 D +; exec cat";
    for (name, script) in [("around", around), ("shift", shift)] {
        place.script(name, script);
    }
    Some(place)
}

/// Limits that a busy machine keeps.
const LIMITS: [&str; 4] = ["--first-turn", "60s", "--turn", "60s"];

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn number_shifting_is_played_in_a_suite_and_verified_without_its_judge() {
    let Some(place) = with_contributions() else { return };
    let suite = ["suite", "--game", "number-shifting", "--bot", "./shift", "--repeat", "3"];
    let more = ["--logs", "all", "--run", "run", "--format", "json"];
    let report = json(&place.command(&suite).args(more).args(LIMITS).output().expect("runs"));
    assert_eq!((&report["games"], &report["lost"]), (&3.into(), &0.into()), "{report}");
    assert_eq!(report["bots"][0]["sum"], 3, "one level a game: {report}");
    fs::remove_file(place.path("referee.toml")).expect("removed");
    fs::remove_file(place.path("numbershifting")).expect("removed");
    assert_code(&place.command(&["verify", "run"]).output().expect("runs"), 0);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_killed_suite_of_2048_is_resumed() {
    let Some(place) = with_contributions() else { return };
    let boards = ["test2", "test3", "test4", "test5", "test6", "test7"];
    let suite = ["suite", "--game", "2048", "--bot", "./around", "--jobs", "1", "--run", "run"];
    let mut suite = place.command(&suite);
    suite.arg("--board").args(boards).args(["--logs", "all"]).args(LIMITS);
    let mut suite = suite.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs");
    let results = place.path("run/results.jsonl");
    let count = || fs::read_to_string(&results).unwrap_or_default().lines().count();
    wait_until("two results", || count() >= 2);
    suite.kill().expect("it plays");
    finished(suite);
    let kept = fs::read_to_string(&results).expect("results");
    assert!(kept.lines().count() < boards.len(), "it was killed in the midst of the run");
    let resumed =
        place.command(&["suite", "--resume", "run", "--jobs", "1", "--logs", "all"]).output();
    let resumed = resumed.expect("runs");
    assert!(resumed.status.success(), "{resumed:?}");
    let all = fs::read_to_string(&results).expect("results");
    let whole = kept.rfind('\n').map_or("", |end| &kept[..=end]);
    assert!(all.starts_with(whole), "no game is played twice");
    let played: BTreeSet<String> =
        place.run("run").outcomes().expect("results").map(|it| it.expect("whole").board).collect();
    assert_eq!(played, boards.map(str::to_owned).into());
    assert_eq!(all.lines().count(), boards.len());
    assert_code(&place.command(&["verify", "run"]).output().expect("runs"), 0);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_game_of_2048_is_watched_while_it_is_played() {
    if !can_watch("a_game_of_2048_is_watched_while_it_is_played") {
        return;
    }
    let Some(place) = with_contributions() else { return };
    let terminal = Terminal::of_size(100, 30);
    terminal.run(&format!("cd '{}'", place.folder().display()));
    let play = ["play", "--watch", "--game", "2048", "--board", "test2", "--bot", "./around"];
    terminal.referee(&[&play[..], &LIMITS[..]].concat(), &[]);
    let screen = terminal.wait_for("its answer");
    assert!(screen.contains("sent to the bot") && screen.contains("score"), "{screen}");
    terminal.wait_for("score: 2932");
    terminal.press(&["q"]);
    terminal.wait_for("status: 0");
    terminal.assert_restored();
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_game_that_is_in_the_settings_is_not_added_again() {
    let Some(place) = with_contributions() else { return };
    let again = place.command(&["init", "--codingame", "2048"]).output().expect("runs");
    assert_code(&again, 2);
    assert!(stderr(&again).contains("has the table [game.2048] already"), "{}", stderr(&again));
}
