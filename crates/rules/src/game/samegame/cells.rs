//! Cells of the board, and sets of cells: one bit per cell, so that four machine words hold a set.
//!
//! A column is 16 bits, the lowest for the bottom row. The highest bit is always 0, so that a shift up or
//! down never reaches another column. Column x is in word x mod 4, so neighbouring columns have the same
//! position in neighbouring words, and moving a set left or right shifts only one word.

/// Columns and rows of a board.
pub const SIDE: usize = 15;
/// Tiles on a full board.
pub const CELLS: usize = SIDE * SIDE;

const WORDS: usize = 4;
const COLUMN_BITS: usize = 16;

/// The lowest row of all columns in a word.
const BOTTOM: u64 = 0x0001_0001_0001_0001;

/// All rows of all columns in a word.
const ROWS: u64 = 0x7FFF_7FFF_7FFF_7FFF;

/// A cell of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The column from the left, 0 to 14.
    pub x: usize,
    /// The row from the bottom, 0 to 14.
    pub y: usize,
}

impl Cell {
    /// The cell at these coordinates, if they are on the board.
    pub fn new(x: i32, y: i32) -> Option<Self> {
        let on_board = |n: i32| usize::try_from(n).ok().filter(|&n| n < SIDE);
        Some(Self { x: on_board(x)?, y: on_board(y)? })
    }

    /// Every cell, column by column from the left, each from the bottom.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| Self { x, y }))
    }
}

/// A set of cells, with a bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct CellSet([u64; WORDS]);

impl CellSet {
    /// The set with only this cell.
    pub fn of(cell: Cell) -> Self {
        let mut set = Self::default();
        set.insert(cell);
        set
    }

    /// Adds a cell.
    pub fn insert(&mut self, Cell { x, y }: Cell) {
        self.0[x % WORDS] |= 1 << (x / WORDS * COLUMN_BITS + y);
    }

    /// Whether a cell is in the set.
    #[inline]
    pub fn contains(&self, Cell { x, y }: Cell) -> bool {
        self.0[x % WORDS] >> (x / WORDS * COLUMN_BITS + y) & 1 != 0
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        // A comparison with an array of zeros would spill the words from registers to memory.
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    /// The cells, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = Cell> + use<> {
        let mut left = *self;
        std::iter::from_fn(move || {
            let word = left.0.iter().position(|&word| word != 0)?;
            let bit = left.0[word].trailing_zeros() as usize;
            left.0[word] &= left.0[word] - 1;
            Some(Cell { x: bit / COLUMN_BITS * WORDS + word, y: bit % COLUMN_BITS })
        })
    }

    /// Calls `see` with each cell as a set of one, in no particular order.
    #[inline]
    pub(super) fn each(self, mut see: impl FnMut(Self)) {
        // With the word known, the compiler precomputes what an inlined `see` does with the three empty words.
        self.each_in::<0>(&mut see);
        self.each_in::<1>(&mut see);
        self.each_in::<2>(&mut see);
        self.each_in::<3>(&mut see);
    }

    #[inline]
    fn each_in<const WORD: usize>(self, see: &mut impl FnMut(Self)) {
        let mut left = self.0[WORD];
        while left != 0 {
            let mut one = Self::default();
            one.0[WORD] = left & left.wrapping_neg();
            left &= left - 1;
            see(one);
        }
    }

    /// Any single cell of the set.
    #[inline]
    pub(super) fn one(self) -> Option<Self> {
        let mut before = 0;
        let one = self.map(|word| {
            let lowest = if before == 0 { word & word.wrapping_neg() } else { 0 };
            before |= word;
            lowest
        });
        (before != 0).then_some(one)
    }

    /// The cells in either set.
    #[must_use]
    #[inline]
    pub fn or(self, other: Self) -> Self {
        self.zip(other, |one, other| one | other)
    }

    /// The cells in both sets.
    #[must_use]
    #[inline]
    pub fn and(self, other: Self) -> Self {
        self.zip(other, |one, other| one & other)
    }

    /// The cells of this set that are not in the other.
    #[must_use]
    #[inline]
    pub fn without(self, other: Self) -> Self {
        self.zip(other, |one, other| one & !other)
    }

    /// The cells in one of the sets and not in the other.
    #[inline]
    pub(super) fn xor(self, other: Self) -> Self {
        self.zip(other, |one, other| one ^ other)
    }

    #[inline]
    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| join(self.0[word], other.0[word])))
    }

    #[inline]
    fn map(self, change: impl FnMut(u64) -> u64) -> Self {
        Self(self.0.map(change))
    }

    /// The cells to the right of these, possibly with bits beyond the board.
    #[inline]
    pub(super) fn right(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([d << COLUMN_BITS, a, b, c])
    }

    #[inline]
    pub(super) fn left(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([b, c, d, a >> COLUMN_BITS])
    }

    /// The cells above these, possibly with bits beyond the board.
    #[inline]
    pub(super) fn up(self) -> Self {
        self.map(|word| word << 1)
    }

    /// The cells below these, possibly with bits beyond the board.
    #[inline]
    pub(super) fn down(self) -> Self {
        self.map(|word| word >> 1)
    }
}

/// The numbers of the cells in a row, from the left. Their binary digits are these sets, the lowest first.
pub(super) fn row<const DIGITS: usize>(digits: &[CellSet; DIGITS], y: usize) -> [u8; SIDE] {
    let words: [u64; WORDS] = std::array::from_fn(|word| {
        let places = digits.iter().enumerate();
        places.map(|(place, digit)| (digit.0[word] >> y & BOTTOM) << place).sum()
    });
    std::array::from_fn(|x| words[x % WORDS].to_le_bytes()[x / WORDS * COLUMN_BITS / 8])
}

/// Lets the tiles of all `sets` fall to the bottom of their columns, and moves columns left over
/// empty ones.
pub(super) fn settle<const SETS: usize>(sets: &mut [CellSet; SETS]) {
    let occupied =
        |sets: &[CellSet; SETS]| sets.iter().fold(CellSet::default(), |all, set| all.or(*set));
    let mut filled = occupied(sets);
    // Each pass takes the lowest gap out of every column that has one.
    while filled.0.iter().any(|word| word >> 1 & !word & ROWS != 0) {
        // In a column without a gap, nothing above the lowest empty cell moves.
        let below = filled.map(|word| ((word + BOTTOM) & !word) - BOTTOM);
        for set in &mut *sets {
            *set = set.zip(below, |word, below| word & below | word >> 1 & !below & ROWS);
        }
        filled = occupied(sets);
    }
    // Each pass closes the empty column farthest to the left that has others to its right.
    while let Some(x) = empty_column(filled) {
        for set in &mut *sets {
            set.close(x);
        }
        filled.close(x);
    }
}

/// The first empty column with others to its right, if the tiles of all columns have fallen.
fn empty_column(filled: CellSet) -> Option<usize> {
    let bottoms = filled.map(|word| word & BOTTOM);
    if bottoms.left().without(bottoms).is_empty() {
        return None;
    }
    (0..SIDE).find(|&x| !filled.contains(Cell { x, y: 0 }))
}

impl CellSet {
    /// Moves all columns to the right of `x` by one to the left.
    fn close(&mut self, x: usize) {
        let kept: Self = Self(std::array::from_fn(|word| {
            // The columns of this word that are before x: word, word + 4, … below x.
            let columns = (x + WORDS - 1 - word) / WORDS;
            u64::MAX
                .checked_shr(u32::try_from(64 - COLUMN_BITS * columns).expect("few"))
                .unwrap_or(0)
        }));
        *self = self.and(kept).or(self.left().without(kept));
    }
}

impl std::fmt::Debug for CellSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
