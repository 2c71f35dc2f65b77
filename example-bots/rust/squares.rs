//! A greedy Square Remover bot: it completes a square with each swap that can.
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

const MOVES: usize = 10_000;

type Cell = (usize, usize);

struct Swap {
    cell: Cell,
    direction: usize,
    near: Cell,
}

struct Board {
    tiles: Vec<Vec<u64>>,
    colors: u64,
    buffer: u64,
}

fn square((row, col): Cell) -> [Cell; 4] {
    [(row, col), (row, col + 1), (row + 1, col), (row + 1, col + 1)]
}

impl Board {
    /// Reads the number of colours, the side, the rows of digits and the buffer, each on a line of
    /// its own. The input stays open after them, so nothing more may be read.
    fn read(input: &mut impl BufRead) -> Option<Self> {
        let mut line = || {
            let mut line = String::new();
            input.read_line(&mut line).ok().map(|_| line.trim().to_owned())
        };
        let (colors, side): (u64, usize) = (line()?.parse().ok()?, line()?.parse().ok()?);
        let digits = |row: String| row.bytes().map(|digit| u64::from(digit - b'0')).collect();
        let tiles = (0..side).map(|_| line().map(digits)).collect::<Option<_>>()?;
        Some(Self { tiles, colors, buffer: line()?.parse().ok()? })
    }

    fn at(&self, (row, col): Cell) -> Option<u64> {
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
                self.tiles[row][col] = self.buffer % self.colors;
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

    /// A swap that completes a square: three tiles match, and the fourth has such a neighbour.
    fn completing_swap(&self) -> Option<Swap> {
        let last = self.tiles.len() - 1;
        let corners = (0..last).flat_map(|row| (0..last).map(move |col| (row, col)));
        corners.map(square).find_map(|cells| {
            cells.into_iter().find_map(|odd| {
                let mut others = cells.into_iter().filter(|&cell| cell != odd);
                let color = self.at(others.next()?);
                if self.at(odd) == color || others.any(|cell| self.at(cell) != color) {
                    return None;
                }
                let swap = |direction| {
                    let near = self.near(odd, direction)?;
                    let completes = !cells.contains(&near) && self.at(near) == color;
                    completes.then_some(Swap { cell: odd, direction, near })
                };
                (0..4).find_map(swap)
            })
        })
    }

    fn any_swap(&self, random: &mut u64) -> Swap {
        let mut below = |limit: usize| {
            *random = *random * 48_271 % 2_147_483_647;
            usize::try_from(*random).expect("31 bits") % limit
        };
        loop {
            let cell = (below(self.tiles.len()), below(self.tiles.len()));
            let direction = below(4);
            if let Some(near) = self.near(cell, direction) {
                return Swap { cell, direction, near };
            }
        }
    }
}

fn main() -> io::Result<()> {
    let mut board = Board::read(&mut io::stdin().lock()).expect("a test case");
    let mut random = board.buffer; // the same case is played the same way
    let side = board.tiles.len();
    let all: Vec<Cell> = (0..side).flat_map(|row| (0..side).map(move |col| (row, col))).collect();
    board.remove_squares(&all);
    let mut answer = String::new();
    for _ in 0..MOVES {
        let Swap { cell, direction, near } =
            board.completing_swap().unwrap_or_else(|| board.any_swap(&mut random));
        let tile = board.tiles[cell.0][cell.1];
        board.tiles[cell.0][cell.1] = board.tiles[near.0][near.1];
        board.tiles[near.0][near.1] = tile;
        board.remove_squares(&[cell, near]);
        answer += &format!("{}\n{}\n{direction}\n", cell.0, cell.1);
    }
    io::stdout().write_all(answer.as_bytes())
}
