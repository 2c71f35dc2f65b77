//! The bots of a suite: as typed, as planned, and as they are started.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use crate::bot::{Sandbox, SpawnError};
use crate::cli::inputs::{ProjectBot, Variable};
use crate::cli::{Failure, hints, inputs};
use crate::config::Config;
use crate::suite::{BotFiles, Entrant, PlannedBot};

/// Who plays, and in which surroundings.
#[derive(Debug, Args)]
pub(super) struct BotsFlags {
    /// A bot's command line, or the name of one of the project's bots (repeatable), as for `referee play`
    #[arg(short, long, value_name = "CMD")]
    bot: Vec<String>,

    /// The bots' working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// Sets an environment variable for the bots (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = inputs::variable)]
    env: Vec<Variable>,

    /// Keeps the bots from the network and from writing, as for `referee play`
    #[arg(long)]
    sandbox: bool,

    /// Something else that bots in a sandbox may read (repeatable)
    #[arg(long, value_name = "PATH", requires = "sandbox")]
    sandbox_read: Vec<PathBuf>,

    /// What was typed without a flag, which only an error is made of
    #[arg(hide = true)]
    stray: Option<OsString>,

    /// A bot's command line, word by word
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl BotsFlags {
    /// Whether any of these flags was given.
    pub(super) fn is_given(&self) -> bool {
        !(self.bot.is_empty() && self.command.is_empty() && self.env.is_empty())
            || self.cwd.is_some()
            || self.sandbox
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
                hints::refuse_mistakes(config, line, &words, self.cwd.as_deref())?;
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
        refuse_twins(&bots)?;
        bots.iter().try_for_each(refuse_missing)?;
        Ok(bots)
    }

    /// A bot of the project; what flags say of its surroundings beats that.
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
        let env = self.env.iter().cloned().collect();
        let cwd = self.cwd.as_ref().map(|cwd| text(cwd.as_os_str())).transpose()?;
        let sandbox = self.sandbox.then(|| self.sandbox_read.clone());
        let bot = PlannedBot { name, command, cwd, env, sandbox, files: BTreeMap::new() };
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
pub(super) fn with_files(bot: PlannedBot) -> PlannedBot {
    let files = files(&bot).digests();
    PlannedBot { files, ..bot }
}

fn files(bot: &PlannedBot) -> BotFiles {
    let path = bot.env.get("PATH").map(OsString::from).or_else(|| std::env::var_os("PATH"));
    BotFiles::of(&bot.command, bot.cwd.as_deref().map(Path::new), path.as_deref())
}

/// Refuses a bot whose program is not there, before anything is made of it.
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

/// The bot as it is found from `folder`, if that is not where the referee is.
pub(super) fn seen_from(bot: &PlannedBot, folder: &Path) -> PlannedBot {
    if std::env::current_dir().is_ok_and(|here| here == folder) {
        return bot.clone();
    }
    let cwd = bot.cwd.as_ref().map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd));
    let readable = bot.sandbox.as_ref();
    let sandbox = readable.map(|paths| paths.iter().map(|path| folder.join(path)).collect());
    PlannedBot { cwd: Some(cwd.to_string_lossy().into_owned()), sandbox, ..bot.clone() }
}

/// The bot, ready to be started.
pub(super) fn entrant(config: &Config, bot: PlannedBot) -> Result<Entrant, Failure> {
    let words = bot.command.iter().map(OsString::from).collect();
    let env = bot.env.iter().map(|(key, value)| (key.into(), value.into())).collect();
    let sandbox = bot.sandbox.as_deref().map(Sandbox::new).transpose().map_err(Failure::user)?;
    let confinement = inputs::confinement(config, sandbox)?;
    let cwd = bot.cwd.as_ref().map(PathBuf::from);
    let command = inputs::bot_command(words, cwd, env, confinement)?;
    Ok(Entrant { files: files(&bot), bot, command })
}
