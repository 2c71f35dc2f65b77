//! Square Remover's boards and moves, ready to be drawn in a replay.

use super::board::{Board, Direction};
use crate::game::frames::{CellIndex, Change, Frame, Pace, Picture};
use terms::text::plural;

/// The board, ready to be drawn.
pub(super) fn picture(board: &Board) -> Picture {
    let side = board.side();
    let places = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
    let count = u16::try_from(side).expect("at most 16");
    Picture {
        columns: count,
        rows: count,
        colors: board.colors(),
        pace: Pace::Moves,
        tiles: places.map(|place| Some(board.tile(place))).collect(),
        ..Picture::default()
    }
}

/// The frames of a reply's moves, three numbers each, up to the first illegal move.
///
/// Squares on the board before the first move are removed in a separate frame.
pub(super) fn frames(mut board: Board, numbers: &[i32]) -> Vec<Frame> {
    let mut frames = Vec::with_capacity(numbers.len() / 3 + 1);
    let squares = removed_squares(&mut board);
    if !squares.is_empty() {
        let gain = gain(&squares);
        let caption = format!("on the board at the start: {}", square_count(gain));
        frames.push(Frame { caption, gain: gain.into(), steps: squares, ..Frame::default() });
    }
    for (index, numbers) in numbers.chunks_exact(3).enumerate() {
        let frame = swap(&mut board, index + 1, numbers[0], numbers[1], numbers[2]);
        let is_illegal = frame.steps.is_empty();
        frames.push(frame);
        if is_illegal {
            break;
        }
    }
    frames
}

/// Plays one move; it is illegal if nothing changes.
fn swap(board: &mut Board, number: usize, row: i32, column: i32, direction: i32) -> Frame {
    let side = board.side();
    let place = |(row, column)| place(side, row, column);
    let here = board.cell(row, column);
    let notation = format!("{row} {column} {direction}");
    let direction = Direction::from_number(direction);
    let there = direction.and_then(|direction| board.neighbour(row, column, direction));
    let towards = direction.map_or("nowhere", Direction::name);
    let words = format!("row {row}, column {column}, {towards}");
    let mut frame = Frame {
        number,
        notation,
        caption: format!("{words}: not a legal move"),
        chosen: here.map(place),
        ..Frame::default()
    };
    if let (Some(here), Some(there), Some(direction)) = (here, there, direction)
        && board.swap(row, column, direction).is_ok()
    {
        let (here, there) = (place(here), place(there));
        frame.steps.push(Change { moved: vec![(here, there), (there, here)], ..Change::default() });
        let squares = removed_squares(board);
        let gain = gain(&squares);
        frame.gain = gain.into();
        frame.caption = match gain {
            0 => words,
            gain => format!("{words}: {}", square_count(gain)),
        };
        frame.steps.extend(squares);
    }
    frame
}

fn removed_squares(board: &mut Board) -> Vec<Change> {
    let mut steps = Vec::new();
    while let Some(square) = board.remove_square() {
        let new = square
            .map(|(row, column)| (place(board.side(), row, column), board.tile((row, column))));
        steps.push(Change { new: new.to_vec(), ..Change::default() });
    }
    steps
}

fn square_count(gain: i64) -> String {
    plural(gain.unsigned_abs(), "square")
}

fn gain(squares: &[Change]) -> i64 {
    i64::try_from(squares.len()).expect("far fewer")
}

fn place(side: usize, row: usize, column: usize) -> CellIndex {
    CellIndex::try_from(row * side + column).expect("at most 256 places")
}
