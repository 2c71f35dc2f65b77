//! The record of one game: a line of JSON for each event, written as the game is played.
//!
//! The events are also the interface between playing a game and showing it: the match loop emits them,
//! and a log is simply the events in order. A log that a kill or a full disk cut short is readable up to
//! its last complete line. (The crate called `log` is unrelated: it serves the referee's own diagnostics.)

mod bytes;
pub mod drawings;
mod event;
pub mod foreign;
pub mod outputs;
mod reader;
mod writer;

pub use self::bytes::Bytes;
pub use self::event::{Asked, Bot, End, Event, FORMAT, Machine, ProcessEnd, SeatEnd, Start, Turn};
pub use self::reader::{Log, LogError, LogFileError, MAX_LOG_BYTES, read, unpacked};
pub use self::writer::{LogWriter, OpenError, log_of};
pub use terms::certificate::{Certificate, Parts};
