//! Every bad input gets one clear sentence and exit code 2.

use insta::assert_snapshot;
use support::prelude::*;

const ROW: &str = "0 1 2 3 4 0 1 2 3 4 0 1 2 3 4";

fn rows(count: usize) -> String {
    vec![ROW; count].join("\n")
}

/// A folder with files, in which the program runs.
struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        Self(tempdir().expect("a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.path().join(name), content).expect("written");
        self
    }

    fn executable(self, name: &str, content: &str) -> Self {
        write_program(&self.path().join(name), content);
        self
    }

    fn folder(self, name: &str) -> Self {
        fs::create_dir(self.path().join(name)).expect("made");
        self
    }

    /// The one-line error for these arguments.
    #[track_caller]
    fn error(&self, args: &[&str]) -> String {
        let output = referee().current_dir(self.path()).args(args).run();
        let error = output.err();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert_eq!(output.out(), "");
        // If the command line itself does not parse, a pointer to `--help` follows.
        let error = error.trim_end().trim_end_matches("For more information, try '--help'.");
        let lines: Vec<_> = error.trim_end().lines().map(str::trim).collect();
        assert!(lines.len() <= 2, "{error}");
        lines.join(" ")
    }

    #[track_caller]
    fn board_error(&self) -> String {
        self.error(&["play", "--board", "board"])
    }
}

#[track_caller]
fn board_error(content: impl AsRef<[u8]>) -> String {
    Scene::new().file("board", content).board_error()
}

#[track_caller]
fn error(args: &[&str]) -> String {
    Scene::new().error(args)
}

#[test]
fn boards_that_cannot_be_read() {
    assert_snapshot!(error(&["play", "--board", "nope.txt"]), @"error: nope.txt: no such file");
    assert_snapshot!(Scene::new().folder("board").board_error(), @"error: board: is a directory, not a file");
    let scene = Scene::new();
    std::os::unix::fs::symlink("loop", scene.path().join("loop")).expect("made");
    assert_snapshot!(scene.error(&["play", "--board", "loop"]), @"error: loop: Too many levels of symbolic links (os error 40)");
    assert_snapshot!(scene.error(&["suite", "--seed", "loop"]), @"error: loop: Too many levels of symbolic links (os error 40)");
    assert_snapshot!(board_error(b"\xFF\xFE\0"), @"error: board: not a text file (not UTF-8)");
    assert_snapshot!(error(&["play", "--board", "/dev/zero"]), @"error: /dev/zero: larger than 1 MiB");
    assert_snapshot!(error(&["play", "--board", "@nope"]), @"error: there is no bundled board `@nope`; there are: @random-1, @clearable, @no-move");
}

#[test]
fn boards_that_do_not_parse() {
    assert_snapshot!(board_error(""), @"error: board:1:1: the file is empty; a board is 15 lines of 15 numbers");
    assert_snapshot!(board_error(rows(14)), @"error: board:14:30: the board ends after 14 rows; it must have 15");
    assert_snapshot!(board_error(rows(15).replacen("4\n", "4 0\n", 1)), @"error: board:1:31: a 16th number; a row has 15");
    assert_snapshot!(board_error("{\"testIn\": 7}"), @"error: board:1:12: `testIn` must be a string: 15 lines of 15 numbers");
    assert_snapshot!(board_error(rows(16)), @"error: board:16:1: a 16th row; a board has 15");
    assert_snapshot!(board_error(rows(15).replacen("3 4\n", "3\n", 1)), @"error: board:1:28: the row ends after 14 numbers; it must have 15");
    assert_snapshot!(board_error(rows(15).replacen("2 3", "2 x", 1)), @"error: board:1:7: `x` is not a number; tiles are -1 (empty) to 4");
    assert_snapshot!(board_error(rows(15).replacen("\n0", "\n7", 1)), @"error: board:2:1: tile 7 is not in -1 (empty) to 4");
    assert_snapshot!(board_error(rows(15).replacen("\n0", "\n-2", 1)), @"error: board:2:1: tile -2 is not in -1 (empty) to 4");
    assert_snapshot!(board_error("{\"title\": {\"1\": \"a test\"}}"), @"error: board:1:1: no `testIn` in this JSON; CodinGame's test files keep the board there");
    assert_snapshot!(board_error("{\"testIn\": \"0 1\\n2\"}"), @"error: board:1:12: line 1, column 4 of the board: the row ends after 2 numbers; it must have 15");
    assert_snapshot!(board_error("{\n\"testIn\": }"), @"error: board:2:11: not valid JSON: expected value");
    assert_snapshot!(board_error("# mine\nbord = \"\""), @"error: board:2:1: not a board in TOML: unknown field `bord`, expected `board`");
}

#[test]
fn boards_of_another_game() {
    let case = referee().args(["generate", "--game", "square-remover", "--seed", "3"]).run();
    assert_snapshot!(board_error(case.stdout), @"error: board:1:1: tile 5 is not in -1 (empty) to 4 (it is a board of another game: --game square-remover)");
    let scene = Scene::new().file("board", rows(15));
    let args = ["play", "--game", "square-remover", "--board", "board"];
    assert_snapshot!(scene.error(&args), @"error: board:1:1: the number of colours must be 4 to 6, not `0 1 2 3 4 0 1 2 3 4 0 1 2 3 4` (it is a board of another game: --game samegame)");
}

#[test]
fn a_long_line_makes_no_long_message() {
    assert_snapshot!(board_error("x".repeat(900_000)), @"error: board:1:1: `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` is not a number; tiles are -1 (empty) to 4");
}

#[test]
fn bots_that_cannot_be_started() {
    let scene = Scene::new()
        .folder("folder")
        .file("noexec", "#!/bin/sh\n")
        .executable("nointerpreter", "#!/no/such/thing\n")
        .executable("noprogram", "echo 0 0\n")
        .file("interpreter", "#!/bin/sh\n")
        .executable("noexecinterpreter", "#!./interpreter\n");
    assert_snapshot!(scene.error(&["play", "--bot", "./nope"]), @"error: cannot start the bot: no such file: ./nope");
    assert_snapshot!(scene.error(&["play", "--bot", "no-such-program"]), @"error: cannot start the bot: no program `no-such-program` in PATH (for a file in the current directory write `./no-such-program`)");
    assert_snapshot!(scene.error(&["play", "--bot", "./noexec"]), @"error: cannot start the bot: ./noexec is not executable (try `chmod +x ./noexec`)");
    assert_snapshot!(scene.error(&["play", "--bot", "./folder"]), @"error: cannot start the bot: ./folder is a directory");
    assert_snapshot!(scene.error(&["play", "--bot", "./nointerpreter"]), @"error: cannot start the bot: ./nointerpreter needs an interpreter that does not exist; see its first line, which must not end in CR LF (or the loader that a binary names)");
    assert_snapshot!(scene.error(&["play", "--bot", "./noexecinterpreter"]), @"error: cannot start the bot `./noexecinterpreter`: ./interpreter is not executable: Permission denied (os error 13)");
    assert_snapshot!(scene.error(&["play", "--bot", "./noprogram"]), @"error: cannot start the bot: ./noprogram is not a program for this machine (does a script lack its `#!` line?)");
    assert_snapshot!(scene.error(&["play", "--cwd", "nope"]), @"error: cannot start the bot in nope: it is not a directory");
    assert_snapshot!(error(&["play", "--bot", "@nope"]), @"error: there is no bundled bot `nope`; there are: greedy, first, random, nrpa, echo, thinker, squares-greedy, squares-random, squares-beam, script, misbehaving");
    assert_snapshot!(error(&["bot", "nope"]), @"error: there is no bundled bot `nope`; there are: greedy, first, random, nrpa, echo, thinker, squares-greedy, squares-random, squares-beam, script, misbehaving");
    assert_snapshot!(error(&["play", "--bot", ""]), @"error: the bot's command is empty");
    assert_snapshot!(error(&["play", "--bot", "./bot 'open"]), @"error: --bot: a quote is not closed, or a backslash ends the line: ./bot 'open");
    assert_snapshot!(error(&["play", "--env", "=x"]), @"error: invalid value '=x' for '--env <NAME[=VALUE]>': `=x` is not of the form NAME=VALUE");
}

#[test]
fn limits_that_do_not_parse() {
    assert_snapshot!(error(&["play", "--turn", "0ms"]), @"error: invalid value '0ms' for '--turn <TIME>': `0ms` must be more than zero");
    assert_snapshot!(error(&["play", "--turn", "-5ms"]), @"error: invalid value '-5ms' for '--turn <TIME>': `-5ms` must be more than zero");
    assert_snapshot!(error(&["play", "--first-turn", "0s"]), @"error: invalid value '0s' for '--first-turn <TIME>': `0s` must be more than zero");
    assert_snapshot!(error(&["play", "--first-turn", "-1s"]), @"error: invalid value '-1s' for '--first-turn <TIME>': `-1s` must be more than zero");
    assert_snapshot!(error(&["play", "--turn", "50"]), @"error: invalid value '50' for '--turn <TIME>': `50` is not a duration; write a number with a unit, such as 50ms or 20s");
}

#[test]
fn seeds_and_options_that_are_refused() {
    let squares = ["--game", "square-remover"];
    assert_snapshot!(error(&["play", squares[0], squares[1], "--seed", "0"]), @"error: seed 0 is not a certain case: it leaves the original's generator unseeded, so each run draws a different one");
    assert_snapshot!(error(&["play", squares[0], squares[1], "--seed", "1", "--colors", "4"]), @"error: the seed decides how many colours a Square Remover case has");
    assert_snapshot!(error(&["play", "--seed", "1", "--colors", "6"]), @"error: a SameGame board has 1 to 5 colours, not 6");
    let scene = Scene::new();
    let zero_inside = ["generate", "--game", "square-remover", "--seed", "-2..2", "--out", "here"];
    assert_snapshot!(scene.error(&zero_inside), @"error: seed 0 is not a certain case: it leaves the original's generator unseeded, so each run draws a different one");
    assert!(!scene.path().join("here").exists(), "nothing is written");
    assert_snapshot!(error(&["generate", "--seed", "x"]), @"error: invalid value 'x' for '--seed <N|A..B>': `x` is neither a number nor a range such as 1..10");
    assert_snapshot!(error(&["generate", "--seed", "5..1", "--out", "here"]), @"error: invalid value '5..1' for '--seed <N|A..B>': `5..1` runs backwards; write 1..5");
    assert_snapshot!(error(&["generate", "--seed", "1..3000000000", "--out", "here"]), @"error: --seed: these are 3000000000 files, and a folder gets at most 1000000");
    assert_snapshot!(error(&["generate", "--seed", "1..3"]), @"error: --out: a range of seeds needs a folder");
    assert_snapshot!(error(&["generate", "--game", "chess", "--seed", "1"]), @"error: there is no game `chess`; the games are: samegame, square-remover; there is no referee.toml here or in a folder above, which would have games of your own");
    assert_snapshot!(error(&["generate", "--seed", "1", "--out", "/dev/null/x"]), @"error: cannot make the folder /dev/null/x: Not a directory (os error 20)");
}

#[test]
fn timing_flags_that_are_wrong() {
    assert_snapshot!(error(&["timing", "--scale", "0"]), @"error: invalid value '0' for '--scale <FACTOR>': `0` is not a number from 0.01 to 100, such as 1.5");
    assert_snapshot!(error(&["timing", "--scale", "fast"]), @"error: invalid value 'fast' for '--scale <FACTOR>': `fast` is not a number from 0.01 to 100, such as 1.5");
    assert_snapshot!(error(&["timing", "--patience", "0s"]), @"error: invalid value '0s' for '--patience <TIME>': `0s` must be more than zero");
    assert_snapshot!(error(&["timing", "--seed", "x"]), @"error: invalid value 'x' for '--seed <N|A..B>': `x` is neither a number nor a range such as 1..10");
    assert_snapshot!(error(&["timing", "--board", "nope"]), @"error: nope: no such file");
    assert_snapshot!(error(&["timing", "--bot", "./nope"]), @"error: cannot start the bot: no such file: ./nope");
}

#[test]
fn limits_of_another_game() {
    assert_snapshot!(error(&["play", "--total", "1s"]), @"error: --total: samegame has no limit `total`; it has: first-turn, turn");
    assert_snapshot!(error(&["play", "--game", "square-remover", "--turn", "1s"]), @"error: --turn: square-remover has no limit `turn`; it has: total");
}

#[test]
fn settings_that_are_wrong() {
    let scene = Scene::new()
        .file("unknown.toml", "[bot]\ngrce = '1s'")
        .file("zero.toml", "[limits.samegame]\nturn = '0s'");
    assert_snapshot!(scene.error(&["play", "--config", "unknown.toml"]), @"error: unknown.toml:2:1: unknown field `grce`, expected `grace` or `stderr-cap`; did you mean `grace`?");
    assert_snapshot!(scene.error(&["play", "--config", "zero.toml"]), @"error: zero.toml:2:8: `0s` must be more than zero");
    assert_snapshot!(scene.error(&["play", "--config", "nope.toml"]), @"error: nope.toml: no such file");
    assert_snapshot!(scene.error(&["play", "--game", "chess"]), @"error: there is no game `chess`; the games are: samegame, square-remover; there is no referee.toml here or in a folder above, which would have games of your own");
}

#[test]
fn logs_that_cannot_be_written() {
    let scene = Scene::new().folder("folder").file("bot.py", "print('precious')\n");
    assert_snapshot!(scene.error(&["play", "--log", "no/such/game.jsonl"]), @"error: cannot write the log no/such/game.jsonl: there is no such folder");
    assert_snapshot!(scene.error(&["play", "--log", "folder"]), @"error: cannot write the log folder: Is a directory (os error 21)");
    assert_snapshot!(scene.error(&["play", "--log", "bot.py"]), @"error: bot.py exists and is not a game log; remove it or choose another name for --log");
    assert_snapshot!(scene.error(&["play", "--log", "bot.py", "--force"]), @"error: bot.py exists and is not a game log; remove it or choose another name for --log");
    let kept = fs::read_to_string(scene.path().join("bot.py")).expect("there");
    assert_eq!(kept, "print('precious')\n");
}

#[test]
fn logs_that_cannot_be_replayed() {
    let scene = Scene::new()
        .file("empty", "")
        .file("text", "some text\n")
        .file("number", "7\n")
        .file("other", "{\"type\":\"turn\",\"format\":1}\n")
        .file("version99", "{\"type\":\"start\",\"format\":99,\"referee\":\"7.1.0\"}\n");
    assert_code(
        &referee()
            .current_dir(scene.path())
            .args(["play", "--log", "game", "--first-turn", "60s", "--turn", "60s"])
            .run(),
        0,
    );
    let game = fs::read_to_string(scene.path().join("game")).expect("a log");
    let lines: Vec<&str> = game.lines().collect();
    let chess = game.replacen("\"samegame\"", "\"chess\"", 1);
    let last = lines.len() - 1;
    let scene = scene
        .file("torn", game.replacen("\"turn\":3,", "\"tu", 1))
        .file("typed", game.replacen("\"turn\":3,", "\"turn\":\"x\",", 1))
        .file("missing", [&lines[..3], &lines[4..]].concat().join("\n"))
        .file("twice", format!("{game}{}\n", lines[last]))
        .file("second", format!("{game}{}\n", lines[0]))
        .file("chess", chess)
        .file("board", game.replacen("0 2 2 1 0", "0 2 2 9 0", 1));
    let scene = scene.file("zstd", b"\x28\xb5\x2f\xfd\x04").file("gzip", b"\x1f\x8b\x08\0\0");
    assert_code(&referee().current_dir(scene.path()).args(["replay", "game"]).run(), 0);
    let replay_error = |name| scene.error(&["replay", name]);
    assert_snapshot!(replay_error("nope"), @"error: nope: no such file");
    assert_snapshot!(replay_error("empty"), @"error: empty: not a game log: it has no complete line");
    assert_snapshot!(replay_error("text"), @"error: text:1: not a game log: the first line must be of type `start`: expected value");
    assert_snapshot!(replay_error("number"), @"error: number: a list of moves has no board; name it with --board FILE");
    assert_snapshot!(replay_error("other"), @"error: other:1: not a game log: the first line must be of type `start`: missing field `turn`");
    let newer = replay_error("version99").replace(env!("CARGO_PKG_VERSION"), "[THIS]");
    assert_snapshot!(newer, @"error: version99:1: the log has format 99, and referee [THIS] reads format 1; referee 7.1.0, which wrote it, reads it");
    assert_snapshot!(replay_error("torn"), @"error: torn:4: damaged: expected `:`");
    assert_snapshot!(replay_error("typed"), @r#"error: typed:4: damaged: invalid type: string "x", expected u32"#);
    assert_snapshot!(replay_error("missing"), @"error: missing:4: turn 4 where turn 3 belongs");
    assert_snapshot!(replay_error("twice"), @"error: twice:50: the log goes on after its end");
    assert_snapshot!(replay_error("second"), @"error: second:50: the log goes on after its end");
    assert_snapshot!(replay_error("zstd"), @"error: zstd: cannot be unpacked: it is packed with zstd; unpack it with `zstd -d`");
    assert_snapshot!(replay_error("gzip"), @"error: gzip: cannot be unpacked: unexpected end of file");
    assert_snapshot!(replay_error("chess"), @"error: chess:1: there is no game `chess`; the games are: samegame, square-remover");
    assert_snapshot!(replay_error("board"), @"error: board:1: the test case in the log is damaged: 1:7: tile 9 is not in -1 (empty) to 4");
}
