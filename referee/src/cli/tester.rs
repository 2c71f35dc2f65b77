//! `referee tester`: takes the place of Square Remover's offline tester in scripts.
//!
//! Its arguments and its output are the original's, so it differs from the other commands: words start
//! with one dash, there is no time limit, a failed game is a score of -1 and exit code 0 even if the
//! solution cannot be started, and what the solution writes to its standard error comes out on
//! standard output, as do warnings.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context as _;
use clap::Args;

use super::{Failure, inputs};
use contain::interrupt::Interrupt;
use engine::config::Layer;
use engine::play::{Match, PlayError};
use results::gamelog::Event;
use rules::game::{GameKind, SeedOptions};
use terms::limits::{MatchRules, Profile};
use terms::lines::Lines;
use terms::text::printable;

/// Stand in for the offline tester of Square Remover
///
/// Takes the original's arguments and prints what it prints. As there, the solution has all the time
/// it wants, and a failed game is a score of -1 and exit code 0.
#[derive(Debug, Args)]
#[command(after_help = ARGUMENTS)]
pub(super) struct TesterArgs {
    /// The original's arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<String>,
}

const ARGUMENTS: &str = "\
Arguments of the original:
  -exec CMD                       the solution's command line, run without a shell
  -seed N                         the test case's seed, any number but 0 [default: 1]
  -novis                          no drawing, which is all there is here
  -sz N -delay N -pause -quit N   about drawing: accepted, with a notice on standard error

Exit codes of the original:
  0  the solution was scored, also with -1: it failed, or could not be started
  1  -exec or a value is missing, or a value is no number";

/// The original's exit code for arguments that it cannot run with.
const USAGE_ERROR: u8 = 1;

/// Far more than anyone reads; a solution that writes endlessly must not fill the memory.
const STDERR_CAP_BYTES: usize = 16 << 20;

/// The parsed arguments.
#[derive(Debug, Default, PartialEq, Eq)]
struct Parsed {
    exec: String,
    seed: i64,
    /// Options about drawing that were given.
    drawing: Vec<String>,
    unknown: Vec<String>,
}

pub(super) fn run(args: &TesterArgs) -> Result<ExitCode, Failure> {
    let parsed = match parse(&args.args) {
        Ok(parsed) => parsed,
        Err(message) => {
            // If standard error is closed, the message is lost.
            let _ = writeln!(anstream::stderr(), "error: {}", printable(&message));
            return Ok(ExitCode::from(USAGE_ERROR));
        }
    };
    let Parsed { drawing, unknown, .. } = &parsed;
    let warnings = unknown.iter().map(|arg| format!("WARNING: unknown argument {arg}.\n"));
    write_plain(warnings.collect::<String>().as_bytes())?;
    if !drawing.is_empty() {
        log::warn!("nothing is drawn here; {} has no effect", drawing.join(", "));
    }
    play(&parsed)
}

fn play(Parsed { exec, seed, .. }: &Parsed) -> Result<ExitCode, Failure> {
    let kind = GameKind::named("square-remover").expect("a game");
    let mut flags = Layer::of_game(kind.name);
    flags.profile = Some(Profile::Unlimited);
    let config = inputs::settings([flags])?;
    let confinement = inputs::confinement(&config, None)?;
    let words = inputs::split_words("-exec", exec)?;
    if words.first().is_none_or(|program| program.is_empty()) {
        return cannot_start(exec);
    }
    let command = inputs::bot_command(words, None, BTreeMap::new(), confinement)?;
    let test_case = inputs::seeded_case(kind, *seed, SeedOptions::default())?;
    let interrupt = Interrupt::catch().context("cannot catch signals").map_err(Failure::Referee)?;
    let game = Match {
        game: kind,
        board: &format!("seed {seed}"),
        test_case: &test_case,
        bot: exec,
        command: &command,
        rules: MatchRules { stderr_cap: STDERR_CAP_BYTES, ..config.rules },
        interrupt: Some(&interrupt),
    };
    let mut output = Vec::new();
    match game.play(|event| collect(&event, &mut output)) {
        Ok(_) => {
            write_plain(&output)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(PlayError::Interrupted { signal, stderr }) => {
            write_plain(&stderr)?;
            Err(Failure::Interrupted { signal, kept: String::new() })
        }
        Err(PlayError::Spawn(error)) if error.is_user_error() => {
            log::info!("{error}");
            cannot_start(exec)
        }
        Err(error) => Err(error.into()),
    }
}

/// A solution that cannot be started has failed like any other.
fn cannot_start(exec: &str) -> Result<ExitCode, Failure> {
    let error = "Unable to execute your solution using the provided command";
    write_plain(format!("ERROR: {error}: {exec}.\nScore  = -1\n").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Passes on the solution's output, escapes included, as the original does.
fn write_plain(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

fn collect(event: &Event, output: &mut Vec<u8>) {
    let (stderr, summary) = match event {
        Event::Start(_) => return,
        Event::Turn(turn) => (&turn.stderr.0, &[][..]),
        Event::End(end) => (&end.stderr.0, &end.summary[..]),
    };
    let mut said = Lines::split(stderr);
    said.end_partial();
    for line in said.iter().chain(summary.iter().map(String::as_bytes)) {
        output.extend_from_slice(line);
        output.push(b'\n');
    }
}

/// Parses the arguments; the error names a missing value or one that is not a number.
fn parse(args: &[String]) -> Result<Parsed, String> {
    let mut exec = None;
    let mut parsed = Parsed { seed: 1, ..Parsed::default() };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value behind it"));
        match arg.as_str() {
            "-exec" => exec = Some(value()?.clone()),
            "-seed" => parsed.seed = seed(value()?)?,
            "-novis" => {}
            "-pause" => parsed.drawing.push(arg.clone()),
            "-sz" | "-delay" => {
                number::<i32>(arg, value()?)?;
                parsed.drawing.push(arg.clone());
            }
            "-quit" => {
                number::<i64>(arg, value()?)?;
                parsed.drawing.push(arg.clone());
            }
            _ => parsed.unknown.push(arg.clone()),
        }
    }
    parsed.exec = exec.ok_or("the command of your solution is missing: -exec \"CMD ARGS\"")?;
    Ok(parsed)
}

/// The original draws another case in each run with seed 0.
fn seed(text: &str) -> Result<i64, String> {
    match number("-seed", text)? {
        0 => Err("-seed: the original gives each run with seed 0 another case".to_owned()),
        seed => Ok(seed),
    }
}

fn number<N: FromStr>(arg: &str, text: &str) -> Result<N, String> {
    let bits = 8 * size_of::<N>();
    text.parse().map_err(|_| format!("{arg}: `{text}` is not a whole number of {bits} bits"))
}
