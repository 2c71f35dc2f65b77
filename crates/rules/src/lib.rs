//! The rules of the games, pure: no file, no clock, no process.

pub mod game;
pub mod ruling;
pub mod source;
