//! Plays games: one match, a suite of them, on one machine or a cluster.
//!
//! [`config`] completes settings, [`play`] joins a game with a contained process, [`suite`] plays many of them at a
//! time, [`slurm`] submits them to a cluster; [`build`] runs a bot's build command, [`commit`] asks git, [`timing`]
//! plays for the times alone, and [`host`] finds out what this machine offers.
//!
//! It prints nothing and asks nobody: events and results go to the caller, in the types of `results`. The first
//! build, question to git or call of Slurm leaves a handler of SIGCHLD, which calls the one that was there.

pub mod build;
pub mod commit;
pub mod config;
pub mod host;
pub mod play;
mod program;
pub mod slurm;
mod stamp;
pub mod suite;
pub mod timing;
