//! What is said of a turn that is late by a little, which turn its standard error belongs to, and what is said beforehand.

use referee::bot::{
    BotCommand, BotProcess, Confinement, ContainmentMethod, Exchanged, Overtime, Request,
};
use referee::limits::Resources;
use referee::lines::LineRules;

use crate::turns::Hogs;
use support::prelude::*;

#[test]
fn an_answer_that_is_a_little_late_is_late_and_its_bot_does_not_wait_for_input() {
    let _alone = crate::alone();
    for sleep in ["200.1", "200.5", "202"] {
        let bot = format!("@thinker --sleep {sleep}");
        // The second turn, since the start of a bot is part of its first one.
        let limits = ["--first-turn", "60s", "--turn", "200ms", "--bot", &bot];
        let play = || referee().play(["--format", "json"]).args(limits).output();
        is_late_by_its_fault(sleep, &undisturbed(is_hosts, || play().expect("runs").json()));
    }
}

fn says(result: &Value, text: &str) -> bool {
    result["diagnosis"].as_str().is_some_and(|diagnosis| diagnosis.contains(text))
}

/// Whether the host is late too. A reply counts if the referee itself polled late.
fn is_hosts(result: &Value) -> bool {
    has_host_part(result) || says(result, "itself polled late")
}

#[track_caller]
fn is_late_by_its_fault(sleep: &str, result: &Value) {
    // Next to busy cores the host may be late each time.
    let is_bots =
        says(result, "turn 2: no answer within 200 ms; ") && says(result, "; the bot's fault: in ");
    assert!(is_bots || is_hosts(result), "{sleep}: {result}");
    assert!(!says(result, "waited for more"), "{sleep}: {result}");
    assert!(!says(result, "flush"), "{sleep}: {result}");
}

/// The settings of a tester that wants the doubles of numbers.
const SETTINGS: &str = r#"
[game.twice]
kind = "tester"
command = "./tester {case} {bot}"
limits = { first-turn = "60s", turn = "200ms" }
"#;

#[test]
fn an_answer_to_a_tester_that_is_a_little_late_is_late_and_its_bot_does_not_wait_for_input() {
    let _alone = crate::alone();
    let place = Place::new();
    place.double("tester", "tester faulty");
    place.double("sleeper", "tester sleeper");
    for (file, text) in [("case", "none 2\n"), ("referee.toml", SETTINGS)] {
        fs::write(place.path(file), text).expect("written");
    }
    for sleep in ["0.2001", "0.2005", "0.202"] {
        let bot = format!("./sleeper {sleep}");
        let args =
            ["play", "--game", "twice", "--board", "case", "--format", "json", "--bot", &bot];
        let play = || place.command(&args).run().json();
        is_late_by_its_fault(sleep, &undisturbed(is_hosts, play));
    }
}

/// A bot that says on standard error which line it answers.
const ECHO: &str = "while read -r line; do echo \"to $line\" >&2; echo \"$line\"; done";

#[test]
fn what_a_late_bot_says_belongs_to_its_turn() {
    let _alone = crate::alone();
    let method = ContainmentMethod::Plain;
    let confinement = Confinement { method, resources: Resources::default(), sandbox: None };
    let command = BotCommand::new("sh", ["-c", ECHO], confinement);
    let mut bot = BotProcess::spawn(&command, 4096, None).expect("there is a shell");
    for turn in 0..3000 {
        // About as long as an answer takes, so that many come in the moment after the limit.
        let limit = Duration::from_micros(10 + turn % 150);
        let exchanged = ask(&mut bot, turn, limit);
        let said = String::from_utf8_lossy(&exchanged.stderr.bytes).into_owned();
        assert_eq!(said, format!("to {turn}\n"), "under a limit of {limit:?}: {exchanged:?}");
    }
}

fn ask(bot: &mut BotProcess, turn: u64, limit: Duration) -> Exchanged {
    let rules = LineRules {
        count: 1,
        max_bytes: None,
        eof_ends_line: true,
        readable: |_| true,
        until_exit: true,
    };
    let input = format!("{turn}\n");
    let overtime = Overtime::Always(Duration::from_mins(1));
    let request = Request { input: input.as_bytes(), rules, limit: Some(limit), overtime };
    let exchanged = bot.exchange(&request).expect("the system works");
    assert_eq!(exchanged.reply.as_bytes(), request.input);
    exchanged
}

#[test]
fn a_suite_and_the_doctor_say_that_others_want_all_cores() {
    let _alone = crate::alone();
    let times = fs::read_to_string("/proc/stat").expect("readable");
    let cores = times.lines().filter(|line| line.starts_with("cpu")).count() - 1;
    let _hogs = Hogs::on_core("0", cores + 2);
    let said = |turn: &str| {
        let limits = ["--first-turn", "60s", "--turn", turn];
        let suite = ["suite", "--bot", "@first", "--seed", "1", "--run", "none", "--jobs", "1"];
        referee().args(suite).args(limits).run().err()
    };
    let short = said("1s");
    assert!(short.contains("1 bot and, on average, "), "{short}");
    assert!(short.contains("games may be lost to the host"), "{short}");
    assert!(!said("60s").contains("other threads"), "a long limit bears it");
    let doctor = referee().args(["doctor"]).json();
    assert_eq!(doctor["timing"]["advice"][0], "run fewer jobs next to it", "{doctor}");
    let shown = referee().arg("doctor").run().out();
    assert!(shown.contains(" other threads want the ") && shown.contains("too noisy"), "{shown}");
}
