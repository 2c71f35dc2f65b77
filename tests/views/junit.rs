//! The reports for CI fit the schemas of Jenkins and Surefire.

use support::prelude::*;

/// Checks a report against what both schemas accept.
#[track_caller]
fn assert_valid(xmllint: &str, report: &str, folder: &TempDir) {
    let path = folder.path().join("report.xml");
    fs::write(&path, report).expect("written");
    let mut lint = Command::new(xmllint);
    lint.args(["--noout", "--nonet", "--relaxng"]).arg(data("junit.rng")).arg(&path);
    let output = lint.run();
    let said = output.err();
    assert!(output.status.success(), "{said}\n{report}");
}

#[test]
fn junit_reports_of_suites_comparisons_and_timings_are_what_jenkins_and_surefire_read() {
    let Some([xmllint]) = need("the schemas of JUnit reports", ["xmllint"]) else { return };
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join("not-executable"), "").expect("written");
    let report = |args: &[&str]| {
        String::from_utf8(
            referee().current_dir(&folder).args(args).args(["--format", "junit"]).run().stdout,
        )
        .expect("UTF-8")
    };
    let bots = ["--bot", "@first", "--bot", "@misbehaving exit 3", "--bot", "./not-executable"];
    let suite = ["suite", "--seed", "1..3", "--run", "run"];
    let played = report(&[&suite[..], &bots, &PATIENT].concat());
    for expected in
        ["tests=\"7\" failures=\"3\" errors=\"1\"", "<failure", "<error", "classname=\"@first\""]
    {
        assert!(played.contains(expected), "{expected}: {played}");
    }
    assert_valid(xmllint, &played, &folder);
    assert_valid(xmllint, &report(&["compare", "run"]), &folder);
    // Late by its own fault in one turn at least, whatever the host does to another.
    let late = "@thinker --sleep 150";
    let limits = ["--board", "@clearable", "--turn", "100ms", "--first-turn", "60s"];
    let timed = report(&[&["timing", "--bot", late][..], &limits].concat());
    assert!(timed.contains("<failure"), "{timed}");
    assert_valid(xmllint, &timed, &folder);
}
