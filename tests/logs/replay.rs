//! Logs of real games, whole, cut off and changed, refereed again.

use referee::gamelog;
use support::prelude::*;

/// Plays a bundled bot and returns the result and the log's text.
fn logged(folder: &Path, bot: &str, more: &[&str]) -> (Value, String) {
    let log = folder.join("game.jsonl");
    let output = referee()
        .play(["--format", "json", "--bot", bot, "--log"])
        .arg(&log)
        .patient()
        .args(more)
        .run();
    (output.json(), fs::read_to_string(log).expect("a log"))
}

fn replay(folder: &Path, text: &str) -> Output {
    let log = folder.join("replayed.jsonl");
    fs::write(&log, text).expect("written");
    referee().args(["replay", "--format", "json"]).arg(&log).run()
}

#[test]
fn the_replay_of_any_played_game_agrees() {
    let folder = tempdir().expect("a folder");
    let bots = [
        "@greedy",
        "@first",
        "@random --seed 1",
        "@random --seed 2",
        "@misbehaving surplus 3 --on-turn 5",
        "@misbehaving flood-stdout --on-turn 4",
        "@misbehaving exit 1 --on-turn 9",
        "@misbehaving late 20 --on-turn 2",
        "@misbehaving close-stdin --on-turn 60",
        "@misbehaving signal 11",
        "@misbehaving partial-line-exit --on-turn 4",
        "@misbehaving endless-line --on-turn 4",
        "@misbehaving close-stdout --on-turn 4",
        "@misbehaving invalid-utf8 --on-turn 4",
        "@misbehaving empty-line --on-turn 4",
        "@misbehaving illegal malformed --on-turn 4",
        "@misbehaving illegal out-of-bounds --on-turn 4",
        "@misbehaving illegal empty-tile --on-turn 4",
        "@misbehaving illegal single-tile --on-turn 4",
    ];
    for bot in bots {
        for board in ["@random-1", "@clearable"] {
            let (played, text) = logged(folder.path(), bot, &["--board", board]);
            let output = replay(folder.path(), &text);
            let replayed = output.json();
            assert_eq!(replayed["agrees"], true, "{bot}: {replayed}");
            assert_eq!(replayed["complete"], true);
            assert_eq!(output.status.code(), Some(0));
            for field in
                ["won", "score", "verdict", "official", "summary", "metadata", "turns", "diagnosis"]
            {
                assert_eq!(replayed[field], played[field], "{bot}: {field}");
            }
        }
    }
}

#[test]
fn a_timeout_is_taken_from_the_log() {
    let folder = tempdir().expect("a folder");
    let limits = ["--profile", "official"];
    let log = folder.path().join("late.jsonl");
    let played = referee()
        .play(["--format", "json", "--bot", "@misbehaving hang --on-turn 3"])
        .args(limits)
        .arg("--log")
        .arg(&log)
        .run();
    assert_eq!(played.json()["verdict"], "timeout");
    let output = replay(folder.path(), &fs::read_to_string(log).expect("a log"));
    let replayed = output.json();
    assert_eq!(replayed["verdict"], "timeout");
    assert_eq!(replayed["official"], "[ERROR] Timeout!");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_truncated_log_replays_to_its_last_whole_line() {
    let folder = tempdir().expect("a folder");
    let (played, text) = logged(folder.path(), "@greedy", &[]);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for turns in [0, 1, 10] {
        let whole: String = lines[..=turns].concat();
        let half = &lines[turns + 1][..lines[turns + 1].len() / 2];
        for text in [whole.clone(), whole + half] {
            let output = replay(folder.path(), &text);
            let replayed = output.json();
            assert_eq!(output.status.code(), Some(0), "{replayed}");
            assert_eq!(replayed["complete"], false);
            assert_eq!(replayed["agrees"], true);
            assert_eq!(replayed["turns"], turns);
            assert_eq!(replayed["verdict"], Value::Null);
            assert_eq!(summary(&replayed), summary(&played)[..turns]);
        }
    }
    let last = lines.len() - 1;
    let replayed = replay(folder.path(), &lines[..last].concat()).json();
    assert_eq!(replayed["complete"], false, "only the end is missing");
    assert_eq!(replayed["official"], played["official"], "the rules still know it");
}

#[test]
fn an_incomplete_log_says_so() {
    let folder = tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    let log = folder.path().join("cut.jsonl");
    fs::write(&log, &text[..text.len() / 2]).expect("written");
    let text = referee().replay(&log).run().out();
    assert!(text.contains("incomplete    the log stops before the end of the game"), "{text}");
}

#[test]
fn a_log_that_lacks_only_its_last_newline_is_complete() {
    let folder = tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    assert_eq!(replay(folder.path(), text.trim_end()).json()["complete"], true);
}

#[test]
fn a_first_line_is_told_apart_whether_it_has_a_newline_or_not() {
    let told = |line: &str| gamelog::read(line.as_bytes()).expect_err("no log").to_string();
    let later = r#"{"type":"start","format":2,"referee":"9.0.0","players":[]}"#;
    let other = r#"{"type":"note","format":1}"#;
    for newline in ["", "\n"] {
        let later = told(&format!("{later}{newline}"));
        assert!(later.starts_with("1: the log has format 2, "), "{later}");
        let other = told(&format!("{other}{newline}"));
        assert!(other.starts_with("1: not a game log: "), "{other}");
    }
    assert_eq!(told(&later[..later.len() / 2]), "not a game log: it has no complete line");
}

/// A log with one value of one line changed.
fn tampered(text: &str, line: usize, change: impl FnOnce(&mut Value)) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut value: Value = serde_json::from_str(&lines[line]).expect("JSON");
    change(&mut value);
    lines[line] = value.to_string();
    lines.join("\n") + "\n"
}

#[test]
fn the_first_turn_that_differs_is_named() {
    let folder = tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    let end = text.lines().count() - 1;
    let turns = end - 1;
    let checks: [(&str, String, usize); 11] = [
        ("limit", tampered(&text, 4, |turn| turn["limit"] = json!("first_turn")), 4),
        ("the reply", tampered(&text, 3, |turn| turn["reply"] = json!("0 0\n1 1\n")), 3),
        ("gain", tampered(&text, 5, |turn| turn["gain"] = json!(1_000_000)), 5),
        ("score", tampered(&text, 7, |turn| turn["score"] = json!(7)), 7),
        ("move", tampered(&text, 3, |turn| turn["move"]["size"] = json!(99)), 3),
        ("move", tampered(&text, 3, |turn| turn["reply"] = json!("up\n")), 3),
        ("the reply", tampered(&text, 3, |turn| turn["reply"] = json!("0 0")), 3),
        ("final score", tampered(&text, end, |end| end["score"] = json!(0)), turns),
        ("verdict", tampered(&text, end, |end| end["verdict"] = json!("timeout")), turns),
        ("official", tampered(&text, end, |end| end["official"] = json!("x")), turns),
        ("summary", tampered(&text, end, |end| end["summary"][0] = json!("x")), turns),
    ];
    for (what, text, turn) in checks {
        let output = replay(folder.path(), &text);
        let replayed = output.json();
        assert_eq!(output.status.code(), Some(1), "{what}: {replayed}");
        assert_eq!(replayed["agrees"], false);
        assert_eq!(replayed["difference"]["what"], what, "{replayed}");
        assert_eq!(replayed["difference"]["turn"], turn, "{replayed}");
    }
}

#[test]
fn a_difference_reads_well() {
    let folder = tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    let log = folder.path().join("tampered.jsonl");
    fs::write(&log, tampered(&text, 5, |turn| turn["gain"] = json!(12))).expect("written");
    let text = referee().replay(&log).run().out();
    assert!(text.starts_with("The replay differs from the log at turn 5.\n"), "{text}");
    assert!(text.contains("replay        differs from the log at turn 5: gain"), "{text}");
}

#[test]
fn unknown_fields_are_ignored() {
    let folder = tempdir().expect("a folder");
    let (_, text) = logged(folder.path(), "@greedy", &[]);
    let text = tampered(&text, 0, |start| start["later"] = json!({ "a": 1 }));
    let text = tampered(&text, 4, |turn| turn["later"] = json!([1, 2]));
    assert_eq!(replay(folder.path(), &text).json()["agrees"], true);
}
