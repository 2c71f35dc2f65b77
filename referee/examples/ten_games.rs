//! Ten games in this process: a policy chooses each move from the board, without a bot and without a clock.
use std::error::Error;

use referee::game::samegame::board::{Board, Region};
use referee::game::samegame::generate::random_board;
use referee::game::samegame::position::Position;

/// Removes the smallest region, so that the others grow.
fn policy(board: &Board) -> Option<Region> {
    board.legal_moves().into_iter().min_by_key(|region| region.cells.len())
}

fn play(seed: i64) -> Result<i64, Box<dyn Error>> {
    let mut position = Position::new(random_board(seed, 5)?);
    while let Some(region) = policy(position.board()) {
        let cell = region.cells.iter().next().expect("two tiles or more");
        position.play(i32::try_from(cell.x)?, i32::try_from(cell.y)?)?;
    }
    Ok(position.score())
}

fn main() -> Result<(), Box<dyn Error>> {
    for seed in 1..=10 {
        println!("seed {seed}: {}", play(seed)?);
    }
    Ok(())
}
