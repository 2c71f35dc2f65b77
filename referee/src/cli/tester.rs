//! `referee tester`: replaces Square Remover's offline tester in scripts.
//!
//! Its arguments and its output are the original's, so it differs from the other commands: options start
//! with one dash, there is no time limit, a failed game scores -1 with exit code 0 even if the
//! solution cannot be started, and the solution's standard error goes to
//! standard output, as do warnings. Words and numbers are read as Java reads them, and the solution has
//! no limits but those that keep the machine usable.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Args;

use super::signals::signal;
use super::{Failure, inputs, interrupt};
use contain::bot::{Confinement, memory_limit_of_host};
use contain::system::memory;
use engine::config::Layer;
use engine::play::{Match, PlayError};
use results::gamelog::{End, Event};
use rules::game::java::{decode, parse_int, parse_long, split_command};
use rules::game::{GameKind, SeedOptions};
use terms::fault::{AtFault, Attributed as _};
use terms::limits::{MatchRules, Profile, Resources};
use terms::lines::Lines;
use terms::text::{printable, size};
use terms::verdict::Verdict;

/// Replace the offline tester of Square Remover
///
/// It accepts the same arguments and prints the same output. As in the original, the solution has
/// no time limit, and a failed game scores -1 with exit code 0.
#[derive(Debug, Args)]
#[command(after_help = ARGUMENTS)]
pub(super) struct TesterArgs {
    /// The original's arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<OsString>,
}

const ARGUMENTS: &str = "\
Arguments of the original:
  -exec CMD                       the solution's command line, run without a shell; as in the
                                  original it is split at blanks, and quotes have no meaning
  -seed N                         the test case's seed, any number but 0 [default: 1]
  -novis                          no drawing, which is all there is here
  -sz N -delay N -pause -quit N   about drawing: accepted, with a notice on standard error

Exit codes of the original:
  0  the solution was scored, also with -1: it failed, or could not be started
  1  -exec or a value is missing, or a value is not a number";

/// The original's exit code for invalid arguments.
const USAGE_ERROR: u8 = 1;

/// The original has no limits. These keep the machine usable under a solution that runs wild: what it
/// writes is held in memory.
const OUTPUT_BYTES: u64 = 512 << 20;
const STDERR_CAP_BYTES: usize = 256 << 20;
const PROCESSES: u64 = 8192;

/// The parsed arguments.
#[derive(Debug, Default, PartialEq, Eq)]
struct Parsed {
    exec: String,
    seed: i64,
    /// The given options about drawing.
    drawing: Vec<String>,
    unknown: Vec<String>,
}

pub(super) fn run(args: &TesterArgs) -> Result<ExitCode, Failure> {
    let mut parsed = Parsed { seed: 1, ..Parsed::default() };
    let args: Vec<Cow<'_, str>> =
        args.args.iter().map(|arg| decode(arg.as_encoded_bytes())).collect();
    let result = parsed.read(&args);
    let Parsed { drawing, unknown, .. } = &parsed;
    let warnings = unknown.iter().map(|arg| format!("WARNING: unknown argument {arg}.\n"));
    write_plain(warnings.collect::<String>().as_bytes())?;
    if let Err(message) = result {
        // If standard error is closed, the message is lost.
        let _ = writeln!(anstream::stderr(), "error: {}", printable(&message));
        return Ok(ExitCode::from(USAGE_ERROR));
    }
    if !drawing.is_empty() {
        log::warn!("nothing is drawn here; {} has no effect", drawing.join(", "));
    }
    play(&parsed)
}

fn play(Parsed { exec, seed, .. }: &Parsed) -> Result<ExitCode, Failure> {
    let kind = GameKind::named("square-remover").expect("a game");
    let mut flags = Layer::of_game(&kind.name);
    flags.profile = Some(Profile::Unlimited);
    let config = inputs::settings([flags])?;
    let confinement = config.confinement(None)?;
    let confinement = Confinement { resources: safety(), ..confinement };
    let words: Vec<OsString> = split_command(exec).map(OsString::from).collect();
    if words.is_empty() {
        return cannot_start(exec);
    }
    let command = inputs::bot_command(words, None, BTreeMap::new(), confinement)?;
    let test_case = inputs::seeded_case(&kind, *seed, SeedOptions::default())?;
    let interrupt = interrupt()?;
    let board = format!("seed {seed}");
    let game = Match::new(&kind, &test_case, &command)
        .board(&board)
        .bot(exec)
        .rules(MatchRules { stderr_cap: STDERR_CAP_BYTES, ..config.rules })
        .canceller(&interrupt);
    let mut output = Vec::new();
    match game.play(|event| collect(&event, &mut output)) {
        Ok(end) => {
            write_plain(&output)?;
            name_safety(&end);
            Ok(ExitCode::SUCCESS)
        }
        Err(PlayError::Cancelled { by, stderr }) => {
            write_plain(&stderr)?;
            Err(Failure::Interrupted { signal: signal(by), kept: String::new() })
        }
        Err(PlayError::Spawn(error)) if error.at_fault() == AtFault::User => {
            log::info!("{error}");
            cannot_start(exec)
        }
        Err(error) => Err(error.into()),
    }
}

/// The limits that keep the machine usable.
fn safety() -> Resources {
    let memory = memory().into_iter().chain(memory_limit_of_host()).min();
    Resources {
        memory: memory.map(|memory| memory / 4 * 3),
        processes: Some(PROCESSES),
        turn_output: Some(OUTPUT_BYTES),
        ..Resources::default()
    }
}

/// Says so where a limit struck that the original does not have.
fn name_safety(end: &End) {
    if let Verdict::MemoryLimit | Verdict::ProcessLimit | Verdict::OutputLimit = end.verdict {
        let what = end.process.diagnosis.as_deref().unwrap_or_default();
        log::warn!("a limit of the referee itself, not the original's, ended the solution: {what}");
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
    let (stderr, dropped, summary) = match event {
        Event::Turn(turn) => (&turn.stderr.0, turn.stderr_dropped, &[][..]),
        Event::End(end) => (&end.process.stderr.0, end.process.stderr_dropped, &end.summary[..]),
        // In others the solution has said nothing.
        _ => return,
    };
    if dropped > 0 {
        let (dropped, kept) = (size(dropped), size(STDERR_CAP_BYTES as u64));
        log::warn!("the referee keeps {kept} of the solution's standard error; {dropped} are lost");
    }
    let mut said = Lines::split(stderr);
    said.end_partial();
    for line in said.iter().chain(summary.iter().map(String::as_bytes)) {
        output.extend_from_slice(decode(line).as_bytes());
        output.push(b'\n');
    }
}

impl Parsed {
    /// Reads the arguments one by one, as the original does; the error names a missing value or one that
    /// is not a number.
    fn read(&mut self, args: &[Cow<'_, str>]) -> Result<(), String> {
        let mut exec = None;
        let mut args = args.iter().map(AsRef::as_ref);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value after it"));
            match arg {
                "-exec" => exec = Some(value()?.to_owned()),
                "-seed" => self.seed = number(arg, value()?, 64, parse_long)?,
                "-novis" => {}
                "-pause" => self.drawing.push(arg.to_owned()),
                "-sz" | "-delay" => {
                    number(arg, value()?, 32, parse_int)?;
                    self.drawing.push(arg.to_owned());
                }
                "-quit" => {
                    number(arg, value()?, 64, parse_long)?;
                    self.drawing.push(arg.to_owned());
                }
                _ => self.unknown.push(arg.to_owned()),
            }
        }
        self.exec = exec.ok_or("the command of your solution is missing: -exec \"CMD ARGS\"")?;
        if self.seed == 0 {
            return Err(
                "-seed: the original draws a different case in each run with seed 0".to_owned()
            );
        }
        Ok(())
    }
}

fn number<N>(arg: &str, text: &str, bits: u32, parse: fn(&[u8]) -> Option<N>) -> Result<N, String> {
    let wrong = || format!("{arg}: `{text}` is not a whole number of {bits} bits");
    parse(text.as_bytes()).ok_or_else(wrong)
}
