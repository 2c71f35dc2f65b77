//! Speaks to the judges of games that are programs of their own.
//!
//! A judge asks for replies and says how the game ends: the trait [`Referee`](rules::game::Referee). Here are those
//! that are processes, one module for each protocol: [`codingame`] speaks to the referees of CodinGame's SDK, and
//! [`json_lines`] to a judge in any language, [`brutaltester`] to older referees of several players, [`scored`] to scorers of one answer, and [`tester`] to testers that start the
//! bot themselves. The crate knows neither bots nor clocks of bots.
//!
//! # Theory of operation
//!
//! A judge is trusted but bounded. It runs beneath a keeper of its own, as a bot does, so that it is gone with its game
//! whatever happens; its working directory is a scratch folder with the files of the settings' folder. A *step*
//! sends the answer to the last question, and reads until the next question or the end of the game is whole, within one
//! limit. A judge that fails, by its process or by its words, is in [`JudgeFailure`](rules::game::JudgeFailure): the game
//! has no result, and the trouble says what happened, what the judge wrote to its standard error, and what helps.

pub mod brutaltester;
mod case;
pub mod codingame;
mod command;
pub mod contest;
mod drawings;
mod head_tail;
pub mod json_lines;
mod kinds;
mod naming;
#[cfg_attr(not(has_relay), expect(dead_code, reason = "some of it is for testers alone"))]
mod printed;
mod process;
mod remedy;
pub mod scored;
mod settings;
pub mod tester;

pub use self::case::files_of_cases;
pub use self::command::{JudgeCommand, JudgeLimits};
pub use self::printed::ScorePattern;
pub use self::settings::{Common, GameSettings, JudgeSettings, Kind, SettingError};
