//! Two games on one replay page, and the accessibility of all pages.

use crate::views::page_heavy::{Shown, page};
use support::prelude::*;

/// Two games on one board; the first bot says something in every other turn.
fn two_games() -> (Shown, Shown) {
    let script = "while read -r line; do i=$((i+1)); [ $((i % 15)) -eq 0 ] && { [ $((i % 2)) -eq 0 ] && \
                  echo '0 0 Hello SameGame\\\\nand a line that is too long' || echo '0 0'; }; done";
    let talker = Shown::play(&["--board", "@clearable", "--", "sh", "-c", script]);
    (talker, Shown::play(&["--board", "@clearable", "--bot", "@first"]))
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn two_games_have_their_scores_in_sight_one_scale_and_level_columns() {
    if !can_browse("two_games_have_their_scores_in_sight_one_scale_and_level_columns") {
        return;
    }
    let (one, other) = (Shown::play(&[]), Shown::play(&["--bot", "@first"]));
    let url = page(&[&one.path("game.jsonl"), &other.path("game.jsonl")], &one.path("both.html"));
    let turn = 12;
    let score = |game: &Shown| game.log.turns[turn - 2].score;
    let end = |game: &Shown| game.log.end.as_ref().expect("complete").score;
    let expected = json!({
        "url": url,
        "turn": turn,
        "bots": ["@greedy", "@first"],
        "scores": [score(&one), score(&other)],
        "points": end(&one).max(end(&other)),
        "turns": one.log.turns.len().max(other.log.turns.len()),
    });
    browse("stands_beside", &expected);
    browse("switches", &expected);
    browse("shows_figures", &expected);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn messages_of_one_game_do_not_move_its_column() {
    if !can_browse("messages_of_one_game_do_not_move_its_column") {
        return;
    }
    let (one, other) = two_games();
    assert!(one.log.turns.iter().any(|turn| turn.reply.0.len() > 10), "it says something");
    let url = page(&[&one.path("game.jsonl"), &other.path("game.jsonl")], &one.path("both.html"));
    let turns = one.log.turns.len().max(other.log.turns.len());
    browse("keeps_level", &json!({ "url": url, "turns": turns }));
}

/// Looks at each kind of replay page, in each state; of the first set a test of `report` looks at one page.
pub(crate) fn all_replay_pages_are_accessible() {
    let (one, other) = (Shown::play(&[]), Shown::play(&["--bot", "@first"]));
    let both = page(&[&one.path("game.jsonl"), &other.path("game.jsonl")], &one.path("both.html"));
    let lost = Shown::play(&["--bot", "@misbehaving exit 3 --on-turn 4"]);
    let squares = Shown::play(&["--game", "square-remover"]);
    let trial = [".board", ".trial .keep"];
    browse("accessible", &json!({ "url": one.url(), "presses": ["End", "Home"], "clicks": trial }));
    browse("accessible", &json!({ "url": both, "clicks": ["#overlay"] }));
    browse("accessible", &json!({ "url": lost.url() }));
    browse("accessible", &json!({ "url": squares.url(), "presses": ["End"] }));
}
