//! SameGame against all games that were measured on the original.

use rules::game::frames::{Origin, Pace, View};
use rules::game::{Answer, Effect, Game, GameKind, TestCase};
use rules::score::Score;
use serde_json::json;
use terms::limits::LimitKind;
use terms::lines::Lines;
use terms::verdict::Verdict;

use crate::measured::{BotAction, Case, cases, play_steps, step_cases};

/// Writes its outputs turn by turn and then exits.
fn answers(case: &Case) -> Vec<BotAction> {
    let bytes = |output: &String| BotAction::Write(output.clone().into_bytes());
    case.outputs.iter().map(bytes).collect()
}

#[test]
fn the_rules_agree_with_the_original_in_all_627_games() {
    for case in cases() {
        assert_eq!(play_steps(&case.board, &answers(&case)), case.expected(), "{}", case.id);
    }
}

#[test]
fn the_rules_agree_with_the_original_in_the_572_games_of_bots_that_do_more_than_answer() {
    for case in step_cases() {
        assert_eq!(play_steps(&case.board, &case.steps()), case.expected(), "{}", case.id);
    }
}

/// A game on these rows, the lowest ones, with single numbers for tiles; the rest of the board is empty.
fn case(rows: &[&str]) -> TestCase {
    let rows: Vec<String> = rows
        .iter()
        .map(|row| format!("{row}{}", " -1".repeat(15 - row.split(' ').count())))
        .collect();
    let empty = vec!["-1 ".repeat(15); 15 - rows.len()];
    let kind = GameKind::named("samegame").expect("a game");
    (kind.parse)(&[empty, rows].concat().join("\n")).expect("a board")
}

fn game(rows: &[&str]) -> Game {
    case(rows).opening().expect("its rules are here")
}

fn ruled(game: &mut Game, reply: &str) -> Effect {
    let lines = Lines::split(reply.as_bytes());
    game.answer(Answer::new(&lines, None)).expect("its rules are here")
}

/// Regions of two tiles of colours 0 and 1, and of three of colour 2 and of colour 4; others are alone.
const ROWS: [&str; 4] = ["4", "0 1", "0 1 2", "1 2 2 3 4 4 4"];

#[test]
fn a_move_is_kept_with_what_it_did() {
    let case = case(&ROWS);
    let mut game = case.opening().expect("its rules are here");
    let start = "-1 ".repeat(14) + "-1\n";
    let ask = game.next_ask().expect("a turn");
    assert!(case.text.starts_with(&start) && ask.input == case.text);
    assert_eq!(
        case.record_key.split(' ').filter(|tile| *tile != "-1").collect::<String>(),
        "0121232334000"
    );
    let moves = game.view().and_then(View::legal_moves);
    assert_eq!((case.groups, moves), ([("colors".to_owned(), 5)].into(), Some(4)));
    assert_eq!((ask.limit, ask.official), (LimitKind::FirstTurn, None));
    let played = ruled(&mut game, "2 0 Hello SameGame\\n:-)\n");
    let action =
        json!({ "x": 2, "y": 0, "color": 2, "size": 3, "message": ["Hello SameGame", ":-)"] });
    let Effect { verdict, gain, action: kept, wrong_line, remark, .. } = played;
    assert_eq!((verdict, gain, kept), (Verdict::Completed, Some(1.into()), Some(action)));
    assert_eq!((wrong_line, remark), (None, None));
    assert_eq!((game.score(0), game.end()), (Some(1.into()), None));
    assert_eq!(game.ask().expect("a turn").limit, LimitKind::Turn);
    assert_eq!(game.official(), "");
    let played = ruled(&mut game, "0 1\n");
    assert_eq!(played.action, Some(json!({ "x": 0, "y": 1, "color": 0, "size": 2 })));
    ruled(&mut game, "0 14\n");
    let metadata = game.end().map(|end| end.metadata.clone());
    assert_eq!(metadata, Some([("Score".to_owned(), "1".to_owned())].into()));
}

#[test]
fn an_illegal_move_is_explained() {
    let explained = |rows: &[&str], replies: &[&str]| {
        let mut game = game(rows);
        let rulings: Vec<Effect> = replies.iter().map(|reply| ruled(&mut game, reply)).collect();
        let last = rulings.last().expect("a reply");
        assert_eq!((last.verdict, last.wrong_line), (Verdict::IllegalMove, Some(0)), "{replies:?}");
        assert_eq!(last.gain, Some(Score::ZERO));
        last.remark.clone().expect("an explanation")
    };
    let dies = "the original's game dies of a message that is only `\\n`; here it is empty";
    for (replies, remark) in [
        (&["0 0\n"][..], "the tile at x=0, y=0 (from the bottom) is alone"),
        (&["0 14\n"], "there is no tile at x=0, y=14 (from the bottom)"),
        (&["15 1\n"], "x and y go from 0 to 14"),
        (&["0 -2147483648\n"], "x and y go from 0 to 14"),
        (&["-2147483648 0\n"], "x and y go from 0 to 14"),
        (&["30 9 \\n\n"], "x and y go from 0 to 14"),
        (&["3 0 \\n\n"], &format!("the tile at x=3, y=0 (from the bottom) is alone; {dies}")),
        (&["3 9 \\n\n"], &format!("there is no tile at x=3, y=9 (from the bottom); {dies}")),
        (
            &["0 13\n"],
            "there is no tile at x=0, y=13 (from the bottom); with y counted from the top it would be `0 1`, a region of 2",
        ),
        (
            &["13 2\n"],
            "there is no tile at x=13, y=2 (from the bottom); read as the row from the top and the column it would be `2 1`, a region of 3",
        ),
    ] {
        assert_eq!(explained(&ROWS, replies), remark, "{replies:?}");
    }
    let tall = [&["1", "3", "3", "2", "1", "2", "1"][..], &ROWS].concat();
    let remark = "the tile at x=0, y=5 (from the bottom) is alone; with y counted from the top it would be `0 9`, a region of 2; with x \
                  and y swapped it would be `5 0`, a region of 3";
    assert_eq!(explained(&tall, &["0 5\n"]), remark);
}

#[test]
fn a_reply_that_is_no_move_is_explained() {
    let blank = "x and y are whole numbers with a blank between them";
    let any =
        "every line on standard output is a reply, `x y`; debug output belongs on standard error";
    for (reply, remark) in [
        ("\n", "an empty line is a reply too"),
        ("0\u{85}1\n", "the original takes U+0085 for the end of the line"),
        ("\u{2028}0 1\n", "the original takes U+2028 for the end of the line"),
        ("2,1\n", &format!("{blank}: `2 1`")),
        ("x=-2 y=1\n", &format!("{blank}: `-2 1`")),
        ("1\n", any),
        ("1,2,3\n", any),
        ("hello\n", any),
        ("1e9 2.0\n", "x and y are whole numbers, without a decimal point"),
        ("-3.0 2\n", "x and y are whole numbers, without a decimal point: `-3 2`"),
    ] {
        let ruling = ruled(&mut game(&ROWS), reply);
        assert_eq!(
            (ruling.verdict, ruling.wrong_line),
            (Verdict::MalformedReply, Some(0)),
            "{reply}"
        );
        assert_eq!((ruling.action, ruling.remark.as_deref()), (None, Some(remark)), "{reply}");
    }
    // Moves that the original's game does not survive.
    for (reply, remark) in [
        ("2 0 a\u{2029}b\n", "the original's game dies of U+2029; here the reply ends before it"),
        (
            "2 0 \\n\\n\n",
            "the original's game dies of a message that is only `\\n`; here it is empty",
        ),
    ] {
        let ruling = ruled(&mut game(&ROWS), reply);
        assert_eq!((ruling.verdict, ruling.remark.as_deref()), (Verdict::Completed, Some(remark)));
    }
    assert_eq!(ruled(&mut game(&ROWS), "2 0 é\n").remark, None);
}

#[test]
fn a_frame_says_what_a_move_does() {
    let mut game = game(&ROWS);
    ruled(&mut game, "1 1\n");
    let view = game.view().expect("it has a picture");
    let frame = |reply: &str| view.frames(&Lines::split(reply.as_bytes()))[0].clone();
    let takes = frame("02 0 hi\n");
    assert_eq!((takes.number, takes.notation.as_str()), (2, "2 0"));
    assert_eq!(takes.caption, "2 0 takes 3 of colour 2, +1");
    assert_eq!((takes.gain, takes.chosen), (1.into(), Some(14 * 15 + 2)));
    assert_eq!(takes.message, Some(["hi".to_owned(), String::new()]));
    assert_eq!(takes.steps[0].moved, [(213, 211), (214, 212), (215, 213), (216, 214)]);
    assert!(takes.concerns(212) && !takes.concerns(213));
    let illegal = frame("3 0\n");
    assert_eq!((illegal.caption.as_str(), illegal.chosen), ("3 0: not a legal move", Some(213)));
    assert_eq!(frame("0 99\n").chosen, None);
    let picture = view.picture();
    assert_eq!((picture.columns, picture.rows, picture.colors), (15, 15, 5));
    assert_eq!((picture.origin, picture.pace), (Origin::BottomLeft, Pace::Turns));
    let points = picture.regions.expect("its moves take regions");
    assert_eq!((points.by_size.len(), points.clear_bonus), (226, 1000));
    assert_eq!(points.by_size[..5], [None, None, Some(0), Some(1), Some(4)]);
}
