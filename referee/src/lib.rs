//! An offline referee for single-player bot games.
//!
//! It starts any executable as a bot, speaks the game's protocol to it, enforces its deadlines,
//! validates every move by the official rules, and reports what the original referee would have said and
//! what really happened. The program `referee` is a thin layer over this library.
//!
//! # A game with a bot
//!
//! ```
//! use referee::bot::BotCommand;
//! use referee::config::Config;
//! use referee::play::Match;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // SameGame under its official rules; layers of settings would change them.
//! let config = Config::resolve([])?;
//! let (name, board) = config.game.bundled[1];
//! // Any program can play: this one answers each board, which has 15 rows, with the tile at the bottom left.
//! let bot = "while read -r row; do i=$((i + 1)); [ $((i % 15)) -eq 0 ] && echo 0 0; done";
//! let game = Match {
//!     game: config.game,
//!     board: name,
//!     test_case: board,
//!     bot: "bottom left",
//!     command: &BotCommand::new("sh", ["-c", bot], config.confinement(None)?),
//!     rules: config.rules,
//!     interrupt: None,
//! };
//! let end = game.play(|event| println!("{event:?}"))?;
//! assert_eq!((end.official.as_str(), end.score), ("Endgame. Obtained a score of 2857.", 2857));
//! # Ok(())
//! # }
//! ```
//!
//! Whatever the bot does is a [verdict](verdict::Verdict), never an error. The events of a game are its
//! record: [`gamelog`] writes and reads them, [`replay`] referees them again, [`view`] shows them.
//! [`game`] explains how to add a game, with an example.
//!
//! # From the bottom up
//!
//! [`lines`], [`limits`], [`certificate`] and [`verdict`] are the vocabulary; [`game`] holds the rules
//! and touches nothing else; [`ruling`] is what a reply does to a game; [`bot`] runs a process and knows no
//! game; [`play`] is the only place where the two meet; [`suite`] plays many games and keeps their results and
//! records; [`compare`] pairs those of two bots, with the [statistics](stats) that belong to it.
//!
//! # Features and systems
//!
//! `cli`, a default feature, adds the command line (`cli`) and the terminal player (`view::player`).
//! Without it the library builds without clap and the terminal crates.
//!
//! Playing needs Linux, and so does `cli`. Without `cli` the library also builds for other systems, where it lacks
//! [`bot`], [`play`] and [`interrupt`], and of [`suite`] what plays a run or locks it.

#[cfg(target_os = "linux")]
pub mod bot;
#[cfg(feature = "cli")]
mod build;
pub mod certificate;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compare;
pub mod config;
mod digest;
#[cfg(feature = "cli")]
mod doctor;
pub mod game;
pub mod gamelog;
mod html;
#[cfg(target_os = "linux")]
pub mod interrupt;
pub mod limits;
pub mod lines;
pub mod millis;
#[cfg(target_os = "linux")]
pub mod play;
pub mod replay;
#[cfg(feature = "cli")]
mod report;
pub mod ruling;
pub mod said;
#[cfg(feature = "cli")]
mod slurm;
pub mod source;
pub mod stats;
pub mod suite;
mod text;
#[cfg(feature = "cli")]
mod timing;
pub mod verdict;
pub mod view;
