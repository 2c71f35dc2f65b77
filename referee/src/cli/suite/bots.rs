//! The bots of a suite: as typed, as planned, and as they are started.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::params::{Param, combined, param};
use crate::cli::inputs::ProjectBot;
use crate::cli::shared::EnvironmentFlags;
use crate::cli::{Failure, completions, hints, inputs};
use contain::bot::{Sandbox, SpawnError};
use engine::config::Config;
use engine::suite::{BotFiles, Entrant};
use results::suite::{PlannedBot, Run, RunFolder};

/// The folder of the copies of bots in a run folder.
const COPIES: &str = "bots";

/// The bots to play.
#[derive(Debug, Args)]
pub(super) struct BotsFlags {
    /// A bot's command line, or the name of one of the project's bots (repeatable), as for `referee play`
    #[arg(short, long, value_name = "CMD", add = completions::bots())]
    bot: Vec<String>,

    /// Plays each bot with each of these values, such as WIDTH=1,2,4 or RATE=0.1..1.0:0.1 (first, last and step),
    /// and with each combination if it is repeated. `{WIDTH}` in a bot's command stands for the value;
    /// without it an environment variable of that name has it
    #[arg(long, value_name = "NAME=VALUES", value_parser = param)]
    param: Vec<Param>,

    #[command(flatten)]
    environment: EnvironmentFlags,

    /// A word without a flag, which is always an error
    #[arg(hide = true)]
    stray: Option<OsString>,

    /// A bot's command line, word by word
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl BotsFlags {
    /// Whether any of these flags was given.
    pub(super) fn is_given(&self) -> bool {
        let is_named = !self.bot.is_empty() || !self.command.is_empty();
        is_named || !self.param.is_empty() || self.environment.is_given()
    }

    /// The bots that were named, or the game's default one.
    pub(super) fn resolve(&self, config: &Config) -> Result<Vec<PlannedBot>, Failure> {
        hints::refuse_stray(self.stray.as_deref())?;
        let mut bots = Vec::new();
        for line in &self.bot {
            bots.push(if let Some(bot) = inputs::project_bot(config, line)? {
                self.of_project(line, bot)?
            } else {
                let words = inputs::split_words("--bot", line)?;
                hints::refuse_mistakes(config, line, &words, self.environment.cwd.as_deref())?;
                self.planned(line.clone(), &words)?
            });
        }
        if !self.command.is_empty() {
            let shown: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
            bots.push(self.planned(shown.join(" "), &self.command)?);
        }
        if bots.is_empty() {
            let line = inputs::default_bot(config.game)?;
            bots.push(self.planned(line.to_owned(), &inputs::split_words("--bot", line)?)?);
        }
        if !self.param.is_empty() {
            bots = combined(bots, &self.param)?.into_iter().map(with_files).collect();
        }
        refuse_twins(&bots)?;
        bots.iter().try_for_each(refuse_missing)?;
        Ok(bots)
    }

    /// A bot of the project; flags override its environment.
    fn of_project(&self, name: &str, bot: ProjectBot) -> Result<PlannedBot, Failure> {
        let typed = self.planned(name.to_owned(), &bot.words)?;
        let env = bot.env.into_iter().chain(typed.env.clone()).collect();
        let cwd = typed.cwd.clone().or_else(|| Some(bot.cwd.to_str()?.to_owned()));
        Ok(with_files(PlannedBot { cwd, env, ..typed }))
    }

    fn planned(&self, name: String, words: &[OsString]) -> Result<PlannedBot, Failure> {
        let text = |word: &OsStr| {
            let text = word.to_str().map(str::to_owned);
            text.ok_or_else(|| Failure::user(anyhow!("the bot `{name}`: its command is not UTF-8")))
        };
        let command = words.iter().map(|word| text(word)).collect::<Result<Vec<_>, _>>()?;
        let env = self.environment.env.iter().cloned().collect();
        let cwd = self.environment.cwd.as_ref().map(|cwd| text(cwd.as_os_str())).transpose()?;
        let sandbox = self.environment.sandbox().map(<[_]>::to_vec);
        let bot = PlannedBot {
            name,
            command,
            cwd,
            env,
            params: BTreeMap::new(),
            sandbox,
            files: BTreeMap::new(),
        };
        Ok(with_files(bot))
    }
}

/// Results tell bots apart by name.
fn refuse_twins(bots: &[PlannedBot]) -> Result<(), Failure> {
    for (index, bot) in bots.iter().enumerate() {
        if bots[..index].iter().any(|earlier| earlier.name == bot.name) {
            return Err(Failure::user(anyhow!("--bot: `{}` is there twice", bot.name)));
        }
    }
    Ok(())
}

/// The bot with the digests of its files as they are now.
fn with_files(bot: PlannedBot) -> PlannedBot {
    let files = files(&bot).digests();
    PlannedBot { files, ..bot }
}

fn files(bot: &PlannedBot) -> BotFiles {
    let path = bot.env.get("PATH").map(OsString::from).or_else(|| std::env::var_os("PATH"));
    BotFiles::of(&bot.command, bot.cwd.as_deref().map(Path::new), path.as_deref())
}

/// Refuses a bot whose program is missing, before the run folder is made.
fn refuse_missing(bot: &PlannedBot) -> Result<(), Failure> {
    let Some(program) = bot.command.first().filter(|_| !files(bot).has_program(&bot.command))
    else {
        return Ok(());
    };
    let path =
        bot.cwd.as_deref().map_or_else(|| program.into(), |cwd| Path::new(cwd).join(program));
    let is_path = program.contains('/');
    Err(Failure::from(match program {
        _ if is_path && path.is_dir() => SpawnError::Directory(path),
        _ if is_path => SpawnError::NoSuchFile(path),
        name => SpawnError::NotInPath(name.into()),
    }))
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

/// A bot of a run that is there, as it is found from here.
pub(super) struct Located {
    bot: PlannedBot,
    pub(super) files: BotFiles,
    /// Where a run that is played in parts has copies of its files.
    copies: PathBuf,
}

/// Finds the bot of this index.
pub(super) fn located(folder: &RunFolder, index: usize) -> Result<Located, Failure> {
    let Run { plan, started_in, .. } = &folder.run;
    let bot = match started_in {
        Some(started_in) if started_in.is_dir() => seen_from(&plan.bots[index], started_in),
        Some(started_in) if plan.parts.is_some() => {
            return Err(Failure::file(
                started_in,
                "this folder, which the run was planned in, is not on this machine; it must be on a file \
                 system that all machines share, and so must all that the bots read",
            ));
        }
        _ => plan.bots[index].clone(),
    };
    let run = std::path::absolute(&folder.path).map_err(Failure::user)?;
    let copies = run.join(COPIES).join((index + 1).to_string());
    let files = files(&bot).copied_in(&bot.command, &copies);
    Ok(Located { bot, files, copies })
}

/// Copies the files of all bots into a run that is to be played in parts, so that they stay what they
/// are while its parts wait for their turns.
pub(super) fn copy_files(folder: &RunFolder) -> Result<(), Failure> {
    for (index, planned) in folder.run.plan.bots.iter().enumerate() {
        let Located { files, copies, .. } = located(folder, index)?;
        files.copy_into(&copies).context("cannot copy a bot").map_err(Failure::User)?;
        if files.copied_in(&planned.command, &copies).digests() != planned.files {
            let problem = anyhow!("the bot `{}` has changed while it was copied", planned.name);
            return Err(Failure::user(problem));
        }
    }
    Ok(())
}

/// The bot of this index, ready to be started.
pub(super) fn entrant(
    config: &Config,
    folder: &RunFolder,
    index: usize,
) -> Result<Entrant, Failure> {
    let Located { bot, files, copies } = located(folder, index)?;
    let words = files.command(&bot.command, &copies);
    let env = bot.env.iter().map(|(key, value)| (key.into(), value.into())).collect();
    let sandbox = bot.sandbox.as_deref().map(Sandbox::new).transpose().map_err(Failure::user)?;
    let confinement = inputs::confinement(config, sandbox)?;
    let cwd = bot.cwd.as_ref().map(PathBuf::from);
    let command = inputs::bot_command(words, cwd, env, confinement)?;
    Ok(Entrant { bot, command, files })
}
