//! A bot that says what a file tells it to.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::protocol::Board;
use crate::with_name;

/// Answers with the strings of a JSON array, one each turn, verbatim, and then exits
#[derive(Parser)]
#[command(name = "script")]
struct Args {
    /// A JSON array of strings; each should end in a newline
    file: PathBuf,
}

pub(crate) fn run(args: &[OsString]) -> io::Result<ExitCode> {
    let Args { file } = Args::parse_from(with_name("script", args));
    let answers: Vec<String> = serde_json::from_slice(&fs::read(file)?)?;
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    for answer in answers {
        if Board::read(&mut input)?.is_none() {
            break;
        }
        output.write_all(answer.as_bytes())?;
        output.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}
