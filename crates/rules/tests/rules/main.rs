//! The rules against what was measured on the originals, and against plainer ones.

mod boards;
mod film;
mod judged;
#[expect(dead_code, reason = "tests of the program read more of it")]
mod measured;
mod plain;
mod samegame;
mod square_remover;
mod table;
