//! Square Remover by chance, and the ways to spoil an answer.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::greedy_squares::{self, Board, MOVES, numbers};
use crate::take_no_arguments;

/// The answer of the bot that the original tester was measured with.
pub(crate) fn random_answer(board: &Board) -> String {
    let mut random = board.buffer & 0xffff_ffff;
    numbers((0..MOVES).map(|_| board.any_swap(&mut random)))
}

pub(crate) fn read(input: &mut impl io::BufRead) -> io::Result<Board> {
    Board::read(input).ok_or_else(|| io::Error::other("this is not a test case of Square Remover"))
}

pub(crate) fn random(args: &[OsString]) -> io::Result<ExitCode> {
    take_no_arguments("squares-random", args);
    let board = read(&mut io::stdin().lock())?;
    io::stdout().lock().write_all(random_answer(&board).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn greedy(args: &[OsString]) -> io::Result<ExitCode> {
    take_no_arguments("squares-greedy", args);
    greedy_squares::main().map(|()| ExitCode::SUCCESS)
}

/// Ways to spoil an answer; K counts moves for the first five and numbers for the others.
#[derive(clap::Subcommand, Clone, Copy)]
pub(crate) enum Spoil {
    /// The row of move K is the board's size
    Outside { k: usize },
    /// The column of move K is -1
    Negative { k: usize },
    /// Move K points off the board: row 0, direction up
    Edge { k: usize },
    /// The direction of move K is 4
    Baddir { k: usize },
    /// The direction of move K is -1
    Negdir { k: usize },
    /// Number K is `abc`
    Text { k: usize },
    /// Number K has a blank before it
    Space { k: usize },
    /// Number K has a plus before it
    Plus { k: usize },
    /// Number K is 1.0
    Float { k: usize },
    /// Number K is an empty line
    Empty { k: usize },
    /// Only the first K numbers come
    Short { k: usize },
    /// Three numbers too many
    Extra,
    /// Every line ends in CR LF
    Crlf,
    /// The last line has no newline
    Noeol,
}

impl Spoil {
    /// The wrong answer to a case.
    ///
    /// # Errors
    /// When the answer has no move or number K.
    pub(crate) fn answer(self, case: &Board) -> io::Result<String> {
        let text = random_answer(case);
        let lines = &mut text.lines().map(str::to_owned).collect::<Vec<_>>();
        let mut end = "\n";
        let of_move = |k: usize, part| k.saturating_mul(3).saturating_add(part);
        match self {
            Self::Outside { k } => *line(lines, of_move(k, 0))? = case.tiles.len().to_string(),
            Self::Negative { k } => "-1".clone_into(line(lines, of_move(k, 1))?),
            Self::Edge { k } => {
                "0".clone_into(line(lines, of_move(k, 0))?);
                "0".clone_into(line(lines, of_move(k, 2))?);
            }
            Self::Baddir { k } => "4".clone_into(line(lines, of_move(k, 2))?),
            Self::Negdir { k } => "-1".clone_into(line(lines, of_move(k, 2))?),
            Self::Text { k } => "abc".clone_into(line(lines, k)?),
            Self::Float { k } => "1.0".clone_into(line(lines, k)?),
            Self::Empty { k } => line(lines, k)?.clear(),
            Self::Space { k } => line(lines, k)?.insert(0, ' '),
            Self::Plus { k } => line(lines, k)?.insert(0, '+'),
            Self::Short { k } => lines.truncate(k),
            Self::Extra => lines.extend(["7", "8", "9"].map(str::to_owned)),
            Self::Crlf => end = "\r\n",
            Self::Noeol => {}
        }
        let mut text = lines.join(end);
        if !matches!(self, Self::Noeol) {
            text += end;
        }
        Ok(text)
    }
}

fn line(lines: &mut [String], number: usize) -> io::Result<&mut String> {
    lines.get_mut(number).ok_or_else(|| io::Error::other("K is beyond the answer"))
}
