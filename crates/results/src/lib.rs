//! Logs of games and folders of runs: read and written, refereed again, added up, compared.
//!
//! [`gamelog`] is the record of one game and [`replay`] referees it again; [`suite`] is a folder of many games and its
//! records, [`compare`] pairs them by board, and [`ratings`] orders the bots of games of several players; [`metrics`] is what bots say about themselves on standard error;
//! [`timing`] is what many turns say about a bot, and [`host`] what is known of a machine.
//!
//! It starts no process and needs none: a log from one system can be read on any other. It knows no command line and no
//! format for people.

/// The time at which a game began is a `jiff::Timestamp`.
pub use jiff;
/// The type of a move is `serde_json::Value`.
pub use serde_json;

pub mod compare;
mod cut;
#[doc(hidden)]
pub mod digest;
pub mod gamelog;
pub mod host;
pub mod metrics;
pub mod ratings;
pub mod replay;
#[doc(hidden)]
pub mod sanitizer;
pub mod suite;
pub mod timing;

/// Whether a value is the default, which files leave out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
