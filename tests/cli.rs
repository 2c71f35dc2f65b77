//! What a user sees and scripts rely on: output, exit codes, signals, full disks.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Output, Stdio};

use insta::{assert_snapshot, with_settings};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Mark, PATIENT, json, referee};

fn play(args: &[&str]) -> Output {
    referee().arg("play").args(PATIENT).args(args).output().expect("runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// A snapshot of a text report, without what differs from run to run.
macro_rules! assert_report {
    ($text:expr, @$expected:literal) => {
        with_settings!({filters => vec![
            (r"[0-9.]+ (µs|ms|s) of", "[time] of"),
            (r"after [0-9.]+ (µs|ms|s)", "after [time]"),
            (r"\(turn [0-9]+\)", "(turn [n])"),
        ]}, {
            assert_snapshot!($text, @$expected);
        });
    };
}

#[test]
fn a_game_ends_with_its_verdict_and_what_belongs_to_it() {
    let output = play(&[]);
    assert_report!(stdout(&output), @"
    Endgame. Obtained a score of 230.

      game          samegame
      board         @random-1
      bot           @greedy
      verdict       completed
      score         230
      turns         47
      first turn    [time] of 60 s
      slowest turn  [time] of 60 s (turn [n])
    ");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn without_arguments_greedy_plays_a_bundled_board_under_the_official_limits() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    // How it ends is up to the machine's load; only the text above is about that.
    referee().args(["play", "--log"]).arg(&log).status().expect("runs");
    let start = referee::gamelog::read(&fs::read(log).expect("a log")).expect("a good log").start;
    assert_eq!(start.bot.name, "@greedy");
    assert_eq!(start.board, "@random-1");
    assert_eq!(start.limits.profile, "official");
    let millis = |limit: Option<referee::gamelog::Millis>| limit.expect("a limit").0.as_millis();
    assert_eq!(millis(start.limits.first_turn), 20_000);
    assert_eq!(millis(start.limits.turn), 50);
}

#[test]
fn a_lost_game_shows_the_official_verdict_and_the_truth() {
    let script = "echo 'no such table' >&2; exit 4";
    let output = play(&["--", "sh", "-c", script]);
    assert_report!(stdout(&output), @"
    [ERROR] Timeout!

      game          samegame
      board         @random-1
      bot           sh -c echo 'no such table' >&2; exit 4
      verdict       crash
      score         0
      turns         1
      first turn    [time] of 60 s
      diagnosis     turn 1: the bot exited with status 4 after [time] without answering

      the end of the bot's standard error:
        no such table
    ");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn json_has_what_the_contract_names() {
    let result = json(&play(&["--format", "json", "--board", "@clearable"]));
    let types = [
        ("game", "string"),
        ("board", "string"),
        ("bot", "string"),
        ("won", "boolean"),
        ("score", "number"),
        ("verdict", "string"),
        ("official", "string"),
        ("summary", "array"),
        ("metadata", "object"),
        ("turns", "number"),
        ("diagnosis", "null"),
        ("timing", "object"),
    ];
    for (field, expected) in types {
        let found = match &result[field] {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        assert_eq!(found, expected, "{field}: {result}");
    }
    assert_eq!(result["bot"], "@greedy");
    assert_eq!(result["board"], "@clearable");
    assert_eq!(result["metadata"]["Score"], result["score"].to_string());
    let slowest = &result["timing"]["slowest_turn"];
    assert_eq!(slowest["limit_ms"], 60_000.0);
    assert!(slowest["wall_ms"].as_f64().expect("a number") > 0.0);
}

#[test]
fn a_command_after_dashes_is_taken_word_by_word() {
    let one = json(&play(&["--format", "json", "--bot", "@random --seed 7"]));
    let other = json(&play(&["--format", "json", "--", "@random", "--seed", "7"]));
    assert_eq!(one["summary"], other["summary"]);
    assert_eq!(one["bot"], other["bot"]);
    let third = json(&play(&["--format", "json", "--", "@random", "--seed", "8"]));
    assert_ne!(one["summary"], third["summary"]);
}

#[test]
fn the_command_line_is_split_as_a_shell_would_and_no_shell_sees_it() {
    let bot = r#"printf '%s|' "a b" \$HOME '*' ;"#;
    let result = json(&play(&["--format", "json", "--bot", bot]));
    let diagnosis = result["diagnosis"].as_str().expect("text");
    assert!(diagnosis.contains("`a b|$HOME|*|;|`"), "{diagnosis}");
}

#[test]
fn the_bot_gets_its_folder_and_its_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().canonicalize().expect("a path");
    fs::write(here.join("bot"), "#!/bin/sh\necho \"$GREETING from $(pwd)\" >&2\n")
        .expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(here.join("bot"), mode).expect("permitted");
    let path = here.to_str().expect("UTF-8");
    // `./bot` is looked for in the bot's folder, as if the command were typed there.
    let args = ["--format", "json", "--cwd", path, "--env", "GREETING=a=b", "--bot", "./bot"];
    let result = json(&play(&args));
    assert_eq!(result["stderr_tail"][0], format!("a=b from {path}"), "{result}");
    assert_eq!(result["verdict"], "early_exit");
}

#[test]
fn colours_disappear_in_pipes_and_obey_the_user() {
    let escape = |output: &Output| stdout(output).contains('\x1b');
    let colored = |args: &[&str], no_color: bool| {
        let mut command = referee();
        if !no_color {
            command.env_remove("NO_COLOR");
        }
        command.arg("play").args(args).output().expect("runs")
    };
    assert!(!escape(&colored(&[], false)), "not in a pipe");
    assert!(escape(&colored(&["--color", "always"], false)));
    assert!(escape(&colored(&["--color", "always"], true)), "a flag beats NO_COLOR");
    assert!(!escape(&colored(&["--color", "never"], false)));
}

#[test]
fn verbose_shows_each_turn_on_stderr() {
    let output = play(&["-v", "--board", "@clearable"]);
    let first = stderr(&output).lines().next().map(str::to_owned).expect("a line");
    assert!(first.contains("turn 1: `0 0` in ") && first.ends_with("gain 49, score 49"), "{first}");
    assert_eq!(stderr(&output).lines().count(), 21);
}

#[test]
fn the_bundled_boards_are_what_they_are_called() {
    let result = |board| json(&play(&["--format", "json", "--board", board]));
    assert_eq!(result("@clearable")["score"], 2857, "the bonus of 1000 included");
    let lost = result("@no-move");
    assert_eq!(lost["official"], "[ERROR] Selected region should have size greater than 1.");
    assert_eq!(result("@random-1")["verdict"], "completed");
}

#[test]
fn a_bundled_bot_runs_on_its_own() {
    let mut child = referee()
        .args(["bot", "first"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    let board = "0 1 2 3 4 0 1 2 3 4 0 1 2 3 4\n".repeat(15);
    child.stdin.take().expect("piped").write_all(board.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("ends");
    assert_eq!(stdout(&output), "0 0\n");
    assert!(output.status.success());
}

#[test]
fn a_reader_that_goes_away_is_success() {
    let mut child =
        referee().arg("play").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
    drop(child.stdout.take());
    let mut error = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut error).expect("UTF-8");
    assert_eq!(error, "");
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}

#[test]
fn a_result_that_cannot_be_written_is_the_referees_failure() {
    let full = OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
    let output = referee().arg("play").stdout(full).output().expect("runs");
    assert_snapshot!(stderr(&output), @"error: cannot write the result: No space left on device (os error 28)");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_full_disk_costs_the_log_and_not_the_verdict() {
    let output = play(&["--log", "/dev/full"]);
    assert!(stdout(&output).starts_with("Endgame. Obtained a score of 230.\n"));
    assert_snapshot!(stderr(&output), @"error: the log /dev/full is incomplete: No space left on device (os error 28)");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_game_that_never_starts_leaves_an_earlier_log_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.to_str().expect("UTF-8");
    play(&["--log", path]);
    let before = fs::read(&log).expect("a log");
    assert_eq!(play(&["--log", path, "--bot", "./nope"]).status.code(), Some(2));
    assert_eq!(fs::read(&log).expect("a log"), before);
    play(&["--log", path, "--board", "@no-move"]);
    let lines = fs::read_to_string(&log).expect("a log").lines().count();
    assert_eq!(lines, 3, "a game that starts replaces it");
}

#[test]
fn a_signal_ends_the_bot_keeps_the_log_and_then_the_referee() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("game.jsonl");
        let mark = Mark::new();
        let mut child = referee()
            .args(["play", "--env", mark.env(), "--log"])
            .arg(&log)
            .args(["--bot", "@misbehaving hang --on-turn 3"])
            .args(PATIENT)
            .stderr(Stdio::piped())
            .stdout(File::create("/dev/null").expect("opens"))
            .spawn()
            .expect("runs");
        mark.wait_for(1);
        while fs::read_to_string(&log).unwrap_or_default().lines().count() < 3 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        kill_process(Pid::from_child(&child), signal).expect("sent");
        let status = child.wait().expect("ends");
        mark.assert_gone();
        assert_eq!(status.signal(), Some(signal.as_raw()));
        let mut error = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut error).expect("UTF-8");
        assert!(error.contains("after 2 turns; they are in"), "{error}");
        let replayed =
            json(&referee().args(["replay", "--format", "json"]).arg(&log).output().expect("runs"));
        assert_eq!(replayed["turns"], 2);
        assert_eq!(replayed["complete"], false);
        assert_eq!(replayed["agrees"], true);
    }
}

#[test]
fn help_says_what_there_is() {
    for (name, args) in [
        ("help", &["--help"][..]),
        ("help-play", &["play", "--help"]),
        ("help-replay", &["replay", "--help"]),
        ("help-bot", &["bot", "--help"]),
    ] {
        let output = referee().args(args).env("COLUMNS", "100").output().expect("runs");
        assert!(output.status.success());
        assert_snapshot!(name, stdout(&output));
    }
}
