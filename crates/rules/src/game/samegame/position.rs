//! A position: a board and a score, and the effect of moves on them.

use super::board::{Board, CELLS, Cell, Color};

/// The points for clearing the board.
pub const CLEAR_BONUS: i64 = 1000;

/// The original ends the game at its 115th turn. No game gets there, since every move removes at
/// least two tiles; so the limit is only asserted.
const MAX_ACTIONS: usize = 114;
const _: () = assert!(CELLS / 2 < MAX_ACTIONS);

/// A board in play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    board: Board,
    score: i64,
}

/// A move that was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    /// The colour of the region.
    pub color: Color,
    /// The number of its tiles, 2 to 225.
    pub size: usize,
    /// The points for the move, bonus included.
    pub gain: i64,
}

/// A move that the rules forbid; the text is the official one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalMove {
    /// The target is off the board.
    #[error("Selected target out of bounds: x={x}, y={y}")]
    OutOfBounds {
        /// The column asked for.
        x: i32,
        /// The row asked for.
        y: i32,
    },
    /// The target cell is empty.
    #[error("Selected empty tile.")]
    EmptyTile,
    /// The tile has no neighbour of its colour.
    #[error("Selected region should have size greater than 1.")]
    SingleTile(Color),
}

impl Position {
    /// The start of a game on `board`, which need not be settled.
    pub fn new(board: Board) -> Self {
        Self { board, score: 0 }
    }

    /// The board as it is now.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The points so far.
    pub fn score(&self) -> i64 {
        self.score
    }

    /// Removes the region at column `x` and row `y` from the bottom.
    ///
    /// # Errors
    /// [`IllegalMove`], with the official wording; the position is then unchanged.
    pub fn play(&mut self, x: i32, y: i32) -> Result<Removal, IllegalMove> {
        let cell = Cell::new(x, y).ok_or(IllegalMove::OutOfBounds { x, y })?;
        let region = self.board.region(cell).ok_or(IllegalMove::EmptyTile)?;
        let size = region.cells.len();
        if size == 1 {
            return Err(IllegalMove::SingleTile(region.color));
        }
        self.board.remove(&region);
        let gain = region_points(size) + if self.is_cleared() { CLEAR_BONUS } else { 0 };
        self.score += gain;
        Ok(Removal { color: region.color, size, gain })
    }

    /// Whether the game is over. The original checks after each move, and not before the first.
    pub fn is_over(&self) -> bool {
        self.is_cleared() || !self.board.has_legal_move()
    }

    /// A settled board with any tile left has one at 0 0.
    fn is_cleared(&self) -> bool {
        self.board.tile(Cell { x: 0, y: 0 }).is_none()
    }
}

/// The points for removing a region: (size - 2)².
#[expect(clippy::cast_possible_wrap, reason = "a region has at most 225 tiles")]
pub fn region_points(size: usize) -> i64 {
    let over = size as i64 - 2;
    over * over
}
