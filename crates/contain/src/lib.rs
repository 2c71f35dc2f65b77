//! Runs any program as a contained, timed child process. Linux only; it knows no game.

pub mod bot;
pub mod interrupt;
