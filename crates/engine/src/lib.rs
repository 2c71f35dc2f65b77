//! Plays games: one match, a suite of them, on one machine or a cluster. Linux only; it prints nothing.

pub mod build;
pub mod config;
pub mod host;
pub mod play;
pub mod slurm;
pub mod suite;
pub mod timing;
