//! A bot that follows the steps in a file.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use clap::Parser;
use serde::Deserialize;

use crate::process::{close_stdin, close_stdout, die_by};
use crate::with_name;

/// Answers with the strings of a JSON array, one each turn, verbatim, and then exits
///
/// Instead of strings the array may hold steps.
#[derive(Parser)]
#[command(name = "script", after_help = STEPS)]
pub(crate) struct Args {
    /// A JSON array of strings, each of which should end in a newline, or of steps
    file: PathBuf,
}

const STEPS: &str = r#"Steps:
  ["read", LINES]  ["write", [BYTE, ...]]  ["stderr", [BYTE, ...]]  ["sleep_ms", N]
  ["exit", STATUS]  ["signal", NUMBER]  ["close_stdin", 0]  ["close_stdout", 0]"#;

/// The content of the array.
#[derive(Deserialize)]
#[serde(untagged)]
enum Script {
    Answers(Vec<String>),
    Steps(Vec<ScriptStep>),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum StepName {
    Read,
    Write,
    Stderr,
    SleepMs,
    Exit,
    Signal,
    CloseStdin,
    CloseStdout,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Operand {
    Number(u64),
    Bytes(Vec<u8>),
}

#[derive(Deserialize)]
struct ScriptStep(StepName, Operand);

pub(crate) fn run(args: &[OsString]) -> io::Result<ExitCode> {
    let Args { file } = Args::parse_from(with_name("script", args));
    let steps = match serde_json::from_slice(&fs::read(file)?)? {
        Script::Steps(steps) => steps,
        Script::Answers(answers) => answers.into_iter().flat_map(answer_steps).collect(),
    };
    let mut input = io::stdin().lock();
    for step in steps {
        if let Some(code) = perform(step, &mut input)? {
            return Ok(code);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A turn of `SameGame`.
fn answer_steps(answer: String) -> [ScriptStep; 2] {
    let board_lines = crate::protocol::SIDE as u64;
    let read = ScriptStep(StepName::Read, Operand::Number(board_lines));
    [read, ScriptStep(StepName::Write, Operand::Bytes(answer.into_bytes()))]
}

/// Performs a step; an exit code ends the bot.
fn perform(
    ScriptStep(name, operand): ScriptStep,
    input: &mut impl BufRead,
) -> io::Result<Option<ExitCode>> {
    match (name, operand) {
        (StepName::Read, Operand::Number(lines)) => {
            for _ in 0..lines {
                if input.skip_until(b'\n')? == 0 {
                    return Ok(Some(ExitCode::SUCCESS));
                }
            }
        }
        (StepName::Write, Operand::Bytes(bytes)) => write(&mut io::stdout().lock(), &bytes)?,
        (StepName::Stderr, Operand::Bytes(bytes)) => write(&mut io::stderr().lock(), &bytes)?,
        (StepName::SleepMs, Operand::Number(millis)) => sleep(Duration::from_millis(millis)),
        (StepName::Exit, Operand::Number(status)) => {
            let status = u8::try_from(status).map_err(io::Error::other)?;
            return Ok(Some(ExitCode::from(status)));
        }
        (StepName::Signal, Operand::Number(number)) => {
            die_by(i32::try_from(number).map_err(io::Error::other)?)?;
        }
        (StepName::CloseStdin, _) => close_stdin()?,
        (StepName::CloseStdout, _) => close_stdout()?,
        _ => return Err(io::Error::other("a step has the wrong kind of operand; see --help")),
    }
    Ok(None)
}

fn write(stream: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}
