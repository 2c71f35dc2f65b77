//! `play --again`: the logged bot plays again.

use support::prelude::*;

fn play(folder: &Path, args: &[&str]) -> PathBuf {
    let log = folder.join("game.jsonl");
    referee().play(PATIENT).arg("--log").arg(&log).args(args).run();
    log
}

fn again(log: &Path, args: &[&str]) -> Output {
    referee().args(["play", "--again"]).arg(log).args(args).run()
}

#[test]
fn a_bot_that_answers_the_same_again_agrees() {
    let folder = tempdir().expect("a folder");
    for args in [&[][..], &["--bot", "@misbehaving exit 3 --on-turn 4"]] {
        let log = play(folder.path(), args);
        // A project's settings change nothing of a game that comes with the referee.
        fs::write(folder.path().join("referee.toml"), "profile = 'relaxed'\n").expect("written");
        let output = referee().current_dir(&folder).args(["play", "--again"]).arg(log).run();
        let text = output.out();
        assert!(text.starts_with("The bot plays as in the log: "), "{text}");
        assert_eq!(output.status.code(), Some(0));
    }
}

/// A bot that answers differently in its third turn from its second game on.
fn fickle(folder: &Path) -> PathBuf {
    let script = "turn=0; while read -r line; do i=$((i+1)); [ $i -eq 15 ] || continue; i=0; \
                  turn=$((turn+1)); if [ $turn -eq 3 ] && [ -e \"$MARK\" ]; then echo 3 0; \
                  else echo 0 0; fi; done; touch \"$MARK\"";
    let mark = format!("MARK={}", folder.join("mark").display());
    play(folder, &["--board", "@clearable", "--env", &mark, "--", "sh", "-c", script])
}

#[test]
fn what_the_log_has_is_not_given_again() {
    let folder = tempdir().expect("a folder");
    let log = play(folder.path(), &[]);
    for flags in [
        "--bot @first",
        "-- ./bot",
        "--pin",
        "--turn 1s",
        "--seed 1",
        "--env A=b",
        "--log new.jsonl",
        "--watch",
        "--force",
        "--game samegame",
        "--profile relaxed",
        "--first-turn 1s",
        "--total 1s",
        "--memory 1GiB",
        "--stack 8MiB",
        "--containment plain",
        "--board @random-1",
        "--on-host-delay fail",
        "--ponder",
        "--html game.html",
        "--export input",
        "--trace trace.json",
    ] {
        let flags: Vec<&str> = flags.split(' ').collect();
        let said = again(&log, &flags).exits(2).err();
        assert!(said.contains("cannot be used with"), "{said}");
    }
    let said = again(&log, &["--config", "profile=relaxed"]).exits(2).err();
    assert!(said.contains("--config: the log has all settings of this game"), "{said}");
    let old = referee().args(["replay", "--rerun"]).arg(&log).run().exits(2).err();
    assert!(old.contains("`referee play --again LOG` plays the game of a log again"), "{old}");
}

#[test]
fn the_first_exchange_that_differs_is_named() {
    let folder = tempdir().expect("a folder");
    let log = fickle(folder.path());
    fs::write(folder.path().join("mark"), "").expect("written");
    let output = again(&log, &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = output.out();
    assert_eq!(
        text,
        "The bot plays differently at turn 3: the reply\n  in the log  \"0 0\\n\"\n  now         \"3 0\\n\"\n"
    );
    let result = again(&log, &["--format", "json"]).json();
    assert_eq!(result["agrees"], false);
    assert_eq!(result["difference"]["turn"], 3);
}

#[test]
fn a_log_that_stops_early_is_compared_as_far_as_it_goes() {
    let folder = tempdir().expect("a folder");
    let log = play(folder.path(), &[]);
    let text = fs::read_to_string(&log).expect("a log");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&log, lines[..10].concat()).expect("written");
    assert_eq!(again(&log, &[]).status.code(), Some(0));
}

#[test]
fn the_logged_limits_hold() {
    let folder = tempdir().expect("a folder");
    let log = play(folder.path(), &["--bot", "@misbehaving late 900 --on-turn 2"]);
    let mut lines: Vec<Value> = fs::read_to_string(&log)
        .expect("a log")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    lines[0]["limits"]["turn_ms"] = Value::from(100.0);
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(&log, lines.join("\n") + "\n").expect("written");
    let result = again(&log, &["--format", "json"]).json();
    assert_eq!(result["difference"]["turn"], 2, "{result}");
}

#[test]
fn what_cannot_be_run_again_is_refused() {
    let folder = tempdir().expect("a folder");
    let log = play(folder.path(), &[]);
    let text = fs::read_to_string(&log).expect("a log");
    let (first, rest) = text.split_once('\n').expect("lines");
    let start: Value = serde_json::from_str(first).expect("JSON");
    let error = |change: &dyn Fn(&mut Value)| {
        let mut start = start.clone();
        change(&mut start);
        fs::write(&log, format!("{start}\n{rest}")).expect("written");
        let output = again(&log, &[]);
        assert_eq!(output.status.code(), Some(2));
        output.err()
    };
    let none = error(&|start| start["bot"]["command"] = Value::from(Vec::<Value>::new()));
    assert!(none.contains("the log does not name a command to run"), "{none}");
    let gone = error(&|start| start["bot"]["command"][0] = Value::from("./gone"));
    assert!(gone.contains("no such file: ./gone"), "{gone}");
    let profile = error(&|start| start["profile"] = Value::from("lenient"));
    assert!(profile.contains("there is no profile `lenient` here"), "{profile}");
}

/// A folder with a game of three turns, the last of which the bot answers after 100 ms. Its judge names the limits of the first two.
fn judged() -> Place {
    let place = Place::new();
    place.script(
        "judge",
        r#"read -r start
printf '%s\n' '{"ask":"x\n","limit_ms":61000}'; read -r reply
printf '%s\n' '{"ask":"x\n","limit_ms":62000}'; read -r reply
printf '%s\n' '{"ask":"x\n"}'; read -r reply
case $reply in *no_reply*) echo '{"end":"lost"}' ;; *) echo '{"end":"completed"}' ;; esac"#,
    );
    place.script("bot", "read -r x; echo 1; read -r x; echo 2; read -r x; sleep 0.1; echo 3");
    place
}

#[test]
fn the_logged_limits_of_a_judges_game_hold_whatever_its_settings_are_now() {
    let place = judged();
    let settings = |limits: &str| {
        let text = format!("[game.g]\nkind = \"judge\"\ncommand = \"./judge\"\n{limits}\n");
        fs::write(place.path("referee.toml"), text).expect("room");
    };
    let play = |log: &str, args: &[&str]| {
        let play = ["play", "--game", "g", "--seed", "1", "--bot", "./bot", "--log", log];
        place.command(&play).args(args).run()
    };
    let again = |log: &str| place.command(&["play", "--again", log]).run();
    settings("limits = { turn = \"60s\" }");
    assert_code(&play("long.jsonl", &[]), 0);
    assert_code(&play("fixed.jsonl", &["--turn", "63s"]), 0);
    settings("limits = { turn = \"1ms\" }\n[limits.g]\nturn = \"2ms\"");
    for log in ["long.jsonl", "fixed.jsonl"] {
        let again = again(log).exits(0);
        assert_eq!(again.out(), "The bot plays as in the log: 3 turns.\n");
        assert_eq!(again.err(), "");
    }
    let judge = fs::read_to_string(place.path("judge")).expect("a script");
    place.script("judge", &judge.replace("62000", "64000").replace("#!/bin/sh\n", ""));
    let warned = again("long.jsonl").exits(0).err();
    assert!(warned.contains("turn 2 had the limit 62s in the log, and has 64s now"), "{warned}");
    assert_eq!(again("fixed.jsonl").exits(0).err(), "", "63 s replace what the judge names");
}
