//! `referee replay`: referees a saved game again.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::{Failure, inputs, print};
use crate::gamelog::{self, LogError};
use crate::replay::replay;
use crate::report::{Format, GameReport, ReplayReport};

/// Referee a saved game again, without its bot
///
/// Works out the game anew from the replies in the log, and compares every turn and the end with
/// what the log says. Times and timeouts are taken from the log. Exits with 1 at a difference.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// A log that `referee play --log` or a suite wrote, packed with zstd or not
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// How to show the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// More than any log that a referee writes.
const MAX_LOG: u64 = 1 << 27;

/// What a file packed with zstd starts with.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The content of a log, whether it is packed or not.
fn unpacked(path: &Path, content: Vec<u8>) -> Result<Vec<u8>, Failure> {
    if !content.starts_with(&ZSTD) {
        return Ok(content);
    }
    let mut text = Vec::new();
    let unpacked = zstd::Decoder::new(content.as_slice())
        .and_then(|decoder| decoder.take(MAX_LOG).read_to_end(&mut text));
    unpacked.map_err(|error| Failure::file(path, format!("cannot be unpacked: {error}")))?;
    Ok(text)
}

pub(super) fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let path = &args.log;
    let text = unpacked(path, inputs::read_bytes(path, MAX_LOG)?)?;
    let log = gamelog::read(&text).map_err(|error| match error {
        LogError::Empty => Failure::file(path, error),
        error => Failure::place(path, error),
    })?;
    let replayed = replay(&log).map_err(|error| Failure::place(path, error))?;

    let mut report = GameReport::new(log.start);
    for turn in log.turns.iter().take_while(|turn| turn.turn <= replayed.turns) {
        report.see_turn(turn);
    }
    report.summary = replayed.summary;
    report.score = replayed.score;
    if let Some(end) = replayed.end {
        report.see_end(end);
    }
    report.log = Some(path.clone());
    let agrees = replayed.difference.is_none();
    report.replay =
        Some(ReplayReport { complete: log.end.is_some(), difference: replayed.difference });
    print(|out| report.write(args.format, out))?;
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
