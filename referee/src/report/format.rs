//! The formats that results come in.

use std::io::{self, Write};

/// How a table of results is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs: one value on one line
    Json,
    /// For spreadsheets: a row for each turn (timing), game (suite) or board (compare)
    Csv,
    /// For pages such as GitHub's
    Markdown,
    /// For CI: a lost game, a late kind of turn or a bot that is worse is a failure
    Junit,
}

/// How a single result is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum BasicFormat {
    /// For people
    #[default]
    Text,
    /// For programs: one object on one line
    Json,
}

type Writer<R> = fn(&R, &mut dyn Write) -> io::Result<()>;

/// How a report is written in each format.
pub(super) struct Writers<R: ?Sized> {
    pub(super) text: Writer<R>,
    pub(super) json: Writer<R>,
    pub(super) csv: Writer<R>,
    pub(super) markdown: Writer<R>,
    pub(super) junit: Writer<R>,
}

impl<R: ?Sized> Writers<R> {
    pub(super) fn write(&self, format: Format, report: &R, out: &mut dyn Write) -> io::Result<()> {
        let write = match format {
            Format::Text => self.text,
            Format::Json => self.json,
            Format::Csv => self.csv,
            Format::Markdown => self.markdown,
            Format::Junit => self.junit,
        };
        write(report, out)
    }
}
