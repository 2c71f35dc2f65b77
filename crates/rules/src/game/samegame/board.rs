//! The board of SameGame: regions, gravity, and empty columns closing up.
//!
//! Coordinates are the statement's: x from the left, y from the bottom, both from 0.

use std::fmt;

use super::cells;
pub use super::cells::{CELLS, Cell, CellSet, SIDE};
use super::links::Links;

/// Colours are numbered from 0 to one less than this.
pub const COLORS: u8 = 5;

/// The binary digits of a cell's number: 0 if it is empty, else its colour plus 1.
const DIGITS: usize = 3;

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
    /// For each binary digit, the lowest first, the cells where it is 1.
    digits: [CellSet; DIGITS],
}

impl Board {
    /// A board from its rows, the top one first; `None` is an empty cell.
    pub fn from_rows(rows: &[[Option<Color>; SIDE]; SIDE]) -> Self {
        let mut digits = [CellSet::default(); DIGITS];
        for cell in Cell::all() {
            let number = rows[SIDE - 1 - cell.y][cell.x].map_or(0, |color| color.0 + 1);
            for (place, digit) in digits.iter_mut().enumerate() {
                if number >> place & 1 != 0 {
                    digit.insert(cell);
                }
            }
        }
        Self { digits }
    }

    /// The colour at `cell`, or `None` if the cell is empty.
    pub fn tile(&self, cell: Cell) -> Option<Color> {
        self.color(|digit| digit.contains(cell))
    }

    /// The number of tiles on the board.
    pub fn tiles(&self) -> usize {
        self.digits.into_iter().fold(CellSet::default(), CellSet::or).len()
    }

    /// The region of the tile at `cell`; `None` if the cell is empty.
    pub fn region(&self, cell: Cell) -> Option<Region> {
        let color = self.tile(cell)?;
        let cells = Links::between(&self.digits).grow(CellSet::of(cell));
        Some(Region { color, cells })
    }

    /// The legal moves: every region of two tiles or more, once, in no particular order.
    pub fn legal_moves(&self) -> Vec<Region> {
        // A full random board of five colours has about 44 moves.
        let mut moves = Vec::with_capacity(64);
        Links::between(&self.digits).groups(|one, cells| {
            let color = self.color(|digit| !digit.and(one).is_empty());
            moves.push(Region { color: color.expect("a tile"), cells });
        });
        moves
    }

    /// The colour of the cell whose digits `is_set` reports.
    fn color(&self, is_set: impl Fn(CellSet) -> bool) -> Option<Color> {
        let places = self.digits.iter().enumerate();
        let bits = places.map(|(place, &digit)| u8::from(is_set(digit)) << place);
        bits.sum::<u8>().checked_sub(1).map(Color)
    }

    /// Whether any two neighbouring tiles match.
    pub fn has_legal_move(&self) -> bool {
        !Links::between(&self.digits).is_empty()
    }

    /// Takes the region's tiles away and settles the whole board.
    pub fn remove(&mut self, region: &Region) {
        self.digits = self.digits.map(|digit| digit.without(region.cells));
        self.settle();
    }

    /// Lets tiles fall to the bottom of their columns and closes empty columns to the left.
    pub fn settle(&mut self) {
        cells::settle(&mut self.digits);
    }
}

impl fmt::Display for Board {
    /// The board in the form that bots are sent: 15 lines of 15 numbers, the top row first, -1 for empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// What a cell's number is printed as, and how many bytes of it count.
        const PIECES: [([u8; 3], usize); COLORS as usize + 1] =
            [(*b"-1 ", 3), (*b"0  ", 2), (*b"1  ", 2), (*b"2  ", 2), (*b"3  ", 2), (*b"4  ", 2)];
        // Filling a byte array is much faster than 225 formatted writes, and every turn does it.
        let mut text = [0; CELLS * 3];
        let mut end = 0;
        for y in (0..SIDE).rev() {
            for number in cells::row(&self.digits, y) {
                let (piece, length) = PIECES[usize::from(number)];
                text[end..end + 3].copy_from_slice(&piece);
                end += length;
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
