//! Losses whose cause is not where it is looked for first: the diagnosis names it.

use support::prelude::*;

/// The result of a game of the bot in `place`.
fn play(place: &Place, args: &[&str]) -> Value {
    let args = [&["play", "--format", "json"], args].concat();
    place.command(&args).run().json()
}

/// A program in a place that every user may run, folders included.
fn program(place: &Place, name: &str, text: &str) {
    let path = place.path(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    write_program(&path, text);
    let all = fs::Permissions::from_mode(0o755);
    for path in path.ancestors().skip(1).take_while(|path| path.starts_with(place.folder())) {
        fs::set_permissions(path, all.clone()).expect("its owner");
    }
}

#[track_caller]
fn assert_says(result: &Value, cause: &str) {
    let diagnosis = result["diagnosis"].as_str().unwrap_or_default();
    assert!(diagnosis.contains(cause), "{cause}: {result}");
}

#[test]
fn a_script_with_cr_lf_is_named_where_env_or_a_shell_fails() {
    let place = Place::new();
    program(&place, "crlf", "#!/usr/bin/env sh\r\nexit 3\r\n");
    program(&place, "lf", "#!/bin/sh\nexec ./crlf\n");
    program(&place, "missing", "#!/usr/bin/env no-such-interpreter\n");
    let [limit, patient, ..] = PATIENT;
    for bot in ["./crlf", "sh -c 'exec \"$0\"' ./crlf"] {
        let result = play(&place, &["--bot", bot, limit, patient]);
        assert_says(&result, "`sed -i 's/\\r$//' ./crlf` makes the line ends LF");
    }
    for bot in ["./lf", "./missing"] {
        let result = play(&place, &["--bot", bot, limit, patient]);
        let diagnosis = result["diagnosis"].as_str().expect("one");
        assert!(diagnosis.ends_with("without answering"), "{diagnosis}");
    }
}

#[test]
fn a_bot_that_ignores_the_end_of_its_input_learns_that_this_is_harmless() {
    let place = Place::new();
    place.script(
        "stub",
        "while read -r line; do case $line in *) n=$((n + 1)); esac\n\
        [ $((n % 15)) = 0 ] && echo 9 9; done\nexec yes 0 0",
    );
    let [limit, patient, ..] = PATIENT;
    let result = play(&place, &["--bot", "./stub", limit, patient]);
    assert_says(&result, "after the game the bot did not notice that its input had ended");
    let shown = place.command(&["play", "--bot", "./stub", limit, patient]).run().out();
    assert_eq!(shown.matches("`if (!cin) return 0;` or the like").count(), 1, "{shown}");
    let output = place.command(&["play", "--bot", "@misbehaving flood-stdout"]).patient().run();
    let shown = output.out();
    assert!(shown.contains("bytes too many") && !shown.contains("harmless"), "{shown}");
}

#[test]
fn a_sanitizers_report_that_outlasts_the_turn_is_the_cause() {
    let place = Place::new();
    let report = "echo '==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6' >&2";
    place.script("found", &format!("{report}\ncat > /dev/null\necho '#0 in main' >&2"));
    place.script("slow", &format!("cat > /dev/null\necho 0 0\n{report}"));
    fs::write(place.path("grace.toml"), "[bot]\ngrace = '60s'\n").expect("written");
    let shown = &|bot: &str| {
        let limits = ["--config", "grace.toml", "--first-turn", "2s"];
        place.command(&["play", "--bot", bot]).args(limits).run().out()
    };
    let [found, slow] = std::thread::scope(|games| {
        ["./found", "./slow"]
            .map(|bot| games.spawn(move || shown(bot)))
            .map(|game| game.join().expect("no panic"))
    });
    let cause = "the cause is what a sanitizer has found: AddressSanitizer: heap-buffer-overflow";
    assert!(found.contains(cause), "{found}");
    assert!(found.contains("what it wrote after the verdict:\n    #0 in main"), "{found}");
    assert!(!found.contains("not the cause"), "{found}");
    assert!(
        slow.contains("`0 0` came after its input was closed") && !slow.contains(cause),
        "{slow}"
    );
}

/// A program that needs 64 MiB of stack, and then exits with 7.
fn deep(place: &Place) {
    let source = "int main(void) { volatile char a[64 << 20]; a[0] = 7; return a[0]; }\n";
    fs::write(place.path("stack.c"), source).expect("written");
    let mut compile = Command::new("cc");
    let compile = compile.args(["-O0", "-o", "stack", "stack.c"]).current_dir(place.folder());
    assert!(compile.status().expect("a compiler").success());
}

#[test]
fn a_stack_of_the_settings_replaces_that_of_the_shell() {
    let place = Place::new();
    deep(&place);
    let said = |limit: &str, flags: &str, cause: &str| {
        let play = format!(
            "ulimit {limit}; exec \"$0\" play --format json --bot ./stack --first-turn 60s {flags}"
        );
        let mut shell = Command::new("bash");
        shell.args(["-c", &play, support::program()]).current_dir(place.folder());
        assert_says(&shell.output().expect("runs").json(), cause);
    };
    for method in ALL_METHODS {
        let flags = format!("--stack 1GiB --containment {method}");
        said("-Ss 8192", &flags, "exited with status 7");
    }
    said("-Ss 8192", "--stack none", "exited with status 7");
    said("-Ss 8192", "--stack 16MiB", "its stack is limited to 16 MiB by --stack");
    said("-s 8192", "--stack 1GiB", "its stack is limited to 8 MiB by the shell (`ulimit -Hs`)");
    let settings = "[limits.samegame]\nstack = '1GiB'\n";
    fs::write(place.path("referee.toml"), settings).expect("written");
    said("-Ss 8192", "--log log", "exited with status 7");
    let log = fs::read_to_string(place.path("log")).expect("a log");
    assert!(log.contains("\"stack_bytes\":1073741824"), "{log}");
    let shown = place.referee(&["config", "--config", "limits.samegame.stack=2GiB"]).out();
    assert!(shown.contains("limits.samegame.stack = \"2GiB\""), "{shown}");
    // A run keeps it.
    let suite = ["suite", "--bot", "./stack", "--seed", "1", "--run", "run"];
    assert_code(&place.command(&suite).patient().run(), 1);
    fs::remove_file(place.path("referee.toml")).expect("removed");
    let again = ["resume", "run", "--again", "crash"];
    assert_code(&place.command(&again).run(), 1);
    assert!(place.results("run")[0].loss().contains("status 7"));
    let log = fs::read_to_string(place.path("run/games/000001.jsonl")).expect("kept");
    assert!(log.contains("\"stack_bytes\":1073741824"), "{log}");
}

#[test]
fn a_limit_of_the_shell_on_the_stack_is_named() {
    let place = Place::new();
    deep(&place);
    let play = "ulimit -s 8192; exec \"$0\" play --format json --bot ./stack --first-turn 60s";
    let mut shell = Command::new("bash");
    shell.args(["-c", play, support::program()]).current_dir(place.folder());
    let cause = "its stack is limited to 8 MiB by the shell (`ulimit -s`; --stack changes it)";
    assert_says(&shell.output().expect("runs").json(), cause);
}
