//! A strong bot for Square Remover: a beam search.
//!
//! # The idea
//!
//! The colours that refill the board are known beforehand, so all 10,000 swaps can be planned at once. Layer
//! n of the search has the best boards found for n swaps, some 1,500 on the author's machine; their children,
//! judged and without duplicates, make the next layers. A
//! child is a swap that completes a square (8 patterns) or, for the best boards of a layer, two swaps that
//! complete one (72 patterns). A good game removes more than one square per swap, by chains: a board is
//! worth 1000 for each square removed, 200 for two neighbours of one colour and 120 for two that touch at
//! a corner, which makes chains likely.
//!
//! The width of the layers follows the clock, so that the last layer is done when the time is up.
//!
//! # Experiments
//!
//! - Twice the time gives about 2 % more squares.
//! - As many words as the board needs, rather than rows of 16 bits: small boards take half the time or less.
//! - Points for three tiles of a square that already match: fewer squares, whatever the weight. Dropped.
//! - Three swaps at once did not pay, and with single swaps alone the layers run dry. Narrow layers still run dry
//!   on small boards of six colours: then every swap is tried.
//! - Built for a processor with AVX2 and POPCNT (`RUSTFLAGS="-C target-cpu=native"`) it visits a third more
//!   boards in the same time, for 1 to 1.5 % more squares.
//!
//! The files: `board` has the rules, as bits; `patterns` finds swaps that complete a square; `search` is the beam.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "cells, numbers of states and scores are small, and checks would cost time"
)]

mod board;
mod patterns;
mod search;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;

use crate::greedy_squares::{Board as Case, MOVES};
use crate::squares;
use crate::with_name;
use board::Pair;
use search::Beam;

/// Plans all swaps by a beam search
#[derive(Parser)]
#[command(name = "squares-beam")]
pub(crate) struct Args {
    /// Seconds for the search
    #[arg(long, value_name = "SECONDS", default_value_t = 28.0)]
    total: f64,
}

pub(crate) fn run(args: &[OsString]) -> io::Result<ExitCode> {
    // The bot's start is part of its time.
    let start = Instant::now();
    let Args { total } = Args::parse_from(with_name("squares-beam", args));
    let end = Duration::try_from_secs_f64(total).map_err(io::Error::other)?;
    let case = squares::read(&mut io::stdin().lock())?;
    let (pairs, _) = search(&case, || start.elapsed(), end);
    let mut output = io::BufWriter::new(io::stdout().lock());
    for (row, column, direction) in answer(&pairs, case.tiles.len()) {
        writeln!(output, "{row}\n{column}\n{direction}")?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The best swaps, and the number of squares that they remove. A board takes only the words that it needs.
fn search(case: &Case, clock: impl Fn() -> Duration, end: Duration) -> (Vec<Pair>, u32) {
    match (case.tiles.len() * case.tiles.len()).div_ceil(64) {
        1 => Beam::<1>::new(case).run(clock, end),
        2 => Beam::<2>::new(case).run(clock, end),
        3 => Beam::<3>::new(case).run(clock, end),
        _ => Beam::<4>::new(case).run(clock, end),
    }
}

/// A swap: row, column, direction.
type Swap = (usize, usize, usize);

/// The swaps in the protocol's form, filled up with harmless ones.
fn answer(pairs: &[Pair], side: usize) -> Vec<Swap> {
    let swap = |&[a, b]: &Pair| {
        let direction = if a.abs_diff(b) == 1 { RIGHT } else { DOWN };
        (a.min(b) / side, a.min(b) % side, direction)
    };
    pairs.iter().map(swap).chain(std::iter::repeat((0, 0, RIGHT))).take(MOVES).collect()
}

const RIGHT: usize = 1;
const DOWN: usize = 2;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rand_core::Rng as _;
    use rand_pcg::Pcg64Mcg;

    use super::board::{Board, Rules};
    use super::*;

    fn case(random: &mut Pcg64Mcg, side: usize, colors: u32) -> Case {
        let mut tile = || u8::try_from(random.next_u32() % colors).expect("small");
        let tiles = (0..side).map(|_| (0..side).map(|_| tile()).collect()).collect();
        Case { colors: colors.into(), tiles, buffer: 1 + u64::from(random.next_u32() >> 2) }
    }

    /// The score of swaps by a literal reading of the statement.
    fn plain_score(case: &Case, swaps: &[Swap]) -> u32 {
        let mut tiles = case.tiles.clone();
        let mut next = case.buffer;
        let mut score = remove_squares(&mut tiles, case.colors, &mut next);
        for &(row, column, direction) in swaps {
            let (r, c) = if direction == RIGHT { (row, column + 1) } else { (row + 1, column) };
            let tile = tiles[row][column];
            tiles[row][column] = tiles[r][c];
            tiles[r][c] = tile;
            score += remove_squares(&mut tiles, case.colors, &mut next);
        }
        score
    }

    fn remove_squares(tiles: &mut [Vec<u8>], colors: u64, next: &mut u64) -> u32 {
        let last = tiles.len() - 1;
        let square = |r: usize, c: usize| [(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)];
        let mut removed = 0;
        while let Some((r, c)) = (0..last)
            .flat_map(|r| (0..last).map(move |c| (r, c)))
            .find(|&(r, c)| square(r, c).iter().all(|&(y, x)| tiles[y][x] == tiles[r][c]))
        {
            for (y, x) in square(r, c) {
                tiles[y][x] = u8::try_from(*next % colors).expect("small");
                *next = *next * 48_271 % 0x7fff_ffff;
            }
            removed += 1;
        }
        removed
    }

    /// The narrowest search: its clock leaves no time.
    fn narrow(case: &Case) -> (Vec<Pair>, u32) {
        let asked = Cell::new(0);
        let clock = || Duration::from_millis(asked.replace(asked.get() + 1));
        search(case, clock, Duration::ZERO)
    }

    #[test]
    fn random_swaps_leave_the_board_that_the_plain_rules_leave() {
        let mut random = Pcg64Mcg::new(4);
        for (side, colors) in [(8, 4), (13, 5), (16, 4), (16, 6)] {
            let case = case(&mut random, side, colors);
            let rules = Rules::<4>::new(&case);
            let mut board = Board::new(&case, &rules);
            let mut swaps = Vec::new();
            for _ in 0..300 {
                let mut below = |bound: usize| random.next_u32() as usize % bound;
                let swap = match below(2) {
                    0 => (below(side), below(side - 1), RIGHT),
                    _ => (below(side - 1), below(side), DOWN),
                };
                let cell = swap.0 * side + swap.1;
                board.play([cell, cell + if swap.2 == RIGHT { 1 } else { side }], &rules);
                swaps.push(swap);
                assert_eq!(board.score(), plain_score(&case, &swaps));
            }
        }
    }

    #[test]
    fn a_recoloured_case_scores_alike() {
        let mut random = Pcg64Mcg::new(5);
        let case = case(&mut random, 10, 5);
        let tiles = case.tiles.iter().map(|row| row.iter().map(|tile| (tile + 1) % 5).collect());
        let other = Case { colors: 5, tiles: tiles.collect(), buffer: case.buffer };
        let (one, two) = (narrow(&case).1, narrow(&other).1);
        assert!(one.abs_diff(two) * 10 < one, "{one} and {two}");
    }

    #[test]
    fn the_score_is_that_of_the_plain_rules() {
        let mut random = Pcg64Mcg::new(3);
        for (side, colors) in [(8, 6), (11, 4), (16, 4), (16, 6)] {
            let case = case(&mut random, side, colors);
            let (pairs, score) = narrow(&case);
            assert!(pairs.len() <= MOVES);
            assert!(score > 5000, "only {score}");
            let swaps = answer(&pairs, side);
            assert_eq!(swaps.len(), MOVES);
            assert_eq!(plain_score(&case, &swaps[..pairs.len()]), score);
        }
    }
}
