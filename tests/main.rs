//! The integration tests, by themes, all but tests of times in one binary: real child processes, real signals, real files.

mod cli;
mod compare;
mod contain;
mod games;
mod logs;
#[path = "../crates/rules/tests/rules/measured.rs"]
mod measured;
mod play;
mod runs;
mod timing;
mod views;
