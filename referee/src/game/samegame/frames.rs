//! What SameGame looks like in a replay.

use super::board::{Board, COLORS, Cell, Region, SIDE};
use super::position::Position;
use super::{message, reply};
use crate::game::frames::{Choice, Frame, Picture, Place, Step};

/// The board as it looks.
pub(super) fn picture(board: &Board) -> Picture {
    let rows = (0..SIDE).rev().flat_map(|y| (0..SIDE).map(move |x| Cell { x, y }));
    let side = u16::try_from(SIDE).expect("15");
    Picture {
        columns: side,
        rows: side,
        colors: COLORS,
        choice: Choice::Region,
        tiles: rows.map(|cell| board.tile(cell).map(super::board::Color::index)).collect(),
    }
}

/// What a reply does to the board; `None` if it is no move.
pub(super) fn frame(position: &Position, line: &[u8]) -> Option<Frame> {
    let action = reply::parse(line).ok()?;
    let cell = Cell::new(action.x, action.y);
    let mut frame = Frame {
        words: format!("{} {}", action.x, action.y),
        chosen: cell.map(place),
        message: action.message.as_deref().map(message::layout),
        ..Frame::default()
    };
    if let Ok(removal) = position.clone().play(action.x, action.y) {
        let region = cell.and_then(|cell| position.board().region(cell));
        frame.steps.extend(region.map(|region| step(position.board(), &region)));
        frame.gain = removal.gain;
    }
    Some(frame)
}

fn place(cell: Cell) -> Place {
    Place::try_from((SIDE - 1 - cell.y) * SIDE + cell.x).expect("at most 225 places")
}

/// The region goes, the rest falls and closes up.
fn step(board: &Board, region: &Region) -> Step {
    let remains = |cell: &Cell| board.tile(*cell).is_some() && !region.cells.contains(*cell);
    let mut moved = Vec::new();
    let mut to = Cell { x: 0, y: 0 };
    for x in 0..SIDE {
        for from in (0..SIDE).map(|y| Cell { x, y }).filter(remains) {
            if from != to {
                moved.push((place(from), place(to)));
            }
            to.y += 1;
        }
        if to.y > 0 {
            to = Cell { x: to.x + 1, y: 0 };
        }
    }
    Step { gone: region.cells.iter().map(place).collect(), moved, new: Vec::new() }
}
