//! The visible behaviour that users and scripts rely on: output, exit codes, signals, full disks.

use fs::OpenOptions;

use insta::{assert_snapshot, with_settings};
use referee::limits::LimitKind;
use support::prelude::*;

fn play(args: &[&str]) -> Output {
    referee().play(PATIENT).args(args).run()
}

/// A snapshot of a text report, without the parts that differ from run to run.
macro_rules! assert_report {
    ($text:expr, @$expected:literal) => {
        with_settings!({filters => vec![
            (r"[0-9.]+ (µs|ms|s) of", "[time] of"),
            (r"after [0-9.]+ (µs|ms|s)", "after [time]"),
            (r"\(turn [0-9]+\)", "(turn [n])"),
        ]}, {
            assert_snapshot!($text, @$expected);
        });
    };
}

#[test]
fn a_game_ends_with_its_verdict_and_what_belongs_to_it() {
    let output = play(&[]);
    assert_report!(output.out(), @"
    Endgame. Obtained a score of 230.

      game          samegame
      board         @random-1
      bot           @greedy
      verdict       completed
      score         230
      turns         47
      first turn    [time] of 60 s
      slowest turn  [time] of 60 s (turn [n])
    ");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn without_arguments_greedy_plays_a_bundled_board_under_the_official_limits() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    // The exit code depends on the machine's load; the text above does not.
    referee().play(["--log"]).arg(&log).run();
    let start = referee::gamelog::read(&fs::read(log).expect("a log")).expect("a good log").start;
    assert_eq!(start.bot.name, "@greedy");
    assert_eq!(start.board, "@random-1");
    assert_eq!(start.profile, "official");
    let millis = |limit: Option<Duration>| limit.expect("a limit").as_millis();
    assert_eq!(millis(start.limits.of(LimitKind::FirstTurn)), 20_000);
    assert_eq!(millis(start.limits.of(LimitKind::Turn)), 50);
}

#[test]
fn a_lost_game_shows_the_official_verdict_and_the_truth() {
    let script = "echo 'no such table' >&2; exit 4";
    let output = play(&["--", "sh", "-c", script]);
    assert_report!(output.out(), @"
    [ERROR] Timeout!

      game          samegame
      board         @random-1
      bot           sh -c echo 'no such table' >&2; exit 4
      verdict       crash
      score         0
      turns         1
      first turn    [time] of 60 s
      diagnosis     turn 1: the bot exited with status 4 after [time] without answering

      the bot's standard error:
        no such table
    ");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_command_after_dashes_is_taken_word_by_word() {
    let one = play(&["--format", "json", "--bot", "@random --seed 7"]).json();
    let other = play(&["--format", "json", "--", "@random", "--seed", "7"]).json();
    assert_eq!(one["summary"], other["summary"]);
    assert_eq!(one["bot"], other["bot"]);
    let third = play(&["--format", "json", "--", "@random", "--seed", "8"]).json();
    assert_ne!(one["summary"], third["summary"]);
}

#[test]
fn the_command_line_is_split_as_by_a_shell_but_without_one() {
    let bot = r#"printf '%s|' "a b" \$HOME '*' a;b"#;
    let result = play(&["--format", "json", "--bot", bot]).json();
    let diagnosis = result["diagnosis"].as_str().expect("text");
    assert!(diagnosis.contains("`a b|$HOME|*|a;b|`"), "{diagnosis}");
}

#[test]
fn the_bot_gets_its_folder_and_its_environment() {
    let folder = tempdir().expect("a folder");
    let here = folder.path().canonicalize().expect("a path");
    write_program(&here.join("bot"), "#!/bin/sh\necho \"$GREETING from $(pwd)\" >&2\n");
    let path = here.to_str().expect("UTF-8");
    // `./bot` is looked for in the bot's folder, as if the command were typed there.
    let args = ["--format", "json", "--cwd", path, "--env", "GREETING=a=b", "--bot", "./bot"];
    let result = play(&args).json();
    assert_eq!(result["stderr_tail"][0], format!("a=b from {path}"), "{result}");
    assert_eq!(result["verdict"], "early_exit");
}

#[test]
fn colours_disappear_in_pipes_and_obey_the_user() {
    let escape = |output: &Output| output.out().contains('\x1b');
    let colored = |args: &[&str], no_color: bool| {
        let mut command = referee();
        if !no_color {
            command = command.env_remove("NO_COLOR");
        }
        command.arg("play").args(args).run()
    };
    assert!(!escape(&colored(&[], false)), "not in a pipe");
    assert!(escape(&colored(&["--color", "always"], false)));
    assert!(escape(&colored(&["--color", "always"], true)), "a flag beats NO_COLOR");
    assert!(!escape(&colored(&["--color", "never"], false)));
}

#[test]
fn the_version_is_the_same_wherever_it_is_asked_for() {
    let version = |args: &[&str]| referee().args(args).run().out();
    let alone = version(&["--version"]);
    assert!(alone.starts_with(concat!("referee ", env!("CARGO_PKG_VERSION"))), "{alone}");
    assert_eq!(version(&["-V"]), alone);
    assert_eq!(version(&["-v", "--version"]), alone, "as clap has it");
}

#[test]
fn flags_may_stand_before_the_command_and_a_mistyped_command_is_told_the_nearest() {
    let help = |args: &[&str]| referee().args(args).run().out();
    assert_eq!(help(&["-v", "play", "--help"]), help(&["play", "--help"]));
    assert!(referee().arg("plya").run().err().contains("'play'"));
}

#[test]
fn verbose_shows_each_turn_on_stderr() {
    let output = play(&["-v", "--board", "@clearable"]);
    let first = output.err().lines().next().map(str::to_owned).expect("a line");
    assert!(first.contains("turn 1: `0 0` in ") && first.ends_with("gain 49, score 49"), "{first}");
    assert_eq!(output.err().lines().count(), 21);
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    for (args, code) in [
        (&["--board", "@clearable"][..], 0),
        (&["--board", "@no-move"], 1),
        (&["--board", "@clearable", "--log", "/dev/full"], 3),
    ] {
        let mut child = referee()
            .play(PATIENT)
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .start();
        drop(child.stdout.take());
        let output = finished(child);
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert_eq!(output.err().is_empty(), code != 3, "{}", output.err());
    }
}

#[test]
fn a_result_that_cannot_be_written_is_the_referees_failure() {
    let full = OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
    let output = referee().arg("play").stdout(full).run();
    assert_snapshot!(output.err(), @"error: cannot write the result: No space left on device (os error 28)");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_full_disk_costs_the_log_and_not_the_verdict() {
    let output = play(&["--log", "/dev/full"]);
    assert!(output.out().starts_with("Endgame. Obtained a score of 230.\n"));
    assert_snapshot!(output.err(), @"error: the log /dev/full is incomplete: No space left on device (os error 28)");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_game_that_never_starts_leaves_an_earlier_log_alone() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let path = log.to_str().expect("UTF-8");
    play(&["--bot", "./nope", "--log", path]);
    assert!(!log.exists());
    play(&["--log", path]);
    let before = fs::read(&log).expect("a log");
    assert_eq!(play(&["--log", path, "--bot", "./nope"]).status.code(), Some(2));
    assert_eq!(fs::read(&log).expect("a log"), before);
    play(&["--log", path, "--board", "@no-move"]);
    let lines = fs::read_to_string(&log).expect("a log").lines().count();
    assert_eq!(lines, 3, "a game that starts replaces it");
}

/// Starts a game that hangs on a turn, and waits until it does.
fn hanging(mark: &Mark, log: &Path, turn: usize, args: &[&str]) -> Child {
    let child = referee()
        .play(["--env", mark.env(), "--log"])
        .arg(log)
        .args(args)
        .args(["--bot", &format!("@misbehaving ignore-sigterm --on-turn {turn}")])
        .args(PATIENT)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .start();
    mark.wait_for(1);
    wait_for_lines(log, turn);
    child
}

fn wait_for_lines(log: &Path, count: usize) {
    let lines = || fs::read_to_string(log).unwrap_or_default().lines().count();
    wait_until(&format!("{} has {count} lines", log.display()), || lines() >= count);
}

#[test]
fn a_second_signal_does_not_keep_the_referee_from_killing_its_bot() {
    for pause in [0, 1, 5] {
        let folder = tempdir().expect("a folder");
        let mark = Mark::new();
        let child = hanging(&mark, &folder.path().join("game.jsonl"), 1, &[]);
        let pid = Pid::from_child(&child);
        kill_process(pid, Signal::INT).expect("sent");
        sleep(Duration::from_millis(pause));
        // It may have ended by now, and be a zombie until it is waited for.
        kill_process(pid, Signal::TERM).expect("sent");
        let output = finished(child);
        mark.assert_gone();
        assert!(output.status.signal().is_some(), "{output:?}");
    }
}

#[test]
fn stderr_of_an_interrupted_turn_is_shown() {
    let folder = tempdir().expect("a folder");
    let said = folder.path().join("said");
    let mark = Mark::new();
    let script = format!("echo 'depth 7' >&2; touch '{}'; sleep 3600", said.display());
    let child = referee()
        .play(["--env", mark.env(), "--profile", "unlimited", "--", "sh", "-c", &script])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .start();
    mark.wait_for(2);
    kill_process(Pid::from_child(&child), Signal::INT).expect("sent");
    let output = finished(child);
    mark.assert_gone();
    assert!(output.err().contains("depth 7\n"), "{}", output.err());
}

#[test]
fn the_misbehaving_bot_lists_its_faults() {
    let output = referee().args(["bot", "misbehaving", "--help"]).run();
    for fault in ["close-stdout", "ignore-sigterm", "leave-child", "spoil"] {
        assert!(output.out().contains(fault), "{}", output.out());
    }
}

#[test]
fn a_signal_ends_the_bot_keeps_the_log_and_then_the_referee() {
    let signals = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::USR1];
    for (turn, signal) in [1, 3].into_iter().flat_map(|turn| signals.map(|signal| (turn, signal))) {
        let folder = tempdir().expect("a folder");
        let log = folder.path().join("game.jsonl");
        let mark = Mark::new();
        let child = hanging(&mark, &log, turn, &[]);
        kill_process(Pid::from_child(&child), signal).expect("sent");
        let output = finished(child);
        mark.assert_gone();
        assert_eq!(output.status.signal(), Some(signal.as_raw()));
        let turns = turn - 1;
        let s = if turns == 1 { "" } else { "s" };
        let kept = format!("after {turns} turn{s}; they are in {}", log.display());
        assert!(output.err().contains(&kept), "{}", output.err());
        let replayed = referee().args(["replay"]).arg(&log).json();
        assert_eq!(replayed["turns"], turns);
        assert_eq!(replayed["complete"], false);
        assert_eq!(replayed["agrees"], true);
    }
}

#[test]
fn an_interrupted_game_names_its_log_even_if_its_trace_cannot_be_written() {
    if !Path::new("/dev/full").exists() {
        return leave_out("a file that cannot be written", "there is no /dev/full");
    }
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let mark = Mark::new();
    let child = hanging(&mark, &log, 2, &["--trace", "/dev/full"]);
    kill_process(Pid::from_child(&child), Signal::INT).expect("sent");
    let told = finished(child).err();
    mark.assert_gone();
    let kept = format!("after 1 turn; they are in {}", log.display());
    for part in ["cannot write /dev/full", &kept] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_signal_that_comes_when_the_game_is_over_still_ends_the_referee_after_the_result() {
    let folder = tempdir().expect("a folder");
    let (log, config) = (folder.path().join("game.jsonl"), folder.path().join("config.toml"));
    fs::write(&config, "[bot]\ngrace = '60s'").expect("written");
    let mark = Mark::new();
    let child = referee()
        .play(["--board", "@no-move", "--env", mark.env()])
        .args(PATIENT)
        .arg("--config")
        .arg(&config)
        .arg("--log")
        .arg(&log)
        .args(["--", "sh", "-c", "echo 0 0; sleep 3600"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .start();
    wait_for_lines(&log, 2);
    kill_process(Pid::from_child(&child), Signal::INT).expect("sent");
    let output = finished(child);
    mark.assert_gone();
    assert!(output.out().starts_with("[ERROR] Selected region"), "{}", output.out());
    assert_eq!(output.status.signal(), Some(Signal::INT.as_raw()));
    let complete = fs::read_to_string(&log).expect("a log").lines().count();
    assert_eq!(complete, 3, "the end is in the log");
}

#[test]
fn a_signal_ignored_at_start_stays_ignored() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let mark = Mark::new();
    // As nohup does; the bot ends by itself at EOF.
    let child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh", program(), "play"])
        .args(["--board", "@clearable", "--env", mark.env(), "--log"])
        .arg(&log)
        .args(["--bot", "@misbehaving late 1000 --on-turn 2"])
        .args(PATIENT)
        .stdout(Stdio::null())
        .start();
    wait_for_lines(&log, 2);
    kill_process(Pid::from_child(&child), Signal::HUP).expect("sent");
    assert_eq!(finished(child).status.code(), Some(0), "the game was played to its end");
}

#[test]
fn a_parent_that_ignores_sigchld_does_no_harm() {
    let Some([python]) = need("a parent that ignores SIGCHLD", ["python3"]) else { return };
    // Of these only the one that never answers needs a short limit.
    let bots =
        [("@greedy", 0, "60s"), ("@misbehaving exit 3", 1, "60s"), ("@misbehaving hang", 1, "3s")];
    let runs = bots.into_iter().flat_map(|bot| ["auto", "plain"].map(|means| (bot, means)));
    for_each_in_parallel(&runs.collect::<Vec<_>>(), |&((bot, code, limit), means)| {
        let output = Command::new(python)
            .args(["-c", "import os, signal, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nos.execv(sys.argv[1], sys.argv[1:])"])
            .args([program(), "play", "--format", "json", "--bot", bot])
            .args(["--first-turn", limit, "--turn", "60s", "--containment", means]).run();
        assert_eq!(output.status.code(), Some(code), "{bot}: {output:?}");
        let diagnosis = output.json()["diagnosis"].to_string();
        let expected = match bot {
            "@greedy" => "null",
            "@misbehaving hang" => "no answer within 3 s",
            _ => "exited with status 3",
        };
        // The diagnosis when a keeper is lost.
        let has_lost = diagnosis.contains("other processes");
        assert!(diagnosis.contains(expected) && !has_lost, "{diagnosis}");
    });
}

#[test]
fn a_referee_that_was_stopped_takes_the_blame_for_a_late_answer() {
    // Unless it was stopped after the turn was answered, or between two polls: then no timer of its own was late. And where it
    // has to wait for a core when it goes on, the launcher may end its bot.
    let is_disturbed = |result: &Value| {
        let part = |name: &str| result["timing"]["exchanges"][1]["parts"][name].as_f64();
        let has_waited = part("referee_ms") >= Some(100.0);
        second_turn_ms(result) < 2500.0 || part("taken_ms") < Some(1000.0) || has_waited
    };
    let result = undisturbed(is_disturbed, stop_a_referee_for_a_while);
    assert_eq!(result["verdict"], "completed", "{result}");
    let diagnosis = result["diagnosis"].as_str().expect("a diagnosis");
    let says = "1 turn may have been answered in time, since the referee itself polled late, and \
                counted (the first is turn 2)";
    assert!(diagnosis.contains(says), "{diagnosis}");
}

fn second_turn_ms(result: &Value) -> f64 {
    result["timing"]["exchanges"][1]["wall_ms"].as_f64().expect("a time")
}

/// Stops a referee until the limit of the second turn has passed, while its bot answers in time.
fn stop_a_referee_for_a_while() -> Value {
    let folder = tempdir().expect("a folder");
    let heard = folder.path().join("heard");
    let bot = "tee \"$1\" | \"$2\" bot misbehaving late 1500 --on-turn 2";
    let child = referee()
        .play(["--format", "json", "--board", "@clearable"])
        .args(["--first-turn", "60s", "--turn", "2500ms", "--", "sh", "-c", bot, "sh"])
        .args([&heard, Path::new(program())])
        .stdout(Stdio::piped())
        .start();
    // Had it been stopped with its clock running and the board not sent, the bot would not have heard of the turn. A board
    // has 15 lines, which `tee` passes on before it writes them down.
    wait_for_lines(&heard, 30);
    kill_process(Pid::from_child(&child), Signal::STOP).expect("sent");
    let stopped = Instant::now();
    // The launcher ends a bot whose referee stalls for half a second after the limit, unless it is stopped.
    wait_until("the limit is long over", || stopped.elapsed() > Duration::from_secs(4));
    kill_process(Pid::from_child(&child), Signal::CONT).expect("sent");
    finished(child).json()
}

#[test]
fn a_log_has_one_writer() {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    let mark = Mark::new();
    let child = hanging(&mark, &log, 2, &[]);
    let output = play(&["--log", log.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.err().contains("another game is writing the log"), "{}", output.err());
    kill_process(Pid::from_child(&child), Signal::TERM).expect("sent");
    finished(child);
    assert_eq!(fs::read_to_string(&log).expect("a log").lines().count(), 2);
}

#[test]
fn files_that_only_look_like_logs_are_left_alone() {
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("file");
    let path = file.to_str().expect("UTF-8");
    for content in ["{\"format\": 3, \"name\": \"settings\"}\n", "{}\n", "[1]"] {
        fs::write(&file, content).expect("written");
        assert_eq!(play(&["--log", path]).status.code(), Some(2), "{content}");
        assert_eq!(fs::read_to_string(&file).expect("there"), content);
    }
    fs::write(&file, "{\"type\":\"start\",\"format\":1,\"refer").expect("written");
    assert_eq!(play(&["--log", path]).status.code(), Some(0), "a torn log may be replaced");
}

#[test]
fn very_verbose_shows_processes() {
    let config = tempfile::NamedTempFile::new().expect("a file");
    fs::write(config.path(), "[bot]\ngrace = '60s'").expect("written");
    let config = config.path().to_str().expect("UTF-8");
    let output = play(&["-vv", "--board", "@no-move", "--config", config]);
    assert!(output.err().contains("started BotCommand"), "{}", output.err());
    assert!(output.err().contains("exit: Some(Code(0))"), "{}", output.err());
}

#[test]
fn help_can_be_asked_for_as_a_command() {
    for (asked, flag) in
        [(&["help"][..], &["--help"][..]), (&["help", "suite"], &["suite", "--help"])]
    {
        let [asked, flag] = [asked, flag].map(|args| referee().args(args).run());
        assert_eq!((asked.out(), asked.status.code()), (flag.out(), Some(0)));
    }
    assert_code(&referee().args(["help", "plya"]).run(), 2);
}

#[test]
fn help_of_every_command() {
    for command in [
        "",
        "play",
        "suite",
        "status",
        "resume",
        "submit",
        "merge",
        "show",
        "new",
        "compare",
        "report",
        "runs",
        "runs note",
        "config",
        "replay",
        "bot",
        "generate",
        "timing",
        "tester",
        "doctor",
        "init",
        "completions",
    ] {
        let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let output = referee().args(&words).env("COLUMNS", "100").run().exits(0);
        let name =
            ["help"].into_iter().chain(command.split_whitespace()).collect::<Vec<_>>().join("-");
        assert_snapshot!(name, output.out());
    }
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    for args in [&["--help"][..], &["-h"], &["help", "suite"], &["play", "--help"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let output = referee().args(args).stdout(full).run();
        assert_eq!(output.status.code(), Some(3), "{args:?}");
        let error = "error: cannot write the result: No space left on device (os error 28)";
        assert_eq!(output.err().trim_end(), error, "{args:?}");
    }
}

#[test]
fn a_write_beyond_the_limit_on_the_size_of_files_is_an_error() {
    let folder = tempdir().expect("a folder");
    let output = Command::new("sh")
        .args(["-c", "ulimit -f 0; exec \"$@\" > out", "sh", program()])
        .args(["generate", "--seed", "1"])
        .current_dir(folder.path())
        .run();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let error = "error: cannot write the result: File too large (os error 27)";
    assert_eq!(output.err().trim_end(), error);
}
