//! The short way to contain a program, as a stranger would use it.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use contain::bot::{Containment, ContainmentMethod, ExchangeError};
use contain::terms::limits::{Resource, Resources};
use contain::terms::verdict::{BotExit, NoReply};

use contain::{Child, Contained, Host, Until};

const LONG: Duration = Duration::from_mins(1);

fn host() -> Host {
    Host::start().expect("a launcher")
}

fn start(script: &str) -> Child {
    Contained::new("sh").args(["-c", script]).spawn(&host()).expect("it starts")
}

#[test]
fn replies_are_cut_into_lines_or_last_until_the_end() {
    let mut child = start("read a; echo $a $a; cat");
    let reply = child.exchange("one\ntwo\n", Until::Lines(1), LONG).expect("watched");
    assert_eq!((reply.bytes.as_slice(), reply.why_not_whole), (&b"one one\n"[..], None));
    let reply = child.exchange("three\n", Until::End, LONG).expect("watched");
    assert_eq!(reply.bytes, b"two\nthree\n");
    let ending = child.finish(LONG);
    assert_eq!((ending.exit, ending.killed), (Some(BotExit::Code(0)), false));
}

#[test]
fn what_a_program_does_wrong_is_part_of_its_reply() {
    let why = |program: Contained, limit| {
        let mut child = program.spawn(&host()).expect("it starts");
        child.exchange("", Until::Lines(1), limit).expect("watched").why_not_whole
    };
    let sh = |script: &str| Contained::new("sh").args(["-c", script]);
    assert_eq!(why(sh("exit 3"), LONG), Some(NoReply::Ended(BotExit::Code(3))));
    let soon = Duration::from_millis(100);
    assert_eq!(why(sh("exec sleep 1000"), soon), Some(NoReply::Deadline));
    let limits = Resources { turn_output: Some(1000), ..Resources::default() };
    let flood = why(sh("yes x | tr -d '\\n'").limits(limits), LONG);
    let is_output =
        |why| matches!(why, NoReply::OverLimit(it) if it.resource == Resource::TurnOutput);
    assert!(flood.is_some_and(is_output), "{flood:?}");
}

#[test]
fn a_child_moves_between_threads_and_any_thread_cancels_it() {
    let start = || start("read a; echo $a; exec sleep 1000");
    let mut child = thread::spawn(start).join().expect("the thread has ended");
    let reply = child.exchange("here\n", Until::Lines(1), None).expect("watched");
    assert_eq!(reply.bytes, b"here\n");
    let canceller = child.canceller().clone();
    let button = thread::spawn(move || canceller.cancel());
    let ended = child.exchange("", Until::Lines(1), LONG);
    assert!(matches!(ended, Err(ExchangeError::Cancelled(_))), "{ended:?}");
    button.join().expect("no panic");
}

#[test]
fn dropping_a_child_kills_all_of_it() {
    // In a namespace its processes would have other numbers.
    let program = Contained::new("sh").args(["-c", "sleep 1000 & echo $!; wait"]);
    let mut child = program.method(Containment::Seccomp).spawn(&host()).expect("it starts");
    let reply = child.exchange("", Until::Lines(1), LONG).expect("watched");
    let stat = format!("/proc/{}/stat", String::from_utf8_lossy(&reply.bytes).trim());
    assert!(fs::exists(&stat).expect("known"), "{stat}");
    drop(child);
    let stat = fs::read_to_string(stat).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
}

#[test]
fn a_host_says_which_methods_it_has() {
    let methods = host().methods();
    let [.., (last, offered)] = &methods;
    assert_eq!((*last, offered.is_ok()), (ContainmentMethod::Plain, true));
    for (method, offered) in &methods {
        let why = offered.as_ref().err().map(ToString::to_string);
        assert!(why.is_none_or(|why| why.contains(method.name())), "{method:?}");
    }
}

#[test]
fn a_strangers_program_takes_twenty_lines() {
    assert!(include_str!("../examples/asked.rs").lines().count() <= 20);
    let itself = std::env::current_exe().expect("this program");
    let program = itself.ancestors().nth(2).expect("a folder of builds").join("examples/asked");
    let output = Command::new(program).args(["12", "sh", "-c", "read n; echo $((n * n))"]).output();
    let output = output.expect("Cargo builds it next to the tests");
    let said = String::from_utf8_lossy(&output.stdout);
    // A busy machine may make it late.
    let is_answered = said.starts_with("\"144\\n\" after ") && said.contains("not whole: None");
    assert!(is_answered || said.contains("Some(Deadline)"), "{output:?}");
    assert!(said.contains("survivors: "), "{said}");
}
