//! The second set: tests that are slow and rarely fail. Each is ignored, and is in a module whose name contains `heavy`; the
//! reason names the command that runs them all, which the gate does.

use crate::cli::needed_programs::sources;
use support::prelude::*;
use support::programs::tell;

/// Runs this set.
const COMMAND: &str = "cargo test --workspace heavy -- --ignored";

/// The tests of this set in a source.
fn tests_in(source: &str) -> Vec<String> {
    let reason = format!("#[ignore = \"heavy: {COMMAND}\"]");
    let lines = || source.lines().map(str::trim_start);
    let pairs = lines().zip(lines().skip(1));
    let functions = pairs.filter(|(line, _)| *line == reason).map(|(_, function)| function);
    let name =
        |function: &str| Some(function.strip_prefix("fn ")?.strip_suffix("() {")?.to_owned());
    functions.map(|function| name(function).expect("a test")).collect()
}

#[test]
fn what_is_left_to_this_set_is_told_with_the_command_that_runs_it() {
    let sources = sources(&repository().join("tests")).into_iter();
    let sources = sources.map(|file| fs::read_to_string(file).expect("a source"));
    let tests: Vec<String> = sources.flat_map(|source| tests_in(&source)).collect();
    tell(&format!("{} heavy tests are left out: {}\n{COMMAND}", tests.len(), tests.join(", ")));

    let itself = std::env::current_exe().expect("this program");
    let list = Command::new(itself).args(["--list", "--ignored", "heavy"]).run();
    let list = list.out();
    let listed: Vec<&str> = list.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    assert!(!listed.is_empty(), "{list}");
    for test in listed {
        assert!(tests.iter().any(|name| test.ends_with(name)), "{test} must say how to run it");
    }
    let readme = fs::read_to_string(repository().join("README.md")).expect("the README");
    assert!(readme.contains(&format!("\n$ {COMMAND}\n")), "the README has `{COMMAND}`");
}
