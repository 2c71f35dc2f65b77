//! The bots of a run: the paths of their files from here, copies of them, and how each bot is started.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::bot_files::{BotFiles, copy_whole};
use crate::config::{CommandError, Config, bot_command};
use contain::bot::{BotCommand, Confinement, Sandbox, SandboxError, Unavailable};
use results::suite::{Plan, PlannedBot, Rules, Run, RunFolder, Seats};
use terms::fault::{AtFault, Attributed};

/// The folder of the copies of bots in a run folder.
const COPIES: &str = "bots";

/// Why a bot of a run cannot be started or copied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// The folder in which the run was planned does not exist here.
    #[error("{}: this folder, which the run was planned in, is not on this machine; it must be on a file \
             system that all machines share, and so must everything that the bots read", .0.display())]
    Elsewhere(PathBuf),
    /// The run folder's absolute path is not known.
    #[error(transparent)]
    Path(#[from] io::Error),
    /// This host cannot sandbox the bot.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// This host does not offer the containment method.
    #[error(transparent)]
    Containment(#[from] Unavailable),
    /// The command is empty.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A program could not be copied into the run folder.
    #[error("cannot copy {0}")]
    Copy(&'static str, #[source] io::Error),
    /// A bot's file was replaced while it was copied.
    #[error("the bot `{0}` changed while it was copied")]
    Changed(String),
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
        parts: None,
        bots: bots.into_iter().map(digested).collect(),
        boards: Vec::new(),
    }
}

/// The plan of a run, with the current digests of the bots' files.
///
/// # Errors
/// When the bots cannot be found from here.
pub fn plan_now(folder: &RunFolder) -> Result<Plan, BotError> {
    let plan = &folder.run.plan;
    let now = |(index, bot): (usize, &PlannedBot)| {
        let files = Located::of(folder, index)?.files.digests();
        Ok::<_, BotError>(PlannedBot { files, ..bot.clone() })
    };
    let bots = plan.bots.iter().enumerate().map(now).collect::<Result<_, _>>()?;
    Ok(Plan { bots, ..plan.clone() })
}

/// Copies the bots and this program into a run that is to be played in parts, unless they are there already,
/// so that a change of the originals does not affect parts that are played later.
///
/// # Errors
/// When a file cannot be copied, or is replaced in the meantime.
pub fn copy_programs(folder: &RunFolder) -> Result<(), BotError> {
    for (index, planned) in folder.run.plan.bots.iter().enumerate() {
        let Located { files, copies, .. } = Located::of(folder, index)?;
        files.copy_into(&copies).map_err(|error| BotError::Copy("a bot", error))?;
        if files.copied_in(&planned.command, &copies).digests() != planned.files {
            return Err(BotError::Changed(planned.name.clone()));
        }
    }
    let copy = folder.path.join("referee");
    if copy.exists() {
        return Ok(());
    }
    let copied = std::env::current_exe().and_then(|itself| copy_whole(&itself, &copy));
    copied.map_err(|error| BotError::Copy("the referee", error))
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
        let Located { bot, files, copies } = Located::of(folder, index)?;
        let words = files.command(&bot.command, &copies);
        let env = bot.env.iter().map(|(key, value)| (key.into(), value.into())).collect();
        let sandbox = bot.sandbox.as_deref().map(Sandbox::new).transpose()?;
        // A bot of a run that is resumed elsewhere still has the working folder of its start.
        let own = [folder.path.clone()].into_iter().chain(folder.run.started_in.clone());
        let sandbox = sandbox.map(|sandbox| sandbox.withhold(own));
        let sandbox = sandbox.map(|sandbox| BotFiles::of(&bot).shown_to(sandbox, &copies));
        let cwd = bot.cwd.as_ref().map(PathBuf::from);
        let resources = folder.run.plan.rules.resources;
        let confinement = Confinement { resources, ..config.confinement(sandbox)? };
        let command = bot_command(words, cwd, env, confinement)?;
        Ok(Self { bot, command, files })
    }
}

/// A bot of an existing run, with paths resolved here.
struct Located {
    bot: PlannedBot,
    files: BotFiles,
    /// The folder of the copies of its files, if the run is played in parts.
    copies: PathBuf,
}

impl Located {
    /// Finds the bot of this index.
    fn of(folder: &RunFolder, index: usize) -> Result<Self, BotError> {
        let Run { plan, started_in, .. } = &folder.run;
        let bot = match started_in {
            Some(started_in) if started_in.is_dir() => seen_from(&plan.bots[index], started_in),
            Some(started_in) if plan.parts.is_some() => {
                return Err(BotError::Elsewhere(started_in.clone()));
            }
            _ => plan.bots[index].clone(),
        };
        let copies = std::path::absolute(&folder.path)?.join(COPIES).join((index + 1).to_string());
        let files = BotFiles::of(&bot).copied_in(&bot.command, &copies);
        Ok(Self { bot, files, copies })
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
