//! Square Remover against the runs that were measured on the original tester.

use rules::game::frames::Pace;
use rules::game::{Answer, Effect, Game, SeedOptions};
use rules::score::Score;
use serde_json::json;
use terms::limits::LimitKind;
use terms::lines::{LineBuffer, Lines, Progress};
use terms::verdict::{BotExit, NoReply, Verdict};

use crate::measured::squares::{Run, case, kind, runs};

/// The numbers that the measured bot writes: a linear congruential generator picks cells and directions.
fn numbers(input: &str) -> Vec<i64> {
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).expect("a number");
    let (side, mut x): (i64, i64) = (number(input.lines().nth(1)), number(input.lines().last()));
    let mut numbers = Vec::new();
    while numbers.len() < 30_000 {
        x = (1_664_525 * x + 1_013_904_223) & 0xffff_ffff;
        let (row, column, direction) = ((x >> 8) % side, (x >> 16) % side, (x >> 24) % 4);
        let at_edge = [row == 0, column == side - 1, row == side - 1, column == 0];
        if !at_edge[usize::try_from(direction).expect("0 to 3")] {
            numbers.extend([row, column, direction]);
        }
    }
    numbers
}

/// What the bot of a run writes, in its mode.
fn output(run: &Run) -> String {
    let (mode, k) = run.mode.split_once(':').unwrap_or((&run.mode, "0"));
    let k: usize = k.parse().expect("an index");
    let side = run.input.lines().nth(1).expect("N");
    let mut words: Vec<String> = numbers(&run.input).iter().map(i64::to_string).collect();
    match mode {
        "outside" => side.clone_into(&mut words[3 * k]),
        "negative" => "-1".clone_into(&mut words[3 * k + 1]),
        "edge" => {
            "0".clone_into(&mut words[3 * k]);
            "0".clone_into(&mut words[3 * k + 2]);
        }
        "baddir" => "4".clone_into(&mut words[3 * k + 2]),
        "text" => "abc".clone_into(&mut words[k]),
        "space" => words[k].insert(0, ' '),
        "plus" => words[k].insert(0, '+'),
        "float" => "1.0".clone_into(&mut words[k]),
        "empty" => words[k].clear(),
        "short" => words.truncate(k),
        "extra" => words.extend(["7", "8", "9"].map(str::to_owned)),
        _ => {}
    }
    let end = if mode == "crlf" { "\r\n" } else { "\n" };
    let last = if mode == "noeol" || words.is_empty() { "" } else { end };
    words.join(end) + last
}

/// The verdict on a run, and the first line that is wrong.
fn expected(mode: &str) -> (Verdict, Option<usize>) {
    let (mode, k) = mode.split_once(':').unwrap_or((mode, "0"));
    let k: usize = k.parse().expect("an index");
    match mode {
        "play" | "plus" | "extra" | "crlf" | "noeol" => (Verdict::Completed, None),
        "outside" | "negative" | "edge" | "baddir" => (Verdict::IllegalMove, Some(3 * k)),
        "text" | "space" | "float" | "empty" => (Verdict::MalformedReply, Some(k)),
        "short" => (Verdict::EarlyExit, None),
        mode => panic!("unknown mode {mode}"),
    }
}

#[test]
fn the_rules_agree_with_the_original_in_all_52_runs() {
    for run in runs() {
        let of = format!("seed {} {}", run.seed, run.mode);
        let mut game = game(&run.input);
        let exchange = game.next_ask().expect("the only one");
        assert_eq!((exchange.limit, exchange.official), (LimitKind::Total, None));
        let mut buffer = LineBuffer::default();
        buffer.push(output(&run).as_bytes());
        if exchange.lines.eof_ends_line {
            buffer.end_partial();
        }
        let (count, no_reply) = match buffer.progress(&exchange.lines) {
            Progress::Complete(count) => (count, None),
            _ => (exchange.lines.count, Some(NoReply::Ended(BotExit::Code(0)))),
        };
        let ruling = ruled(&mut game, &buffer.take(count), no_reply);
        assert_eq!((ruling.verdict, ruling.wrong_line), expected(&run.mode), "{of}");
        let lines: Vec<&str> = run.tester_output.lines().collect();
        assert_eq!(game.summary(), lines, "{of}");
        assert_eq!(game.official(), lines[0], "{of}");
        let score = game.score(0).expect("it counts squares");
        assert_eq!(format!("Score  = {score}"), *lines.last().expect("a score"), "{of}");
        let gain =
            if no_reply.is_none() && ruling.wrong_line.is_none() { score } else { Score::ZERO };
        assert_eq!(ruling.gain, Some(gain), "{of}");
        assert!(game.end().is_some(), "{of}");
    }
}

#[test]
fn the_input_is_byte_for_byte_that_of_the_original_in_all_52_runs() {
    for run in runs() {
        assert_eq!(case(run.seed), run.input, "seed {}", run.seed);
        assert_eq!(game(&run.input).ask().expect("the only one").input, run.input);
    }
}

#[test]
fn the_example_cases_have_the_statements_start_seeds() {
    let start_seeds = [
        857_377_961,
        55_004_692,
        257_017_653,
        373_353_050,
        104_364_742,
        1_329_682_683,
        656_773_882,
        1_086_656_358,
        1_786_703_902,
        45_966_541,
    ];
    for (seed, start_seed) in (1..).zip(start_seeds) {
        assert_eq!(case(seed).lines().last(), Some(start_seed.to_string().as_str()));
    }
    assert_eq!(kind().bundled[0].1, case(1));
}

#[test]
fn a_reply_that_stops_is_refereed_up_to_there() {
    for (reply, no_reply, element) in [
        ("1\n2\n3\n", NoReply::Deadline, 3),
        ("1\n2\n3\n", NoReply::Ended(BotExit::Code(0)), 3),
        ("", NoReply::StdoutClosed, 0),
        // All numbers, but too late.
        (&"0\n".repeat(30_000), NoReply::Deadline, 29_999),
    ] {
        let mut game = game(&case(3));
        let ruling = ruled(&mut game, &Lines::split(reply.as_bytes()), Some(no_reply));
        assert_eq!(ruling.verdict, no_reply.verdict());
        let official = format!(
            "ERROR: Unable to read element {element} (0-based) of your solution's return value."
        );
        assert_eq!(game.official(), official);
        assert_eq!(game.score(0), Some((-1).into()));
    }
}

#[test]
fn the_cell_is_judged_before_the_direction_and_a_negative_direction_has_javas_wording() {
    for (first, official) in [
        (
            "99\n0\n9\n",
            "ERROR: In move 0 (0-based), the cell chosen by your solution is outside the board: row = 99, col = 0.",
        ),
        ("0\n0\n-1\n", "ERROR: Index -1 out of bounds for length 4"),
    ] {
        let mut game = game(&case(3));
        let reply = first.to_owned() + &"0\n".repeat(29_997);
        ruled(&mut game, &Lines::split(reply.as_bytes()), None);
        assert_eq!(game.official(), official);
    }
}

#[test]
fn a_case_file_may_come_from_another_system() {
    let windows = case(3).replace('\n', "\r\n") + "\r\n \r\n";
    assert_eq!((kind().parse)(&windows).expect("a case").text, case(3));
}

/// A case of 8 × 8 tiles of 4 colours with these rows at the top; no two other neighbours match.
fn small_case(rows: &[&str]) -> String {
    let below = ["01230123", "23012301"].iter().cycle().skip(rows.len() % 2).take(8 - rows.len());
    let rows: Vec<&str> = rows.iter().chain(below).copied().collect();
    format!("4\n8\n{}\n1\n", rows.join("\n"))
}

fn game(case: &str) -> Game {
    (kind().parse)(case).expect("a case").opening().expect("its rules are here")
}

fn ruled(game: &mut Game, reply: &Lines, no_reply: Option<NoReply>) -> Effect {
    game.answer(Answer::new(reply, no_reply)).expect("its rules are here")
}

#[test]
fn a_frame_says_what_a_swap_does() {
    let frames = |rows: &[&str], reply: &str| {
        let game = game(&small_case(rows));
        game.view().expect("it has a picture").frames(&Lines::split(reply.as_bytes()))
    };
    // A square at the top left, which the first colours of the buffer replace.
    let squares = frames(&["00230123", "00012301"], "0\n7\n2\n4\n4\n3\n");
    let [start, down, left] = squares.as_slice() else { panic!("three frames: {squares:?}") };
    assert_eq!((start.number, start.gain, start.chosen), (0, 1.into(), None));
    assert_eq!(start.caption, "on the board at the start: 1 square");
    assert_eq!(start.steps[0].new, [(0, 1), (1, 3), (8, 2), (9, 2)]);
    assert_eq!((down.number, down.notation.as_str(), down.chosen), (1, "0 7 2", Some(7)));
    assert_eq!((down.caption.as_str(), down.gain), ("row 0, column 7, down", 0.into()));
    assert_eq!((down.steps.len(), &down.steps[0].moved[..]), (1, &[(7, 15), (15, 7)][..]));
    assert_eq!((left.number, left.caption.as_str()), (2, "row 4, column 4, left"));
    // A swap makes one; the last one is illegal, and ends the film.
    let moves = frames(&["00230123", "01012301"], "1\n1\n1\n4\n4\n0\n3\n3\n7\n4\n4\n0\n");
    let captions: Vec<&str> = moves.iter().map(|frame| frame.caption.as_str()).collect();
    let illegal = "row 3, column 3, nowhere: not a legal move";
    assert_eq!(captions, ["row 1, column 1, right: 1 square", "row 4, column 4, up", illegal]);
    assert_eq!((moves[0].gain, moves[0].steps.len(), moves[2].steps.len()), (1.into(), 2, 0));
    let start = game(&small_case(&[]));
    let view = start.view().expect("it has a picture");
    let picture = view.picture();
    let shape = (picture.columns, picture.rows, picture.colors, picture.pace);
    assert_eq!(shape, (8, 8, 4, Pace::Moves));
    assert_eq!(picture.tiles[..9], [0, 1, 2, 3, 0, 1, 2, 3, 2].map(Some));
    assert!(view.frames(&Lines::split(b"0\nx\n1\n")).is_empty());
}

#[test]
fn a_line_that_is_no_number_is_explained() {
    for (line, remark) in [
        ("1 2", "each number needs a line of its own"),
        ("1,2", "each number needs a line of its own"),
        (" 7", "a number must stand alone on its line, without blanks"),
        ("7,", "a number must stand alone on its line, without blanks"),
        ("", "an empty line is not a number"),
        (" ", "an empty line is not a number"),
        ("1.5", "only whole numbers of 32 bits are read"),
        ("4294967296", "only whole numbers of 32 bits are read"),
        (
            "hello",
            "every line on standard output is a number; debug output belongs on standard error",
        ),
    ] {
        let ruling =
            ruled(&mut game(&case(3)), &Lines::split(format!("0\n{line}\n").as_bytes()), None);
        assert_eq!(
            (ruling.wrong_line, ruling.remark.as_deref()),
            (Some(1), Some(remark)),
            "{line}"
        );
    }
}

#[test]
fn a_move_is_kept_with_what_it_did() {
    let groups = (kind().parse)(&case(3)).expect("a case").groups;
    assert_eq!(groups, [("colors".to_owned(), 5), ("n".to_owned(), 8)].into());
    let run = &runs()[2];
    let ruling = ruled(&mut game(&case(3)), &Lines::split(output(run).as_bytes()), None);
    assert_eq!(ruling.action, Some(json!({ "moves": 10_000, "squares": 125 })));
    let ruling = ruled(&mut game(&case(3)), &Lines::split(b"0\n0\n1\n3\n7\n1\n"), None);
    let action = json!({ "move": 1, "row": 3, "col": 7, "direction": 1 });
    assert_eq!((ruling.action, ruling.wrong_line), (Some(action), Some(3)));
}

#[test]
fn a_mistake_in_a_case_is_named_with_its_place() {
    let good = small_case(&[]);
    assert!((kind().parse)(&good).is_ok());
    let row = "01230123\n";
    for (case, error) in [
        (good.replacen("4\n", "7\n", 1), "1:1: the number of colours must be 4 to 6, not `7`"),
        (good.replacen("8\n", "x\n", 1), "2:1: the board's size N must be 8 to 16, not `x`"),
        (good.replacen(row, "0123012\n", 1), "3:8: row 1 of 8 has 7 tiles; it must have 8"),
        (
            good.replacen(row, "01230x23\n", 1),
            "3:6: `x` is not a colour; with 4 colours they are 0 to 3",
        ),
        (
            good.replacen(row, "01230143\n", 1),
            "3:7: `4` is not a colour; with 4 colours they are 0 to 3",
        ),
        (
            good.replacen(row, "", 1),
            "10:1: the board ends after 7 rows; by its size N it must have 8",
        ),
        (
            good.replacen(row, "", 4),
            "7:1: the board ends after 4 rows; by its size N it must have 8",
        ),
        (
            good.replacen(row, "", 2).replace("\n1\n", "\n12301230\n"),
            "9:1: the board ends after 6 rows; by its size N it must have 8",
        ),
        (good.replace("\n1\n", "\n0\n"), "11:1: startSeed must be 1 to 2147483646, not `0`"),
        (good.replace("\n1\n", "\n"), "11:1: the test case ends before startSeed"),
        (good.clone() + "\n 2\n", "13:2: the test case must end after startSeed"),
        (String::new(), "1:1: the test case ends before the number of colours"),
        ("4\n8\n".to_owned(), "3:1: the test case ends before row 1 of 8"),
    ] {
        assert_eq!(
            (kind().parse)(&case).err().map(|error| error.to_string()).as_deref(),
            Some(error),
            "{case}"
        );
    }
    for (seed, colors, error) in [
        (
            0,
            None,
            "seed 0 is not a certain case: it leaves the original's generator unseeded, so each run draws a different one",
        ),
        (1, Some(4), "the seed decides how many colours a Square Remover case has"),
    ] {
        let refused = kind().test_case(seed, SeedOptions { colors }).expect_err("no case");
        assert_eq!(refused.to_string(), error);
    }
}
