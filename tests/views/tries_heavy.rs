//! Moves that a reader tries on a replay page: the rules in the page against the referee's, and the page itself.

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg32;
use referee::game::samegame::board::{Board, Cell, Color, SIDE};
use referee::game::samegame::generate::random_board;
use referee::game::samegame::position::Position;
use referee::score::Score;

use crate::views::page_heavy::{Shown, picture};
use support::prelude::*;

/// A board in the pages' form: row by row from the top left, -1 for empty.
fn cells(board: &Board) -> Vec<i32> {
    let rows = (0..SIDE).rev().flat_map(|y| (0..SIDE).map(move |x| Cell { x, y }));
    rows.map(|cell| board.tile(cell).map_or(-1, |color| color.index().into())).collect()
}

fn place(cell: Cell) -> usize {
    (SIDE - 1 - cell.y) * SIDE + cell.x
}

/// The referee's result of taking the tile at `cell`; a legal move changes the position.
fn take(position: &mut Position, cell: Cell) -> Value {
    let board = cells(position.board());
    let coordinate = |n: usize| i32::try_from(n).expect("small");
    let gain = position.play(coordinate(cell.x), coordinate(cell.y)).ok().map(|it| it.gain);
    json!({
        "board": board,
        "place": place(cell),
        "gain": gain,
        "after": cells(position.board()),
        "over": position.is_over(),
    })
}

/// A board with holes and empty columns, none of it settled.
fn with_holes(board: &Board, random: &mut Pcg32) -> Board {
    let mut rows = [[None; SIDE]; SIDE];
    let empty_column = random.next_u32() as usize % SIDE;
    for cell in Cell::all().filter(|cell| cell.x != empty_column) {
        rows[SIDE - 1 - cell.y][cell.x] =
            board.tile(cell).filter(|_| !random.next_u32().is_multiple_of(4));
    }
    Board::from_rows(&rows)
}

/// Moves of random games, legal or not, one of three on a board that is not settled.
fn random_moves() -> Vec<Value> {
    let mut random = Pcg32::seed_from_u64(21);
    let mut moves = Vec::new();
    for seed in 1..=150 {
        let colors = 1 + u8::try_from(seed % 5).expect("small");
        let board = random_board(seed, colors).expect("a board");
        let board = if seed % 3 == 0 { with_holes(&board, &mut random) } else { board };
        let mut position = Position::new(board);
        loop {
            let regions = position.board().legal_moves();
            let Some(last) = regions.len().checked_sub(1) else { break };
            let region = &regions[random.next_u32() as usize % (last + 1)];
            let anywhere = random.next_u32() as usize % (SIDE * SIDE);
            let anywhere = Cell { x: anywhere % SIDE, y: anywhere / SIDE };
            let legal = region.cells.iter().next().expect("a region has cells");
            moves.push(take(&mut position, anywhere));
            if position.board().region(legal).is_some_and(|region| region.cells.len() > 1) {
                moves.push(take(&mut position, legal));
            }
        }
    }
    moves
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_pages_rules_are_the_referees_on_thousands_of_boards() {
    let test = "the_pages_rules_are_the_referees_on_thousands_of_boards";
    let Some([node]) = need(test, ["node"]) else { return };
    let script = include_str!("../../crates/report/src/view/page/samegame.js");
    let picture = picture(&Shown::play(&[]).game());
    let head = json!({
        "script": script,
        "columns": picture.columns,
        "rows": picture.rows,
        "regions": picture.regions,
    });
    let moves = random_moves();
    let legal = moves.iter().filter(|it| !it["gain"].is_null()).count();
    let cleared = moves.iter().filter(|it| it["gain"].as_i64() >= Some(1000)).count();
    assert!(legal > 3000 && moves.len() - legal > 1000 && cleared > 10, "{legal} {cleared}");
    let lines = std::iter::once(&head).chain(&moves).map(|line| format!("{line}\n"));
    let mut node = Command::new(node)
        .arg(repository().join("tests/browser/rules.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("node runs");
    let input: String = lines.collect();
    node.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("read");
    let output = finished(node).exits(0);
    assert_eq!(output.out(), format!("{}\n", moves.len()));
}

/// The tiles of a game's board before its turn `turn`, from 1.
fn position_before(game: &Shown, turn: usize) -> Position {
    let mut rows = [[None; SIDE]; SIDE];
    for (index, &tile) in game.boards()[turn - 1].iter().enumerate() {
        let color = u8::try_from(tile).ok();
        rows[index / SIDE][index % SIDE] = color.and_then(Color::new);
    }
    Position::new(Board::from_rows(&rows))
}

/// A legal move of a position: its smallest region, and the first of its places.
fn a_move(position: &Position) -> (Cell, usize) {
    let regions = position.board().legal_moves();
    let sized = regions.iter().map(|region| {
        let cell = region.cells.iter().min_by_key(|&cell| place(cell)).expect("not empty");
        (cell, region.cells.len())
    });
    sized.min_by_key(|&(cell, size)| (size, place(cell))).expect("a legal move")
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_click_tries_a_move_and_there_is_a_way_back() {
    let Some(browser) = Browser::open() else { return };
    let turn = 6;
    let game = Shown::play(&[]);
    let mut position = position_before(&game, turn);
    let start = game.log.turns[turn - 2].score.expect("points");
    let mut steps = Vec::new();
    let mut lines: Vec<String> = game.log.turns[..turn - 1]
        .iter()
        .map(|turn| String::from_utf8_lossy(&turn.reply.0).trim().to_owned())
        .collect();
    for _ in 0..3 {
        let (cell, size) = a_move(&position);
        let taken = take(&mut position, cell);
        lines.push(format!("{} {}", cell.x, cell.y));
        let points = taken["gain"].as_i64().expect("legal");
        steps.push(json!({
            "place": place(cell), "size": size, "points": points, "after": taken["after"],
            "score": start + position.score().into(), "lines": lines.join("\n"),
            "game": game.log.turns[turn - 2 + steps.len() + 1].score,
        }));
    }
    let expected = json!({
        "url": game.url(),
        "turn": turn,
        "board": game.boards()[turn - 1],
        "steps": steps,
        "end": game.log.end.as_ref().expect("complete").score,
    });
    browser.check("tries", &expected);
    browser.check("tries_by_touch", &expected);
    browser.check("keeps_tries", &expected);
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn numbers_stand_beside_the_rows_and_columns_that_they_name() {
    let Some(browser) = Browser::open() else { return };
    let samegame = Shown::play(&[]);
    browser.check("has_axes", &json!({ "url": samegame.url(), "firstRow": 14, "lastRow": 0 }));
    let squares = Shown::play(&["--game", "square-remover"]);
    let last = picture(&squares.game()).rows - 1;
    browser.check("has_axes", &json!({ "url": squares.url(), "firstRow": 0, "lastRow": last }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn the_list_of_moves_follows_and_leads() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&[]);
    let row = |turn: usize| {
        let turn = &game.log.turns[turn - 1];
        let action = turn.action.as_ref().expect("a move");
        let gain = turn.gain.filter(|gain| *gain > Score::ZERO);
        let gain = gain.map_or_else(String::new, |gain| format!("+{gain}"));
        json!([
            turn.turn.to_string(),
            format!("{} {}{} tiles", action["x"], action["y"], action["size"]),
            gain
        ])
    };
    browser.check(
        "lists",
        &json!({ "url": game.url(), "last": game.log.turns.len(), "rows": [row(1), row(2)], "far": row(40) }),
    );
    let squares = Shown::play(&["--game", "square-remover"]);
    let reply = String::from_utf8_lossy(&squares.log.turns[0].reply.0).into_owned();
    let numbers: Vec<&str> = reply.lines().collect();
    let triple = numbers[3 * 4999..3 * 5000].join(" ");
    browser.check("lists_many", &json!({ "url": squares.url(), "move": 5000, "triple": triple }));
}

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn a_lost_game_opens_at_its_failure() {
    let Some(browser) = Browser::open() else { return };
    let game = Shown::play(&["--bot", "@misbehaving exit 3 --on-turn 4"]);
    let end = game.log.end.as_ref().expect("complete");
    let url = game.url();
    browser.check(
        "fails",
        &json!({ "url": url, "position": "Turn 4", "diagnosis": end.process.diagnosis }),
    );
    let illegal = Shown::play(&["--bot", "@misbehaving illegal single-tile --on-turn 3"]);
    let last = illegal.log.turns.last().expect("turns").turn;
    let diagnosis = &illegal.log.end.as_ref().expect("complete").process.diagnosis;
    let url = illegal.url();
    browser.check(
        "fails",
        &json!({ "url": url, "position": format!("Turn {last}"), "diagnosis": diagnosis }),
    );
    let at_start = json!({ "#position": "Turn 1" });
    browser.check("tells", &json!({ "url": format!("{url}#turn=1"), "expected": at_start }));
}
