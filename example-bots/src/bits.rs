//! Sets of cells, as bits: the boards of both strong bots consist of these sets.
//!
//! A set is four words, so that the compiler may use the processor's vectors; the code itself needs
//! only the plainest processor.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// A set of up to 64 `WORDS` cells, which its user numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits<const WORDS: usize = 4>(pub(crate) [u64; WORDS]);

impl<const WORDS: usize> Default for Bits<WORDS> {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl<const WORDS: usize> Bits<WORDS> {
    pub(crate) fn of(cell: usize) -> Self {
        let mut set = Self::default();
        set.insert(cell);
        set
    }

    pub(crate) fn insert(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    pub(crate) fn contains(self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 != 0
    }

    #[inline]
    pub(crate) fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline]
    pub(crate) fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }

    /// The cells in order.
    #[inline]
    pub(crate) fn cells(mut self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            let first = self.first()?;
            self.0[first / 64] &= self.0[first / 64] - 1;
            Some(first)
        })
    }

    /// Moves cell n + `by` to cell n; `by` is 1 to 63.
    #[inline]
    pub(crate) fn later(self, by: usize) -> Self {
        let word = |word: usize| self.0.get(word).copied().unwrap_or(0);
        Self(std::array::from_fn(|n| word(n) >> by | word(n + 1) << (64 - by)))
    }

    /// Moves cell n - `by` to cell n; `by` is 1 to 63.
    #[inline]
    pub(crate) fn earlier(self, by: usize) -> Self {
        let before = |n: usize| if n == 0 { 0 } else { self.0[n - 1] };
        Self(std::array::from_fn(|n| self.0[n] << by | before(n) >> (64 - by)))
    }

    /// A hash, which hardly ever is the same for two sets.
    #[inline]
    pub(crate) fn hash(self) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = self
            .0
            .iter()
            .fold(0_u64, |sum, word| (sum.rotate_left(25) ^ word).wrapping_mul(FACTOR));
        mixed ^ mixed >> 32
    }

    #[inline]
    fn zip(self, other: Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| operation(self.0[word], other.0[word])))
    }
}

impl<const WORDS: usize> BitAnd for Bits<WORDS> {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl<const WORDS: usize> BitOr for Bits<WORDS> {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl<const WORDS: usize> BitXor for Bits<WORDS> {
    type Output = Self;

    #[inline]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

impl<const WORDS: usize> Not for Bits<WORDS> {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}
