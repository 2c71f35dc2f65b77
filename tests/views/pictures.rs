//! Images of positions and games.

use crate::views::page_heavy::Shown;
use support::prelude::*;

fn url(game: &Shown) -> String {
    format!("file://{}", game.path("image.svg").display())
}

/// Looks at the game's last image in a browser.
fn draws(game: &Shown, words: &[&str]) {
    if let Some(browser) = Browser::open() {
        browser.check("draws", &json!({ "url": url(game), "words": words }));
    }
}

/// The image, or what was wrong.
fn image(game: &Shown, args: &[&str]) -> Result<String, String> {
    let file = game.path("image.svg");
    let output = referee().replay(game.path("game.jsonl")).arg("--svg").arg(&file).args(args).run();
    match output.status.code() {
        Some(0) => Ok(fs::read_to_string(file).expect("an image")),
        _ => Err(output.err()),
    }
}

#[test]
fn an_image_has_the_tiles_of_a_position_and_marks_its_move() {
    let game = Shown::play(&["--board", "@clearable"]);
    let svg = image(&game, &["--turn", "3"]).expect("an image");
    let board = &game.boards()[2];
    let tiles_of = |start: &str| {
        let paths = svg.lines().filter(|line| line.starts_with(start));
        paths.map(|path| path.matches('M').count()).sum::<usize>()
    };
    assert_eq!(tiles_of("<path d="), board.iter().filter(|&&tile| tile >= 0).count());
    let size = game.log.turns[2].action.as_ref().expect("a move")["size"].as_u64();
    assert_eq!(
        tiles_of("<path class=\"mark\""),
        usize::try_from(size.expect("a number")).expect("small")
    );
    assert!(svg.contains("@greedy on @clearable") && svg.contains(">turn 3: "), "{svg}");
    assert!(svg.len() < 10_000, "{svg}");
    draws(&game, &["@greedy on @clearable", "turn 3: ", "score "]);
    let error = image(&game, &["--turn", "999"]).expect_err("no such turn");
    assert!(error.contains("--turn: there is no 999; the last is 21"), "{error}");
}

#[test]
fn an_image_of_a_game_leads_from_its_first_position_to_its_last() {
    let game = Shown::play(&[]);
    let svg = image(&game, &[]).expect("an image");
    assert_eq!(svg.matches("<g transform").count(), 30);
    let end = game.log.end.as_ref().expect("complete").score.expect("points");
    assert!(svg.contains(">1: 0</text>") && svg.contains(&format!(">end: {end}</text>")), "{svg}");
    draws(&game, &["1: 0", &format!("end: {end}")]);
    let squares = Shown::play(&["--game", "square-remover"]);
    let svg = image(&squares, &[]).expect("an image");
    assert_eq!((svg.matches("<g transform").count(), svg.len() < 200_000), (30, true));
}

#[test]
fn an_animation_shows_each_position_in_its_turn() {
    let game = Shown::play(&[]);
    let steps = |svg: &str| svg.matches("<g class=\"step").count();
    let svg = image(&game, &["--animated"]).expect("an image");
    assert_eq!(steps(&svg), game.log.turns.len() + 1, "each turn, and the end");
    let error = image(&game, &["--animated", "--turn", "3"]).expect_err("which of both?");
    assert!(error.contains("cannot be used with"), "{error}");
    let squares = Shown::play(&["--game", "square-remover"]);
    let svg = image(&squares, &["--animated"]).expect("an image");
    assert_eq!((steps(&svg), svg.len() < 1_000_000), (120, true), "{} bytes", svg.len());
    draws(&game, &["turn 2: ", "end: "]);
    if let Some(browser) = Browser::open() {
        let steps = game.log.turns.len() + 1;
        browser.check(
            "moves",
            &json!({ "url": url(&game), "steps": steps, "seconds": 0.5, "last": 3 }),
        );
    }
}
