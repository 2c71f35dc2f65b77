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
fn only_a_test_that_passes_alone_is_flaky() {
    let two = printed(&["a::b", "c::d"]);
    let one_passes = format!("[ $2 = c::d ] || exit 101; {PASSES}");
    let none_is_run = "echo 'test result: ok. 0 passed; 0 failed'; exit 0";
    let killed = "echo 'error: test failed, to rerun pass `--test x`' >&2\n";
    let one_of_two = format!("{}{killed}", printed(&["a::b"]));
    let (twice, unnamed) = ("a::b has failed twice", "without naming a test");
    for (first, second, code, flaky, said) in [
        (&*two, PASSES, 0, "a::b\nc::d\n", ""),
        ("exit 0", "exit 1", 0, "", ""),
        (&two, &one_passes, 1, "c::d\n", twice),
        (&two, "exit 101", 1, "", twice),
        (&two, none_is_run, 1, "", twice),
        ("echo 'error: could not compile' >&2\n", PASSES, 1, "", unnamed),
        (killed, PASSES, 1, "", unnamed),
        (&one_of_two, PASSES, 1, "", unnamed),
    ] {
        let (output, found) = again(first, second);
        assert_code(&output, code);
        assert_eq!(found, flaky, "{first}{second}");
        assert!(output.err().contains(said), "{first}{second}: {output:?}");
    }
}
