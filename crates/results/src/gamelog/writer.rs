//! Writes a log while the game is played.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::drawings;
use super::event::Event;
use crate::cut::cut;
use crate::metrics::Metrics;
use terms::fault::Attributed;
use terms::system::lock_beside;

/// The writer of a log file.
///
/// After the first write error nothing more is written. The game goes on without its log, and
/// [`finish`](Self::finish) returns the error.
#[derive(Debug)]
pub struct LogWriter {
    path: PathBuf,
    file: File,
    regular: bool,
    /// The file that is locked in its place, if it is another one. It is removed at the end.
    lock: Option<(PathBuf, File)>,
    /// Whether this writer created the file and has written nothing yet; if so, dropping it removes the
    /// file.
    is_blank: bool,
    encoder: Encoder,
    failed: Option<io::Error>,
}

/// Encodes events as lines.
#[derive(Debug)]
struct Encoder {
    line: Vec<u8>,
    /// The size in bytes beyond which standard error is left out.
    limit: Option<u64>,
    written: u64,
    /// Whether standard error has been left out.
    is_full: bool,
}

/// Why a log cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The folder is missing.
    #[error("cannot write the log {}: there is no such folder", .0.display())]
    NoFolder(PathBuf),
    /// The operating system refused.
    #[error("cannot write the log {}", path.display())]
    Io {
        /// The log's path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another file is in the way.
    #[error("{} exists and is not a game log", .0.display())]
    NotALog(PathBuf),
    /// Another game is writing it.
    #[error("another game is writing the log {}", .0.display())]
    InUse(PathBuf),
}

impl Attributed for OpenError {}

impl LogWriter {
    /// Opens `path`. Its content stays untouched until the first event, so that a game that never starts
    /// does not destroy an earlier log. Once the log has `limit` bytes, standard error is left out; the
    /// replies bound the rest.
    ///
    /// # Errors
    /// When the file cannot be written, is not a log, or is being written.
    pub fn open(path: &Path, limit: Option<u64>) -> Result<Self, OpenError> {
        let io_error = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => OpenError::NoFolder(path.to_owned()),
            _ => OpenError::Io { path: path.to_owned(), source },
        };
        let before = fs::metadata(path).ok();
        if before.as_ref().is_some_and(fs::Metadata::is_file) {
            let content = File::open(path).map_err(io_error)?;
            if !is_empty_or_log(content).map_err(io_error)? {
                return Err(OpenError::NotALog(path.to_owned()));
            }
        }
        let open = |path: &Path| OpenOptions::new().append(true).create(true).open(path);
        let file = open(path).map_err(io_error)?;
        let regular = file.metadata().map_err(io_error)?.is_file();
        let mut lock = None;
        if regular {
            if let Some(beside) = lock_beside(path) {
                let opened = File::create(&beside).map_err(io_error)?;
                lock = Some((beside, opened));
            }
            match lock.as_ref().map_or(&file, |(_, lock)| lock).try_lock() {
                Err(TryLockError::WouldBlock) => return Err(OpenError::InUse(path.to_owned())),
                // On a file system without locks, the log is written unlocked.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
        }
        let (path, is_blank) = (path.to_owned(), before.is_none());
        let encoder = Encoder::new(limit);
        Ok(Self { path, file, regular, lock, is_blank, encoder, failed: None })
    }

    /// Where the log is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one event as one line, in one write.
    pub fn write(&mut self, event: &Event) {
        if self.failed.is_none() {
            self.failed = self.try_write(event).err();
        }
    }

    /// Closes the log, and reports whether it is complete.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn try_write(&mut self, event: &Event) -> io::Result<()> {
        if self.regular && matches!(event, Event::Start(_)) {
            cut(&self.file, &self.path, 0)?;
            drawings::keep(&self.path, &[])?;
        }
        self.is_blank = false;
        let line = self.encoder.line(event, &self.path)?;
        self.file.write_all(line)?;
        match event {
            Event::End(end) if self.regular => drawings::keep(&self.path, &end.drawings),
            _ => Ok(()),
        }
    }
}

/// The whole log that a [`LogWriter`] with this `limit` would write to `path`.
///
/// # Errors
/// When an event cannot be written as JSON.
pub fn log_of(events: &[Event], path: &Path, limit: Option<u64>) -> io::Result<Vec<u8>> {
    let mut encoder = Encoder::new(limit);
    let mut log = Vec::new();
    for event in events {
        log.extend_from_slice(encoder.line(event, path)?);
    }
    Ok(log)
}

impl Encoder {
    fn new(limit: Option<u64>) -> Self {
        Self { line: Vec::new(), limit, written: 0, is_full: false }
    }

    /// The next line of the log at `path`.
    fn line(&mut self, event: &Event, path: &Path) -> io::Result<&[u8]> {
        self.encode(event)?;
        if let Some(limit) = self.limit
            && self.written + self.line.len() as u64 > limit
            && let Some(shorter) = without_stderr(event)
        {
            self.encode(&shorter)?;
            if !std::mem::replace(&mut self.is_full, true) {
                let (path, limit) = (path.display(), terms::text::size(limit));
                log::warn!(
                    "the log {path} has reached its limit of {limit}: further standard error is left out"
                );
            }
        }
        self.written += self.line.len() as u64;
        Ok(&self.line)
    }

    fn encode(&mut self, event: &Event) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, event)?;
        self.line.push(b'\n');
        Ok(())
    }
}

/// The event without the standard error of all seats; `None` if it has none.
fn without_stderr(event: &Event) -> Option<Event> {
    let mut event = event.clone();
    let texts = match &mut event {
        Event::Start(_) => return None,
        Event::Turn(turn) => {
            turn.said = Metrics::default();
            vec![(&mut turn.stderr, &mut turn.stderr_dropped)]
        }
        Event::End(end) => {
            let processes = end.seats.iter_mut().map(|seat| &mut seat.process);
            let of_seats = processes.map(|it| (&mut it.stderr, &mut it.stderr_dropped));
            of_seats.chain([(&mut end.process.stderr, &mut end.process.stderr_dropped)]).collect()
        }
    };
    let mut has_stderr = false;
    for (stderr, dropped) in texts {
        has_stderr |= !stderr.is_empty();
        *dropped += stderr.0.len() as u64;
        stderr.0.clear();
    }
    has_stderr.then_some(event)
}

impl Drop for LogWriter {
    fn drop(&mut self) {
        if self.is_blank {
            // No game has started, so there is nothing to keep. If removing it fails, an empty file stays.
            let _ = fs::remove_file(&self.path);
        }
        if let Some((beside, _)) = &self.lock {
            // If another game has opened it in the meantime, it stays for that one.
            let _ = fs::remove_file(beside);
        }
    }
}

/// Whether the file is empty, or its first line is a log's, whole or torn.
fn is_empty_or_log(file: File) -> io::Result<bool> {
    #[derive(Deserialize)]
    struct FirstLine {
        r#type: String,
        #[serde(rename = "format")]
        _format: u32,
    }
    const TORN: &[u8] = br#"{"type":"start","format":"#;
    let mut first = Vec::new();
    // Far longer than any first line, and short enough to check a huge file quickly.
    BufReader::new(file.take(1 << 20)).read_until(b'\n', &mut first)?;
    let is_start =
        || serde_json::from_slice(&first).is_ok_and(|line: FirstLine| line.r#type == "start");
    let is_torn = !first.ends_with(b"\n") && (first.starts_with(TORN) || TORN.starts_with(&first));
    Ok(first.is_empty() || is_torn || is_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamelog::SeatEnd;

    #[test]
    fn the_standard_error_of_all_seats_is_left_out_of_a_log_that_is_full() {
        let json = r#"{"type":"end","verdict":"completed","official":"","won":true,"score":null,"summary":[],"metadata":{},
            "turns":0,"seats":[{"place":1,"score":1,"verdict":"completed","turns":0,"stderr":"first"},
            {"place":2,"score":0,"verdict":"completed","turns":0,"stderr":"second","stderr_dropped":1}]}"#;
        let end: Event = serde_json::from_str(json).expect("an end");
        let of = |limit| {
            let log = log_of(std::slice::from_ref(&end), Path::new("log"), limit).expect("memory");
            let Event::End(end) = serde_json::from_slice(&log).expect("an end") else {
                panic!("another event");
            };
            let seat = |it: SeatEnd| (it.process.stderr.0.len(), it.process.stderr_dropped);
            end.seats.into_iter().map(seat).collect::<Vec<_>>()
        };
        assert_eq!(of(None), [(5, 0), (6, 1)]);
        assert_eq!(of(Some(100)), [(0, 5), (0, 7)]);
    }
}
