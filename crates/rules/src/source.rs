//! Errors in a user's text, with their line and column.

/// The JSON reader's complaint, without the position at its end.
#[doc(hidden)]
pub fn json_problem(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rsplit_once(" at line ").map_or(message.as_str(), |(problem, _)| problem).to_owned()
}

/// A problem in a text, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {problem}")]
pub struct SourceError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong and what would be right.
    pub problem: String,
}

impl SourceError {
    /// An error at a byte offset of `source`.
    pub fn at(source: &str, offset: usize, problem: impl Into<String>) -> Self {
        let before = &source[..source.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            problem: problem.into(),
        }
    }

    /// The TOML reader's error in `source`.
    #[doc(hidden)]
    pub fn from_toml(source: &str, error: &toml::de::Error) -> Self {
        let offset = error.span().map_or(0, |span| span.start);
        Self::at(source, offset, error.message().replace('\n', " "))
    }
}
