//! Reads a bot's reply `x y [message]`.
//!
//! This module does not decide whether the move is legal: a [`Malformed`] reply and an
//! [`IllegalMove`](super::position::IllegalMove) are different things.

use crate::game::java::{decode, parse_int};

/// The action that a bot asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The column; any `int`.
    pub x: i32,
    /// The row from the bottom; any `int`.
    pub y: i32,
    /// The message to show with the move.
    pub message: Option<String>,
}

/// Why a reply is malformed; the message is the official one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// Only blanks.
    #[error("Empty action provided.")]
    Empty,
    /// The first two parts are not both numbers.
    #[error("Action not properly formatted. Should be: 'x y [message];'")]
    NotAnAction,
}

/// Where Java's `\s` splits: fewer characters than Unicode's white space.
const SEPARATORS: [char; 6] = [' ', '\t', '\n', '\x0B', '\x0C', '\r'];

/// Characters other than `\n` at which Java's `Scanner` ends a line. To the runner the reply is one line,
/// but the original reads it with a `Scanner`: the rest becomes the runner's next message, and the
/// original crashes unless the game is over. Here the rest is ignored.
pub const LINE_ENDS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// Reads a line without its terminator, up to the first of [`LINE_ENDS`]; bytes that are not UTF-8
/// count as replacement characters.
///
/// # Errors
/// [`Malformed`], with the official wording.
pub fn parse(line: &[u8]) -> Result<Action, Malformed> {
    let text = decode(line);
    let text = text.split(LINE_ENDS).next().unwrap_or_default();
    // Java's `String.trim`: everything up to U+0020, control characters included.
    let text = text.trim_matches(|c| c <= ' ');
    if text.is_empty() {
        return Err(Malformed::Empty);
    }
    let (x, rest) = split_part(text);
    let (y, message) = split_part(rest.ok_or(Malformed::NotAnAction)?);
    Ok(Action {
        x: parse_int(x.as_bytes()).ok_or(Malformed::NotAnAction)?,
        y: parse_int(y.as_bytes()).ok_or(Malformed::NotAnAction)?,
        message: message.map(str::to_owned),
    })
}

/// Splits at the first run of separators.
fn split_part(text: &str) -> (&str, Option<&str>) {
    match text.split_once(SEPARATORS) {
        Some((part, rest)) => (part, Some(rest.trim_start_matches(SEPARATORS))),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(x: i32, y: i32, message: Option<&str>) -> Action {
        Action { x, y, message: message.map(str::to_owned) }
    }

    #[test]
    fn actions_are_read_as_java_reads_them() {
        for (line, expected) in [
            ("0 3", action(0, 3, None)),
            ("  0   3  ", action(0, 3, None)),
            ("\t6\t0 quote", action(6, 0, Some("quote"))),
            ("3\x0B0", action(3, 0, None)),
            ("3\x0C7   spaced   out  ", action(3, 7, Some("spaced   out"))),
            ("\0\x1F0 1\x01", action(0, 1, None)),
            ("+7 -0", action(7, 0, None)),
            ("002 010", action(2, 10, None)),
            ("٢ 0", action(2, 0, None)),
            ("１ ٩", action(1, 9, None)),
            ("-2147483648 2147483647", action(i32::MIN, i32::MAX, None)),
            ("0 1 7", action(0, 1, Some("7"))),
            ("0 1 \u{a0}x", action(0, 1, Some("\u{a0}x"))),
        ] {
            assert_eq!(parse(line.as_bytes()), Ok(expected), "{line:?}");
        }
    }

    #[test]
    fn a_line_ends_where_javas_scanner_ends_it() {
        for end in LINE_ENDS {
            let parsed = |line: &str| parse(line.replace('$', &end.to_string()).as_bytes());
            assert_eq!(parsed("0 1$"), Ok(action(0, 1, None)));
            assert_eq!(parsed("0 1 a$b"), Ok(action(0, 1, Some("a"))));
            assert_eq!(parsed("$0 1"), Err(Malformed::Empty));
            assert_eq!(parsed(" $0 1"), Err(Malformed::Empty));
            assert_eq!(parsed("0$ 1"), Err(Malformed::NotAnAction));
            assert_eq!(parsed("0$1$ 2"), Err(Malformed::NotAnAction));
        }
    }

    #[test]
    fn what_java_refuses_is_malformed() {
        for line in [
            "a",
            "1",
            "1,2",
            "1 b",
            "+-1 0",
            "- 0",
            "+ 0",
            "3.0 6",
            "0x1 1",
            "0\u{a0}1",
            "0\u{1c}1",
            "\u{feff}0 1",
            "2147483648 0",
            "-2147483649 0",
            "𝟎 0",
            "1_0 0",
        ] {
            assert_eq!(parse(line.as_bytes()), Err(Malformed::NotAnAction), "{line:?}");
        }
        for line in ["", "   ", "\t\0"] {
            assert_eq!(parse(line.as_bytes()), Err(Malformed::Empty), "{line:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_become_replacement_characters() {
        assert_eq!(parse(b"0 1 \xFFhi"), Ok(action(0, 1, Some("\u{FFFD}hi"))));
        assert_eq!(parse(b"0 1 \xED\xA0\x80hi"), Ok(action(0, 1, Some("\u{FFFD}hi"))));
        assert_eq!(parse(b"\xFF0 1"), Err(Malformed::NotAnAction));
    }
}
