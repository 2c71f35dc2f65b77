//! A strong bot for `SameGame`: nested rollout policy adaptation (NRPA).
//!
//! # The idea
//!
//! A *playout* plays the game to its end by chance, where each move has a weight. A search of level 1
//! makes many playouts, and after each it *adapts*: the moves of the best playout so far gain
//! weight at the cost of the alternatives. A search of level 2 runs many searches of level 1, each from the
//! weights that level 2 has learned so far from the best of their results, and level 3 does the same with
//! level 2 (Rosin, *Nested rollout policy adaptation for Monte Carlo tree search*, IJCAI 2011). A weight
//! belongs to a region's cells and colour, whatever the rest of the board is like.
//!
//! Points grow with the square of a region's size, so good games collect most tiles of one colour into one
//! region. Each search therefore has a *target*, a colour that is taken only when nothing else is left, or when
//! it is one region (Schadd and others, *Single-player Monte-Carlo tree search for SameGame*, 2012). All five
//! colours are tried, and the better ones get more time. Larger regions also get more weight from the
//! start (a bias as in Cazenave's *Generalized nested rollout policy adaptation*, 2020).
//!
//! The rest of the first turn, and nearly all of each later one, mends the plan: it is cut at a
//! random move, and the rest is searched again, with the target or without.
//!
//! # Experiments
//!
//! Totals of the 20 standard boards, with a first turn of 5 s of CPU time (with the credit: the number of playouts
//! in 5 s), one seed each; two seeds differ by some hundreds of points.
//!
//! - Credit for nearly cleared boards: 75,464 and all boards cleared, instead of 73,104 and 16. Kept.
//! - Calls of each level: 60, 100, 150 and 220 gave 71,989, 72,472, 74,201 and 72,632 without that credit; with
//!   it 100 gave 76,048, where 150 gave 75,464.
//! - Weights for a region's tiles, wherever they have fallen: 74,310 instead of 74,201. Both
//!   kinds of weight together: 70,885. Dropped.
//! - Ending a search of level 1 whose best line was played 15 times: 71,097. Dropped.
//! - Half of the first turn for mending: 69,188; none of it: 72,256. Mending while the game is played adds
//!   about 1,000.
//! - BMI2 and AVX2 make no measurable difference.
//!
//! The files: `board` has the rules, as bits; `graph` keeps known positions, which saves
//! a playout much of its work; `search` is NRPA; `planner` divides the time.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "cells, sizes and numbers of positions are small, and checks would cost time"
)]

mod board;
mod graph;
mod planner;
mod search;

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;

use crate::protocol::Board;
use crate::with_name;
use planner::Planner;

/// Plans the whole game by nested rollout policy adaptation, and improves the plan while it plays
#[derive(Parser)]
#[command(name = "nrpa")]
pub(crate) struct Args {
    /// Seconds of planning before the first answer
    #[arg(long, value_name = "SECONDS", default_value_t = 19.0)]
    first: f64,

    /// Milliseconds of improving the plan before each later answer
    #[arg(long, value_name = "MS", default_value_t = 35)]
    later: u64,

    /// The number of times that each level of the search calls the one below; use a smaller one for less time
    #[arg(long, value_name = "N", default_value_t = 110, value_parser = clap::value_parser!(u16).range(1..))]
    width: u16,

    /// A seed; different seeds give different games
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(args: &[OsString]) -> io::Result<ExitCode> {
    // The bot's start is part of its first turn.
    let start = Instant::now();
    let Args { first, later, width, seed } = Args::parse_from(with_name("nrpa", args));
    let first = Duration::try_from_secs_f64(first).map_err(io::Error::other)?;
    let planner = Planner::new(seed, width.into(), Box::new(move || start.elapsed()));
    play(planner, first, Duration::from_millis(later), io::stdin().lock(), io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}

fn play(
    mut planner: Planner,
    first: Duration,
    later: Duration,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let mut is_first = true;
    // A turn's time runs from the first byte of its board.
    while !input.fill_buf()?.is_empty() {
        let start = planner.now();
        let Some(board) = Board::read(&mut input)? else { break };
        if std::mem::take(&mut is_first) {
            planner.plan(&board, first.saturating_sub(start));
        } else {
            planner.meet(&board);
            planner.improve(start + later);
        }
        // A board without a legal move needs an answer too; any will do.
        let (x, y) = planner.next().unwrap_or((0, 0));
        writeln!(output, "{x} {y}")?;
        output.flush()?;
    }
    Ok(())
}
