//! The gate's own scripts.

use support::prelude::*;

/// What cargo prints of a set of tests in which these have failed. One of them printed what looks like a list.
fn printed(failed: &[&str]) -> String {
    let names: String = failed.iter().flat_map(|name| ["    ", name, "\n"]).collect();
    let result = format!("test result: FAILED. 7 passed; {} failed; 0 ignored", failed.len());
    format!(
        "echo 'running 9 tests'\ncat <<'END'\n\nfailures:\n\n---- a stdout ----\nfailures:\n    no::test\n\n\
         failures:\n{names}\n{result}\nEND\necho 'error: test failed, to rerun pass `--test x`' >&2\n"
    )
}

/// Runs a command of tests by `scripts/again`: `first` is its script, and `again` the script of a test which is run alone.
fn again(first: &str, again: &str) -> (Output, String) {
    let place = Place::new();
    place.script("tests", &format!("case $1 in --exact) {again} ;; esac\n{first}\nexit 101"));
    let mut command = Command::new(repository().join("scripts/again"));
    command.arg(place.path("flaky")).arg(place.path("tests"));
    let output = command.run();
    (output, fs::read_to_string(place.path("flaky")).unwrap_or_default())
}

const PASSES: &str = "echo \"test $2 ... ok\"; echo 'test result: ok. 1 passed; 0 failed'; exit 0";

#[test]
fn a_test_that_passes_when_it_is_run_again_is_named_as_flaky() {
    let (output, flaky) = again(&printed(&["a::b", "c::d"]), PASSES);
    assert_code(&output, 0);
    assert_eq!(flaky, "a::b\nc::d\n");
    let (output, flaky) = again("exit 0", "exit 1");
    assert_code(&output, 0);
    assert_eq!(flaky, "");
}

#[test]
fn a_test_that_fails_twice_or_is_not_found_again_fails() {
    let one_passes = format!("[ $2 = c::d ] || exit 101; {PASSES}");
    let none_is_run = "echo 'test result: ok. 0 passed; 0 failed'; exit 0";
    for (second, expected) in [(&*one_passes, "c::d\n"), ("exit 101", ""), (none_is_run, "")] {
        let (output, flaky) = again(&printed(&["a::b", "c::d"]), second);
        assert_code(&output, 1);
        assert!(output.err().contains("a::b has failed twice"), "{second}: {output:?}");
        assert_eq!(flaky, expected, "{second}");
    }
}

#[test]
fn a_failure_without_the_name_of_a_test_fails() {
    let killed = "echo 'error: test failed, to rerun pass `--test x`' >&2\n";
    let one_of_two = format!("{}{killed}", printed(&["a::b"]));
    for first in ["echo 'error: could not compile' >&2\n", killed, &one_of_two] {
        let (output, flaky) = again(first, PASSES);
        assert_code(&output, 1);
        assert!(output.err().contains("without naming a test"), "{first}: {output:?}");
        assert_eq!(flaky, "");
    }
}
