//! The ways to complete a square with one swap or two.
//!
//! A pattern is four cells around a square and the swaps that bring their tiles into it. One operation finds
//! all places where these four cells have one colour: the cells that equal the cell a distance later are
//! a set, and three of these sets, shifted and intersected, are the places of a pattern.

use crate::bits::Bits;

use super::board::{Pair, Tiles};

/// A row and a column, counted from the square's first cell.
type Cell = (i32, i32);

/// Two neighbouring places, and the swap of their tiles.
type Swap = [Cell; 2];

const SQUARE: [Cell; 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

pub(super) struct Pattern<const WORDS: usize> {
    /// One swap or two, as the distances of their cells from the square's first one.
    swaps: Vec<[isize; 2]>,
    /// For each of the four cells and the next one: the index of the distance between them, and the position
    /// of the first.
    links: [(usize, isize); 3],
    /// The squares for which the whole pattern is on the board.
    squares: Bits<WORDS>,
}

pub(super) struct Patterns<const WORDS: usize> {
    /// Patterns of a single swap come first, then patterns of two, then the swaps that complete nothing.
    all: Vec<Pattern<WORDS>>,
    /// The number of patterns that complete a square.
    completing: usize,
    /// The distances to compare; again those for single swaps come first.
    distances: Vec<usize>,
    /// The numbers of patterns and of distances for single swaps.
    single: (usize, usize),
}

impl<const WORDS: usize> Patterns<WORDS> {
    pub(super) fn new(side: usize) -> Self {
        let mut patterns =
            Self { all: Vec::new(), completing: 0, distances: Vec::new(), single: (0, 0) };
        let mut known = vec![sources(&[])];
        let swaps = swaps_near();
        for &swap in &swaps {
            if !known.contains(&sources(&[swap])) {
                known.push(sources(&[swap]));
                patterns.add(&[swap], side);
            }
        }
        patterns.single = (patterns.all.len(), patterns.distances.len());
        // Two independent swaps may come in either order: only their joint effect counts.
        let mut effects = Vec::new();
        for pair in swaps.iter().flat_map(|&first| swaps.iter().map(move |&then| [first, then])) {
            let places = swaps.iter().flatten();
            let effect: Vec<_> = places.map(|&place| source(place, &pair)).collect();
            if !known.contains(&sources(&pair)) && !effects.contains(&effect) {
                effects.push(effect);
                patterns.add(&pair, side);
            }
        }
        patterns.completing = patterns.all.len();
        patterns.add(&[[(0, 0), (0, 1)]], side);
        patterns.add(&[[(0, 0), (1, 0)]], side);
        patterns
    }

    fn add(&mut self, swaps: &[Swap], side: usize) {
        let sources = sources(swaps);
        let links = std::array::from_fn(|index| {
            let first = distance(sources[index], side);
            let between = (distance(sources[index + 1], side) - first) as usize;
            let known = self.distances.iter().position(|&other| other == between);
            let number = known.unwrap_or_else(|| {
                self.distances.push(between);
                self.distances.len() - 1
            });
            (number, first)
        });
        let mut squares = Bits::default();
        for cell in 0..side * side {
            let (row, column) = ((cell / side) as i32, (cell % side) as i32);
            let mut places = swaps.iter().flatten().chain(&SQUARE);
            if places.all(|&(down, right)| {
                let on_board = 0..side as i32;
                on_board.contains(&(row + down)) && on_board.contains(&(column + right))
            }) {
                squares.insert(cell);
            }
        }
        let swaps = swaps.iter().map(|swap| swap.map(|place| distance(place, side))).collect();
        self.all.push(Pattern { swaps, links, squares });
    }

    pub(super) fn get(&self, number: usize) -> &Pattern<WORDS> {
        &self.all[number]
    }

    /// Every pattern on a board, of single swaps or all, with its number and its square.
    #[inline]
    pub(super) fn find(
        &self,
        tiles: &Tiles<WORDS>,
        with_double: bool,
        mut found: impl FnMut(usize, usize),
    ) {
        let (patterns, distances) =
            if with_double { (self.completing, self.distances.len()) } else { self.single };
        let mut equal = [Bits::default(); 64];
        for (set, &by) in equal.iter_mut().zip(&self.distances[..distances]) {
            *set = tiles.equal(by);
        }
        for (number, pattern) in self.all[..patterns].iter().enumerate() {
            for square in pattern.squares(&equal).cells() {
                found(number, square);
            }
        }
    }
}

impl<const WORDS: usize> Patterns<WORDS> {
    /// Swaps that complete nothing, for boards on which nothing can be completed.
    pub(super) fn any(&self, mut found: impl FnMut(usize, usize)) {
        for (number, pattern) in self.all.iter().enumerate().skip(self.completing) {
            pattern.squares.cells().for_each(|square| found(number, square));
        }
    }
}

impl<const WORDS: usize> Pattern<WORDS> {
    /// The swaps that complete this square.
    #[inline]
    pub(super) fn swaps(&self, square: usize) -> impl ExactSizeIterator<Item = Pair> {
        self.swaps.iter().map(move |swap| swap.map(|by| square.wrapping_add_signed(by)))
    }

    pub(super) fn is_single(&self) -> bool {
        self.swaps.len() == 1
    }

    #[inline]
    fn squares(&self, equal: &[Bits<WORDS>; 64]) -> Bits<WORDS> {
        self.links.iter().fold(self.squares, |squares, &(number, first)| {
            let set = equal[number];
            squares
                & match first {
                    0 => set,
                    1.. => set.later(first as usize),
                    _ => set.earlier(first.unsigned_abs()),
                }
        })
    }
}

/// The distance of a place from the square's first cell.
fn distance((row, column): Cell, side: usize) -> isize {
    row as isize * side as isize + column as isize
}

/// All swaps that can bring a tile into the square, alone or as one of two.
fn swaps_near() -> Vec<Swap> {
    let places = (-2..4).flat_map(|row| (-2..4).map(move |column| (row, column)));
    places
        .flat_map(|(row, column)| {
            [[(row, column), (row, column + 1)], [(row, column), (row + 1, column)]]
        })
        .collect()
}

/// The origin of the tile that these swaps bring to a place.
fn source(place: Cell, swaps: &[Swap]) -> Cell {
    swaps.iter().rev().fold(place, |place, &[a, b]| match place {
        _ if place == a => b,
        _ if place == b => a,
        _ => place,
    })
}

/// The origins of the square's tiles, in order.
fn sources(swaps: &[Swap]) -> [Cell; 4] {
    let mut sources = SQUARE.map(|place| source(place, swaps));
    sources.sort_unstable();
    sources
}
