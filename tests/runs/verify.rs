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

#[test]
fn each_thing_that_is_changed_is_found_and_its_game_named() {
    let place = Place::new();
    published(&place, "all");
    let results = place.path("run/results.jsonl");
    let log = |game: usize| place.path(&format!("run/games/{game:06}.jsonl"));
    let (good, good_log) =
        (fs::read_to_string(&results).expect("results"), fs::read_to_string(log(3)));
    let (good_log, digest) = (good_log.expect("a log"), verify(&place).1["digest"].clone());
    let line = good.lines().find(|line| line.starts_with("{\"game\":3,")).expect("a result");
    let score = serde_json::from_str::<Value>(line).expect("JSON")["score"].to_string();
    let changed = |what: &str, expected: &str| {
        let found = found(&place);
        let named = found.iter().any(|(game, problem)| *game == 3 && problem.contains(expected));
        assert!(named, "{what}: {found:?}");
        assert_ne!(verify(&place).1["digest"], digest, "{what}");
        fs::write(&results, &good).expect("written");
        fs::write(log(3), &good_log).expect("written");
    };

    let higher = line.replace(&format!("\"score\":{score}"), "\"score\":99999");
    fs::write(&results, good.replace(line, &higher)).expect("written");
    changed("a score in the results", "score is 99999 in its result");

    let (turns, end) = good_log.trim_end().rsplit_once('\n').expect("lines");
    let higher = end.replace(&format!("\"score\":{score}"), "\"score\":99999");
    fs::write(log(3), format!("{turns}\n{higher}\n")).expect("written");
    changed("a score in a log's end", "final score is 99999, and by the rules");

    let turn = good_log.lines().nth(5).expect("a turn");
    let mut other: Value = serde_json::from_str(turn).expect("JSON");
    other["reply"] = "14 14\n".into();
    fs::write(log(3), good_log.replace(turn, &other.to_string())).expect("written");
    changed("a reply", "turn 5 of its log");

    other = serde_json::from_str(turn).expect("JSON");
    other["wall_ms"] = 99_999.into();
    fs::write(log(3), good_log.replace(turn, &other.to_string())).expect("written");
    changed(
        "a late reply",
        "turn 5 of its log: a reply after 99999ms counts under a limit of 60s, and is not said to be late",
    );

    other["overrun"] = json!({ "culprit": "bot", "decision": "forgiven" });
    fs::write(log(3), good_log.replace(turn, &other.to_string())).expect("written");
    changed("a late reply that is forgiven", "which the plan's profile does not do");

    fs::copy(log(5), log(3)).expect("copied");
    changed("a log of another board", "its log is of a different board");

    fs::copy(log(4), log(3)).expect("copied");
    changed("a log of another bot", "its log is of a different bot");

    fs::write(&results, format!("{good}{line}\n")).expect("written");
    assert!(found(&place).contains(&(3, "it has a second result".to_owned())));
    fs::write(&results, &good).expect("written");

    let late = line.replace("\"counts\":", "\"bot_overruns\":1,\"counts\":");
    let late = late.replacen("\"bot_overruns\":0", "\"host_overruns\":0", 1).replacen(
        ",\"host_overruns\":0",
        "",
        1,
    );
    fs::write(&results, good.replace(line, &late)).expect("written");
    changed("a late turn", "bot_overruns is 1 in its result");

    fs::remove_file(log(3)).expect("removed");
    changed("a log that is missing", "it has no log");

    fs::write(&results, good.replace(&format!("{line}\n"), "")).expect("written");
    changed("a result that is missing", "it has no result");
    assert_eq!(found(&place), []);
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

/// JSON with one field changed.
fn with(json: &str, field: &str, value: Value) -> String {
    let mut object: Value = serde_json::from_str(json).expect("JSON");
    object[field] = value;
    object.to_string()
}

#[test]
fn each_field_that_says_which_game_it_is_is_compared() {
    let place = Place::new();
    published(&place, "all");
    let (results, log) = (place.path("run/results.jsonl"), place.path("run/games/000003.jsonl"));
    let good = [&results, &log].map(|file| fs::read_to_string(file).expect("there"));
    let result = good[0].lines().find(|line| line.starts_with("{\"game\":3,")).expect("a result");
    let start = good[1].lines().next().expect("a start");
    let mut limits = serde_json::from_str::<Value>(start).expect("JSON")["limits"].clone();
    limits["turn_ms"] = 51.into();
    let bot = |field: &str, value: Value| {
        let bot = serde_json::from_str::<Value>(start).expect("JSON")["bot"].to_string();
        serde_json::from_str::<Value>(&with(&bot, field, value)).expect("JSON")
    };
    let resources = bot("resources", json!({}));
    let sandbox = bot("sandbox", json!(true));
    let judge = json!({ "kind": "judge", "command": ["x"], "reading": { "eof_ends_line": true } });
    let cases = [
        (0, "bot", json!("@greedy"), "the bot in its result"),
        (0, "board", json!("seed 9"), "the board's name in its result"),
        (0, "set", json!("smoke"), "the board set in its result"),
        (0, "repeat", json!(2), "the repeat in its result"),
        (0, "board_id", json!("b"), "board_id in its result"),
        (0, "record_id", json!("r"), "record_id in its result"),
        (0, "traits", json!({ "colors": 9 }), "traits in its result"),
        (0, "turns", json!(1), "turns is 1 in its result"),
        (0, "verdict", json!("judge_trouble"), "judge failure"),
        (1, "game", json!("square-remover"), "its log is of a different game"),
        (1, "judge", judge, "its log is of a different judge"),
        (1, "board", json!("seed 9"), "its log is of a different name of the board"),
        (1, "profile", json!("relaxed"), "its log is of a different profile"),
        (1, "limits", limits, "its log is of a different set of limits"),
        (1, "bot", resources, "its log is of a different set of limits on resources"),
        (1, "bot", sandbox, "its log is of a different choice of a sandbox"),
    ];
    for (place_of, field, value, expected) in cases {
        let line = [result, start][place_of];
        let changed = good[place_of].replacen(line, &with(line, field, value), 1);
        fs::write([&results, &log][place_of], changed).expect("written");
        let found = found(&place);
        let is_named = |(game, problem): &(u64, String)| *game == 3 && problem.contains(expected);
        assert!(found.iter().any(is_named), "{field}: {found:?}");
        fs::write(&results, &good[0]).expect("written");
        fs::write(&log, &good[1]).expect("written");
    }
    let (whole, _) = good[1].trim_end().rsplit_once('\n').expect("lines");
    fs::write(&log, format!("{whole}\n")).expect("written");
    assert_eq!(found(&place), [(3, "its log stops before the end".to_owned())]);
}

#[test]
fn a_digest_covers_the_plan_and_no_numbers_of_sessions_and_a_list_that_lies_is_found() {
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
    edit("run/listing.json", "\"won\":3", "\"won\":2");
    let lies = "listing.json does not say what the results come to; it can be deleted".to_owned();
    assert_eq!(found(&place), [(0, lies)]);
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
    let suite = ["suite", "--bot", "@first", "--seed", "1..13", "--run", "many", "--logs", "all"];
    assert_code(&place.command(&suite).args(PATIENT).run(), 0);
    for game in 2..=13 {
        fs::remove_file(place.run("many").log_path(game)).expect("a log");
    }
    let said = place.command(&["verify", "many"]).run().exits(1).out();
    assert!(said.starts_with("1 of 13 games of samegame agree with their logs\n"), "{said}");
    assert!(said.contains("  game 11: it has no log\n  and 2 more without a log\n"), "{said}");
}

/// Pipes among the runs, instead of each file that lists and reports read.
#[test]
fn a_pipe_among_the_runs_hangs_nothing() {
    let place = Place::new();
    for (index, file) in
        ["run.toml", "results.jsonl", "sessions.jsonl", "comment.txt", "listing.json"]
            .iter()
            .enumerate()
    {
        let run = format!("runs/{index}");
        let suite = ["suite", "--bot", "@first", "--seed", "1", "--run", &run];
        assert_code(&place.command(&suite).args(PATIENT).run(), 0);
        let _ = fs::remove_file(place.path(&run).join("listing.json"));
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
