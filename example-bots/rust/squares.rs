//! A greedy Square Remover bot: it completes a square with each swap that can, or else prepares one. It is also the bundled bot
//! `@squares-greedy`.
//!
//! A starting point for a bot of your own. Try it with
//!
//!     rustc --edition 2024 -O squares.rs
//!     referee play --game square-remover --seed 1 --bot ./squares
//!
//! The answer is 10,000 swaps of two neighbours, each as three lines with a number each: the row and
//! the column of a tile, both from 0 at the top left, and where its neighbour is: 0 up, 1 right,
//! 2 down, 3 left.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};

pub const MOVES: usize = 10_000;

/// The number of random swaps to try for one that prepares a square.
const TRIES: usize = 100;

type Cell = (usize, usize);

#[derive(Clone, Copy)]
pub struct Swap {
    pub cell: Cell,
    pub direction: usize,
    pub near: Cell,
}

pub struct Board {
    /// By row from the top.
    pub tiles: Vec<Vec<u8>>,
    pub colors: u64,
    /// The start seed of the case, from which the colours come that refill the board.
    pub buffer: u64,
}

fn square((row, col): Cell) -> [Cell; 4] {
    [(row, col), (row, col + 1), (row + 1, col), (row + 1, col + 1)]
}

impl Board {
    /// Reads the number of colours, the side, the rows of digits and the buffer, each on a line of
    /// its own. The input stays open after them, so nothing more may be read.
    pub fn read(input: &mut impl BufRead) -> Option<Self> {
        let mut line = || {
            let mut line = String::new();
            input.read_line(&mut line).ok().map(|_| line.trim().to_owned())
        };
        let (colors, side): (u64, usize) = (line()?.parse().ok()?, line()?.parse().ok()?);
        let digits = |row: String| row.bytes().map(|digit| digit.wrapping_sub(b'0')).collect();
        let tiles = (0..side).map(|_| line().map(digits)).collect::<Option<_>>()?;
        Some(Self { tiles, colors, buffer: line()?.parse().ok()? })
    }

    fn at(&self, (row, col): Cell) -> Option<u8> {
        self.tiles.get(row)?.get(col).copied()
    }

    /// The neighbour of a cell: up, right, down, left. Above 0 is a very large number, which is off
    /// the board.
    fn near(&self, (row, col): Cell, direction: usize) -> Option<Cell> {
        let near = match direction {
            0 => (row.wrapping_sub(1), col),
            1 => (row, col + 1),
            2 => (row + 1, col),
            _ => (row, col.wrapping_sub(1)),
        };
        self.at(near).map(|_| near)
    }

    /// Removes squares, topmost and then leftmost first, and refills them from the buffer.
    fn remove_squares(&mut self, changed: &[Cell]) {
        let mut suspects = BTreeSet::new();
        self.suspect(changed, &mut suspects);
        while let Some(corner) = suspects.pop_first() {
            let cells = square(corner);
            if cells.iter().any(|&cell| self.at(cell) != self.at(corner)) {
                continue;
            }
            for (row, col) in cells {
                self.tiles[row][col] = u8::try_from(self.buffer % self.colors).expect("small");
                self.buffer = self.buffer * 48_271 % 2_147_483_647;
            }
            self.suspect(&cells, &mut suspects);
        }
    }

    /// Adds the top left corners of all squares that contain one of the cells.
    fn suspect(&self, cells: &[Cell], corners: &mut BTreeSet<Cell>) {
        for &(row, col) in cells {
            let near = [(row, col), (row.wrapping_sub(1), col), (row, col.wrapping_sub(1))];
            let near = near.into_iter().chain([(row.wrapping_sub(1), col.wrapping_sub(1))]);
            let is_corner = |&(row, col): &Cell| {
                self.at((row, col)).is_some() && self.at((row + 1, col + 1)).is_some()
            };
            corners.extend(near.filter(is_corner));
        }
    }

    /// A swap that completes one of these squares, which begin at their top left corners: three tiles match, and a neighbour of
    /// the fourth, outside the square, has their colour.
    fn completing_swap(&self, mut corners: impl Iterator<Item = Cell>) -> Option<Swap> {
        corners.find_map(|corner| {
            let cells = square(corner);
            cells.into_iter().enumerate().find_map(|(index, odd)| {
                let others = [1, 2, 3].map(|step| self.at(cells[(index + step) % 4]));
                if others.iter().any(|tile| *tile != others[0]) {
                    return None;
                }
                (0..4).find_map(|direction| {
                    let near = self.near(odd, direction)?;
                    let completes = !cells.contains(&near) && self.at(near) == others[0];
                    completes.then_some(Swap { cell: odd, direction, near })
                })
            })
        })
    }

    /// Whether the next swap could complete a square near this one, were it made.
    fn prepares(&mut self, swap: Swap) -> bool {
        self.exchange(swap);
        let last = self.tiles.len() - 2;
        let around = |n: usize| n.saturating_sub(2)..=(n + 2).min(last);
        let (row, col) = swap.cell;
        let corners = around(row).flat_map(|row| around(col).map(move |col| (row, col)));
        let prepares = self.completing_swap(corners).is_some();
        self.exchange(swap);
        prepares
    }

    /// A swap by chance: the same case is played the same way.
    pub fn any_swap(&self, random: &mut u64) -> Swap {
        let side = self.tiles.len() as u64;
        loop {
            *random = (*random * 1_664_525 + 1_013_904_223) & 0xffff_ffff;
            let below = |shift: u32, bound| ((*random >> shift) % bound) as usize;
            let (cell, direction) = ((below(8, side), below(16, side)), below(24, 4));
            if let Some(near) = self.near(cell, direction) {
                return Swap { cell, direction, near };
            }
        }
    }

    fn exchange(&mut self, Swap { cell, near, .. }: Swap) {
        let tile = self.tiles[cell.0][cell.1];
        self.tiles[cell.0][cell.1] = self.tiles[near.0][near.1];
        self.tiles[near.0][near.1] = tile;
    }

    fn greedy_swap(&mut self, random: &mut u64) -> Swap {
        let last = self.tiles.len() - 1;
        let corners = (0..last).flat_map(|row| (0..last).map(move |col| (row, col)));
        if let Some(swap) = self.completing_swap(corners) {
            return swap;
        }
        for _ in 0..TRIES {
            let swap = self.any_swap(random);
            if self.prepares(swap) {
                return swap;
            }
        }
        self.any_swap(random)
    }
}

/// The answer: three numbers for each swap, each on a line.
pub fn numbers(swaps: impl IntoIterator<Item = Swap>) -> String {
    let number = |Swap { cell, direction, .. }| format!("{}\n{}\n{direction}\n", cell.0, cell.1);
    swaps.into_iter().map(number).collect()
}

pub fn main() -> io::Result<()> {
    let mut board = Board::read(&mut io::stdin().lock()).expect("a test case");
    let mut random = board.buffer;
    let side = board.tiles.len();
    let all: Vec<Cell> = (0..side).flat_map(|row| (0..side).map(move |col| (row, col))).collect();
    board.remove_squares(&all);
    let mut swaps = Vec::new();
    for _ in 0..MOVES {
        let swap = board.greedy_swap(&mut random);
        board.exchange(swap);
        board.remove_squares(&[swap.cell, swap.near]);
        swaps.push(swap);
    }
    io::stdout().write_all(numbers(swaps).as_bytes())
}
