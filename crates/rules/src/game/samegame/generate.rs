//! Random boards: a seed gives the same board on every platform and in every version.
//!
//! The generator is called `samegame-pcg32-1`: PCG32 (XSH RR 64/32, M. E. O'Neill, *PCG: A Family of
//! Simple Fast Space-Efficient Statistically Good Algorithms for Random Number Generation*, 2014), as
//! her reference implementation seeds it, with the seed as the initial state. Each colour is one draw
//! below the number of colours, with rejection; the board is drawn row by row from the top left.

use rand_core::Rng as _;
use rand_pcg::Pcg32;

use super::board::{Board, COLORS, Color, SIDE};
use crate::game::kind::SeedError;

/// The PCG stream: "SameGame" in ASCII. A new version of this generator must use a different stream.
const STREAM: u64 = u64::from_be_bytes(*b"SameGame");

/// A full board of the colours below `colors`, drawn uniformly and independently.
///
/// # Errors
/// When `colors` is not 1 to 5.
pub fn random_board(seed: i64, colors: u8) -> Result<Board, SeedError> {
    if !(1..=COLORS).contains(&colors) {
        return Err(format!("a SameGame board has 1 to {COLORS} colours, not {colors}").into());
    }
    let mut random = Pcg32::new(seed.cast_unsigned(), STREAM);
    let mut rows = [[None; SIDE]; SIDE];
    for place in rows.iter_mut().flatten() {
        *place = Color::new(below(&mut random, colors));
    }
    Ok(Board::from_rows(&rows))
}

/// A number below `bound`, without bias: draws in the incomplete first stretch are rejected.
fn below(random: &mut Pcg32, bound: u8) -> u8 {
    let bound = u32::from(bound);
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let draw = random.next_u32();
        if draw >= threshold {
            return u8::try_from(draw % bound).expect("below a small bound");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::samegame::boardfile;

    #[test]
    fn the_generator_is_that_of_the_reference_implementation() {
        // The first numbers of the demo that comes with it, which uses state 42 and stream 54.
        let mut random = Pcg32::new(42, 54);
        let found: Vec<u32> = (0..6).map(|_| random.next_u32()).collect();
        let expected =
            [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_bundled_random_board_is_that_of_seed_1() {
        let bundled = include_str!("../../../boards/random-1.toml");
        assert_eq!(random_board(1, 5), Ok(boardfile::parse(bundled).expect("a board")));
    }

    #[test]
    fn a_seed_stands_for_its_board_for_ever() {
        // The last rows, by a second implementation of the generator.
        for (seed, colors, bottom) in [
            (2, 5, "3 2 4 1 2 4 4 0 3 4 2 4 4 0 1"),
            (-1, 5, "0 1 2 0 0 2 3 4 2 1 1 1 0 2 1"),
            (i64::MIN, 3, "0 1 2 1 2 0 0 2 1 1 1 0 2 0 1"),
            (7, 1, "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"),
        ] {
            let board = random_board(seed, colors).expect("a board").to_string();
            assert_eq!(board.lines().last(), Some(bottom), "seed {seed}");
        }
    }

    #[test]
    fn there_are_1_to_5_colours() {
        for colors in [0, 6] {
            assert!(random_board(1, colors).is_err());
        }
    }
}
