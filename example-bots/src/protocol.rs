//! `SameGame`'s turn protocol from the bot's side: 15 lines in, one line out.

use std::io::{self, BufRead, Read as _};

use crate::greedy_squares;
use crate::squares;

/// Columns and rows of a board.
pub(crate) const SIDE: usize = 15;

/// A board as it came, the top row first; -1 is empty.
pub(crate) struct Board(Vec<Vec<i32>>);

/// The input of a bot for both games.
pub(crate) enum Sent {
    Board(Board),
    Case(greedy_squares::Board),
}

impl Sent {
    /// Reads either game's input; a first line of one number is a Square Remover case. `None` at
    /// EOF.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut first = String::new();
        input.read_line(&mut first)?;
        if first.split_whitespace().count() == 1 {
            let mut whole = first.as_bytes().chain(input);
            return squares::read(&mut whole).map(|case| Some(Self::Case(case)));
        }
        Ok(Board::read_on(first, input)?.map(Self::Board))
    }
}

/// A legal move and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) size: usize,
}

impl Board {
    /// Reads the next turn's board; `None` at EOF.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut first = String::new();
        input.read_line(&mut first)?;
        Self::read_on(first, input)
    }

    /// As [`read`](Self::read), after the first line has been read.
    fn read_on(mut line: String, input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut rows = Vec::with_capacity(SIDE);
        loop {
            if line.is_empty() {
                return Ok(None);
            }
            let row: Result<Vec<i32>, _> = line.split_whitespace().map(str::parse).collect();
            rows.push(row.ok().filter(|row| row.len() == SIDE).ok_or_else(|| {
                let line = line.trim_end();
                io::Error::other(format!("a row of a board has {SIDE} numbers, not `{line}`"))
            })?);
            if rows.len() == SIDE {
                return Ok(Some(Self(rows)));
            }
            line.clear();
            input.read_line(&mut line)?;
        }
    }

    /// The tile at column `x`, row `y` from the bottom.
    pub(crate) fn tile(&self, x: usize, y: usize) -> i32 {
        self.0[SIDE - 1 - y][x]
    }

    /// Every legal move once: the first tile of each region of two or more.
    pub(crate) fn moves(&self) -> Vec<Move> {
        let mut seen = [[false; SIDE]; SIDE];
        let mut moves = Vec::new();
        for (x, y) in cells() {
            if self.tile(x, y) >= 0 && !seen[x][y] {
                let size = self.flood(x, y, &mut seen);
                if size > 1 {
                    moves.push(Move { x, y, size });
                }
            }
        }
        moves
    }

    /// A tile without a neighbour of its colour.
    pub(crate) fn single(&self) -> Option<(usize, usize)> {
        cells().find(|&(x, y)| {
            let fresh = &mut [[false; SIDE]; SIDE];
            self.tile(x, y) >= 0 && self.flood(x, y, fresh) == 1
        })
    }

    /// Marks the region of the tile at `x`, `y`, and counts its tiles.
    fn flood(&self, x: usize, y: usize, seen: &mut [[bool; SIDE]; SIDE]) -> usize {
        let color = self.tile(x, y);
        let mut open = vec![(x, y)];
        let mut size = 0;
        while let Some((x, y)) = open.pop() {
            if seen[x][y] || self.tile(x, y) != color {
                continue;
            }
            seen[x][y] = true;
            size += 1;
            // `wrapping_sub` takes 0 off the board, where the bound below drops it.
            let near = [(x + 1, y), (x.wrapping_sub(1), y), (x, y + 1), (x, y.wrapping_sub(1))];
            open.extend(near.into_iter().filter(|&(x, y)| x < SIDE && y < SIDE));
        }
        size
    }
}

/// Every place, column by column from the left, each from the bottom.
pub(crate) fn cells() -> impl Iterator<Item = (usize, usize)> {
    (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y)))
}

#[cfg(test)]
pub(crate) fn board(rows: &[&str]) -> Board {
    let text = rows.join("\n") + "\n";
    Board::read(&mut text.as_bytes()).expect("numbers").expect("15 rows")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_the_regions_of_two_or_more() {
        let empty = "-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1";
        let mut rows = [empty; 15];
        rows[13] = "1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 0";
        rows[14] = "2 1 2 2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 1";
        let expected = [Move { x: 0, y: 1, size: 3 }, Move { x: 2, y: 0, size: 2 }];
        assert_eq!(board(&rows).moves(), expected);
    }

    #[test]
    fn the_input_may_end_between_turns() {
        assert!(Board::read(&mut "".as_bytes()).expect("no error").is_none());
    }
}
