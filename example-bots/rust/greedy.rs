//! A greedy SameGame bot: it takes the largest region.
//!
//! A starting point for a bot of your own. Try it with
//!
//!     rustc --edition 2024 -O greedy.rs
//!     referee play --bot ./greedy

use std::io::{self, BufRead, Write};

const SIDE: usize = 15;

/// `board[x][y]`, with y from the bottom, as moves are given; -1 is empty.
type Board = [[i32; SIDE]; SIDE];

/// Reads one turn: 15 lines of 15 numbers, top row first; `None` at the end of the game.
fn read_board(input: &mut impl BufRead) -> Option<Board> {
    let mut board = [[-1; SIDE]; SIDE];
    for y in (0..SIDE).rev() {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        for (x, word) in line.split_whitespace().enumerate() {
            board[x][y] = word.parse().ok()?;
        }
    }
    Some(board)
}

/// The region of the tile at x, y: all connected tiles of its colour; they are emptied.
fn take_region(board: &mut Board, x: usize, y: usize) -> Vec<(usize, usize)> {
    let color = board[x][y];
    let (mut found, mut open) = (Vec::new(), vec![(x, y)]);
    while let Some((x, y)) = open.pop() {
        if x >= SIDE || y >= SIDE || board[x][y] != color {
            continue;
        }
        board[x][y] = -1;
        found.push((x, y));
        // Left of 0 is a very large number, which is off the board as well.
        open.extend([(x + 1, y), (x.wrapping_sub(1), y), (x, y + 1), (x, y.wrapping_sub(1))]);
    }
    found
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(mut board) = read_board(&mut input) {
        let mut best = Vec::new();
        for x in 0..SIDE {
            for y in 0..SIDE {
                if board[x][y] != -1 {
                    let region = take_region(&mut board, x, y);
                    if region.len() > best.len() {
                        best = region;
                    }
                }
            }
        }
        let (x, y) = best.first().copied().unwrap_or((0, 0));
        writeln!(output, "{x} {y} {} tiles", best.len())?;
        // Without flush the answer may stay in this process, and the referee would see a timeout.
        output.flush()?;
    }
    Ok(())
}
