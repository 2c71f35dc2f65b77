//! A judge of several players that speaks JSON lines: in each round every player names a number, and the highest total is best.

use std::process::ExitCode;

use serde_json::json;

use crate::json_lines::{receive, say};

/// `duel [ROUNDS [show]]`. A player that gives no number is out. Odd seeds give the first seat a number more in each round.
/// With `show` it summarizes the totals.
pub(crate) fn run(mut words: impl Iterator<Item = String>) -> ExitCode {
    let rounds: u32 = words.next().map_or(3, |rounds| rounds.parse().expect("a number"));
    let shows = words.next().is_some();
    let start = receive();
    let seed = start["seed"].as_i64().expect("a seed");
    let players =
        start["players"].as_u64().and_then(|it| usize::try_from(it).ok()).expect("a number");
    let (mut totals, mut is_out) = (vec![0; players], vec![false; players]);
    for round in 0..rounds {
        for player in 0..players {
            if is_out[player] {
                continue;
            }
            let text = format!("{round} {}\n", seed.rem_euclid(7));
            let summary = shows.then(|| format!("$0 {} | $1 {}", totals[0], totals[1]));
            let summary: Vec<String> = summary.into_iter().collect();
            say(&json!({ "ask": text, "player": player, "limit_ms": 60_000, "summary": summary }));
            let answer = receive();
            let number =
                answer["reply"][0].as_str().and_then(|line| line.trim().parse::<i64>().ok());
            let bonus = i64::from(player == 0) * seed.rem_euclid(2);
            if let Some(number) = number {
                totals[player] += number + bonus;
            } else {
                (totals[player], is_out[player]) = (-1, true);
            }
        }
    }
    say(&json!({ "end": "completed", "scores": totals }));
    ExitCode::SUCCESS
}
