//! The words that the crates of the referee share: time limits, lines of text, what a turn cost, verdicts.
//!
//! It knows no game, no file, no clock and no process.

pub mod certificate;
pub mod limits;
pub mod lines;
pub mod millis;
pub mod text;
pub mod verdict;
