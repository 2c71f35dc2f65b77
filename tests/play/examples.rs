//! The programs in `referee/examples`, which show how others build on the library.

use std::ffi::OsStr;
use support::prelude::*;

/// Runs an example, which Cargo builds next to the tests.
fn run(name: &str, args: &[&OsStr]) -> Output {
    let itself = std::env::current_exe().expect("this program");
    let program =
        itself.ancestors().nth(2).expect("a folder of builds").join("examples").join(name);
    let output = Command::new(&program).args(args).output();
    output.unwrap_or_else(|error| panic!("{}: {error} (cargo build --examples)", program.display()))
}

#[track_caller]
fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    output.out()
}

#[test]
fn a_match_takes_at_most_15_lines() {
    let source = include_str!("../../referee/examples/one_match.rs");
    let code =
        source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    assert!(code.count() <= 15, "{source}");
    let said = said(&run("one_match", &[]));
    // A busy machine may make the bot late.
    let official = "clearable: Endgame. Obtained a score of 2857. (completed)\n";
    assert!(said == official || said.contains("(timeout)"), "{said}");
}

#[test]
fn a_policy_plays_in_the_same_process_as_the_guide_shows() {
    let source = include_str!("../../referee/examples/ten_games.rs");
    let page = include_str!("../../docs/guide/src/library.md");
    assert!(source.lines().count() <= 40 && page.contains(source), "{page}");
    let said = said(&run("ten_games", &[]));
    let scores = said.lines().map(|line| line.split_once(": ").expect("a score").1);
    assert_eq!(scores.map(|score| score.parse::<i64>().expect("a number")).sum::<i64>(), 3464);
    assert_eq!(said.lines().count(), 10);
}

#[test]
fn a_tournament_plays_in_threads() {
    let said = said(&run("tournament", &[]));
    let mut lines = said.lines();
    for name in ["left", "middle", "top"] {
        let line = lines.next().expect("a line for each bot");
        assert!(
            line.starts_with(&format!("{name}: ")) && line.ends_with(" points in 4 games"),
            "{said}"
        );
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn a_game_of_ones_own_is_played_logged_refereed_again_and_shown_with_its_labels() {
    let folder = tempdir().expect("a folder");
    let said = said(&run("game_2048", &[folder.path().as_os_str()]));
    assert!(said.starts_with("Score: ") && said.ends_with(" turns; again: None\n"), "{said}");
    let page = fs::read_to_string(folder.path().join("2048.html")).expect("a page");
    assert!(page.contains(r#""labels":["2","4","8","16","32""#), "no labels");
    if let Some(browser) = Browser::open() {
        let url = format!("file://{}", folder.path().join("2048.html").display());
        browser.check("shows_labels", &json!({ "url": url, "labels": ["2", "128"] }));
    }
}

fn write_log(path: &Path, bot: &str) {
    assert!(
        referee()
            .play(["--board", "@clearable", "--bot", bot, "--log"])
            .arg(path)
            .args(PATIENT)
            .run()
            .status
            .success()
    );
}

#[test]
fn a_folder_of_logs_is_refereed_again() {
    let folder = tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    write_log(&file("1-sound.jsonl"), "@greedy");
    let sound = fs::read_to_string(file("1-sound.jsonl")).expect("a log");
    let lines: Vec<&str> = sound.lines().collect();
    fs::write(file("2-stops.jsonl"), lines[..2].join("\n") + "\n").expect("written");
    let (gain, _) = lines[1]
        .split_once("\"gain\":")
        .map(|(_, rest)| rest)
        .and_then(|rest| rest.split_once(','))
        .expect("a gain");
    let altered = sound.replacen(&format!("\"gain\":{gain},"), "\"gain\":7777,", 1);
    fs::write(file("3-altered.jsonl"), altered).expect("written");
    fs::write(file("4-damaged.jsonl"), format!("{}\n{{\n", lines[0])).expect("written");
    let output = run("refereed_again", &[folder.path().as_os_str()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = output.out();
    let said: Vec<&str> =
        said.lines().filter_map(|line| line.strip_prefix(folder.path().to_str()?)).collect();
    let altered =
        format!("/3-altered.jsonl: turn 1: the gain is 7777 in the log, and {gain} by the rules");
    assert_eq!(
        said[..3],
        ["/1-sound.jsonl: agrees, completed", "/2-stops.jsonl: agrees up to its end", &altered]
    );
    assert!(said[3].starts_with("/4-damaged.jsonl:2: damaged: "), "{said:?}");
}
