//! Suites for programs that follow a run: a line for each game, in random order, and nothing kept.

use std::io::{BufRead as _, BufReader, Read as _};
use support::prelude::*;

fn folder() -> TempDir {
    tempdir().expect("a folder")
}

/// A suite in `folder`, whose temporary files are in `folder/tmp`.
fn suite(folder: &TempDir, args: &[&str]) -> Referee {
    let tmp = folder.path().join("tmp");
    fs::create_dir_all(&tmp).expect("made");

    referee()
        .suite(args)
        .args(PATIENT)
        .current_dir(folder)
        .env("TMPDIR", tmp)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
}

/// The output lines of a suite.
#[track_caller]
fn lines(command: Referee) -> Vec<Value> {
    let text = command.run().exits(0).out();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Everything in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect()
}

#[test]
fn each_game_is_a_line_and_the_summary_is_the_last_one() {
    let folder = folder();
    let args =
        ["--bot", "@first", "--bot", "@misbehaving exit 3", "--seed", "1..3", "--format", "jsonl"];
    let output = suite(&folder, &args).args(["--run", "run"]).run();
    assert_eq!(output.status.code(), Some(1), "a bot lost");
    let text = output.out();
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (summary, games) = lines.split_last().expect("lines");
    assert_eq!(games.len(), 6);
    let results = fs::read_to_string(folder.path().join("run/results.jsonl")).expect("results");
    for (game, kept) in games.iter().zip(results.lines()) {
        let mut game = game.as_object().expect("an object").clone();
        assert_eq!(game.remove("type").expect("a type"), "game");
        assert!(game.remove("best").expect("a best").is_null(), "there are no records");
        let mut kept: Value = serde_json::from_str(kept).expect("JSON");
        kept.as_object_mut().expect("an object").remove("session");
        assert_eq!(Value::Object(game), kept);
    }
    assert_eq!((&summary["type"], &summary["run"]), (&"summary".into(), &"run".into()));
    assert_eq!((&summary["games"], &summary["lost"]), (&6.into(), &3.into()));
    let again = referee().args(["resume", "run", "--format", "jsonl"]).current_dir(&folder).run();
    assert_eq!(again.out().lines().count(), 1, "no game is played");
}

#[test]
fn a_line_comes_when_its_game_ends_and_a_signal_ends_all() {
    let folder = folder();
    let args =
        ["--bot", "@thinker --sleep 20", "--seed", "1..50", "--jobs", "1", "--format", "jsonl"];
    let mut child = suite(&folder, &args).args(["--run", "none"]).stdout(Stdio::piped()).start();
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    lines.read_line(&mut first).expect("a line");
    let game: Value = serde_json::from_str(&first).expect("JSON");
    assert_eq!(game["game"], 1);
    // It is still playing: forty-nine games of a second each are left.
    assert!(child.try_wait().expect("a child").is_none());
    kill_process(Pid::from_child(&child), Signal::TERM).expect("it runs");
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("the rest");
    assert!(!rest.contains("summary"), "{rest}");
    let said = finished(child).err();
    assert!(said.contains("interrupted by SIGTERM; --run none keeps no games"), "{said}");
    assert!(names(&folder.path().join("tmp")).is_empty(), "nothing is left");
}

#[test]
fn when_nobody_reads_the_lines_no_new_game_is_started() {
    let folder = folder();
    let args =
        ["--bot", "@thinker --sleep 5", "--seed", "1..200", "--jobs", "1", "--format", "jsonl"];
    let mut child = suite(&folder, &args).args(["--run", "run"]).stdout(Stdio::piped()).spawn();
    let child = child.as_mut().expect("runs");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut first).expect("a line");
    assert_eq!(child.wait().expect("a child").code(), Some(0));
    let results = fs::read_to_string(folder.path().join("run/results.jsonl")).expect("results");
    assert!((1..100).contains(&results.lines().count()), "{}", results.lines().count());
}

#[test]
fn without_a_run_nothing_is_kept() {
    let folder = folder();
    let args =
        ["--bot", "@misbehaving exit 3", "--bot", "@first", "--seed", "1..2", "--run", "none"];
    let output = suite(&folder, &args).args(["--records", "records.toml"]).run().exits(1);
    let text = output.out();
    assert!(text.starts_with("4 games of samegame, 2 lost"), "{text}");
    assert!(!text.contains("The run is in"), "{text}");
    assert_eq!(names(folder.path()), ["tmp"]);
    assert!(names(&folder.path().join("tmp")).is_empty());
    let json = lines(
        suite(&folder, &["--bot", "@first", "--seed", "1", "--run", "none"])
            .args(["--format", "json"]),
    );
    assert!(json[0]["run"].is_null());
    for kept in [["--logs", "all"], ["--comment", "x"], ["--shard", "1/2"]] {
        let output = suite(&folder, &args).args(kept).run();
        assert_eq!(output.status.code(), Some(2), "{kept:?}");
    }
}
