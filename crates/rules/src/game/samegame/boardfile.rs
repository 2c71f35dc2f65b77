//! Reads boards from files: plain text, CodinGame test JSON, and TOML, told apart by content.
//!
//! In each format, the board itself is the text sent to a bot: 15 lines of 15 numbers, the top row
//! first. Errors name the line and column of the file, and inside a string with escapes also the place in the board.

use serde::Deserialize;
use serde_json::value::RawValue;
use toml::Spanned;

use super::board::{Board, Color, SIDE};
use crate::source::{SourceError, json_problem};
use terms::text::quote;

/// Reads a board in any of the three formats.
///
/// # Errors
/// When the board is not 15 × 15 integers from -1 to 4; the error names the place in `source`.
pub fn parse(source: &str) -> Result<Board, SourceError> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    if source.trim().is_empty() {
        let problem = "the file is empty; a board is 15 lines of 15 numbers";
        return Err(SourceError::at(source, 0, problem));
    }
    let embedded = match FileFormat::of(source) {
        FileFormat::Text => Embedded { text: source.to_owned(), start: 0, has_escapes: false },
        FileFormat::Json => from_json(source)?,
        FileFormat::Toml => from_toml(source)?,
    };
    embedded.parse(source)
}

enum FileFormat {
    Text,
    Json,
    Toml,
}

impl FileFormat {
    fn of(source: &str) -> Self {
        if source.trim_start().starts_with('{') {
            Self::Json
        } else if source.trim_start().starts_with(['#', '[']) || source.contains('=') {
            Self::Toml
        } else {
            Self::Text
        }
    }
}

/// The board's text, extracted from its file.
struct Embedded {
    text: String,
    /// Where the text starts in the file, or the string with escapes that stands for it.
    start: usize,
    has_escapes: bool,
}

impl Embedded {
    fn error(&self, source: &str, at: usize, problem: String) -> SourceError {
        if !self.has_escapes {
            return SourceError::at(source, self.start + at, problem);
        }
        let SourceError { line, column, problem } = SourceError::at(&self.text, at, problem);
        let problem = format!("line {line}, column {column} of the board: {problem}");
        SourceError::at(source, self.start, problem)
    }

    fn parse(&self, source: &str) -> Result<Board, SourceError> {
        let mut rows = [[None; SIDE]; SIDE];
        let mut found = 0;
        let mut line_start = 0;
        for line in self.text.split_inclusive('\n') {
            if !line.trim().is_empty() {
                let Some(row) = rows.get_mut(found) else {
                    let problem = format!("a {}th row; a board has {SIDE}", SIDE + 1);
                    return Err(self.error(source, line_start, problem));
                };
                self.parse_row(source, line_start, line, row)?;
                found += 1;
            }
            line_start += line.len();
        }
        if found < SIDE {
            let problem = format!("the board ends after {found} rows; it must have {SIDE}");
            let end = self.text.trim_end().len();
            return Err(self.error(source, end, problem));
        }
        Ok(Board::from_rows(&rows))
    }

    fn parse_row(
        &self,
        source: &str,
        line_start: usize,
        line: &str,
        row: &mut [Option<Color>; SIDE],
    ) -> Result<(), SourceError> {
        let mut count = 0;
        for word in line.split_whitespace() {
            // `split_whitespace` yields slices of `line`.
            let at = line_start + (word.as_ptr() as usize - line.as_ptr() as usize);
            let tile = parse_tile(word).map_err(|problem| self.error(source, at, problem))?;
            let Some(place) = row.get_mut(count) else {
                let problem = format!("a {}th number; a row has {SIDE}", SIDE + 1);
                return Err(self.error(source, at, problem));
            };
            *place = tile;
            count += 1;
        }
        if count < SIDE {
            let end = line_start + line.trim_end().len();
            let problem = format!("the row ends after {count} numbers; it must have {SIDE}");
            return Err(self.error(source, end, problem));
        }
        Ok(())
    }
}

fn parse_tile(word: &str) -> Result<Option<Color>, String> {
    let number: i64 = word.parse().map_err(|_| {
        format!("{} is not a number; tiles are -1 (empty) to 4", quote(word.as_bytes()))
    })?;
    if number == -1 {
        return Ok(None);
    }
    let color = u8::try_from(number).ok().and_then(Color::new);
    color.map(Some).ok_or_else(|| format!("tile {number} is not in -1 (empty) to 4"))
}

/// CodinGame's test files; only the input is of interest.
#[derive(Deserialize)]
struct TestJson<'a> {
    #[serde(rename = "testIn", borrow)]
    test_in: Option<&'a RawValue>,
}

fn from_json(source: &str) -> Result<Embedded, SourceError> {
    let file: TestJson<'_> = serde_json::from_str(source).map_err(|error| SourceError {
        line: error.line(),
        column: error.column(),
        problem: format!("not valid JSON: {}", json_problem(&error)),
    })?;
    let raw = file.test_in.map(RawValue::get).ok_or_else(|| {
        let problem = "no `testIn` in this JSON; CodinGame's test files keep the board there";
        SourceError::at(source, 0, problem)
    })?;
    let start = raw.as_ptr() as usize - source.as_ptr() as usize;
    let text = serde_json::from_str(raw).map_err(|_| {
        let problem = "`testIn` must be a string: 15 lines of 15 numbers";
        SourceError::at(source, start, problem)
    })?;
    Ok(Embedded { text, start, has_escapes: true })
}

/// A board file in TOML, which allows comments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardToml {
    board: Spanned<String>,
}

fn from_toml(source: &str) -> Result<Embedded, SourceError> {
    let file: BoardToml = toml::from_str(source).map_err(|error| {
        let error = SourceError::from_toml(source, &error);
        SourceError { problem: format!("not a board in TOML: {}", error.problem), ..error }
    })?;
    let span = file.board.span();
    let text = file.board.into_inner();
    let verbatim = source[span.clone()].find(&text);
    let start = verbatim.map_or(span.start, |at| span.start + at);
    Ok(Embedded { text, start, has_escapes: verbatim.is_none() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "0 1 2 3 4 0 1 2 3 4 0 1 2 3 -1";

    fn rows(count: usize) -> Vec<String> {
        vec![ROW.to_owned(); count]
    }

    fn error(source: &str) -> String {
        parse(source).expect_err("must be refused").to_string()
    }

    #[test]
    fn the_three_forms_give_the_same_board() {
        let text = rows(SIDE).join("\n");
        let board = parse(&text).expect("plain text");
        assert_eq!(board.to_string(), text.clone() + "\n");
        for same in [
            format!("\u{feff}{}\r\n\n", text.replace('\n', "\r\n")),
            format!(
                "{{\"title\": {{\"1\": \"t\"}}, \"testIn\": \"{}\"}}",
                text.replace('\n', "\\n")
            ),
            format!("{{\"testIn\": \"{}\"}}", text.replace('\n', "\\u000A").replace(' ', "\\t")),
            format!("# mine\nboard = \"\"\"\n{text}\n\"\"\"\n"),
            format!("board = \"{}\"\n", text.replace('\n', "\\n")),
        ] {
            assert_eq!(parse(&same), Ok(board.clone()), "{same}");
        }
    }

    #[test]
    fn errors_name_line_and_column_of_the_file() {
        let text = rows(SIDE).join("\n");
        let spoilt = text.replacen("3 4", "3 7", 2);
        let at = "tile 7 is not in -1 (empty) to 4";
        assert_eq!(error(&spoilt), format!("1:9: {at}"));
        let json = format!("{{\n  \"testIn\": \"{}\"\n}}", spoilt.replace('\n', "\\n"));
        assert_eq!(error(&json), format!("2:13: line 1, column 9 of the board: {at}"));
        let toml = format!("# mine\n\nboard = '''\n{spoilt}'''\n");
        assert_eq!(error(&toml), format!("4:9: {at}"));
        let escaped = format!("board = \"{}\"\n", spoilt.replace('\n', "\\n"));
        assert_eq!(error(&escaped), format!("1:9: line 1, column 9 of the board: {at}"));
    }
}
