//! The formats of results.

use std::io::{self, Write};

use serde::Serialize;

use super::document::Document;
use super::inert::write_json;
use super::junit::Suites;
use super::rows::Rows;

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
    /// The formats of a result that is not a table.
    pub const OF_ONE: &[Self] = &[Self::Text, Self::Json];
    /// The formats of a table.
    pub const OF_TABLE: &[Self] = &[Self::Text, Self::Json, Self::Csv, Self::Markdown];
    /// The formats of figures that can fail.
    pub const OF_FIGURES: &[Self] =
        &[Self::Text, Self::Json, Self::Csv, Self::Markdown, Self::Junit];
    /// The formats of a run that is played.
    pub const OF_RUN: &[Self] =
        &[Self::Text, Self::Json, Self::Jsonl, Self::Csv, Self::Markdown, Self::Junit];
    /// The formats of the games of a run.
    pub const OF_GAMES: &[Self] = &[Self::Text, Self::Json, Self::Csv, Self::Markdown, Self::Seeds];
}

/// A result, in the forms from which all formats are made.
pub trait Report {
    /// For people.
    fn document(&self) -> Document;

    /// For programs, as one value.
    fn value(&self) -> impl Serialize;

    /// For spreadsheets.
    ///
    /// # Errors
    /// When the rows cannot be read.
    fn rows(&self) -> io::Result<Option<Rows<'_>>> {
        Ok(None)
    }

    /// For CI.
    ///
    /// # Errors
    /// When the tests cannot be read.
    fn tests(&self) -> io::Result<Option<Suites>> {
        Ok(None)
    }

    /// For a program that follows a run: the last line.
    fn last_line(&self) -> Option<impl Serialize> {
        None::<()>
    }

    /// For `--seed`.
    fn seeds(&self) -> Option<String> {
        None
    }

    /// Writes it in any format that it has.
    ///
    /// # Errors
    /// When `out` fails, or for another format.
    fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        let unsupported = || {
            let problem = format!("this result has no format {format:?}");
            io::Error::new(io::ErrorKind::Unsupported, problem)
        };
        match format {
            Format::Text => self.document().write_text(out),
            Format::Markdown => self.document().write_markdown(out),
            Format::Json => write_json(&self.value(), out),
            Format::Jsonl => write_json(&self.last_line().ok_or_else(unsupported)?, out),
            Format::Csv => self.rows()?.ok_or_else(unsupported)?.write(out),
            Format::Junit => self.tests()?.ok_or_else(unsupported)?.write(out),
            Format::Seeds => writeln!(out, "{}", self.seeds().ok_or_else(unsupported)?),
        }
    }
}
