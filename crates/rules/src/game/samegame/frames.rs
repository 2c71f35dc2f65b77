//! SameGame's boards and moves, ready to be drawn in a replay.

use super::board::{Board, CELLS, COLORS, Cell, Region, SIDE};
use super::position::{self, Position, Removal};
use super::{message, reply};
use crate::game::frames::{CellIndex, Change, Frame, Origin, Pace, Picture, RegionPoints};

/// The board, ready to be drawn.
pub(super) fn picture(board: &Board) -> Picture {
    let rows = (0..SIDE).rev().flat_map(|y| (0..SIDE).map(move |x| Cell { x, y }));
    let side = u16::try_from(SIDE).expect("15");
    Picture {
        columns: side,
        rows: side,
        colors: COLORS,
        labels: Vec::new(),
        origin: Origin::BottomLeft,
        pace: Pace::Turns,
        regions: Some(region_points()),
        tiles: rows.map(|cell| board.tile(cell).map(super::board::Color::index)).collect(),
    }
}

/// The points for each size of region.
fn region_points() -> RegionPoints {
    let points = |size: usize| (size > 1).then(|| position::region_points(size));
    RegionPoints { by_size: (0..=CELLS).map(points).collect(), clear_bonus: position::CLEAR_BONUS }
}

/// The effect of a reply on the board; `None` if it cannot be understood.
pub(super) fn frame(position: &Position, line: &[u8]) -> Option<Frame> {
    let action = reply::parse(line).ok()?;
    let cell = Cell::new(action.x, action.y);
    let mut frame = Frame {
        notation: format!("{} {}", action.x, action.y),
        caption: format!("{} {}: not a legal move", action.x, action.y),
        chosen: cell.map(place),
        message: action.message.as_deref().map(message::layout),
        ..Frame::default()
    };
    if let Ok(removal) = position.clone().play(action.x, action.y) {
        let Removal { color, size, gain } = removal;
        let (x, y, color) = (action.x, action.y, color.index());
        frame.caption = format!("{x} {y} takes {size} of colour {color}, +{gain}");
        frame.gain = gain.into();
        let region = cell.and_then(|cell| position.board().region(cell));
        frame.steps.extend(region.map(|region| step(position.board(), &region)));
    }
    Some(frame)
}

fn place(cell: Cell) -> CellIndex {
    CellIndex::try_from((SIDE - 1 - cell.y) * SIDE + cell.x).expect("at most 225 places")
}

/// The region disappears, tiles above it fall, and empty columns close.
fn step(board: &Board, region: &Region) -> Change {
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
    Change { gone: region.cells.iter().map(place).collect(), moved, new: Vec::new() }
}
