//! The formats of results.

use std::io;

/// How a result is shown. Each kind of result has some of the formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs: one value on one line
    Json,
    /// For programs that follow a run: a line for each game as it ends, and a last one with the summary
    Jsonl,
    /// For spreadsheets: a row for each game, turn, board, or bot of a run
    Csv,
    /// For pages such as GitHub's
    Markdown,
    /// For CI: a lost game, a late kind of turn or a bot that is worse is a failure
    Junit,
    /// The seeds of games, as `--seed` takes them
    Seeds,
}

impl Format {
    /// The error of a result that cannot be written in this format.
    pub(crate) fn unsupported(self) -> io::Error {
        io::Error::new(io::ErrorKind::Unsupported, format!("this result has no format {self:?}"))
    }
}
