//! Ctrl-C while `referee timing` measures.

use support::prelude::*;

/// Measures a bot that is started by a shell script until it makes the file `ready` in its folder, then
/// presses Ctrl-C.
fn interrupted(script: &str, format: &str) -> Output {
    let folder = tempdir().expect("a folder");
    let measurement = referee()
        .current_dir(folder.path())
        .args(["timing", "--games", "10", "--board", "@clearable", "--format", format])
        .args(["--first-turn", "60s", "--turn", "60s", "--", "sh", "-c", script])
        .piped()
        .start();
    wait_until("the bot is ready", || folder.path().join("ready").exists());
    kill_process(Pid::from_child(&measurement), Signal::INT).expect("it runs");
    measurement.wait_with_output().expect("a child")
}

#[test]
fn ctrl_c_reports_what_has_been_measured() {
    // The second game hangs.
    let script = format!(
        "[ -e once ] && {{ : > ready; exec sleep 1000; }}; : > once; exec '{}' bot first",
        program()
    );
    let output = interrupted(&script, "text");
    let [text, said] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(text.contains("keeps its limits: 1 of 10 games of samegame, 21 turns"), "{text}");
    let few = "1 game is too few to estimate the risk of a timeout in a submission (40 validators); play 540: --games 540.";
    assert!(text.contains(few) && !text.contains("interval"), "{text}");
    assert!(text.contains(" of 1 games without a timeout of its own"), "{text}");
    let kept = "interrupted by SIGINT in game 2 of 10; the report is of what was measured";
    assert!(said.contains(kept), "{said}");
    assert_eq!(output.status.signal(), Some(Signal::INT.as_raw()));
}

#[test]
fn programs_are_told_how_much_has_been_measured() {
    let script = format!(
        "[ -e once ] && {{ : > ready; exec sleep 1000; }}; : > once; exec '{}' bot first",
        program()
    );
    let output = interrupted(&script, "json");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["games"], &report["planned"]), (&1.into(), &10.into()));
    assert_eq!(report["games_to_tell"], 540);
    assert_eq!(report["turns"][1]["count"], 20);
}

#[test]
fn ctrl_c_before_the_first_turn_has_nothing_to_report() {
    let output = interrupted(": > ready; exec sleep 1000", "text");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = output.err();
    assert!(said.contains("interrupted by SIGINT before the first turn was measured"), "{said}");
}
