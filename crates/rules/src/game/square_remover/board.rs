//! The board of Square Remover, the buffer that refills it, and the removal of squares.
//!
//! Rows count from the top and columns from the left, both from 0, as in the statement.

/// The largest board.
pub const MAX_SIDE: usize = 16;

/// The colours that the buffer yields, without end.
///
/// Source: the statement. The generator is x₀ = startSeed, xᵢ₊₁ = 48271 xᵢ mod (2³¹ - 1);
/// each tile is x mod colors.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Buffer {
    next: u32,
    colors: u32,
}

impl Buffer {
    const MULTIPLIER: u64 = 48_271;
    const MODULUS: u64 = (1 << 31) - 1;

    fn take(&mut self) -> u8 {
        let color = self.next % self.colors;
        let next = u64::from(self.next) * Self::MULTIPLIER % Self::MODULUS;
        self.next = u32::try_from(next).expect("less than the modulus");
        u8::try_from(color).expect("at most 6 colours")
    }
}

/// A board in play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    side: usize,
    rows: [Row; MAX_SIDE],
    buffer: Buffer,
    /// A bit for each row that may contain the top of a square; other rows contain none.
    suspects: u32,
}

/// A row of tiles, four bits each, the leftmost in the lowest bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Row(u64);

impl Row {
    const TILE_BITS: usize = 4;

    /// The lowest bit of each tile.
    const LOWEST: u64 = 0x1111_1111_1111_1111;

    fn tile(self, column: usize) -> u8 {
        (self.0 >> (Self::TILE_BITS * column) & 0xF) as u8
    }

    fn set(&mut self, column: usize, tile: u8) {
        let place = Self::TILE_BITS * column;
        self.0 = self.0 & !(0xF << place) | u64::from(tile) << place;
    }

    /// The leftmost column where a square starts whose upper half is in this row and whose lower half is
    /// in `next`. The last of the `side` columns is left out.
    fn first_square(self, next: Self, side: usize) -> Option<usize> {
        let unlike_below = self.0 ^ next.0;
        let unlike_right = self.0 ^ self.0 >> Self::TILE_BITS;
        let unlike = unlike_below | unlike_below >> Self::TILE_BITS | unlike_right;
        // No tile has more than three bits.
        let unlike = unlike | unlike >> 1 | unlike >> 2;
        let squares = !unlike & Self::LOWEST >> (Self::TILE_BITS * (MAX_SIDE + 1 - side));
        (squares != 0).then(|| squares.trailing_zeros() as usize / Self::TILE_BITS)
    }
}

/// The direction of a swap, in the statement's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// 0
    Up,
    /// 1
    Right,
    /// 2
    Down,
    /// 3
    Left,
}

impl Direction {
    /// The number of directions.
    pub const COUNT: usize = 4;

    /// As the protocol numbers them: 0 up, 1 right, 2 down, 3 left.
    pub fn from_number(number: i32) -> Option<Self> {
        [Self::Up, Self::Right, Self::Down, Self::Left].get(usize::try_from(number).ok()?).copied()
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Right => "right",
            Self::Down => "down",
            Self::Left => "left",
        }
    }

    /// The neighbour in this direction; it may be off the board.
    fn step(self, row: i32, column: i32) -> (i32, i32) {
        match self {
            Self::Up => (row - 1, column),
            Self::Right => (row, column + 1),
            Self::Down => (row + 1, column),
            Self::Left => (row, column - 1),
        }
    }
}

/// A cell that is not on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffBoard {
    /// The cell chosen.
    Cell {
        /// The row in the bot's reply.
        row: i32,
        /// The column in the bot's reply.
        column: i32,
    },
    /// The cell that the direction points to.
    Neighbour {
        /// The row of the cell to swap with.
        row: i32,
        /// The column of the cell to swap with.
        column: i32,
    },
}

impl Board {
    /// A board of `rows` with a buffer of `colors` colours that starts at `start_seed`.
    pub(super) fn new(rows: &[Vec<u8>], colors: u8, start_seed: u32) -> Self {
        let side = rows.len();
        let buffer = Buffer { next: start_seed, colors: colors.into() };
        let mut board = Self { side, rows: [Row::default(); MAX_SIDE], buffer, suspects: 0 };
        for (row, tiles) in rows.iter().enumerate() {
            for (column, &tile) in tiles.iter().enumerate() {
                board.set((row, column), tile);
            }
        }
        board
    }

    /// The cell's row and column as indices, if it is on the board.
    pub(super) fn cell(&self, row: i32, column: i32) -> Option<(usize, usize)> {
        let within = |n: i32| usize::try_from(n).ok().filter(|&n| n < self.side);
        Some((within(row)?, within(column)?))
    }

    /// The neighbour of a cell, if it is on the board.
    pub(super) fn neighbour(
        &self,
        row: i32,
        column: i32,
        direction: Direction,
    ) -> Option<(usize, usize)> {
        self.cell(row, column)?;
        let (row, column) = direction.step(row, column);
        self.cell(row, column)
    }

    /// The number of rows, and of columns.
    pub(super) fn side(&self) -> usize {
        self.side
    }

    /// The number of colours.
    pub(super) fn colors(&self) -> u8 {
        u8::try_from(self.buffer.colors).expect("at most 6 colours")
    }

    /// The colour at a row and column of the board.
    pub(super) fn tile(&self, (row, column): (usize, usize)) -> u8 {
        self.rows[row].tile(column)
    }

    fn set(&mut self, (row, column): (usize, usize), tile: u8) {
        self.rows[row].set(column, tile);
        // A square with this tile starts in the tile's row or the one above, and never in the last row.
        let all = (1 << (self.side - 1)) - 1;
        self.suspects |= (0b11 << row >> 1) & all;
    }

    /// Swaps the tile with its neighbour; squares stay until [`remove_squares`](Self::remove_squares).
    ///
    /// # Errors
    /// When either cell is off the board; the board is then unchanged.
    pub fn swap(&mut self, row: i32, column: i32, direction: Direction) -> Result<(), OffBoard> {
        let one = self.cell(row, column).ok_or(OffBoard::Cell { row, column })?;
        let (row, column) = direction.step(row, column);
        let other = self.cell(row, column).ok_or(OffBoard::Neighbour { row, column })?;
        let (tile, other_tile) = (self.tile(one), self.tile(other));
        self.set(one, other_tile);
        self.set(other, tile);
        Ok(())
    }

    /// Removes squares, always the leftmost of the topmost ones, until none is left. Returns the
    /// number removed.
    pub fn remove_squares(&mut self) -> u32 {
        let mut removed = 0;
        while self.remove_square().is_some() {
            removed += 1;
        }
        removed
    }

    /// Removes the leftmost of the topmost squares, and returns its cells.
    pub(super) fn remove_square(&mut self) -> Option<[(usize, usize); 4]> {
        while self.suspects != 0 {
            let row = self.suspects.trailing_zeros() as usize;
            if let Some(column) = self.rows[row].first_square(self.rows[row + 1], self.side) {
                let cells = square(row, column);
                for cell in cells {
                    let tile = self.buffer.take();
                    self.set(cell, tile);
                }
                return Some(cells);
            }
            self.suspects &= self.suspects - 1;
        }
        None
    }
}

/// The four cells of the square with this top left corner, in the order in which they are refilled.
fn square(row: usize, column: usize) -> [(usize, usize); 4] {
    [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A literal reading of the statement: scan from the top left after every change.
    fn remove_by_full_scan(board: &mut Board) -> u32 {
        let mut removed = 0;
        'again: loop {
            for row in 0..board.side - 1 {
                for column in 0..board.side - 1 {
                    let cells = square(row, column);
                    if cells.iter().all(|&cell| board.tile(cell) == board.tile((row, column))) {
                        removed += 1;
                        for cell in cells {
                            let tile = board.buffer.take();
                            board.set(cell, tile);
                        }
                        continue 'again;
                    }
                }
            }
            board.suspects = 0;
            return removed;
        }
    }

    fn boards() -> impl Strategy<Value = Board> {
        // Fewer colours than in the game make many squares; with one colour they never end.
        (8..=MAX_SIDE, 2..=6_u8, 1..2_147_483_647_u32).prop_flat_map(|(side, colors, seed)| {
            proptest::collection::vec(proptest::collection::vec(0..colors, side), side)
                .prop_map(move |rows| Board::new(&rows, colors.max(4), seed))
        })
    }

    proptest! {
        #[test]
        fn squares_go_as_a_full_scan_finds_them(
            board in boards(),
            swaps in proptest::collection::vec((-1..17_i32, -1..17_i32, 0..4_i32), 0..200),
        ) {
            let (mut quick, mut plain) = (board.clone(), board);
            prop_assert_eq!(quick.remove_squares(), remove_by_full_scan(&mut plain));
            prop_assert_eq!(&quick, &plain);
            for (row, column, direction) in swaps {
                let direction = Direction::from_number(direction).expect("a direction");
                let swapped = quick.swap(row, column, direction);
                prop_assert_eq!(swapped, plain.swap(row, column, direction));
                prop_assert_eq!(quick.remove_squares(), remove_by_full_scan(&mut plain));
                prop_assert_eq!(&quick, &plain);
            }
        }
    }

    #[test]
    fn a_swap_off_the_board_changes_nothing() {
        let board = Board::new(&vec![vec![0; 8]; 8], 4, 1);
        let mut same = board.clone();
        let off = OffBoard::Cell { row: 8, column: 2 };
        assert_eq!(same.swap(8, 2, Direction::Up), Err(off));
        let off = OffBoard::Neighbour { row: -1, column: 2 };
        assert_eq!(same.swap(0, 2, Direction::Up), Err(off));
        assert_eq!(same, board);
    }
}
