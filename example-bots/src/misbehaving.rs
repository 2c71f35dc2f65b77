//! A bot with every fault that a bot can have, one at a time.
//!
//! In SameGame it takes the first legal move each turn up to the faulty turn, as the bot `first`
//! does; in Square Remover it swaps as `squares-random` does.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::process::{Command, ExitCode};
use std::thread::sleep;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};

use crate::hostile::{Hostile, hang};
use crate::process::{close_stdin, close_stdout, die_by, ignore_sigterm};
use crate::protocol::{Board, Sent, cells};
use crate::squares::{Spoil, random_answer};
use crate::with_name;

/// Shows one fault on one turn, and plays properly until then
#[derive(Parser)]
#[command(name = "misbehaving", disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    fault: Fault,

    /// The turn of the fault, from 1
    #[arg(long, global = true, default_value_t = 1)]
    on_turn: u32,
}

#[derive(Subcommand, Clone)]
enum Fault {
    /// Thinks for some milliseconds before it answers
    Late { millis: u64 },
    /// Never answers
    Hang,
    /// Exits without answering
    Exit { code: u8 },
    /// Dies by a signal instead of answering
    Signal { number: i32 },
    /// Answers without a newline, and hangs
    PartialLine,
    /// Answers without a newline, and exits
    PartialLineExit,
    /// Writes a line that never ends
    EndlessLine,
    /// Writes a byte every 10 ms, and never a newline
    Chatter,
    /// Does not read its input, and hangs
    NoRead,
    /// Writes this many bytes to its standard error before it answers
    FloodStderr { bytes: usize },
    /// Writes answers for ever
    FloodStdout,
    /// Answers with this many lines too many
    Surplus { lines: usize },
    /// Answers each turn before it reads the board, always 0 0
    Early,
    /// Closes its standard output, and hangs
    CloseStdout,
    /// Closes its standard input after the board, answers, and hangs
    CloseStdin,
    /// Hangs, and ignores SIGTERM and the end of its input
    IgnoreSigterm,
    /// Leaves a child in its process group that holds its pipes, and exits
    LeaveChild,
    /// Leaves a child in its process group that holds its pipes, and plays on
    LeaveChildAndPlay,
    /// Answers with a message that is not UTF-8
    InvalidUtf8,
    /// Answers with an empty line
    EmptyLine,
    /// Answers with an illegal move (SameGame)
    Illegal { kind: IllegalKind },
    /// Spoils one thing in its answer (Square Remover)
    #[command(subcommand)]
    Spoil(Spoil),
    #[command(flatten)]
    Hostile(Hostile),
}

#[derive(ValueEnum, Clone, Copy)]
enum IllegalKind {
    Malformed,
    OutOfBounds,
    EmptyTile,
    SingleTile,
}

pub(crate) fn run(args: &[OsString]) -> io::Result<ExitCode> {
    let Args { fault, on_turn } = Args::parse_from(with_name("misbehaving", args));
    if let Fault::Early = fault {
        return early();
    }
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    for turn in 1_u32.. {
        if turn == on_turn
            && let Fault::NoRead = fault
        {
            hang();
        }
        let Some(sent) = Sent::read(&mut input)? else {
            break;
        };
        if turn != on_turn {
            answer(&sent, &mut output)?;
        } else if let Some(faulty) = fault.answer(&sent)? {
            // In one write, so that surplus lines come together.
            output.write_all(&faulty)?;
            output.flush()?;
        } else if let Some(code) = misbehave(&fault, &sent, &mut output)? {
            return Ok(code);
        } else {
            answer(&sent, &mut output)?;
        }
        if let Sent::Case(_) = sent {
            // Square Remover is one exchange.
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Fault {
    /// The faulty answer, if the fault is an answer.
    fn answer(&self, sent: &Sent) -> io::Result<Option<Vec<u8>>> {
        let proper = || proper_answer(sent);
        let answer = match (self, sent) {
            (Self::Surplus { lines }, _) => {
                let answer = proper();
                let last = answer.lines().last().unwrap_or_default();
                answer.clone() + &format!("{last}\n").repeat(*lines)
            }
            (Self::InvalidUtf8, _) => {
                return Ok(Some([proper().trim_end().as_bytes(), b" \xFF\xFE\xF0\x9F\n"].concat()));
            }
            (Self::EmptyLine, _) => "\n".to_owned(),
            (Self::Illegal { kind }, Sent::Board(board)) => illegal(*kind, board)?,
            (Self::Illegal { .. }, Sent::Case(_)) => {
                return Err(io::Error::other("this fault is one of SameGame; see `spoil`"));
            }
            (Self::Spoil(spoil), Sent::Case(case)) => spoil.answer(case)?,
            (Self::Spoil(_), Sent::Board(_)) => {
                return Err(io::Error::other("this fault is one of Square Remover"));
            }
            _ => return Ok(None),
        };
        Ok(Some(answer.into_bytes()))
    }
}

/// Shows a fault that is not an answer; an exit code ends the bot.
fn misbehave(fault: &Fault, sent: &Sent, output: &mut impl Write) -> io::Result<Option<ExitCode>> {
    match *fault {
        Fault::Late { millis } => sleep(Duration::from_millis(millis)),
        Fault::Hang => hang(),
        Fault::Exit { code } => return Ok(Some(ExitCode::from(code))),
        Fault::Signal { number } => die_by(number)?,
        Fault::PartialLine => {
            write_partial_line(output)?;
            hang();
        }
        Fault::PartialLineExit => {
            return write_partial_line(output).map(|()| Some(ExitCode::SUCCESS));
        }
        Fault::EndlessLine => loop {
            output.write_all(&[b'x'; 4096])?;
        },
        Fault::Chatter => loop {
            output.write_all(b"x")?;
            output.flush()?;
            sleep(Duration::from_millis(10));
        },
        Fault::FloodStderr { bytes } => flood_stderr(bytes)?,
        Fault::FloodStdout => loop {
            answer(sent, output)?;
        },
        Fault::CloseStdout => {
            close_stdout()?;
            hang();
        }
        Fault::CloseStdin => {
            close_stdin()?;
            answer(sent, output)?;
            hang();
        }
        Fault::IgnoreSigterm => {
            ignore_sigterm()?;
            hang();
        }
        Fault::LeaveChild => return leave_child().map(|()| Some(ExitCode::SUCCESS)),
        Fault::LeaveChildAndPlay => leave_child()?,
        Fault::Hostile(ref hostile) => hostile.act()?,
        Fault::Early | Fault::NoRead => unreachable!("these do not read the board first"),
        _ => unreachable!("the others are answers"),
    }
    output.flush()?;
    Ok(None)
}

fn write_partial_line(output: &mut impl Write) -> io::Result<()> {
    write!(output, "0 0")?;
    output.flush()
}

fn flood_stderr(mut bytes: usize) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    while bytes > 0 {
        let chunk = bytes.min(4096);
        stderr.write_all(&[b'e'; 4096][..chunk])?;
        bytes -= chunk;
    }
    stderr.flush()
}

/// The child is in this bot's process group and holds all three pipes.
fn leave_child() -> io::Result<()> {
    Command::new("sleep").arg("3600").spawn().map(drop)
}

fn illegal(kind: IllegalKind, board: &Board) -> io::Result<String> {
    let none = || io::Error::other("there is no such tile on this board");
    let (x, y) = match kind {
        IllegalKind::Malformed => return Ok("up left\n".to_owned()),
        IllegalKind::OutOfBounds => (15, 0),
        IllegalKind::EmptyTile => cells().find(|&(x, y)| board.tile(x, y) < 0).ok_or_else(none)?,
        IllegalKind::SingleTile => board.single().ok_or_else(none)?,
    };
    Ok(format!("{x} {y}\n"))
}

/// What a bot without faults answers.
fn proper_answer(sent: &Sent) -> String {
    match sent {
        Sent::Board(board) => {
            let first = board.moves().first().map_or((0, 0), |first| (first.x, first.y));
            format!("{} {}\n", first.0, first.1)
        }
        Sent::Case(case) => random_answer(case),
    }
}

fn answer(sent: &Sent, output: &mut impl Write) -> io::Result<()> {
    output.write_all(proper_answer(sent).as_bytes())?;
    output.flush()
}

fn early() -> io::Result<ExitCode> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    loop {
        writeln!(output, "0 0")?;
        output.flush()?;
        if input.fill_buf()?.is_empty() || Board::read(&mut input)?.is_none() {
            return Ok(ExitCode::SUCCESS);
        }
    }
}
