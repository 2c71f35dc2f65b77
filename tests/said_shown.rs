//! What bots say about themselves, in the replay page and in the terminal player.

use serde_json::json;

use crate::page::{Shown, page};
use crate::support::browser::{browse, can_browse};
use crate::support::terminal::{Terminal, can_watch};

/// A game of a bot that says in turn N that its depth is N times `depth`, and its phase pN.
fn talker(depth: u32) -> Shown {
    let script = format!(
        "n=0; '{}' bot first | while read -r move; do n=$((n+1)); \
         echo \"@referee depth=$((n*{depth})) phase=p$n\" >&2; echo \"$move\"; done",
        env!("CARGO_BIN_EXE_referee")
    );
    Shown::play(&["--board", "@clearable", "--", "sh", "-c", &script])
}

#[test]
fn a_page_charts_the_numbers_that_a_bot_says() {
    if !can_browse("a_page_charts_the_numbers_that_a_bot_says") {
        return;
    }
    let game = talker(2);
    let turns = game.log.turns.len();
    let expected = json!({
        "url": game.url(),
        "turn": 5,
        "values": [["depth 10", 1], ["phase p5", 0]],
        "labels": [(2 * turns).to_string(), "2"],
        "turns": turns,
        "atEnd": format!("depth {} 2 to {0}, {} on average", 2 * turns, turns + 1),
    });
    browse("says", &expected);
    browse("accessible", &json!({ "url": game.url() }));
    let other = talker(5);
    let url = page(&[&game.path("game.jsonl"), &other.path("game.jsonl")], &game.path("both.html"));
    browse("says_both", &json!({ "url": url, "labels": [(5 * turns).to_string(), "2"] }));
    let silent = Shown::play(&["--board", "@clearable"]);
    browse("says_nothing", &json!({ "url": silent.url() }));
}

#[test]
fn the_player_shows_what_a_bot_says() {
    if !can_watch("the_player_shows_what_a_bot_says") {
        return;
    }
    let game = talker(2);
    let terminal = Terminal::open();
    terminal.referee(&["replay", "--watch", "--ascii"], &[&game.path("game.jsonl")]);
    terminal.wait_for("depth 2");
    terminal.press(&["5", "Enter"]);
    let screen = terminal.wait_for("phase p5");
    assert!(screen.contains("depth 10 _:=*#"), "{screen}");
}
