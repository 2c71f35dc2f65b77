//! Square Remover's board as bits, and the effect of swaps on it.

use crate::bits::Bits;
use crate::greedy_squares::Board as Case;

/// More squares than any game removes.
const MOST_SQUARES: usize = 50_000;

/// The constants of a game.
pub(super) struct Rules<const WORDS: usize> {
    pub(super) side: usize,
    /// All columns but the last, and all but the first: only these have a neighbour on that side.
    not_last: Bits<WORDS>,
    not_first: Bits<WORDS>,
    /// The colours of the buffer in order, counted from 1.
    buffer: Vec<u8>,
}

impl<const WORDS: usize> Rules<WORDS> {
    pub(super) fn new(case: &Case) -> Self {
        let side = case.tiles.len();
        let columns = |left_out: usize| {
            let mut cells = Bits::default();
            let kept = (0..side * side).filter(|cell| cell % side != left_out);
            kept.for_each(|cell| cells.insert(cell));
            cells
        };
        let first = case.buffer;
        let numbers = std::iter::successors(Some(first), |x| Some(x * 48_271 % 0x7fff_ffff));
        let colors = numbers.take(4 * MOST_SQUARES).map(|x| (x % case.colors) as u8 + 1);
        Self { side, not_last: columns(side - 1), not_first: columns(0), buffer: colors.collect() }
    }
}

/// Two neighbouring cells to be swapped.
pub(super) type Pair = [usize; 2];

/// The three binary digits of each cell's colour, counted from 1; 0 is beyond the last cell. Cells are numbered row
/// by row, from the top left one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tiles<const WORDS: usize>([Bits<WORDS>; 3]);

/// A board, and its place in the buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Board<const WORDS: usize> {
    pub(super) tiles: Tiles<WORDS>,
    /// The number of colours taken from the buffer, four for each square.
    drawn: u32,
}

/// The cells that have the colour of the one to the right, and of the one below.
struct Sides<const WORDS: usize> {
    right: Bits<WORDS>,
    below: Bits<WORDS>,
}

impl<const WORDS: usize> Board<WORDS> {
    /// The case's board after the removal of its initial squares.
    pub(super) fn new(case: &Case, rules: &Rules<WORDS>) -> Self {
        let mut board = Self::default();
        for (row, tiles) in case.tiles.iter().enumerate() {
            for (column, &tile) in tiles.iter().enumerate() {
                board.tiles.set(row * rules.side + column, tile + 1);
            }
        }
        board.settle(rules);
        board
    }

    /// The number of removed squares.
    pub(super) fn score(&self) -> u32 {
        self.drawn / 4
    }

    /// Swaps two cells, and removes squares as long as there are any.
    #[inline]
    pub(super) fn play(&mut self, pair: Pair, rules: &Rules<WORDS>) {
        self.tiles.exchange(pair);
        self.settle(rules);
    }

    /// As [`play`](Self::play); returns the value of the new board: its score, and its neighbours of one colour.
    #[inline]
    pub(super) fn play_and_judge(&mut self, pair: Pair, rules: &Rules<WORDS>) -> i32 {
        self.tiles.exchange(pair);
        let Sides { right, below } = self.settle(rules);
        let falling = self.tiles.equal(rules.side + 1) & rules.not_last;
        let rising = self.tiles.equal(rules.side - 1) & rules.not_first;
        let [square, side, diagonal] = WORTH;
        square / 4 * self.drawn as i32
            + side * count(right, below)
            + diagonal * count(falling, rising)
    }

    /// Removes squares, the topmost and then the leftmost one first, and fills up from the buffer.
    #[inline]
    fn settle(&mut self, rules: &Rules<WORDS>) -> Sides<WORDS> {
        let side = rules.side;
        loop {
            let right = self.tiles.equal(1) & rules.not_last;
            let below = self.tiles.equal(side);
            let Some(cell) = (right & below & below.later(1) & right.later(side)).first() else {
                return Sides { right, below };
            };
            for cell in [cell, cell + 1, cell + side, cell + side + 1] {
                self.tiles.set(cell, rules.buffer[self.drawn as usize]);
                self.drawn += 1;
            }
        }
    }
}

/// The values of a square, of two neighbours of one colour, and of two tiles of one colour that touch at a corner.
const WORTH: [i32; 3] = [1000, 200, 120];

impl<const WORDS: usize> Tiles<WORDS> {
    #[inline]
    fn set(&mut self, cell: usize, color: u8) {
        let (word, bit) = (cell / 64, cell % 64);
        for (digit, plane) in self.0.iter_mut().enumerate() {
            let value = u64::from(color >> digit & 1);
            plane.0[word] = plane.0[word] & !(1 << bit) | value << bit;
        }
    }

    #[inline]
    fn exchange(&mut self, [a, b]: Pair) {
        for plane in &mut self.0 {
            let differ = (plane.0[a / 64] >> (a % 64) ^ plane.0[b / 64] >> (b % 64)) & 1;
            plane.0[a / 64] ^= differ << (a % 64);
            plane.0[b / 64] ^= differ << (b % 64);
        }
    }

    /// The cells that have the colour of the cell `by` later.
    #[inline]
    pub(super) fn equal(&self, by: usize) -> Bits<WORDS> {
        let [a, b, c] = self.0;
        let differ = a ^ a.later(by) | b ^ b.later(by) | c ^ c.later(by);
        (a | b | c) & !differ
    }

    #[inline]
    pub(super) fn hash(&self) -> u64 {
        let [a, b, c] = self.0.map(Bits::hash);
        a ^ b.rotate_left(21) ^ c.rotate_left(42)
    }
}

/// The number of cells in two sets. The plainest processors cannot count bits, so the first steps are done
/// for all words together.
#[inline]
fn count<const WORDS: usize>(a: Bits<WORDS>, b: Bits<WORDS>) -> i32 {
    const PAIRS: u64 = 0x5555_5555_5555_5555;
    const FOURS: u64 = 0x3333_3333_3333_3333;
    const BYTES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    let fours = |word: u64| {
        let pairs = word - (word >> 1 & PAIRS);
        (pairs & FOURS) + (pairs >> 2 & FOURS)
    };
    let mut bytes = 0;
    for (a, b) in a.0.into_iter().zip(b.0) {
        let both = fours(a) + fours(b);
        bytes += (both & BYTES) + (both >> 4 & BYTES);
    }
    let sums = (bytes & 0x00ff_00ff_00ff_00ff) + (bytes >> 8 & 0x00ff_00ff_00ff_00ff);
    (sums.wrapping_mul(0x0001_0001_0001_0001) >> 48) as i32
}
