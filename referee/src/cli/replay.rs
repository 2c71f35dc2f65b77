//! `referee replay`: referees a saved game again, and shows it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::watch::{WatchFlags, watch_saved};
use super::{Failure, inputs, print};
use crate::gamelog::{self, Log, LogError};
use crate::replay::film::{Film, Times};
use crate::replay::{page, replay};
use crate::report::{Format, GameReport, ReplayReport};
use crate::text::printable;

/// Referee a saved game again, without its bot, and show it
///
/// Works out the game anew from the replies in the log, and compares every turn and the end with
/// what the log says. Times and timeouts are taken from the log. Exits with 1 at a difference.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReplayArgs {
    /// A log that `referee play --log` wrote; with --html, a second one of the same board is shown
    /// beside it
    #[arg(value_name = "LOG", required = true, num_args = 1..=2)]
    logs: Vec<PathBuf>,

    /// Writes a page that plays the game in any browser, from this one file and without a network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    watch: WatchFlags,

    /// How to show the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  referee replay game.jsonl
  referee replay game.jsonl --watch
  referee replay game.jsonl --html game.html
  referee replay before.jsonl after.jsonl --html both.html";

/// More than any log that a referee writes.
const MAX_LOG: u64 = 1 << 27;

pub(super) fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    match args.logs.as_slice() {
        [left, right] => compare(left, right, args),
        [path] => show(path, args),
        _ => unreachable!("clap counts them"),
    }
}

fn show(path: &Path, args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let look = args.watch.look()?;
    let log = read(path)?;
    if let Some(look) = look {
        watch_saved(film(path, &log)?, look)?;
    }
    if let Some(html) = &args.html {
        write_page(html, &page::page(&film(path, &log)?))?;
    }
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
    report.log = Some(path.to_owned());
    report.page.clone_from(&args.html);
    let agrees = replayed.difference.is_none();
    report.replay =
        Some(ReplayReport { complete: log.end.is_some(), difference: replayed.difference });
    print(|out| report.write(args.format, out))?;
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Puts two games on the same board beside each other.
fn compare(left: &Path, right: &Path, args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let html = args.html.as_ref().ok_or_else(|| {
        Failure::user(anyhow!("two logs are shown on one page: name it with --html FILE"))
    })?;
    let films = [film(left, &read(left)?)?, film(right, &read(right)?)?];
    let [one, other] = &films;
    if !one.is_of_same_board(other) {
        let of = |film: &Film| format!("{} on {}", film.game, film.board);
        let problem = format!(
            "{} is {}, and {} is {}; side by side two games must be on the same board",
            left.display(),
            of(one),
            right.display(),
            of(other)
        );
        return Err(Failure::user(anyhow!(problem)));
    }
    write_page(html, &page::comparison(one, other))?;
    let difference = match one.first_difference(other) {
        Some(number) => format!("differ first in move {number}"),
        None => "have the same moves".to_owned(),
    };
    let html = printable(&html.display().to_string());
    print(|out| writeln!(out, "The games {difference}; {html} shows them."))?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Log, Failure> {
    let text = inputs::read_bytes(path, MAX_LOG)?;
    gamelog::read(&text).map_err(|error| match error {
        LogError::Empty => Failure::file(path, error),
        error => Failure::place(path, error),
    })
}

fn film(path: &Path, log: &Log) -> Result<Film, Failure> {
    Film::of_log(log, Times::Measured).map_err(|error| Failure::place(path, error))
}

fn write_page(path: &Path, page: &str) -> Result<(), Failure> {
    fs::write(path, page)
        .with_context(|| format!("cannot write {}", path.display()))
        .map_err(Failure::User)
}
