//! Writes a log as the game goes.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Event;

/// A log file in the making.
///
/// The first failure to write is kept and ends the writing: a game goes on without its log, and
/// whoever plays it asks with [`finish`](Self::finish) what became of the log.
#[derive(Debug)]
pub struct LogWriter {
    path: PathBuf,
    file: File,
    line: Vec<u8>,
    failed: Option<io::Error>,
}

/// Why a log cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder is missing.
    #[error("cannot write the log {}: there is no such folder", .0.display())]
    NoFolder(PathBuf),
    /// The system refused.
    #[error("cannot write the log {}", path.display())]
    Io {
        /// The log's path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another file is in the way.
    #[error(
        "{} exists and is not a game log; remove it or choose another name for --log",
        .0.display()
    )]
    NotALog(PathBuf),
}

impl LogWriter {
    /// Opens `path`, and leaves what it holds untouched until the first event comes: an earlier log
    /// is not lost to a game that never starts.
    ///
    /// # Errors
    /// When the file cannot be written, or holds something other than a log.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let io_error = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => OpenError::NoFolder(path.to_owned()),
            _ => OpenError::Io { path: path.to_owned(), source },
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io_error)?;
        if file.metadata().map_err(io_error)?.is_file() && !is_empty_or_log(&file) {
            return Err(OpenError::NotALog(path.to_owned()));
        }
        Ok(Self { path: path.to_owned(), file, line: Vec::new(), failed: None })
    }

    /// The file that is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one event as one line, in one write.
    pub fn write(&mut self, event: &Event) {
        if self.failed.is_none() {
            self.failed = self.try_write(event).err();
        }
    }

    /// What kept the log from being complete, if anything did.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }

    fn try_write(&mut self, event: &Event) -> io::Result<()> {
        if matches!(event, Event::Start(_)) && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
            self.file.rewind()?;
        }
        self.line.clear();
        serde_json::to_writer(&mut self.line, event)?;
        self.line.push(b'\n');
        self.file.write_all(&self.line)
    }
}

/// Whether the first line, if there is one, is that of a log.
fn is_empty_or_log(file: &File) -> bool {
    #[derive(Deserialize)]
    struct FirstLine {
        #[serde(rename = "format")]
        _format: u32,
    }
    let mut first = Vec::new();
    // Far more than a first line holds; a log is recognised without reading all of a huge file.
    let mut start = BufReader::new(io::Read::take(file, 1 << 20));
    match start.read_until(b'\n', &mut first) {
        Ok(0) => true,
        Ok(_) => serde_json::from_slice::<FirstLine>(&first).is_ok(),
        Err(_) => false,
    }
}
