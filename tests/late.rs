//! What is said of a turn that is late by a little, and which turn its standard error belongs to.

use std::time::Duration;

use referee::bot::{
    BotCommand, BotProcess, Confinement, ContainmentMethod, Exchanged, Overtime, Request,
};
use referee::limits::Resources;
use referee::lines::LineRules;

use crate::support::{has_host_part, json, referee, unspoilt};

#[test]
fn an_answer_that_is_a_little_late_is_late_and_its_bot_does_not_wait_for_input() {
    let _alone = crate::alone();
    for sleep in ["200.1", "200.3", "200.5", "201", "202", "203"] {
        let bot = format!("@thinker --sleep {sleep}");
        // The second turn, since the start of a bot is part of its first one.
        let limits = ["--first-turn", "60s", "--turn", "200ms", "--bot", &bot];
        let play = || referee().args(["play", "--format", "json"]).args(limits).output();
        let result = unspoilt(has_host_part, || json(&play().expect("runs")));
        let diagnosis = result["diagnosis"].as_str().expect("text");
        let late = "turn 2: no answer within 200 ms; the bot's fault: in 20";
        assert!(diagnosis.starts_with(late), "{sleep}: {diagnosis}");
        assert!(!diagnosis.contains("waited for more"), "{sleep}: {diagnosis}");
    }
}

/// A bot that says on standard error which line it answers.
const ECHO: &str = "while read -r line; do echo \"to $line\" >&2; echo \"$line\"; done";

#[test]
fn what_a_late_bot_says_belongs_to_its_turn() {
    let _alone = crate::alone();
    let method = ContainmentMethod::Group;
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
