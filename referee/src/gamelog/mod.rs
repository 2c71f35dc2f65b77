//! The record of one game: events, written one to a line as JSON while the game goes.
//!
//! The events are also the interface between playing and everything that looks at a game: the
//! match loop emits them, and a log is nothing but the events in order. What a kill or a full disk
//! leaves of a log is readable up to its last whole line. (The crate called `log` is about
//! something else: diagnostics of the referee itself.)

mod bytes;
mod event;
pub mod foreign;
mod reader;
mod writer;

pub use self::bytes::Bytes;
pub use self::event::{Bot, End, Event, FORMAT, Host, Start, Turn};
pub use self::reader::{Log, LogError, MAX_LOG_BYTES, read, unpacked};
pub use self::writer::{LogWriter, OpenError, log_of};
pub use crate::certificate::Certificate;
