//! Replays: boards are stored as differences, and must come out as the rules compute them.

use std::fmt::Write as _;

use rules::game::frames::{Frame, Picture};
use rules::game::{Answer, Game, GameKind};
use terms::lines::Lines;

use crate::measured::{cases, data};

fn game(name: &str, case: &str) -> Game {
    let case = (GameKind::named(name).expect("a known game").parse)(case).expect("a good case");
    case.opening().expect("its rules are here")
}

fn picture(game: &Game) -> Picture {
    game.view().expect("it has a picture").picture()
}

fn frames(game: &Game, reply: &str) -> Vec<Frame> {
    game.view().expect("it has a picture").frames(&Lines::split(reply.as_bytes()))
}

/// Plays a reply, and checks that its frames lead to the board and the score by the rules.
#[track_caller]
fn play(game: &mut Game, reply: &str) -> Picture {
    let (mut shown, score) = (picture(game), game.score(0));
    let frames = frames(game, reply);
    let reply = Lines::split(reply.as_bytes());
    for frame in &frames {
        shown.apply(frame);
    }
    let effect = game.answer(Answer::new(&reply, None)).expect("its rules are here");
    if effect.wrong_line.is_none() {
        let gain = frames.iter().map(|frame| frame.gain).sum();
        assert_eq!(game.score(0), score.map(|score| score + gain));
        assert_eq!(shown, picture(game));
    }
    shown
}

#[test]
fn differences_lead_to_the_boards_of_the_rules_in_every_measured_game() {
    for case in cases() {
        let mut game = game("samegame", &(case.board.join("\n") + "\n"));
        for output in &case.outputs {
            if game.ask().is_some() && output.ends_with('\n') {
                play(&mut game, output);
            }
        }
    }
}

#[test]
fn differences_lead_to_the_boards_of_square_remover() {
    let text = std::fs::read_to_string(data("square-remover-cases.jsonl")).expect("the cases");
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case");
        let mut game = game("square-remover", case["input"].as_str().expect("text"));
        // Swaps back and forth all over the board, which leave and make squares.
        let mut moves = String::new();
        for n in 0..10_000 {
            writeln!(moves, "{}\n{}\n{}", n / 3 % 7, n % 7, n % 2 + 1).expect("memory");
        }
        play(&mut game, &moves);
    }
}

#[test]
fn a_frame_marks_what_goes_and_what_was_chosen() {
    let mut game = game("samegame", include_str!("../../boards/clearable.toml"));
    let frames = frames(&game, "1 13 hi\\nthere\n");
    let [frame] = frames.as_slice() else { panic!("one move: {frames:?}") };
    assert_eq!(frame.chosen, Some(16), "the second row from the top, the second column");
    assert_eq!(frame.steps[0].gone.len(), 9);
    assert_eq!(frame.message, Some(["hi".to_owned(), "there".to_owned()]));
    let left = picture(&game).left();
    assert_eq!(
        play(&mut game, "1 13\n").left().iter().sum::<usize>(),
        left.iter().sum::<usize>() - 9
    );
}

#[test]
fn an_illegal_move_changes_nothing() {
    let mut game = game("samegame", include_str!("../../boards/no-move.toml"));
    assert!(frames(&game, "up\n").is_empty(), "no move at all");
    for reply in ["0 0\n", "15 0\n", "-1 3\n"] {
        let frames = frames(&game, reply);
        assert!(frames[0].steps.is_empty(), "{reply}");
    }
    let before = picture(&game);
    assert_eq!(play(&mut game, "0 0\n"), before);
}
