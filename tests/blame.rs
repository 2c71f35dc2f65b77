//! Bots that want their lateness to be the host's fault, and bots that really are wronged. The tables of
//! docs/timing.md are made by `scripts/blame.py`; here each trick is played a few times, on a machine that other tests
//! keep busy.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{
    User, bot_line, children, has_program, in_four_tries, json, leave_out, referee, referee_of,
    wait_until,
};
use crate::timing::Hogs;

/// Every game ends at its second turn, which takes 150 ms and may take 100.
const RULES: [&str; 10] = [
    "--format",
    "json",
    "--board",
    "@clearable",
    "--first-turn",
    "60s",
    "--turn",
    "100ms",
    "--on-host-delay",
    "accept",
];

/// A trick, and the method of containment under which it is tried here.
const TRICKS: [(&str, &str); 18] = [
    ("spin", "namespace"),
    ("sleep", "reaper"),
    ("decoys", "seccomp"),
    ("decoys", "namespace"),
    ("children", "reaper"),
    ("children", "namespace"),
    ("forgotten", "seccomp"),
    ("orphans", "namespace"),
    ("vfork", "reaper"),
    ("nice", "seccomp"),
    ("policy", "namespace"),
    ("affinity", "reaper"),
    ("helpers", "group"),
    ("slow_referee", "seccomp"),
    ("late_hogs", "namespace"),
    ("meddle", "reaper"),
    ("stop", "group"),
    ("alarm", "namespace"),
];

fn bot(trick: &str, millis: u32) -> String {
    // As an argument, since not every user may read the source tree.
    let source = include_str!("../example-bots/python/excuses.py");
    bot_line(&["python3", "-c", source, trick, &millis.to_string()])
}

/// How often the first late turn was the bot's fault, and the host's.
fn overruns(result: &Value) -> (i64, i64) {
    let count = |culprit| result["timing"]["overruns"][culprit].as_i64().expect("a count");
    (count("bot"), count("host"))
}

fn play(user: User, method: &str, trick: &str) -> Value {
    let mut command = referee_of(user);
    command.args(["play", "--containment", method, "--bot", &bot(trick, 150)]).args(RULES);
    json(&command.output().expect("runs"))
}

fn no_trick_works(user: User) {
    if !has_program("python3") {
        return leave_out("tricks to be excused", "there is no python3 on this machine");
    }
    for (trick, method) in TRICKS {
        // Other tests want the same cores, so that now and then the host does have its part in it.
        let mut last = Value::Null;
        let is_caught = (0..4).any(|_| {
            last = play(user, method, trick);
            last["verdict"] == "timeout" && overruns(&last) == (1, 0)
        });
        assert!(is_caught, "{trick} under {method} by {user:?}: {last}");
    }
}

#[test]
fn no_trick_puts_the_blame_on_the_host() {
    no_trick_works(User::Mine);
}

#[test]
fn no_trick_of_another_user_puts_the_blame_on_the_host() {
    no_trick_works(User::Nobody);
}

#[test]
fn hogs_of_an_earlier_game_are_no_excuse() {
    if !has_program("python3") {
        return leave_out("hogs of an earlier game", "there is no python3 on this machine");
    }
    in_four_tries(|| {
        let bot = bot("daemons", 150);
        let output = referee()
            .args(["timing", "--containment", "group", "--games", "2", "--bot", &bot])
            .args(&RULES[..8])
            .output();
        let report = json(&output.expect("runs"));
        let later = &report["turns"][1];
        // A turn that the hogs excuse is the host's fault; that of a machine that stands still is one of many.
        let [bot, host] = ["bot_overruns", "host_overruns"]
            .map(|culprit| later[culprit].as_i64().expect("a count"));
        assert!(bot > 0 && host * 20 <= bot, "{report}");
    });
}

/// Plays a bot that needs less than half of its time, beside hogs: it is late by the host's fault.
fn is_excused_beside_hogs(trick: &str) {
    let _hogs = Hogs::on_core("0", 6);
    let output = Command::new("taskset")
        .args(["-c", "0", env!("CARGO_BIN_EXE_referee"), "play"])
        .args(["--bot", &bot(trick, 40)])
        .args(RULES)
        .output();
    let result = json(&output.expect("runs"));
    let (bot, host) = overruns(&result);
    // A turn of the bot's own ends the game; with other tests on its core that may happen at last.
    assert!((bot == 0 && host > 0) || host >= 5, "{trick}: {result}");
}

#[test]
fn work_beside_hogs_is_excused_wherever_the_bot_does_it() {
    for program in ["python3", "taskset"] {
        if !has_program(program) {
            return leave_out("work beside hogs", &format!("there is no {program} here"));
        }
    }
    for trick in ["spin", "thread", "child"] {
        in_four_tries(|| is_excused_beside_hogs(trick));
    }
}

/// Plays a bot that may take three seconds for its second turn and takes `millis`. After a second of that, `meanwhile`
/// gets the numbers of the referee and of the bot.
fn play_long_turn(trick: &str, millis: u32, meanwhile: impl Fn(Pid, &[Pid])) -> Value {
    let args = ["play", "--bot", &bot(trick, millis), "--turn", "3s"];
    let rules = [&RULES[..6], &RULES[8..]].concat();
    let referee = referee().args(args).args(rules).stdout(Stdio::piped()).spawn().expect("runs");
    let bots = || {
        let keeper = children(referee.id()).first().copied();
        keeper.map(|keeper| children(keeper.as_raw_pid().cast_unsigned())).unwrap_or_default()
    };
    wait_until("there is a bot", || !bots().is_empty());
    sleep(Duration::from_secs(1));
    meanwhile(Pid::from_child(&referee), &bots());
    json(&referee.wait_with_output().expect("runs"))
}

/// Stops processes for a while.
fn stop(processes: &[Pid], time: Duration) {
    for (signal, pause) in [(Signal::STOP, time), (Signal::CONT, Duration::ZERO)] {
        for &process in processes {
            // It may have ended on a slow machine.
            let _: Result<(), _> = kill_process(process, signal);
        }
        sleep(pause);
    }
}

#[test]
fn a_bot_that_somebody_else_stops_is_excused() {
    if !has_program("python3") {
        return leave_out("a bot that is stopped", "there is no python3 on this machine");
    }
    // Beyond the limit, for less than the second that the referee then waits for a bot that is kept waiting.
    let time = Duration::from_millis(3300);
    let mut last = Value::Null;
    let is_excused = (0..4).any(|_| {
        last = play_long_turn("spin", 300, |_, bot| stop(bot, time));
        let exchanges = last["timing"]["exchanges"].as_array().expect("an array");
        let taken = |exchange: &Value| exchange["parts"]["taken_ms"].as_f64().unwrap_or_default();
        overruns(&last).0 == 0 && exchanges.iter().any(|exchange| taken(exchange) > 500.0)
    });
    assert!(is_excused, "{last}");
}

#[test]
fn a_machine_that_stands_still_takes_time_from_a_bot_that_computes_and_from_no_other() {
    if !has_program("python3") {
        return leave_out("a bot that sleeps", "there is no python3 on this machine");
    }
    in_four_tries(|| {
        // To the referee it is the same whether the machine stops or the referee alone.
        let result =
            play_long_turn("sleep", 3500, |referee, _| stop(&[referee], Duration::from_secs(1)));
        assert_eq!(overruns(&result), (1, 0), "{result}");
        let late = &result["timing"]["exchanges"][1];
        assert!(late["parts"]["asleep_ms"].as_f64() > Some(2500.0), "{result}");
    });
    in_four_tries(|| {
        let result =
            play_long_turn("spin", 3500, |referee, _| stop(&[referee], Duration::from_secs(1)));
        let late = &result["timing"]["exchanges"][1];
        assert!(late["parts"]["taken_ms"].as_f64() > Some(800.0), "it computed: {result}");
        assert_eq!(overruns(&result).0, 0, "{result}");
    });
}
