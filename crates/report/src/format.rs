//! The formats that results come in.

/// How a table of results is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs: one value on one line
    Json,
    /// For spreadsheets: a row for each turn (timing) or board (compare)
    Csv,
    /// For pages such as GitHub's
    Markdown,
    /// For CI: a late kind of turn or a bot that is worse is a failure
    Junit,
}

/// How a single result is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum BasicFormat {
    /// For people
    #[default]
    Text,
    /// For programs: one object on one line
    Json,
}

/// Writes a report in one of the formats, each of which is a module beside the caller, with a function `write`.
macro_rules! write_as {
    ($format:expr, $report:expr, $out:expr) => {
        match $format {
            Format::Text => text::write($report, $out),
            Format::Json => json::write($report, $out),
            Format::Csv => csv::write($report, $out),
            Format::Markdown => markdown::write($report, $out),
            Format::Junit => junit::write($report, $out),
        }
    };
}

pub(super) use write_as;
