//! The rules of `SameGame` and Square Remover, to the letter of their original referees, and a place for other games.
//!
//! [`game`] has the trait [`Referee`](game::Referee), its implementations and their table, and the [`Game`](game::Game) that drives one;
//! [`score`] has scores and their direction, [`measure`] what a leaderboard makes of them; [`source`] says where in a test case a mistake is.
//!
//! Pure: the same replies give the same game on every system. It knows no file, no clock and no process.

/// The type of a move is `serde_json::Value`.
pub use serde_json;

pub mod game;
pub mod measure;
pub mod score;
pub mod source;
