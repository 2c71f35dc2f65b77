//! `referee play --again`: the logged bot plays the logged case again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;

use super::named_run::log_of;
use super::shared::ConfigFlag;
use super::{Failure, exit, inputs, interrupt, print, refuse, replay};
use contain::bot::{BotCommand, Pinning, Sandbox};
use engine::config::{Config, Layer};
use engine::play::{Match, Seated};
use report::Format;
use results::gamelog::{self, Asked, Bot, Event, Log, LogFileError, Turn};
use results::replay::{Difference, case_of, first_difference};
use results::suite::Rules;
use terms::limits::{LimitKind, Limits, OnHostDelay, Profile};
use terms::text::{exact_duration, plural, printable};

pub(super) fn run(game: &Path, config: &ConfigFlag, format: Format) -> Result<ExitCode, Failure> {
    let path = log_of(game)?;
    let log = gamelog::read(&replay::unpacked(&path)?)
        .map_err(|error| Failure::user(LogFileError::Log { path: path.clone(), error }))?;
    let turns = play_again(&path, &log, config)?;
    let difference = first_difference(&log, &turns);
    let told = ["The bot plays as in the log", "The bot plays differently"];
    print_again(told, turns.len(), difference.as_ref(), format)
}

/// Prints whether a game went as in its log, after these words, and where it first differed.
pub(super) fn print_again(
    [alike, differently]: [&str; 2],
    turns: usize,
    difference: Option<&Difference>,
    format: Format,
) -> Result<ExitCode, Failure> {
    print(|out| {
        if format == Format::Json {
            let object = serde_json::json!({
                "agrees": difference.is_none(), "turns": turns, "difference": difference,
            });
            return writeln!(out, "{object}");
        }
        let Some(found) = difference else {
            return writeln!(out, "{alike}: {}.", plural(turns as u64, "turn"));
        };
        let (logged, now) = found.shown();
        writeln!(out, "{differently} at turn {}: {}", found.turn, found.what)?;
        writeln!(out, "  in the log  {}", printable(&logged))?;
        writeln!(out, "  now         {}", printable(&now))
    })?;
    Ok(exit::code(difference.is_none()))
}

/// Plays the game of a log again with its bot, and returns the exchanges.
fn play_again(path: &Path, log: &Log, config: &ConfigFlag) -> Result<Vec<Turn>, Failure> {
    let start = &log.start;
    let case = case_of(start).map_err(|error| Failure::place(path, error))?;
    let config = settings(path, log, config)?;
    let commands = start.bots().map(|bot| command(bot, &config));
    let commands = commands.collect::<Result<Vec<_>, _>>()?;
    let bots = start.bots().zip(&commands);
    let seats: Vec<_> = bots.map(|(bot, command)| Seated { name: &bot.name, command }).collect();
    let interrupt = interrupt()?;
    let game = Match::new(&config.game, &case.text, seats[0].command)
        .seats(seats)
        .board(&start.board)
        .rules(config.rules)
        .canceller(&interrupt);
    let mut turns = Vec::new();
    game.play(|event| {
        if let Event::Turn(turn) = event {
            turns.push(turn);
        }
    })?;
    warn_of_another_limit(log, &turns, &config.rules.limits);
    Ok(turns)
}

/// Warns of the first turn with another limit than in the log: the judge names it, and may have changed.
fn warn_of_another_limit(log: &Log, turns: &[Turn], limits: &Limits) {
    for (logged, now) in log.turns.iter().zip(turns) {
        let [before, after] = [log.start.limit(logged), now.limit_under(limits)];
        // What is left of a limit for all turns is another time in each game.
        if logged.limit != LimitKind::Total && before != after {
            let [before, after] =
                [before, after].map(|limit| limit.map_or("none".to_owned(), exact_duration));
            log::warn!("turn {} had the limit {before} in the log, and has {after} now", now.turn);
            return;
        }
    }
}

/// The settings of the logged game, with defaults for those that the log lacks.
fn settings(path: &Path, log: &Log, config: &ConfigFlag) -> Result<Config, Failure> {
    let start = &log.start;
    let mut profiles = Profile::ALL.into_iter();
    let profile = profiles.find(|profile| profile.name() == start.profile).ok_or_else(|| {
        Failure::place(path, format!("1: there is no profile `{}` here", start.profile))
    })?;
    let rules = Rules {
        profile,
        on_host_delay: OnHostDelay::Fail,
        // A judge names its limits again.
        limits: if start.judge.is_some() { Limits::default() } else { start.limits },
        fixed: Limits::default(),
        resources: start.bot.resources,
    };
    let mut layers = vec![Layer::of_rules(&start.game, &rules)];
    if start.judge.is_some() {
        // Its judge is in the settings.
        layers.extend(config.layers()?);
    } else if config.is_given() {
        return refuse(
            "--config: the log has all settings of this game, which comes with the referee",
        );
    }
    let mut config = inputs::settings(layers)?;
    // The limits in the settings of a judge's game may have changed since.
    config.rules.limits = start.limits;
    config.rules.fixed = replaced_limits(log, config.rules.factor);
    Ok(config)
}

/// The limits in a log that replaced those that its judge had named, times the profile's factor.
fn replaced_limits(log: &Log, factor: Option<f64>) -> Limits {
    let replaced = |asked: &Asked| {
        let named = asked.official?.mul_f64(factor.unwrap_or(1.0));
        asked.limit.map(|limit| limit.0).filter(|limit| factor.is_none() || *limit != named)
    };
    Limits::from_kinds(|kind| {
        let turns = log.turns.iter().filter(|turn| turn.limit == kind);
        turns.filter_map(|turn| turn.asked.as_ref()).find_map(replaced)
    })
}

/// The logged bot as it was started.
fn command(bot: &Bot, config: &Config) -> Result<BotCommand, Failure> {
    let mut words = bot.command.iter().map(OsString::from);
    let missing = || Failure::user(anyhow!("--again: the log does not name a command to run"));
    let program = words.next().ok_or_else(missing)?;
    let sandbox = bot.sandbox.then(|| Sandbox::new(&[])).transpose().map_err(Failure::user)?;
    let cores = bot.cores.as_ref().map(|cores| Pinning::plan(cores.len()));
    Ok(BotCommand {
        program,
        args: words.collect(),
        cwd: bot.cwd.as_ref().map(PathBuf::from),
        env: bot.env.iter().map(|(key, value)| (key.into(), value.into())).collect(),
        pinning: cores.transpose().map_err(Failure::user)?,
        confinement: config.confinement(sandbox)?,
    })
}
