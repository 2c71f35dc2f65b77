//! Sets of places on the board, a bit for each, so that whole regions grow by a few machine words.

use super::board::{Cell, SIDE};

/// Bits from one column to the next. The last one of each column is always 0, so that what is
/// shifted up or down cannot come out in the next column.
const COLUMN: usize = 16;

/// Columns in each word.
const COLUMNS: usize = 64 / COLUMN;

/// Bits of a word beside one column.
const REST: usize = 64 - COLUMN;

/// All rows of a column.
const ROWS: u16 = (1 << SIDE) - 1;

/// A set of places.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct CellSet([u64; 4]);

impl CellSet {
    /// The set of one place.
    pub fn of(cell: Cell) -> Self {
        let mut set = Self::default();
        set.insert(cell);
        set
    }

    /// Adds a place.
    pub fn insert(&mut self, Cell { x, y }: Cell) {
        self.0[x / COLUMNS] |= 1 << (x % COLUMNS * COLUMN + y);
    }

    /// Whether a place is in it.
    pub fn contains(&self, Cell { x, y }: Cell) -> bool {
        self.0[x / COLUMNS] >> (x % COLUMNS * COLUMN + y) & 1 != 0
    }

    /// The number of places.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The first place, column by column from the left, each from the bottom.
    pub fn first(&self) -> Option<Cell> {
        let index = self.0.iter().position(|&word| word != 0)?;
        let bit = self.0[index].trailing_zeros() as usize;
        Some(Cell { x: index * COLUMNS + bit / COLUMN, y: bit % COLUMN })
    }

    /// The places, column by column from the left, each from the bottom.
    pub fn iter(&self) -> impl Iterator<Item = Cell> + use<> {
        let mut left = *self;
        std::iter::from_fn(move || {
            let cell = left.first()?;
            left = left.without(Self::of(cell));
            Some(cell)
        })
    }

    /// The places that are in either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.zip(other, |one, other| one | other)
    }

    /// The places that are in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.zip(other, |one, other| one & other)
    }

    /// The places that are in this one only.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        self.zip(other, |one, other| one & !other)
    }

    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|index| join(self.0[index], other.0[index])))
    }

    /// The places above or to the right of these, and some that are none.
    fn shifted_on(self) -> (Self, Self) {
        let [a, b, c, d] = self.0;
        let right = [
            a << COLUMN,
            b << COLUMN | a >> REST,
            c << COLUMN | b >> REST,
            d << COLUMN | c >> REST,
        ];
        (Self([a << 1, b << 1, c << 1, d << 1]), Self(right))
    }

    /// The places below or to the left of these, and some that are none.
    fn shifted_back(self) -> (Self, Self) {
        let [a, b, c, d] = self.0;
        let left = [
            a >> COLUMN | b << REST,
            b >> COLUMN | c << REST,
            c >> COLUMN | d << REST,
            d >> COLUMN,
        ];
        (Self([a >> 1, b >> 1, c >> 1, d >> 1]), Self(left))
    }

    /// Those of these places that have a neighbour among them.
    #[must_use]
    pub fn with_neighbours(self) -> Self {
        let (up, right) = self.shifted_on();
        let (down, left) = self.shifted_back();
        self.and(up.or(right).or(down).or(left))
    }

    /// Whether any two of these places are neighbours.
    pub fn has_neighbours(self) -> bool {
        let (up, right) = self.shifted_on();
        !self.and(up.or(right)).is_empty()
    }

    /// All places of this set that hang together with those of `seed`, which are in it.
    #[must_use]
    pub fn grow(self, seed: Self) -> Self {
        let mut grown = seed;
        loop {
            let (up, right) = grown.shifted_on();
            let (down, left) = grown.shifted_back();
            let wider = grown.or(up.or(right).or(down.or(left)).and(self));
            if wider == grown {
                return grown;
            }
            grown = wider;
        }
    }

    /// The rows of a column, a bit for each.
    pub(super) fn column(&self, x: usize) -> u16 {
        let word = self.0[x / COLUMNS] >> (x % COLUMNS * COLUMN);
        u16::try_from(word & u64::from(ROWS)).expect("15 bits")
    }

    /// Puts other rows into a column.
    pub(super) fn set_column(&mut self, x: usize, rows: u16) {
        let shift = x % COLUMNS * COLUMN;
        let word = &mut self.0[x / COLUMNS];
        *word = *word & !(u64::from(ROWS) << shift) | u64::from(rows) << shift;
    }
}

impl std::fmt::Debug for CellSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
