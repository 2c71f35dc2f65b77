//! Shows what a suite came to: one file for each format.

mod json;
mod text;

use std::io::{self, Write};

use crate::suite::{RunFolder, Summary};

/// How a suite is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs: one object on one line
    Json,
}

/// All that is told of a run.
pub struct SuiteReport<'a> {
    /// What it comes to.
    pub summary: Summary,
    /// Where the games are.
    pub folder: &'a RunFolder,
}

impl SuiteReport<'_> {
    /// Writes the report.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => text::write(self, out),
            Format::Json => json::write(self, out),
        }
    }
}
