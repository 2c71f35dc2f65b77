//! The types that the crates of the referee share: time limits, lines of text, the cost of a turn, verdicts.
//!
//! It knows no game, no file, no clock and no process.

pub mod certificate;
pub mod limits;
pub mod lines;
pub mod millis;
pub mod text;
pub mod verdict;
