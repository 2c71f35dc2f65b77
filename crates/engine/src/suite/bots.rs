//! The bots of a run: the paths of their files from here, and how each bot is started.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::bot_files::BotFiles;
use crate::config::{CommandError, Config, bot_command};
use contain::bot::{BotCommand, Confinement, Sandbox, SandboxError, Unavailable};
use results::suite::{Plan, PlannedBot, Rules, Run, RunFolder, Seats};
use terms::fault::{AtFault, Attributed};

/// Why a bot of a run cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// This host cannot sandbox the bot.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// This host does not offer the containment method.
    #[error(transparent)]
    Containment(#[from] Unavailable),
    /// The command is empty.
    #[error(transparent)]
    Command(#[from] CommandError),
}

impl Attributed for BotError {
    fn at_fault(&self) -> AtFault {
        if let Self::Command(error) = self { error.at_fault() } else { AtFault::User }
    }
}

/// A plan by these settings: each bot once on each board, with the current digests of the bots' files. The caller
/// adds the boards.
pub fn plan(config: &Config, bots: Vec<PlannedBot>) -> Plan {
    let has_sandbox = bots.iter().any(|bot| bot.sandbox.is_some());
    let digested = |bot| PlannedBot { files: BotFiles::of(&bot).digests(), ..bot };
    Plan {
        game: config.game.name.clone(),
        better: config.game.better,
        measure: Some(config.game.measure).filter(|measure| !measure.is_points()),
        judge: config.game.judge.clone(),
        rules: Rules {
            profile: config.rules.profile,
            on_host_delay: config.rules.overruns.on_host_delay,
            limits: config.rules.limits,
            fixed: config.rules.fixed,
            resources: config.resources_of(has_sandbox),
        },
        repeat: 1,
        shuffle: None,
        seeds: None,
        players: NonZeroUsize::new(config.game.players).unwrap_or(NonZeroUsize::MIN),
        seats: Seats::default(),
        bots: bots.into_iter().map(digested).collect(),
        boards: Vec::new(),
    }
}

/// The plan of a run, with the current digests of the bots' files.
pub fn plan_now(folder: &RunFolder) -> Plan {
    let plan = &folder.run.plan;
    let now = |index| {
        let files = BotFiles::of(&located(folder, index)).digests();
        PlannedBot { files, ..plan.bots[index].clone() }
    };
    Plan { bots: (0..plan.bots.len()).map(now).collect(), ..plan.clone() }
}

/// A bot of the plan, ready to be started.
pub(super) struct Entrant {
    /// The bot, with paths resolved here.
    pub(super) bot: PlannedBot,
    pub(super) command: BotCommand,
    pub(super) files: BotFiles,
}

impl Entrant {
    /// All bots of a run, in its order.
    pub(super) fn all(config: &Config, folder: &RunFolder) -> Result<Vec<Self>, BotError> {
        (0..folder.run.plan.bots.len()).map(|index| Self::of(config, folder, index)).collect()
    }

    fn of(config: &Config, folder: &RunFolder, index: usize) -> Result<Self, BotError> {
        let bot = located(folder, index);
        let files = BotFiles::of(&bot);
        let words = bot.command.iter().map(OsString::from).collect();
        let env = bot.env.iter().map(|(key, value)| (key.into(), value.into())).collect();
        let sandbox = bot.sandbox.as_deref().map(Sandbox::new).transpose()?;
        // A bot of a run that is resumed elsewhere still has the working folder of its start.
        let own = [folder.path.clone()].into_iter().chain(folder.run.started_in.clone());
        let sandbox = sandbox.map(|sandbox| sandbox.withhold(own));
        let cwd = bot.cwd.as_ref().map(PathBuf::from);
        let resources = folder.run.plan.rules.resources;
        let confinement = Confinement { resources, ..config.confinement(sandbox)? };
        let command = bot_command(words, cwd, env, confinement)?;
        Ok(Self { bot, command, files })
    }
}

/// A bot of an existing run, with paths resolved here.
fn located(folder: &RunFolder, index: usize) -> PlannedBot {
    let Run { plan, started_in, .. } = &folder.run;
    match started_in {
        Some(started_in) if started_in.is_dir() => seen_from(&plan.bots[index], started_in),
        _ => plan.bots[index].clone(),
    }
}

/// The bot as found from `folder`, which may not be the working directory.
fn seen_from(bot: &PlannedBot, folder: &Path) -> PlannedBot {
    if std::env::current_dir().is_ok_and(|here| here == folder) {
        return bot.clone();
    }
    let cwd = bot.cwd.as_ref().map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd));
    let readable = bot.sandbox.as_ref();
    let sandbox = readable.map(|paths| paths.iter().map(|path| folder.join(path)).collect());
    PlannedBot { cwd: Some(cwd.to_string_lossy().into_owned()), sandbox, ..bot.clone() }
}
