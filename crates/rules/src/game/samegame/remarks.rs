//! Guesses what a bot meant by an illegal or malformed reply. Guesses only inform; no verdict depends on
//! them.

use super::board::SIDE;
use super::message;
use super::position::{IllegalMove, Position};
use super::reply::{Action, LINE_ENDS, Malformed};
use crate::game::java::decode;

/// The remark on a malformed reply.
pub(super) fn on_malformed(malformed: Malformed, line: &[u8]) -> String {
    let text = decode(line);
    if let Some(end) = line_end(&text) {
        return format!("the original takes {end} for the end of the line");
    }
    if malformed == Malformed::Empty {
        return "an empty line is a reply too".to_owned();
    }
    if let Some(remark) = on_decimals(&text) {
        return remark;
    }
    let is_part_of_number = |c: char| c.is_ascii_digit() || c == '-';
    let numbers: Result<Vec<i32>, _> = text
        .split(|c| !is_part_of_number(c))
        .filter(|word| !word.is_empty())
        .map(str::parse)
        .collect();
    match numbers.as_deref() {
        Ok([x, y]) => format!("x and y are whole numbers with a blank between them: `{x} {y}`"),
        _ => "every line on standard output is a reply, `x y`; debug output belongs on standard error"
            .to_owned(),
    }
}

/// The remark on two numbers of which one has a decimal point, such as `2.0 1`.
fn on_decimals(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().take(2);
    let (x, y): (f64, f64) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let is_whole = |number: f64| number.abs() < 1e9 && number.fract() == 0.0;
    let meant = if is_whole(x) && is_whole(y) { format!(": `{x} {y}`") } else { String::new() };
    text.contains('.').then(|| format!("x and y are whole numbers, without a decimal point{meant}"))
}

/// The remark on a legal move that would have crashed the original.
pub(super) fn on_crash(action: &Action, line: &[u8]) -> Option<String> {
    if !line.is_ascii()
        && let Some(end) = line_end(&decode(line))
    {
        return Some(format!("the original's game dies of {end}; here the reply ends before it"));
    }
    on_message(action)
}

/// The remark on a message that crashes the original, whatever its move does: the original lays out
/// the message as soon as the target is on the board.
fn on_message(action: &Action) -> Option<String> {
    action.message.as_deref().filter(|message| message::is_nothing_but_breaks(message)).map(|_| {
        "the original's game dies of a message that is only `\\n`; here it is empty".to_owned()
    })
}

/// The first character at which the original's scanner ends a line.
fn line_end(text: &str) -> Option<String> {
    let end = text.chars().find(|c| LINE_ENDS.contains(c))?;
    Some(format!("U+{:04X}", u32::from(end)))
}

/// Another way to read the two numbers of a reply: its words, and the column and the row from the bottom.
type Reading = (&'static str, fn(i32, i32) -> (i32, i32));

/// The number of the top row, counted from the bottom: [`SIDE`] less one.
const TOP: i32 = 14;

const READINGS: [Reading; 3] = [
    ("with y counted from the top it would be", |x, y| (x, TOP.wrapping_sub(y))),
    ("with x and y swapped it would be", |x, y| (y, x)),
    ("read as the row from the top and the column it would be", |x, y| (y, TOP.wrapping_sub(x))),
];

/// Why a move is illegal, and which other readings of it would be legal.
pub(super) fn on_illegal(position: &Position, action: &Action, illegal: IllegalMove) -> String {
    let &Action { x, y, .. } = action;
    let mut parts = vec![match illegal {
        IllegalMove::OutOfBounds { .. } => format!("x and y go from 0 to {}", SIDE - 1),
        IllegalMove::EmptyTile => format!("there is no tile at x={x}, y={y} (from the bottom)"),
        IllegalMove::SingleTile(_) => {
            format!("the tile at x={x}, y={y} (from the bottom) is alone")
        }
    }];
    for (words, cell) in READINGS {
        let (x, y) = cell(x, y);
        if let Ok(removal) = position.clone().play(x, y) {
            parts.push(format!("{words} `{x} {y}`, a region of {}", removal.size));
        }
    }
    if !matches!(illegal, IllegalMove::OutOfBounds { .. }) {
        parts.extend(on_message(action));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_point_are_told_to_be_whole() {
        let remark = |line: &str| on_malformed(Malformed::NotAnAction, line.as_bytes());
        for (line, meant) in [("2.0 1", ": `2 1`"), ("2 1.0 hi", ": `2 1`"), ("2.5 1", "")] {
            let said = format!("x and y are whole numbers, without a decimal point{meant}");
            assert_eq!(remark(line), said, "{line}");
        }
        for line in ["2,1", "x=2 y=1", "found 2.0 1", "v1.0"] {
            assert!(!remark(line).contains("decimal"), "{line}");
        }
    }
}
