//! The board of SameGame: regions, gravity, and the columns that close up.
//!
//! Coordinates are the statement's: x from the left, y from the bottom, both from 0.

use std::fmt;

/// Columns and rows of a board.
pub const SIDE: usize = 15;
/// Tiles on a full board.
pub const CELLS: usize = SIDE * SIDE;
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

/// A place on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The column from the left, 0 to 14.
    pub x: usize,
    /// The row from the bottom, 0 to 14.
    pub y: usize,
}

impl Cell {
    /// The place at these coordinates, if they are on the board.
    pub fn new(x: i32, y: i32) -> Option<Self> {
        let on_board = |n: i32| usize::try_from(n).ok().filter(|&n| n < SIDE);
        Some(Self { x: on_board(x)?, y: on_board(y)? })
    }

    /// Every place, column by column from the left, each from the bottom.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| Self { x, y }))
    }

    fn neighbours(self) -> impl Iterator<Item = Self> {
        let Self { x, y } = self;
        [
            (x > 0).then(|| Self { x: x - 1, y }),
            (x + 1 < SIDE).then(|| Self { x: x + 1, y }),
            (y > 0).then(|| Self { x, y: y - 1 }),
            (y + 1 < SIDE).then(|| Self { x, y: y + 1 }),
        ]
        .into_iter()
        .flatten()
    }
}

/// Tiles of one colour that hang together by their sides, as many as there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The colour of all its tiles.
    pub color: Color,
    /// Its tiles; the one it was asked for comes first.
    pub cells: Vec<Cell>,
}

/// A board; it need not be settled.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    /// By column from the left, each from the bottom; `None` is empty.
    columns: [[Option<Color>; SIDE]; SIDE],
}

impl Board {
    /// A board from its rows, the top one first; `None` is an empty place.
    pub fn from_rows(rows: &[[Option<Color>; SIDE]; SIDE]) -> Self {
        let mut columns = [[None; SIDE]; SIDE];
        for Cell { x, y } in Cell::all() {
            columns[x][y] = rows[SIDE - 1 - y][x];
        }
        Self { columns }
    }

    /// The tile at `cell`.
    pub fn tile(&self, cell: Cell) -> Option<Color> {
        self.columns[cell.x][cell.y]
    }

    /// The number of tiles on the board.
    pub fn tiles(&self) -> usize {
        Cell::all().filter(|&cell| self.tile(cell).is_some()).count()
    }

    /// The region that the tile at `cell` belongs to; `None` where there is no tile.
    pub fn region(&self, cell: Cell) -> Option<Region> {
        let color = self.tile(cell)?;
        let mut seen = [[false; SIDE]; SIDE];
        seen[cell.x][cell.y] = true;
        let mut cells = vec![cell];
        let mut next = 0;
        while next < cells.len() {
            for near in cells[next].neighbours() {
                if !seen[near.x][near.y] && self.tile(near) == Some(color) {
                    seen[near.x][near.y] = true;
                    cells.push(near);
                }
            }
            next += 1;
        }
        Some(Region { color, cells })
    }

    /// The legal moves: every region of two tiles or more, once.
    pub fn legal_moves(&self) -> Vec<Region> {
        let mut seen = [[false; SIDE]; SIDE];
        let mut moves = Vec::new();
        for cell in Cell::all() {
            if seen[cell.x][cell.y] {
                continue;
            }
            let Some(region) = self.region(cell) else {
                continue;
            };
            for tile in &region.cells {
                seen[tile.x][tile.y] = true;
            }
            if region.cells.len() > 1 {
                moves.push(region);
            }
        }
        moves
    }

    /// Whether any two neighbouring tiles match.
    pub fn has_legal_move(&self) -> bool {
        Cell::all().any(|cell| {
            let color = self.tile(cell);
            color.is_some() && cell.neighbours().any(|near| self.tile(near) == color)
        })
    }

    /// Takes the region's tiles away and settles the whole board.
    pub fn remove(&mut self, region: &Region) {
        for &Cell { x, y } in &region.cells {
            self.columns[x][y] = None;
        }
        self.settle();
    }

    /// Lets tiles fall to the bottom of their columns and closes empty columns to the left.
    pub fn settle(&mut self) {
        let mut settled = [[None; SIDE]; SIDE];
        let filled = self.columns.iter().filter(|column| column.iter().any(Option::is_some));
        for (target, column) in settled.iter_mut().zip(filled) {
            for (place, &color) in target.iter_mut().zip(column.iter().flatten()) {
                *place = Some(color);
            }
        }
        self.columns = settled;
    }

    /// Whether settling would change nothing.
    pub fn is_settled(&self) -> bool {
        let mut settled = self.clone();
        settled.settle();
        settled == *self
    }
}

impl fmt::Display for Board {
    /// The board as a bot is sent it: 15 lines of 15 numbers, the top row first, -1 for empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in (0..SIDE).rev() {
            for x in 0..SIDE {
                let gap = if x == 0 { "" } else { " " };
                match self.tile(Cell { x, y }) {
                    Some(color) => write!(f, "{gap}{}", color.0)?,
                    None => write!(f, "{gap}-1")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board(\n{self})")
    }
}
