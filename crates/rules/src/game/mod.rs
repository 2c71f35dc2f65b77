//! The rules of the games, pure: no I/O, no clock, no process.
//!
//! Every game is a sequence of *exchanges*: the referee sends some text and awaits a number of lines
//! under one kind of time limit. Everything above this module works on `dyn Game` and on
//! the [table of games](games).

mod check;
pub mod frames;
pub mod java;
pub mod judge;
mod judged;
mod kind;
mod rules;
pub mod samegame;
pub mod square_remover;
mod table;
mod traits;

pub use self::check::{CheckError, check};
pub use self::judged::Judged;
pub use self::kind::{FromSeed, GameKind, Parse, SeedError, SeedOptions};
pub use self::rules::{Exchange, Fault, Game, Played, Rejected};
pub use self::table::{GAMES, NameTaken, UnknownGame, games, register};
pub use self::traits::{PatternError, Traits};
