//! Guesses what a bot meant by an illegal or malformed reply. Guesses only inform; no verdict depends on
//! them.

use super::board::{Board, SIDE};
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

/// Another way to read the two numbers of a reply.
#[derive(Debug, Clone, Copy)]
enum Reading {
    FromTop,
    Swapped,
    RowFromTop,
}

impl Reading {
    const ALL: [Self; 3] = [Self::FromTop, Self::Swapped, Self::RowFromTop];

    /// The column, and the row from the bottom.
    fn cell(self, (first, second): (i32, i32)) -> Option<(i32, i32)> {
        let top = i32::try_from(SIDE - 1).expect("14");
        Some(match self {
            Self::FromTop => (first, top.checked_sub(second)?),
            Self::Swapped => (second, first),
            Self::RowFromTop => (second, top.checked_sub(first)?),
        })
    }

    fn words(self) -> &'static str {
        match self {
            Self::FromTop => "with y counted from the top it would be",
            Self::Swapped => "with x and y swapped it would be",
            Self::RowFromTop => "read as the row from the top and the column it would be",
        }
    }

    /// The size of the region that the move would remove under this reading, if legal.
    fn region(self, position: &Position, numbers: (i32, i32)) -> Option<usize> {
        let (x, y) = self.cell(numbers)?;
        position.clone().play(x, y).ok().map(|removal| removal.size)
    }

    /// Whether all of these moves, which were legal as written, would also be legal under this reading.
    fn fits(self, start: &Board, moves: &[(i32, i32)]) -> bool {
        let mut position = Position::new(start.clone());
        moves.iter().all(|&(x, y)| {
            let is_legal = self.region(&position, (x, y)).is_some();
            is_legal && position.play(x, y).is_ok()
        })
    }
}

/// Why a move is illegal, and which other readings of it would be legal. If one reading also fits all
/// `earlier` moves from the `start` of the game, only that one is reported.
pub(super) fn on_illegal(
    position: &Position,
    (start, earlier): (&Board, &[(i32, i32)]),
    action: &Action,
    illegal: IllegalMove,
) -> String {
    let &Action { x, y, .. } = action;
    let mut parts = vec![match illegal {
        IllegalMove::OutOfBounds { .. } => format!("x and y go from 0 to {}", SIDE - 1),
        IllegalMove::EmptyTile => format!("there is no tile at x={x}, y={y} (from the bottom)"),
        IllegalMove::SingleTile(_) => {
            format!("the tile at x={x}, y={y} (from the bottom) is alone")
        }
    }];
    let legal = |reading: Reading| Some((reading, reading.region(position, (x, y))?));
    let mut readings: Vec<_> = Reading::ALL.into_iter().filter_map(legal).collect();
    let fitting = |(reading, _): &(Reading, usize)| reading.fits(start, earlier);
    let is_habit = !earlier.is_empty() && readings.iter().any(fitting);
    if is_habit {
        readings.retain(fitting);
    }
    for (reading, size) in readings {
        let (x, y) = reading.cell((x, y)).expect("it is legal");
        let habit = if is_habit { so_were(earlier.len()) } else { String::new() };
        parts.push(format!("{} `{x} {y}`, a region of {size}{habit}", reading.words()));
    }
    if !matches!(illegal, IllegalMove::OutOfBounds { .. }) {
        parts.extend(on_message(action));
    }
    parts.join("; ")
}

fn so_were(earlier: usize) -> String {
    match earlier {
        1 => ", and the move before would also have been legal that way".to_owned(),
        many => format!(", and all {many} moves before would also have been legal that way"),
    }
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
