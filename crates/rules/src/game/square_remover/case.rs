//! A test case: the text sent to a bot, from a seed or from a file.

use std::ops::RangeInclusive;

use super::board::Board;
use super::sha1prng::Sha1Prng;
use crate::game::java::parse_int;
use crate::source::SourceError;
use terms::text::quote;

// Source: the statement's constraints.
const COLORS: RangeInclusive<i32> = 4..=6;
const SIDES: RangeInclusive<i32> = 8..=16;
const START_SEEDS: RangeInclusive<i32> = 1..=2_147_483_646;

/// A valid test case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestCase {
    colors: u8,
    rows: Vec<Vec<u8>>,
    start_seed: u32,
}

impl TestCase {
    /// The test case that the original tester generates from `seed`. `None` for seed 0, which leaves the
    /// original's generator unseeded, so that each run generates a different case.
    pub(super) fn from_seed(seed: i64) -> Option<Self> {
        if seed == 0 {
            return None;
        }
        let mut random = Sha1Prng::new(seed);
        let mut within = |range: &RangeInclusive<i32>| {
            random.next_int(range.end() - range.start() + 1) + range.start()
        };
        let (colors, side) = (within(&COLORS), within(&SIDES));
        let start_seed = within(&START_SEEDS).unsigned_abs();
        let mut tile = || small(within(&(0..=colors - 1)));
        let mut row = || (0..side).map(|_| tile()).collect();
        Some(Self { colors: small(colors), rows: (0..side).map(|_| row()).collect(), start_seed })
    }

    /// Reads a test case in exactly the form that is sent to a bot.
    pub(super) fn parse(source: &str) -> Result<Self, SourceError> {
        let mut lines = CaseReader { source, rest: source, at: 0 };
        let colors = small(lines.number("the number of colours", &COLORS)?);
        let side = small(lines.number("the board's size N", &SIDES)?).into();
        let rows: Result<_, _> = (0..side).map(|row| lines.row(row, side, colors)).collect();
        let rows = rows?;
        let start_seed = lines.number("startSeed", &START_SEEDS)?;
        lines.end()?;
        Ok(Self { colors, rows, start_seed: start_seed.unsigned_abs() })
    }

    pub(super) fn board(&self) -> Board {
        Board::new(&self.rows, self.colors, self.start_seed)
    }
}

impl std::fmt::Display for TestCase {
    /// The text sent to a bot: colours, N, the rows, startSeed, each on a line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}\n{}", self.colors, self.rows.len())?;
        for row in &self.rows {
            for tile in row {
                write!(f, "{tile}")?;
            }
            writeln!(f)?;
        }
        writeln!(f, "{}", self.start_seed)
    }
}

/// A number from one of the small ranges above.
fn small(number: i32) -> u8 {
    u8::try_from(number).expect("within a small range")
}

/// Reads a test case file line by line.
struct CaseReader<'a> {
    source: &'a str,
    rest: &'a str,
    /// Where `rest` starts in `source`.
    at: usize,
}

impl<'a> CaseReader<'a> {
    /// The next line without its terminator, and the offset where it starts.
    fn next(&mut self, what: &str) -> Result<(usize, &'a str), SourceError> {
        if self.rest.is_empty() {
            let problem = format!("the test case ends before {what}");
            return Err(SourceError::at(self.source, self.source.len(), problem));
        }
        let start = self.at;
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.at += self.rest.len() - rest.len();
        self.rest = rest;
        Ok((start, line.strip_suffix('\r').unwrap_or(line)))
    }

    fn number(&mut self, what: &str, range: &RangeInclusive<i32>) -> Result<i32, SourceError> {
        let (start, line) = self.next(what)?;
        parse_int(line.as_bytes()).filter(|number| range.contains(number)).ok_or_else(|| {
            let (min, max) = (range.start(), range.end());
            let problem = format!("{what} must be {min} to {max}, not {}", quote(line.as_bytes()));
            SourceError::at(self.source, start, problem)
        })
    }

    fn row(&mut self, row: usize, side: usize, colors: u8) -> Result<Vec<u8>, SourceError> {
        let (start, line) = self.next(&format!("row {} of {side}", row + 1))?;
        if self.rest.trim().is_empty() && (row + 1 < side || line.len() != side) {
            // The last line holds startSeed, not a row.
            let problem =
                format!("the board ends after {row} rows; by its size N it must have {side}");
            return Err(SourceError::at(self.source, start, problem));
        }
        let tile = |(at, c): (usize, char)| {
            let color = c.to_digit(10).and_then(|digit| u8::try_from(digit).ok());
            color.filter(|&color| color < colors).ok_or_else(|| {
                let highest = colors - 1;
                let c = c.escape_debug();
                let problem =
                    format!("`{c}` is not a colour; with {colors} colours they are 0 to {highest}");
                SourceError::at(self.source, start + at, problem)
            })
        };
        let tiles: Vec<u8> = line.char_indices().map(tile).collect::<Result<_, _>>()?;
        if tiles.len() == side {
            return Ok(tiles);
        }
        let problem =
            format!("row {} of {side} has {} tiles; it must have {side}", row + 1, tiles.len());
        Err(SourceError::at(self.source, start + line.len(), problem))
    }

    /// Checks that only blank lines follow.
    fn end(&self) -> Result<(), SourceError> {
        let blank = self.rest.len() - self.rest.trim_start().len();
        if blank == self.rest.len() {
            return Ok(());
        }
        let problem = "the test case must end after startSeed";
        Err(SourceError::at(self.source, self.at + blank, problem))
    }
}
