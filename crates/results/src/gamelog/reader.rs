//! Reads a log back, up to its last complete line.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;

use super::event::{End, Event, FORMAT, Start, Turn};
use rules::game::Seat;
use rules::source::json_problem;
use terms::text::plural;

/// The largest log to read, in bytes. The referee never writes larger ones.
pub const MAX_LOG_BYTES: u64 = terms::bounds::LOG;

/// The first bytes of a file that gzip has packed.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The first bytes of a file that zstd has packed.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The first bytes of a text file from some editors.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The content of a log, unpacked if it was packed with gzip, and without a byte order mark.
///
/// # Errors
/// When it is packed and damaged, or packed with zstd.
pub fn unpacked(mut content: Vec<u8>) -> io::Result<Vec<u8>> {
    if content.starts_with(&ZSTD) {
        return Err(io::Error::other("it is packed with zstd; unpack it with `zstd -d`"));
    }
    if content.starts_with(&GZIP) {
        let mut text = Vec::new();
        MultiGzDecoder::new(content.as_slice()).take(MAX_LOG_BYTES).read_to_end(&mut text)?;
        content = text;
    }
    if content.starts_with(BYTE_ORDER_MARK) {
        content.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(content)
}

/// A log in memory.
///
/// ```no_run
/// use results::gamelog::Log;
/// use results::replay::replay;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let log = Log::open("game.jsonl.gz")?;
/// if let Some(slowest) = log.turns.iter().max_by_key(|turn| turn.wall) {
///     println!("turn {} took {:?}", slowest.turn, *slowest.wall);
/// }
/// if let Some(difference) = replay(&log)?.difference {
///     println!("the rules disagree: {difference}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// The start event: what was played.
    pub start: Start,
    /// The exchanges, in order.
    pub turns: Vec<Turn>,
    /// The end event; `None` if the log is incomplete.
    pub end: Option<End>,
}

impl Log {
    /// Reads a log file, which gzip may have packed. As in [`read`], a last line that was cut short is ignored.
    ///
    /// # Errors
    /// When the file cannot be read or unpacked, or is not a log that this version reads.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LogFileError> {
        let path = path.as_ref();
        let content = || {
            let mut content = Vec::new();
            File::open(path)?.take(MAX_LOG_BYTES).read_to_end(&mut content)?;
            unpacked(content)
        };
        let content =
            content().map_err(|error| LogFileError::Io { path: path.to_owned(), error })?;
        read(&content).map_err(|error| LogFileError::Log { path: path.to_owned(), error })
    }

    /// The log with the exchanges of one seat alone.
    #[must_use]
    pub fn of_seat(mut self, seat: Seat) -> Self {
        self.turns.retain(|turn| turn.seat == seat);
        self
    }

    /// Adds an event of a game that is being played; each start begins another log.
    ///
    /// # Panics
    /// When the first event is not a start.
    pub fn record(log: &mut Option<Self>, event: Event) {
        match (log, event) {
            (log, Event::Start(start)) => *log = Some(Self { start, turns: Vec::new(), end: None }),
            (Some(log), Event::Turn(turn)) => log.turns.push(turn),
            (Some(log), Event::End(end)) => log.end = Some(end),
            (None, _) => panic!("a game begins with its start"),
        }
    }
}

/// What is wrong with a log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The file has no complete line.
    #[error("not a game log: it has no complete line")]
    Empty,
    /// The first line is not a start event.
    #[error("1: not a game log: the first line must be of type `start`: {0}")]
    NotALog(String),
    /// The log is of an unknown format version.
    #[error(
        "1: the log has format {format}, and referee {} reads format {FORMAT}; {}",
        env!("CARGO_PKG_VERSION"),
        reader_of(writer.as_deref())
    )]
    Format {
        /// The format's version.
        format: u64,
        /// The version of the referee that wrote it, if stated.
        writer: Option<String>,
    },
    /// A line within the log is damaged.
    #[error("{line}: {problem}")]
    Damaged {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

impl LogError {
    /// The number of the line that is wrong, from 1; `None` if there is none.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Empty => None,
            Self::NotALog(_) | Self::Format { .. } => Some(1),
            Self::Damaged { line, .. } => Some(*line),
        }
    }
}

/// A file that cannot be read as a log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogFileError {
    /// It cannot be read or unpacked.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system, or the unpacking, said.
        error: io::Error,
    },
    /// It is not a log, or a damaged one.
    #[error("{}:{}{error}", path.display(), if error.line().is_some() { "" } else { " " })]
    Log {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: LogError,
    },
}

fn reader_of(writer: Option<&str>) -> String {
    match writer {
        Some(version) => format!("referee {version}, which wrote it, reads it"),
        None => "the referee that wrote it reads it".to_owned(),
    }
}

/// Reads a log.
///
/// A last line that was cut short is ignored: the log is then incomplete, not damaged.
///
/// # Errors
/// When the text is not a log, has a different format version, or is damaged before its last line.
pub fn read(text: &[u8]) -> Result<Log, LogError> {
    let mut lines = numbered_lines(text);
    let (_, first) = lines.next().ok_or(LogError::Empty)?;
    let start = read_start(first)?;
    let seats = start.bots().count();
    let mut log = Log { start, turns: Vec::new(), end: None };
    for (number, line) in lines {
        let damaged = |problem: String| LogError::Damaged { line: number, problem };
        let event = match parse(line) {
            Ok(event) => event,
            Err(_) if !line.ends_with(b"\n") => break,
            Err(error) => return Err(damaged(format!("damaged: {}", json_problem(&error)))),
        };
        if log.end.is_some() {
            return Err(damaged("the log goes on after its end".to_owned()));
        }
        if let Some(seat) = highest_seat(&event).filter(|&seat| seat >= seats) {
            let has = plural(seats as u64, "seat");
            return Err(damaged(format!("it names seat {seat}, but the game has {has}, from 0")));
        }
        match event {
            Event::Start(_) => return Err(damaged("a second game starts here".to_owned())),
            Event::Turn(turn) if usize::try_from(turn.turn) == Ok(log.turns.len() + 1) => {
                log.turns.push(turn);
            }
            Event::Turn(turn) => {
                let expected = log.turns.len() + 1;
                return Err(damaged(format!("turn {} where turn {expected} belongs", turn.turn)));
            }
            Event::End(end) => log.end = Some(end),
        }
    }
    Ok(log)
}

/// The highest seat that an event names.
fn highest_seat(event: &Event) -> Option<Seat> {
    match event {
        Event::Start(_) => None,
        Event::Turn(turn) => {
            let out = turn.asked.iter().flat_map(|asked| &asked.out);
            out.map(|out| out.seat).chain([turn.seat]).max()
        }
        Event::End(end) => end.seats.len().checked_sub(1),
    }
}

/// Parses one event. The first bytes of events that the referee wrote show their type; searching for a
/// `type` anywhere in the object would take twice as long.
fn parse(line: &[u8]) -> serde_json::Result<Event> {
    if line.starts_with(br#"{"type":"turn","#) {
        serde_json::from_slice(line).map(Event::Turn)
    } else if line.starts_with(br#"{"type":"start","#) {
        serde_json::from_slice(line).map(Event::Start)
    } else {
        serde_json::from_slice(line)
    }
}

/// The lines that are not blank, with their numbers and terminators.
fn numbered_lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    (1..)
        .zip(text.split_inclusive(|&byte| byte == b'\n'))
        .filter(|(_, line)| !line.trim_ascii().is_empty())
}

fn read_start(line: &[u8]) -> Result<Start, LogError> {
    match parse(line) {
        Ok(Event::Start(start)) if start.format == FORMAT => Ok(start),
        Ok(_) => Err(no_start(line, "it is of another type".to_owned())),
        Err(error) => Err(no_start(line, json_problem(&error))),
    }
}

/// The error for a first line that has this `problem`.
fn no_start(line: &[u8], problem: String) -> LogError {
    #[derive(Deserialize)]
    #[serde(expecting = "an object with a `format`")]
    struct AnyFormat {
        format: u64,
        referee: Option<String>,
    }
    match serde_json::from_slice::<AnyFormat>(line) {
        Ok(any) if any.format != u64::from(FORMAT) => {
            LogError::Format { format: any.format, writer: any.referee }
        }
        Ok(_) => LogError::NotALog(problem),
        Err(_) if !line.ends_with(b"\n") => LogError::Empty,
        Err(error) => LogError::NotALog(json_problem(&error)),
    }
}
