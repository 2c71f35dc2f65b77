//! An offline referee for single-player bot games.
//!
//! It starts any executable as a bot, speaks the game's protocol to it, holds it to its deadlines,
//! validates every move by the official rules, and says what the original referee would have said,
//! and beside it what really happened. The command line in [`cli`] is a thin layer over this.
//!
//! From the bottom up: [`lines`], [`limits`], [`certificate`] and [`verdict`] are the vocabulary; [`game`] holds the rules and
//! touches nothing else; [`bot`] runs a process and knows no game; [`gamelog`] is the record of a
//! game; [`play`] is the only place where a game meets a process; [`suite`] plays many games and keeps
//! their results and records; [`compare`] pairs those of two bots; [`replay`] referees a record again;
//! [`view`] shows the game; [`report`] shows a result; [`doctor`] tells what a host allows.

pub mod bot;
mod build;
pub mod certificate;
pub mod cli;
pub mod compare;
pub mod config;
pub mod digest;
pub mod doctor;
pub mod game;
pub mod gamelog;
mod html;
pub mod interrupt;
pub mod limits;
pub mod lines;
pub mod millis;
pub mod play;
pub mod replay;
pub mod report;
pub mod source;
pub mod stats;
pub mod suite;
pub mod text;
pub mod timing;
pub mod verdict;
pub mod view;
