//! `referee tester`: takes the place of Square Remover's offline tester in scripts.
//!
//! Its arguments and its output are the original's, so this is no ordinary command: words start
//! with one dash, there is no time limit, a failed game is a score of -1 and exit code 0, and what
//! the solution writes to its standard error comes out on standard output, as it does there.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::{Failure, inputs};
use crate::config::{Config, ConfigFile, Overrides};
use crate::game::{GameKind, SeedOptions};
use crate::gamelog::Event;
use crate::interrupt::Interrupt;
use crate::limits::{MatchRules, Profile};
use crate::play::{Match, PlayError};

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
  -exec CMD                    the solution's command line, run without a shell
  -seed N                      the test case's seed, any number but 0 [default: 1]
  -novis                       no drawing, which is all there is here
  -vis -pause -size N -delay N -quit N
                               about drawing: accepted, with a notice on standard error";

/// Far more than anyone reads; a solution that writes without end must not fill the memory.
const STDERR_CAP: usize = 16 << 20;

/// The arguments, taken apart.
#[derive(Debug, PartialEq, Eq)]
struct Parsed {
    exec: String,
    seed: i64,
    /// Options about drawing that were given.
    drawing: Vec<String>,
}

pub(super) fn run(args: &TesterArgs) -> Result<ExitCode, Failure> {
    let Parsed { exec, seed, drawing } = parse(&args.args)?;
    if !drawing.is_empty() {
        log::warn!("nothing is drawn here; {} has no effect", drawing.join(", "));
    }
    let kind = GameKind::named("square-remover").expect("a game");
    let flags = Overrides {
        game: Some(kind.name.to_owned()),
        profile: Some(Profile::Unlimited),
        ..Overrides::default()
    };
    let config = Config::resolve(&ConfigFile::default(), &flags).expect("known settings");
    let words = inputs::split_words("-exec", &exec)?;
    let command =
        inputs::bot_command(words, None, BTreeMap::new(), inputs::confinement(&config, None)?)?;
    let test_case = inputs::seeded_case(kind, seed, SeedOptions::default())?;
    let interrupt = Interrupt::catch().context("cannot catch signals").map_err(Failure::Referee)?;
    let game = Match {
        game: kind,
        board: &format!("seed {seed}"),
        test_case: &test_case,
        bot: &exec,
        command: &command,
        rules: MatchRules { stderr_cap: STDERR_CAP, ..config.rules },
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
        Err(error) => Err(error.into()),
    }
}

/// Writes what the solution wrote as it is, escapes included, as the original does.
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
    output.extend_from_slice(stderr);
    if !stderr.is_empty() && !stderr.ends_with(b"\n") {
        output.push(b'\n');
    }
    for line in summary {
        output.extend_from_slice(line.as_bytes());
        output.push(b'\n');
    }
}

fn parse(args: &[String]) -> Result<Parsed, Failure> {
    let mut exec = None;
    let mut seed = 1;
    let mut drawing = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value =
            || args.next().ok_or_else(|| Failure::user(anyhow!("{arg} needs a value behind it")));
        match arg.as_str() {
            "-exec" => exec = Some(value()?.clone()),
            "-seed" => {
                let text = value()?;
                let number = || anyhow!("-seed: `{text}` is no whole number of 64 bits");
                seed = text.parse().map_err(|_| Failure::user(number()))?;
            }
            "-novis" => {}
            "-vis" | "-pause" => drawing.push(arg.clone()),
            "-size" | "-delay" | "-quit" => {
                value()?;
                drawing.push(arg.clone());
            }
            _ => log::warn!("{arg} is no argument of the tester, and has no effect"),
        }
    }
    let exec = exec.ok_or_else(|| {
        Failure::user(anyhow!("the command of your solution is missing: -exec \"CMD ARGS\""))
    })?;
    Ok(Parsed { exec, seed, drawing })
}
