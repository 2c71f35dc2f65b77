//! The board of SameGame: regions, gravity, and empty columns closing up.
//!
//! Coordinates are the statement's: x from the left, y from the bottom, both from 0.

use std::fmt;

use super::cells;
pub use super::cells::{CELLS, Cell, CellSet, SIDE};

/// Colours are numbered from 0 to one less than this.
pub const COLORS: u8 = 5;

/// The colour of a tile, 0 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Color(u8);

impl Color {
    /// The colour numbered `index`, if there is one.
    pub fn new(index: u8) -> Option<Self> {
        (index < COLORS).then_some(Self(index))
    }

    /// Its number, 0 to 4.
    pub fn index(self) -> u8 {
        self.0
    }
}

/// A maximal 4-connected group of tiles of one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The colour of all its tiles.
    pub color: Color,
    /// Its tiles.
    pub cells: CellSet,
}

/// A board, settled or not.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    /// The tiles of each colour.
    colors: [CellSet; COLORS as usize],
}

impl Board {
    /// A board from its rows, the top one first; `None` is an empty place.
    pub fn from_rows(rows: &[[Option<Color>; SIDE]; SIDE]) -> Self {
        let mut colors = [CellSet::default(); COLORS as usize];
        for cell in Cell::all() {
            if let Some(color) = rows[SIDE - 1 - cell.y][cell.x] {
                colors[usize::from(color.0)].insert(cell);
            }
        }
        Self { colors }
    }

    /// The tile at `cell`.
    pub fn tile(&self, cell: Cell) -> Option<Color> {
        (0..COLORS)
            .zip(&self.colors)
            .find(|(_, set)| set.contains(cell))
            .map(|(color, _)| Color(color))
    }

    /// The number of tiles on the board.
    pub fn tiles(&self) -> usize {
        self.colors.iter().map(CellSet::len).sum()
    }

    /// The region that the tile at `cell` belongs to; `None` where there is no tile.
    pub fn region(&self, cell: Cell) -> Option<Region> {
        let color = self.tile(cell)?;
        let cells = self.colors[usize::from(color.0)].grow(CellSet::of(cell));
        Some(Region { color, cells })
    }

    /// The legal moves: every region of two tiles or more, once, in no particular order.
    pub fn legal_moves(&self) -> Vec<Region> {
        // A full random board of five colours has 44 or so.
        let mut moves = Vec::with_capacity(64);
        for (color, set) in (0..COLORS).zip(self.colors) {
            set.groups().for_each(|cells| moves.push(Region { color: Color(color), cells }));
        }
        moves
    }

    /// Whether any two neighbouring tiles match.
    pub fn has_legal_move(&self) -> bool {
        self.colors.iter().any(|set| set.has_neighbours())
    }

    /// Takes the region's tiles away and settles the whole board.
    pub fn remove(&mut self, region: &Region) {
        let set = &mut self.colors[usize::from(region.color.0)];
        *set = set.without(region.cells);
        self.settle();
    }

    /// Lets tiles fall to the bottom of their columns and closes empty columns to the left.
    pub fn settle(&mut self) {
        cells::settle(&mut self.colors);
    }

    /// Whether settling would change nothing.
    pub fn is_settled(&self) -> bool {
        let mut settled = self.clone();
        settled.settle();
        settled == *self
    }
}

impl fmt::Display for Board {
    /// The board in the form that bots are sent: 15 lines of 15 numbers, the top row first, -1 for empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EMPTY: u8 = b'-';
        let mut rows = [[EMPTY; SIDE]; SIDE];
        for (number, set) in (b'0'..).zip(&self.colors) {
            for Cell { x, y } in set.iter() {
                rows[SIDE - 1 - y][x] = number;
            }
        }
        // Filling a byte array is much faster than 225 formatted writes, and every turn does it.
        let mut text = [b' '; CELLS * 3];
        let mut end = 0;
        for row in rows {
            for tile in row {
                text[end] = tile;
                if tile == EMPTY {
                    end += 1;
                    text[end] = b'1';
                }
                end += 2;
            }
            text[end - 1] = b'\n';
        }
        f.write_str(str::from_utf8(&text[..end]).expect("ASCII"))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board(\n{self})")
    }
}
