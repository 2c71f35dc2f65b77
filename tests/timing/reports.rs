//! What `referee timing` reports of bots, however busy the machine is.

use support::prelude::*;

fn timing(args: &[&str]) -> Output {
    referee().arg("timing").args(args).run()
}

#[test]
fn a_slower_judge_scales_the_times() {
    let args = ["--bot", "@thinker --sleep 60", "--board", "@clearable"];
    let args = [&args[..], &["--first-turn", "5s", "--turn", "5s", "--scale"]].concat();
    let kept = timing(&[&args[..], &["1"]].concat());
    assert_eq!(kept.status.code(), Some(0), "{kept:?}");
    let broken = timing(&[&args[..], &["100"]].concat());
    assert_eq!(broken.status.code(), Some(1));
    let text = broken.out();
    assert!(text.contains("Times are shown 100 times as long, for a slower judge."), "{text}");
    assert!(
        text.contains("@thinker --sleep 60 breaks its limits: 1 game of samegame, 21 turns"),
        "{text}"
    );
    // The culprit of each of the twenty depends on the load: 10 ms are soon stolen.
    let later = text.lines().find(|line| line.contains("later turns")).expect("a row of the table");
    assert!(later.contains(" 20 ") && later.replace(' ', "").contains("5s-"), "{text}");
}

#[test]
fn a_bot_that_crashes_is_reported_as_lost() {
    let output = timing(&[
        "--bot",
        "@misbehaving exit 3 --on-turn 2",
        "--seed",
        "1..2",
        "--first-turn",
        "60s",
        "--turn",
        "60s",
    ]);
    let text = output.out();
    assert!(text.contains("lost seed 1: crash: turn 2: the bot exited with status 3"), "{text}");
    assert!(text.contains("lost seed 2: crash"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn timing_writes_csv() {
    let args = [
        "--bot",
        "@first",
        "--board",
        "@clearable",
        "--first-turn",
        "60s",
        "--turn",
        "60s",
        "--format",
        "csv",
    ];
    let text = timing(&args).out();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 22, "a heading and 21 turns");
    assert!(
        lines[0].starts_with("game,board,turn,kind,wall_ms,limit_ms,cpu_ms,wait_ms"),
        "{}",
        lines[0]
    );
    assert!(lines[2].starts_with("1,@clearable,2,turn,"), "{}", lines[2]);
}

#[test]
fn square_remover_is_timed_as_a_whole() {
    let report = timing(&[
        "--game",
        "square-remover",
        "--bot",
        "@squares-random",
        "--seed",
        "1..3",
        "--format",
        "json",
    ])
    .json();
    assert_eq!(report["turns"][0]["kind"], "total");
    assert_eq!(report["turns"][0]["count"], 3);
}

/// A folder with the game `named`, whose judge names the limit of each turn. The settings' limits are shorter than any turn.
pub(crate) fn named_limits() -> Place {
    let place = Place::new();
    let ask = |limit: &str| {
        format!(r#"printf '%s\n' '{{"ask":"x\n","limit_ms":{limit}}}'; read -r reply"#)
    };
    let turns = ["60000", "50000", "70000"].map(ask).join("\n");
    place.script(
        "judge",
        &format!("read -r start\n{turns}\necho '{{\"end\":\"completed\",\"score\":1}}'"),
    );
    place.script("bot", "while read -r line; do sleep 0.02; echo ok; done");
    let settings = "[game.named]\nkind = \"judge\"\ncommand = \"./judge\"\n\
        limits = { first-turn = \"1ms\", turn = \"1ms\" }\n";
    fs::write(place.path("referee.toml"), settings).expect("room");
    place
}

#[test]
fn times_are_compared_with_the_limits_that_a_judge_names() {
    let place = named_limits();
    let timing = |args: &[&str]| {
        place
            .command(&["timing", "--game", "named", "--seed", "1", "--bot", "./bot"])
            .args(args)
            .run()
    };
    let text = timing(&[]).exits(0).out();
    assert!(text.contains("./bot keeps its limits: 1 game of named, 3 turns"), "{text}");
    let later = text.lines().find(|line| line.contains("later turns")).expect("a row of the table");
    assert!(later.contains(" 50 s to 70 s "), "{text}");
    assert!(text.contains("turn 2 of seed 1, limit 50 s"), "{text}");
    assert!(!text.contains("turn 1 of seed 1, limit"), "{text}");
    let report = timing(&["--format", "json"]).json();
    let limits = |kind: usize| {
        ["limit_ms", "max_limit_ms"].map(|field| report["turns"][kind][field].clone())
    };
    assert_eq!(limits(0), [json!(60_000.0), Value::Null], "{report}");
    assert_eq!(limits(1), [json!(50_000.0), json!(70_000.0)], "{report}");
    assert!(report["turns"][1]["margin"].as_f64().expect("a number") > 0.0, "{report}");
    let csv = timing(&["--format", "csv"]).out();
    let limits: Vec<_> =
        csv.lines().skip(1).map(|row| row.split(',').nth(5).expect("a column")).collect();
    assert_eq!(limits, ["60000.0", "50000.0", "70000.0"], "{csv}");
}
