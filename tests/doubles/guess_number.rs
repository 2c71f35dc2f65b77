//! A judge that speaks JSON lines: it asks for a number until that is the secret one. Fewer questions are better.

use std::process::ExitCode;
use std::time::UNIX_EPOCH;

use serde_json::json;

use crate::json_lines::{receive, say};

/// `guess-number [FORM]`: `was` words the summary differently, `random` words it differently in each game, and
/// `open` leaves the text of each question without a line end.
pub(crate) fn run(mut words: impl Iterator<Item = String>) -> ExitCode {
    let form = words.next().unwrap_or_default();
    let start = receive();
    let case = || start["case"].as_str()?.trim().parse().ok();
    let secret = start["seed"].as_i64().or_else(case).expect("a number");
    let (mut hint, mut summary) = ("start", Vec::new());
    for asked in 0.. {
        let text = if form == "open" { hint.to_owned() } else { format!("{hint}\n") };
        let score = json!(asked);
        say(&json!({ "ask": text, "score": score, "summary": summary, "limit_ms": 60_000 }));
        let answer = receive();
        let Some(reply) = answer.get("reply") else {
            say(&json!({ "end": "lost", "score": 0, "official": "No answer" }));
            break;
        };
        let Ok(guess) = reply[0].as_str().expect("a line").trim().parse::<i64>() else {
            say(&json!({ "end": "malformed", "official": "Not a number" }));
            break;
        };
        if guess < 0 {
            eprintln!("broken by a negative guess");
            return ExitCode::FAILURE;
        }
        if guess == secret {
            say(&json!({ "end": "completed", "score": asked + 1, "official": "Found" }));
            break;
        }
        hint = if guess < secret { "low" } else { "high" };
        summary = vec![match form.as_str() {
            "was" => format!("{guess} was {hint}"),
            "random" => format!("{guess} is {hint} at {:?}", UNIX_EPOCH.elapsed()),
            _ => format!("{guess} is {hint}"),
        }];
    }
    ExitCode::SUCCESS
}
