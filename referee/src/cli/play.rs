//! `referee play`: one bot, one board.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::Failure;
use super::inputs::{self, NamedBot};
use crate::bot::ExchangeError;
use crate::config::{Config, Overrides, Profile};
use crate::game::GameKind;
use crate::gamelog::{Event, LogWriter};
use crate::interrupt::Interrupt;
use crate::play::{PlayError, Setup, play};
use crate::report::{Format, GameReport};

/// Play one game: one bot, one board
///
/// Without arguments, the bundled bot @greedy plays a bundled board under the official limits.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PlayArgs {
    /// The bot's command line, split into words as a shell would, but run without one; `@NAME` is a
    /// bundled bot (see `referee bot --help`)
    #[arg(short, long, value_name = "CMD", conflicts_with = "command")]
    bot: Option<String>,

    /// The board: CodinGame test JSON, plain text or TOML, told apart by content; `@NAME` is a
    /// bundled one: @random-1, @clearable, @no-move
    #[arg(long, value_name = "FILE")]
    board: Option<PathBuf>,

    /// The game: samegame
    #[arg(long, value_name = "NAME")]
    game: Option<String>,

    /// Which time limits hold [default: official]
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,

    /// The time for the first answer, start included, such as 20s; beats the profile
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    first_turn: Option<String>,

    /// The time for each later answer, such as 50ms; beats the profile
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    turn: Option<String>,

    /// The bot's working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// Sets an environment variable for the bot (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,

    /// Writes the game to this file as it goes, for `referee replay`
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// How to show the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Settings, in the form of configs/default.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The bot's command line, word by word
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  referee play --bot \"python3 bot.py\" --board test13.json
  referee play --board board.txt --log game.jsonl -- ./bot --depth 3
  referee play --bot ./bot --profile unlimited --format json";

pub(super) fn run(args: &PlayArgs) -> Result<ExitCode, Failure> {
    let config = config(args)?;
    let bot = bot(args, config.game)?;
    let default_board = || PathBuf::from(format!("@{}", config.game.bundled[0].0));
    let board = args.board.clone().unwrap_or_else(default_board);
    let mut game = inputs::load_board(config.game, &board)?;
    let mut log = args.log.as_deref().map(LogWriter::open).transpose().map_err(Failure::user)?;
    let interrupt = Interrupt::catch().context("cannot catch signals").map_err(Failure::Referee)?;
    let setup = Setup {
        game: config.game.name,
        board: &board.display().to_string(),
        bot: &bot.name,
        command: &bot.command,
        profile: config.profile,
        limits: config.limits,
        grace: config.grace,
        stderr_cap: config.stderr_cap,
        interrupt: Some(interrupt.clone()),
    };
    let mut report = None;
    let played = play(game.as_mut(), &setup, |event| {
        if let Some(log) = &mut log {
            log.write(event);
        }
        watch(event);
        see(&mut report, event);
    });
    match (played, interrupt.signal()) {
        (Err(PlayError::Exchange(ExchangeError::Interrupted)), Some(signal)) => {
            Err(Failure::Interrupted {
                signal,
                kept: what_was_kept(report.as_ref(), args.log.as_deref()),
            })
        }
        (Err(error), _) => Err(error.into()),
        (Ok(()), _) => {
            let report = report.expect("a game that was played has started");
            show(report, log, args.format)
        }
    }
}

fn config(args: &PlayArgs) -> Result<Config, Failure> {
    let file = inputs::config_file(args.config.as_deref())?;
    let flags = Overrides {
        game: args.game.clone(),
        profile: args.profile,
        first_turn: inputs::limit("--first-turn", args.first_turn.as_deref())?,
        turn: inputs::limit("--turn", args.turn.as_deref())?,
    };
    Config::resolve(&file, &flags).map_err(|error| Failure::user(anyhow!("--game: {error}")))
}

fn bot(args: &PlayArgs, game: &GameKind) -> Result<NamedBot, Failure> {
    let (name, words) = if args.command.is_empty() {
        let line = args.bot.as_deref().unwrap_or(game.default_bot);
        (line.to_owned(), inputs::split_words(line)?)
    } else {
        let shown: Vec<_> = args.command.iter().map(|word| word.to_string_lossy()).collect();
        (shown.join(" "), args.command.clone())
    };
    let env = inputs::environment(&args.env)?;
    let command = inputs::bot_command(words, args.cwd.clone(), env)?;
    Ok(NamedBot { name, command })
}

fn see(report: &mut Option<GameReport>, event: &Event) {
    match (report, event) {
        (report @ None, Event::Start(start)) => *report = Some(GameReport::new(start.clone())),
        (Some(report), event) => report.see(event),
        (None, _) => unreachable!("a game starts with its start"),
    }
}

/// `-v` shows each turn.
fn watch(event: &Event) {
    if let Event::Turn(turn) = event {
        log::info!(
            "turn {}: {} in {}, gain {}, score {}",
            turn.turn,
            crate::text::quote(turn.reply.0.trim_ascii_end()),
            crate::text::duration(turn.wall.0),
            turn.gain,
            turn.score,
        );
    }
}

fn what_was_kept(report: Option<&GameReport>, log: Option<&Path>) -> String {
    let turns = report.map_or(0, |report| report.turns);
    let turns = crate::text::plural(turns.into(), "turn");
    match log {
        Some(log) => format!(" after {turns}; they are in {}", log.display()),
        None => format!(" after {turns}"),
    }
}

fn show(
    mut report: GameReport,
    log: Option<LogWriter>,
    format: Format,
) -> Result<ExitCode, Failure> {
    report.log = log.as_ref().map(|log| log.path().to_owned());
    let mut out = anstream::stdout().lock();
    report.write(format, &mut out).and_then(|()| out.flush()).map_err(Failure::Output)?;
    if let Some(log) = log {
        let path = log.path().to_owned();
        finish_log(&path, log)?;
    }
    let won = report.end.is_some_and(|end| end.won);
    Ok(if won { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The verdict is out by now; only the log is not what it should be.
fn finish_log(path: &Path, log: LogWriter) -> Result<(), Failure> {
    let written = log.finish();
    written
        .with_context(|| format!("the log {} is incomplete", path.display()))
        .map_err(Failure::Referee)
}
