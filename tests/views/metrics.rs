//! What bots say about themselves, in the replay page.

use crate::views::page_heavy::{Shown, page};
use support::prelude::*;

/// A game of a bot that says in turn N that its depth is N times `depth`, and its phase pN.
fn talker(depth: u32) -> Shown {
    let script = format!(
        "n=0; '{}' bot first | while read -r move; do n=$((n+1)); \
         echo \"@referee depth=$((n*{depth})) phase=p$n\" >&2; echo \"$move\"; done",
        program()
    );
    Shown::play(&["--board", "@clearable", "--", "sh", "-c", &script])
}

/// Looks at a page with charts.
pub(crate) fn charts_are_accessible(browser: Browser) {
    let game = talker(2);
    browser.check("accessible", &json!({ "url": game.url() }));
}

#[test]
fn a_page_charts_the_numbers_that_a_bot_says() {
    let Some(browser) = Browser::open() else { return };
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
    browser.check("says", &expected);
    let other = talker(5);
    let url = page(&[&game.path("game.jsonl"), &other.path("game.jsonl")], &game.path("both.html"));
    browser.check("says_both", &json!({ "url": url, "labels": [(5 * turns).to_string(), "2"] }));
    let silent = Shown::play(&["--board", "@clearable"]);
    browser.check("says_nothing", &json!({ "url": silent.url() }));
}

#[test]
fn names_that_all_objects_have_and_large_numbers_are_shown_as_they_were_said() {
    let script = format!(
        "'{}' bot first | while read -r move; do n=$((n+1)); \
         [ $n = 2 ] && echo '@referee constructor=9007199254740993 __proto__=-18446744073709551617' >&2; \
         echo \"$move\"; done",
        program()
    );
    let game = Shown::play(&["--board", "@clearable", "--", "sh", "-c", &script]);
    let said = serde_json::to_value(&game.log.turns[1].said).expect("JSON");
    assert_eq!(said["constructor"], "9007199254740993");
    assert_eq!(said["__proto__"], "-18446744073709551617");
    let Some(browser) = Browser::open() else { return };
    let values = |first: &str, second: &str| json!({ ".said .part:nth-child(1) b": first, ".said .part:nth-child(2) b": second });
    let url = game.url();
    let silent = values("–", "–");
    browser.check("tells", &json!({ "url": format!("{url}#turn=1"), "expected": silent }));
    let told = values("-18446744073709551617", "9007199254740993");
    browser.check("tells", &json!({ "url": format!("{url}#turn=2"), "expected": told }));
}
