//! The bots that play properly.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use rand_core::Rng as _;
use rand_pcg::Pcg32;

use crate::process::cpu_time;
use crate::protocol::{Board, Move, SIDE};
use crate::{take_no_arguments, with_name};

/// Takes the largest region; of equal ones the first.
pub(crate) fn greedy(args: &[OsString]) -> io::Result<ExitCode> {
    take_no_arguments("greedy", args);
    play(largest)
}

/// Takes the first legal move.
pub(crate) fn first(args: &[OsString]) -> io::Result<ExitCode> {
    take_no_arguments("first", args);
    play(|_| 0)
}

/// Answers each board with 0 0 as fast as it can.
pub(crate) fn echo(args: &[OsString]) -> io::Result<ExitCode> {
    take_no_arguments("echo", args);
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    for count in 1.. {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if count % SIDE == 0 {
            output.write_all(b"0 0\n")?;
            output.flush()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Any constant would do; changing it changes the game of every seed.
const STREAM: u64 = 1;

/// Takes any legal move
#[derive(Parser)]
#[command(name = "random")]
pub(crate) struct RandomArgs {
    /// The same seed makes the same choices
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(crate) fn random(args: &[OsString]) -> io::Result<ExitCode> {
    let RandomArgs { seed } = RandomArgs::parse_from(with_name("random", args));
    let mut random = Pcg32::new(seed, STREAM);
    play(move |moves| below(&mut random, moves.len()))
}

/// Takes the first legal move after some time, each turn
#[derive(Parser)]
#[command(name = "thinker")]
pub(crate) struct ThinkerArgs {
    /// Milliseconds to compute, by wall-clock time
    #[arg(long, value_name = "MS", default_value_t = 0)]
    spin: u64,

    /// Milliseconds of CPU time to compute: the same work on a busy machine as on an idle one
    #[arg(long, value_name = "MS", default_value_t = 0)]
    compute: u64,

    /// Milliseconds to sleep, also parts of one
    #[arg(long, value_name = "MS", default_value_t = 0.0)]
    sleep: f64,
}

pub(crate) fn thinker(args: &[OsString]) -> io::Result<ExitCode> {
    let ThinkerArgs { spin, compute, sleep } = ThinkerArgs::parse_from(with_name("thinker", args));
    let [spin, compute] = [spin, compute].map(Duration::from_millis);
    let sleep = Duration::try_from_secs_f64(sleep / 1000.0).unwrap_or_default();
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    // The time runs from the first byte of a board, so that reading it is part of it.
    while !input.fill_buf()?.is_empty() {
        let start = Instant::now();
        let Some(board) = Board::read(&mut input)? else { break };
        let (x, y) = board.moves().first().map_or((0, 0), |first| (first.x, first.y));
        let end = cpu_time() + compute;
        wait_until(|| cpu_time() >= end);
        std::thread::sleep(sleep);
        wait_until(|| start.elapsed() >= spin);
        writeln!(output, "{x} {y}")?;
        output.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn wait_until(is_over: impl Fn() -> bool) {
    while !is_over() {
        std::hint::spin_loop();
    }
}

fn largest(moves: &[Move]) -> usize {
    let sizes =
        moves.iter().enumerate().map(|(index, option)| (option.size, std::cmp::Reverse(index)));
    sizes.max().map_or(0, |(_, index)| index.0)
}

/// A number below `bound`; the bias of the multiplication is far below what a game shows.
fn below(random: &mut Pcg32, bound: usize) -> usize {
    let product = u64::from(random.next_u32()) * bound as u64;
    usize::try_from(product >> 32).expect("less than the bound")
}

/// Answers every turn with the move at the index that `choose` returns. A board without a legal move
/// still needs an answer; any will do, since all of them lose.
fn play(mut choose: impl FnMut(&[Move]) -> usize) -> io::Result<ExitCode> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    while let Some(board) = Board::read(&mut input)? {
        let moves = board.moves();
        let (x, y) = match moves.get(choose(&moves)) {
            Some(&Move { x, y, .. }) => (x, y),
            None => (0, 0),
        };
        writeln!(output, "{x} {y}")?;
        output.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_takes_the_first_of_the_largest() {
        let moves = [2, 5, 3, 5].map(|size| Move { x: 0, y: 0, size });
        assert_eq!(largest(&moves), 1);
    }

    #[test]
    fn choices_are_within_the_bound_and_reach_all_of_it() {
        let mut random = Pcg32::new(1, STREAM);
        let mut seen = [false; 7];
        for _ in 0..1000 {
            seen[below(&mut random, 7)] = true;
        }
        assert_eq!(seen, [true; 7]);
    }
}
