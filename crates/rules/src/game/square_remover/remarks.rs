//! Guesses what a bot meant by a line that is not a number. Guesses only inform; no verdict depends on them.

use crate::game::java::{decode, parse_int};

/// The remark on a line that is not a number to the original.
pub(super) fn on_unreadable(line: &[u8]) -> &'static str {
    let text = decode(line);
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == ',').collect();
    let numbers = words.iter().filter(|word| parse_int(word.as_bytes()).is_some()).count();
    match numbers {
        2.. => "each number needs a line of its own",
        1 => "a number must stand alone on its line, without blanks",
        0 if text.trim().is_empty() => "an empty line is not a number",
        0 if text.trim().parse::<f64>().is_ok() => "only whole numbers of 32 bits are read",
        0 => "every line on standard output is a number; debug output belongs on standard error",
    }
}
