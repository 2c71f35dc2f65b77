//! `replay --rerun`: the logged bot plays again.

use support::prelude::*;

fn play(folder: &Path, args: &[&str]) -> PathBuf {
    let log = folder.join("game.jsonl");
    referee().play(PATIENT).arg("--log").arg(&log).args(args).run();
    log
}

fn rerun(log: &Path, args: &[&str]) -> Output {
    referee().args(["replay", "--rerun"]).args(args).arg(log).run()
}

#[test]
fn a_bot_that_answers_the_same_again_agrees() {
    let folder = tempdir().expect("a folder");
    for args in [&[][..], &["--bot", "@misbehaving exit 3 --on-turn 4"]] {
        let output = rerun(&play(folder.path(), args), &[]);
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
fn the_first_exchange_that_differs_is_named() {
    let folder = tempdir().expect("a folder");
    let log = fickle(folder.path());
    fs::write(folder.path().join("mark"), "").expect("written");
    let output = rerun(&log, &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = output.out();
    assert_eq!(
        text,
        "The bot plays differently at turn 3: the reply\n  in the log  \"0 0\\n\"\n  now         \"3 0\\n\"\n"
    );
    let result = rerun(&log, &["--format", "json"]).json();
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
    assert_eq!(rerun(&log, &[]).status.code(), Some(0));
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
    let result = rerun(&log, &["--format", "json"]).json();
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
        let output = rerun(&log, &[]);
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
