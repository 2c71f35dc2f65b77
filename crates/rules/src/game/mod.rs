//! The rules of the games, pure: no I/O, no clock, no process.
//!
//! Every game is a sequence of *exchanges*: a bot is sent some text and has to answer with a number of lines
//! under one kind of time limit. Whatever has the rules of a game implements [`Referee`]. Everything above this module works
//! on the [`Game`] that drives it and on the [table of games](games).

mod course;
pub mod frames;
pub mod java;
pub mod judge;
mod kind;
mod referee;
pub mod samegame;
pub mod square_remover;
mod table;
mod test_case;
mod traits;

pub use self::course::{Effect, Game};
pub use self::kind::{FromSeed, GameKind, Parse, SeedError, SeedOptions};
pub use self::referee::{
    Answer, Ask, Drawing, End, JudgeFailure, Next, Out, Placement, Referee, Ruling, Seat, SeatEnd,
    SinglePlayer, Step,
};
pub use self::table::{GAMES, NameTaken, UnknownGame, games, register};
pub use self::test_case::TestCase;
pub use self::traits::Traits;
