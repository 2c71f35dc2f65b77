//! `referee verify`: whatever is changed in a run is found, and named.

use support::prelude::*;

/// A run of six games with all logs, one of them lost.
fn published(place: &Place, logs: &str) {
    place.script("bot", "exit 3");
    let suite = place.command(&["suite", "--bot", "@first", "--bot", "@greedy"]);
    let played = suite.args(["--seed", "1..3", "--run", "run", "--logs", logs]).args(PATIENT).run();
    assert_code(&played, 0);
}

fn verify(place: &Place) -> (Option<i32>, Value) {
    let output = place.command(&["verify", "run", "--format", "json"]).run();
    (output.status.code(), output.json())
}

/// Each game that does not agree, with what is wrong.
fn found(place: &Place) -> Vec<(u64, String)> {
    let (code, verified) = verify(place);
    let all = verified["disagreements"].as_array().expect("an array").clone();
    assert_eq!(code, Some(i32::from(!all.is_empty())), "{verified}");
    let one = |found: &Value| {
        let problem = found["problem"].as_str().expect("text").to_owned();
        (found["game"].as_u64().unwrap_or(0), problem)
    };
    all.iter().map(one).collect()
}

#[test]
fn an_honest_run_agrees_packed_or_not_and_so_does_one_with_lost_games() {
    let plain = Place::new();
    published(&plain, "all");
    assert_eq!(found(&plain), []);
    let (_, verified) = verify(&plain);
    assert_eq!((&verified["agree"], &verified["planned"]), (&6.into(), &6.into()));
    assert_eq!(verify(&plain).1["digest"], verified["digest"]);
    let packed = Place::new();
    published(&packed, "all.gz");
    assert_eq!(found(&packed), []);
    let lost = Place::new();
    lost.script("bot", "exit 3");
    let suite = lost.command(&["suite", "--bot", "./bot", "--seed", "1..3", "--run", "run"]);
    assert_code(&suite.args(PATIENT).run(), 1);
    assert_eq!(found(&lost), []);
}

/// A line of JSON with one field changed.
fn with(line: &str, field: &str, value: Value) -> String {
    let mut object: Value = serde_json::from_str(line).expect("JSON");
    object[field] = value;
    object.to_string()
}

#[test]
fn each_thing_that_is_changed_is_found_and_its_game_named() {
    let place = Place::new();
    published(&place, "all");
    let log = |game: usize| place.path(&format!("run/games/{game:06}.jsonl"));
    let files = [place.path("run/results.jsonl"), log(3)];
    let good = [&files[0], &files[1]].map(|file| fs::read_to_string(file).expect("there"));
    let digest = verify(&place).1["digest"].clone();
    let is_named = |what: &str, expected: &str| {
        let found = found(&place);
        let named = found.iter().any(|(game, problem)| *game == 3 && problem.contains(expected));
        assert!(named, "{what}: {found:?}");
        assert_ne!(verify(&place).1["digest"], digest, "{what}");
        files.iter().zip(&good).for_each(|(file, good)| fs::write(file, good).expect("written"));
    };
    let result = good[0].lines().find(|line| line.starts_with("{\"game\":3,")).expect("a result");
    let [start, turn, end] = [0, 5, good[1].lines().count() - 1]
        .map(|number| good[1].lines().nth(number).expect("a line"));
    let json =
        |line: &str, field: &str| serde_json::from_str::<Value>(line).expect("JSON")[field].clone();
    let bot = |field: &str, value: Value| {
        let bot = with(&json(start, "bot").to_string(), field, value);
        serde_json::from_str::<Value>(&bot).expect("JSON")
    };
    let limits = with(&json(start, "limits").to_string(), "turn_ms", json!(51));
    let limits: Value = serde_json::from_str(&limits).expect("JSON");
    let judge = json!({ "kind": "judge", "command": ["x"], "reading": { "eof_ends_line": true } });
    for (file, line, field, value, expected) in [
        (0, result, "score", json!(99_999), "score is 99999 in its result"),
        (0, result, "bot", json!("@greedy"), "bot is \"@greedy\" in its result"),
        (0, result, "board", json!("seed 9"), "board is \"seed 9\" in its result"),
        (0, result, "set", json!("smoke"), "set is \"smoke\" in its result, and missing by"),
        (0, result, "repeat", json!(2), "repeat is 2 in its result, and 1 by its plan and log"),
        (0, result, "board_id", json!("b"), "board_id is"),
        (0, result, "record_id", json!("r"), "record_id is"),
        (0, result, "traits", json!({ "colors": 9 }), "traits is"),
        (0, result, "turns", json!(1), "turns is 1 in its result"),
        (0, result, "bot_overruns", json!(1), "bot_overruns is 1 in its result"),
        (0, result, "verdict", json!("timeout"), "verdict is \"timeout\" in its result"),
        (0, result, "verdict", json!("judge_trouble"), "judge failure"),
        (1, start, "game", json!("square-remover"), "its log is of a different game"),
        (1, start, "judge", judge, "its log is of a different judge"),
        (1, start, "board", json!("seed 9"), "its log is of a different board"),
        (1, start, "profile", json!("relaxed"), "its log is of a different profile"),
        (1, start, "limits", limits, "its log is of a different set of limits"),
        (1, start, "bot", bot("resources", json!({})), "a different set of limits on resources"),
        (1, start, "bot", bot("sandbox", json!(true)), "a different choice of a sandbox"),
        (1, turn, "reply", json!("14 14\n"), "turn 5 of its log"),
        (1, end, "score", json!(99_999), "final score is 99999, and by the rules"),
    ] {
        let changed = good[file].replacen(line, &with(line, field, value), 1);
        fs::write(&files[file], changed).expect("written");
        is_named(field, expected);
    }
    fs::write(&files[1], good[1].replace(end, "")).expect("written");
    is_named("the end of a log", "its log stops before the end");
    for (other, expected) in [(5, "board"), (4, "bot")] {
        fs::copy(log(other), &files[1]).expect("copied");
        is_named(expected, &format!("its log is of a different {expected}"));
    }
    fs::remove_file(&files[1]).expect("removed");
    is_named("a log that is missing", "it has no log");
    fs::write(&files[0], good[0].replace(&format!("{result}\n"), "")).expect("written");
    is_named("a result that is missing", "it has no result");
    fs::write(&files[0], format!("{}{result}\n", good[0])).expect("written");
    assert!(found(&place).contains(&(3, "it has a second result".to_owned())));
}

#[test]
fn a_result_that_is_missing_between_others_of_a_run_with_an_opponent_is_named() {
    let place = Place::new();
    let play = |args: &[&str]| {
        let suite = [&["suite", "--jobs", "1", "--logs", "all"], args, &PATIENT[..]].concat();
        assert_code(&place.command(&suite).run(), 0);
    };
    play(&["--bot", "@first", "--seed", "1..6", "--run", "old"]);
    play(&["--bot", "@greedy", "--against", "old", "--run", "run"]);
    assert_eq!(found(&place), []);
    // One at a time, so the lines are in the order of play.
    let results = place.path("run/results.jsonl");
    let good = fs::read_to_string(&results).expect("results");
    let lines: Vec<&str> = good.lines().collect();
    assert_eq!(lines.len(), 6, "six boards decide nothing");
    let game = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["game"].as_u64();
    for (missing, named) in [(2, game(lines[2])), (5, None)] {
        let kept: Vec<&str> =
            lines.iter().copied().filter(|line| *line != lines[missing]).collect();
        fs::write(&results, kept.join("\n") + "\n").expect("written");
        let named = named.map(|game| (game, "it has no result".to_owned()));
        assert_eq!(found(&place), Vec::from_iter(named), "without line {missing}");
    }
}

#[test]
fn a_digest_covers_the_plan_and_no_numbers_of_sessions() {
    let place = Place::new();
    published(&place, "all");
    let digest = || verify(&place).1["digest"].clone();
    let edit = |file: &str, from: &str, to: &str| {
        let text = fs::read_to_string(place.path(file)).expect("there");
        assert!(text.contains(from), "{file}: {text}");
        fs::write(place.path(file), text.replacen(from, to, 1)).expect("written");
    };
    let before = digest();
    edit("run/results.jsonl", "\"session\":1", "\"session\":7");
    assert_eq!(digest(), before, "merging renumbers sessions");
    edit("run/run.toml", "format = 1", "format = 1 # the same plan");
    assert_ne!(digest(), before);
    assert_eq!(found(&place), []);
}

#[test]
fn games_without_logs_are_named_unless_no_log_was_kept() {
    let place = Place::new();
    let suite = ["suite", "--bot", "@first", "--seed", "1..3", "--run", "run"];
    assert_code(&place.command(&suite).args(PATIENT).run(), 0);
    let games: Vec<u64> = found(&place).into_iter().map(|(game, _)| game).collect();
    assert_eq!(games, [1, 2, 3]);
    let said = place.command(&["verify", "run"]).run().exits(1).out();
    assert!(said.starts_with("0 of 3 games of samegame agree with their logs\n"), "{said}");
    assert!(said.contains("No logs were kept") && !said.contains("it has no log"), "{said}");
    // Logs that cannot be reached are not missing.
    std::os::unix::fs::symlink("games", place.path("run/games")).expect("made");
    let said = place.command(&["verify", "run"]).run().exits(1).out();
    assert!(said.contains("symbolic links") && !said.contains("No logs were kept"), "{said}");
    let suite = ["suite", "--bot", "@first", "--seed", "1..23", "--run", "many", "--logs", "all"];
    assert_code(&place.command(&suite).args(PATIENT).run(), 0);
    for game in 2..=23 {
        fs::remove_file(place.run("many").log_path(game)).expect("a log");
    }
    let said = place.command(&["verify", "many"]).run().exits(1).out();
    assert!(said.starts_with("1 of 23 games of samegame agree with their logs\n"), "{said}");
    let last = "  game 21: it has no log\n  and 2 more, which `--format json` lists\n";
    assert!(said.contains(last), "{said}");
}

/// Pipes among the runs, instead of each file that lists and reports read.
#[test]
fn a_pipe_among_the_runs_hangs_nothing() {
    let place = Place::new();
    let files = ["run.toml", "results.jsonl", "sessions.jsonl", "comment.txt"];
    for (index, file) in files.iter().enumerate() {
        let run = format!("runs/{index}");
        let suite = ["suite", "--bot", "@first", "--seed", "1", "--run", &run];
        assert_code(&place.command(&suite).args(PATIENT).run(), 0);
        let path = place.path(&run).join(file);
        let _ = fs::remove_file(&path);
        let made = Command::new("mkfifo").arg(&path).status().expect("runs");
        assert!(made.success());
    }
    for args in [&["runs"][..], &["compare", "runs/1", "runs/2"]] {
        let child = place.command(args).stdout(Stdio::null()).start();
        assert!(finished(child).status.code().is_some());
    }
}
