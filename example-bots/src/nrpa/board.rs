//! `SameGame`'s board as bits, and the removal of regions.

use crate::bits::Bits;
use crate::protocol::{self, SIDE};

/// The numbers per column; the last one is always empty, so that no shift crosses from one
/// column into another.
const LANE: usize = 16;
/// All cells of a column but the top one, in each of the four columns of a word.
const BELOW_TOP: u64 = 0x3fff_3fff_3fff_3fff;

/// The number of a cell: column by column from the left, each from the bottom.
pub(super) fn cell_at(x: usize, y: usize) -> usize {
    x * LANE + y
}

/// The column and the row of a cell.
pub(super) fn place(cell: usize) -> (usize, usize) {
    (cell / LANE, cell % LANE)
}

/// The cells and all cells above them in their columns.
fn and_above(cells: Bits) -> Bits {
    // Adding carries from the lowest cell of each column to its top.
    Bits(cells.0.map(|word| word | ((BELOW_TOP + (word & BELOW_TOP)) ^ BELOW_TOP)))
}

/// The names of a game's colours: 1 and up, in order of first appearance. So a
/// recoloured board is the same board.
#[derive(Default)]
pub(super) struct Names(Vec<i32>);

impl Names {
    /// The name of a colour.
    fn name(&mut self, color: i32) -> usize {
        let known = self.0.iter().position(|&other| other == color);
        known.unwrap_or_else(|| {
            self.0.push(color);
            self.0.len() - 1
        }) + 1
    }
}

/// Tiles: the three binary digits of each cell's colour, which is 1 to 7; 0 is an empty cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tiles([Bits; 3]);

impl Tiles {
    /// The tiles of a board as it was sent.
    pub(super) fn new(board: &protocol::Board, names: &mut Names) -> Self {
        let mut tiles = Self::default();
        for (x, y) in protocol::cells() {
            let color = board.tile(x, y);
            let name = if color < 0 { 0 } else { names.name(color) };
            for (digit, plane) in tiles.0.iter_mut().enumerate() {
                if name >> digit & 1 != 0 {
                    plane.insert(cell_at(x, y));
                }
            }
        }
        tiles
    }

    fn occupied(&self) -> Bits {
        self.0[0] | self.0[1] | self.0[2]
    }

    /// The number of tiles.
    pub(super) fn count(&self) -> u32 {
        self.occupied().len()
    }

    pub(super) fn hash(&self) -> u64 {
        let [a, b, c] = self.0.map(Bits::hash);
        let mixed = (a ^ b.rotate_left(21) ^ c.rotate_left(42)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ mixed >> 32
    }

    /// The colour of a cell, or 0.
    pub(super) fn color(&self, cell: usize) -> u8 {
        let digit = |digit: usize| u8::from(self.0[digit].contains(cell)) << digit;
        digit(0) | digit(1) | digit(2)
    }

    /// The cells of a colour.
    pub(super) fn of_color(&self, color: u8) -> Bits {
        let digit =
            |digit: usize| if color >> digit & 1 == 0 { !self.0[digit] } else { self.0[digit] };
        digit(0) & digit(1) & digit(2)
    }

    pub(super) fn links(&self) -> Links {
        let occupied = self.occupied();
        let equal = |by: usize| {
            let [a, b, c] = self.0.map(|plane| plane ^ plane.later(by));
            occupied & occupied.later(by) & !(a | b | c)
        };
        Links { above: equal(1), right: equal(LANE) }
    }

    pub(super) fn region(&self, cell: usize) -> Bits {
        self.links().grow(Bits::of(cell))
    }

    /// Removes cells; tiles above fall, and columns close up. Returns the cells whose tile or a
    /// neighbour of it may have changed.
    pub(super) fn take(&mut self, taken: Bits) -> Bits {
        for (word, &taken) in taken.0.iter().enumerate() {
            let mut rest = taken;
            while rest != 0 {
                let above = rest.leading_zeros();
                let height = (!(rest << above)).leading_zeros();
                let bottom = 64 - above - height;
                self.drop_run(word, bottom, height);
                rest &= (1 << bottom) - 1;
            }
        }
        let mut changed = and_above(taken);
        let occupied = self.occupied();
        for column in (0..SIDE).rev() {
            let (word, shift) = (column / 4, column % 4 * LANE);
            let lane = 0xffff << shift;
            if taken.0[word] & lane != 0 && occupied.0[word] & lane == 0 {
                self.0.iter_mut().for_each(|plane| close_column(plane, column));
                changed.0[word] |= u64::MAX << shift;
                changed.0[word + 1..].fill(u64::MAX);
            }
        }
        let sideways = changed.later(LANE) | changed.earlier(LANE);
        changed | changed.later(1) | changed.earlier(1) | sideways
    }

    /// Removes `height` cells on top of each other; the cells above them in their column fall.
    fn drop_run(&mut self, word: usize, bottom: u32, height: u32) {
        let below = (1 << bottom) - 1;
        let lane = 0xffff << (bottom & !15);
        for plane in &mut self.0 {
            let column = plane.0[word] & lane;
            let fallen = (column >> height) & lane & !below;
            plane.0[word] = plane.0[word] & !lane | column & below | fallen;
        }
    }
}

/// Removes an empty column.
fn close_column(plane: &mut Bits, column: usize) {
    let moved = plane.later(LANE);
    let (word, shift) = (column / 4, column % 4 * LANE);
    let before = (1 << shift) - 1;
    plane.0[word] = plane.0[word] & before | moved.0[word] & !before;
    plane.0[word + 1..].copy_from_slice(&moved.0[word + 1..]);
}

/// The cells that have the colour of the cell above, and of the one to the right.
pub(super) struct Links {
    above: Bits,
    right: Bits,
}

impl Links {
    /// The cells that have a neighbour of their colour.
    pub(super) fn cells(&self) -> Bits {
        self.above | self.above.earlier(1) | self.right | self.right.earlier(LANE)
    }

    pub(super) fn grow(&self, mut cells: Bits) -> Bits {
        loop {
            let before = cells;
            for (word, &link) in cells.0.iter_mut().zip(&self.above.0) {
                // Upwards a carry does it at once, downwards steps of 1, 2, 4 and 8 cells do.
                *word |= (link + (*word & link)) ^ link;
                let mut run = link;
                for step in [1, 2, 4, 8] {
                    *word |= *word >> step & run;
                    run &= run >> step;
                }
            }
            cells = cells | cells.later(LANE) & self.right | (cells & self.right).earlier(LANE);
            if cells == before {
                return cells;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod plain {
    //! A literal implementation of the statement's rules.

    use rand_core::Rng as _;
    use rand_pcg::Pcg64Mcg;

    use crate::protocol::{self, SIDE};

    /// Columns of colours, each from the bottom.
    #[derive(Clone)]
    pub(in crate::nrpa) struct Plain(pub(in crate::nrpa) Vec<Vec<i32>>);

    impl Plain {
        pub(in crate::nrpa) fn random(random: &mut Pcg64Mcg, colors: u32) -> Self {
            let mut color = || i32::try_from(random.next_u32() % colors).expect("small");
            Self((0..SIDE).map(|_| (0..SIDE).map(|_| color()).collect()).collect())
        }

        pub(in crate::nrpa) fn tile(&self, x: usize, y: usize) -> Option<i32> {
            self.0.get(x)?.get(y).copied()
        }

        /// The board in the protocol's form.
        pub(in crate::nrpa) fn board(&self) -> protocol::Board {
            let row = |y: usize| {
                let numbers = (0..SIDE).map(|x| self.tile(x, y).unwrap_or(-1).to_string());
                numbers.collect::<Vec<_>>().join(" ")
            };
            let rows: Vec<String> = (0..SIDE).rev().map(row).collect();
            protocol::board(&rows.iter().map(String::as_str).collect::<Vec<_>>())
        }

        /// The places of a region, which may be a single tile.
        pub(in crate::nrpa) fn region(&self, x: usize, y: usize) -> Vec<(usize, usize)> {
            let mut region = vec![(x, y)];
            let mut next = 0;
            while let Some(&(x, y)) = region.get(next) {
                next += 1;
                for near in [(x + 1, y), (x.wrapping_sub(1), y), (x, y + 1), (x, y.wrapping_sub(1))]
                {
                    if self.tile(near.0, near.1) == self.tile(x, y) && !region.contains(&near) {
                        region.push(near);
                    }
                }
            }
            region.sort_unstable();
            region
        }

        pub(in crate::nrpa) fn take(&mut self, region: &[(usize, usize)]) {
            for &(x, y) in region.iter().rev() {
                self.0[x].remove(y);
            }
            self.0.retain(|column| !column.is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_core::Rng as _;
    use rand_pcg::Pcg64Mcg;

    use super::plain::Plain;
    use super::*;

    #[test]
    fn regions_and_falling_tiles_are_as_the_plain_rules_have_them() {
        let mut random = Pcg64Mcg::new(7);
        for game in 0..200 {
            let mut plain = Plain::random(&mut random, 2 + game % 4);
            let mut names = Names::default();
            let mut tiles = Tiles::new(&plain.board(), &mut names);
            loop {
                let places: Vec<_> = protocol::cells()
                    .filter(|&(x, y)| plain.tile(x, y).is_some() && plain.region(x, y).len() > 1)
                    .collect();
                let cells = places.iter().map(|&(x, y)| cell_at(x, y));
                assert_eq!(
                    tiles.links().cells().cells().collect::<Vec<_>>(),
                    cells.collect::<Vec<_>>()
                );
                if places.is_empty() {
                    break;
                }
                let (x, y) = places[random.next_u32() as usize % places.len()];
                let expected = plain.region(x, y);
                let region = tiles.region(cell_at(x, y));
                assert_eq!(region.cells().map(place).collect::<Vec<_>>(), expected);
                plain.take(&expected);
                tiles.take(region);
                assert_eq!(tiles, Tiles::new(&plain.board(), &mut names));
            }
            assert_eq!(tiles.count() as usize, plain.0.iter().map(Vec::len).sum::<usize>());
        }
    }
}
