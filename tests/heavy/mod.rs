//! The second set: tests that take long and seldom break. Each is ignored; the reason names the command that runs them
//! all, which the gate does.

mod attacks;
mod containment;
mod slurm;
mod slurm_faults;
mod suite;
mod tuning;

use std::fs;
use std::process::Command;

use crate::support::{repository, tell};

/// Runs this set.
const COMMAND: &str = "cargo test --workspace heavy -- --ignored";

#[test]
fn what_is_left_to_this_set_is_told_with_the_command_that_runs_it() {
    let itself = std::env::current_exe().expect("this program");
    let list = Command::new(itself).args(["--list", "--ignored", "heavy::"]).output();
    let list = String::from_utf8(list.expect("runs").stdout).expect("UTF-8");
    let tests: Vec<&str> = list.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    tell(&format!("{} heavy tests are left out: {}\n{COMMAND}", tests.len(), tests.join(", ")));

    let sources = fs::read_dir(repository().join("tests/heavy")).expect("this folder").flatten();
    let sources = sources.map(|file| fs::read_to_string(file.path()).expect("a source"));
    let reason = format!("#[ignore = \"heavy: {COMMAND}\"]");
    let reasons = sources.map(|source| source.lines().filter(|line| *line == reason).count());
    assert_eq!(reasons.sum::<usize>(), tests.len(), "each says how to run it");
    let readme = fs::read_to_string(repository().join("README.md")).expect("the README");
    assert!(readme.contains(&format!("\n$ {COMMAND}\n")), "the README has `{COMMAND}`");
}
