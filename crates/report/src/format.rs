//! The formats of results.

/// How a table of results is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BasicFormat {
    /// For people
    #[default]
    Text,
    /// For programs: one object on one line
    Json,
}
