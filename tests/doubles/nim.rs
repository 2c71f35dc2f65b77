//! A judge of several players that speaks JSON lines: they take 1 to 3 matches in turn, and the player that takes the last one wins. A player that
//! gives no answer, or a wrong one, is out, and the others play on while two are left.

use std::process::ExitCode;

use serde_json::json;

use crate::json_lines::{receive, say};

/// `nim [HEAP]`: a heap of this size, otherwise one that the seed decides.
pub(crate) fn run(mut words: impl Iterator<Item = String>) -> ExitCode {
    let start = receive();
    let players = start["players"].as_u64().expect("several players");
    let players = usize::try_from(players).expect("a few");
    let seed = start["seed"].as_i64().expect("a seed");
    let size = words.next().map(|size| size.parse().expect("a number"));
    let mut heap = size.unwrap_or(seed.rem_euclid(7) + 12);
    let mut scores = vec![1; players];
    let (mut out, mut summary) = (Vec::new(), Vec::new());
    let mut player = 0;
    while heap > 0 && scores.iter().filter(|score| **score > 0).count() > 1 {
        if scores[player] > 0 {
            say(&json!({ "ask": format!("{heap}\n"), "player": player, "summary": summary,
                "out": out, "limit_ms": 60_000 }));
            (out, summary) = (Vec::new(), Vec::new());
            let answer = receive();
            assert_eq!(answer["player"], player, "{answer}");
            let taken = answer["reply"][0].as_str().map(|line| line.trim().parse::<i64>());
            match taken {
                Some(Ok(taken)) if (1..=heap.min(3)).contains(&taken) => {
                    heap -= taken;
                    summary.push(format!("${player} takes {taken}"));
                    if heap == 0 {
                        scores[player] = 2;
                    }
                }
                Some(taken) => {
                    let how = if taken.is_ok() { "illegal" } else { "malformed" };
                    out.push(json!({ "player": player, "how": how, "official": "1 to 3" }));
                    scores[player] = 0;
                }
                None => scores[player] = 0,
            }
        }
        player = (player + 1) % players;
    }
    say(&json!({ "end": "completed", "scores": scores, "out": out, "summary": summary }));
    ExitCode::SUCCESS
}
