//! Compares SameGame's board with the tests' plain reference board, on random moves:
//!
//!     cargo run --release --example playouts 5000000
//!
//! It panics at the first difference. The number is the number of moves, by default a million.

#[path = "../tests/rules/plain.rs"]
mod plain;

fn main() {
    let asked = std::env::args().nth(1);
    let moves = asked.map_or(1_000_000, |moves| moves.parse().expect("a number of moves"));
    plain::play_both(moves);
    println!("the boards agree on {moves} moves");
}
