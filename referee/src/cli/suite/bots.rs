//! The bots of a suite: as typed, as planned, and as they are started.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::anyhow;
use clap::Args;

use crate::bot::{BotCommand, Sandbox};
use crate::cli::inputs::ProjectBot;
use crate::cli::{Failure, inputs};
use crate::config::Config;
use crate::digest::file_digest;
use crate::suite::PlannedBot;

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
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,

    /// Keeps the bots from the network and from writing, as for `referee play`
    #[arg(long)]
    sandbox: bool,

    /// Something else that bots in a sandbox may read (repeatable)
    #[arg(long, value_name = "PATH", requires = "sandbox")]
    sandbox_read: Vec<PathBuf>,

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
        let mut bots = Vec::new();
        for line in &self.bot {
            bots.push(match inputs::project_bot(config, line)? {
                Some(bot) => self.of_project(line, bot)?,
                None => self.planned(line.clone(), &inputs::split_words("--bot", line)?)?,
            });
        }
        if !self.command.is_empty() {
            let shown: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
            bots.push(self.planned(shown.join(" "), &self.command)?);
        }
        if bots.is_empty() {
            let line = config.game.default_bot;
            bots.push(self.planned(line.to_owned(), &inputs::split_words("--bot", line)?)?);
        }
        refuse_twins(&bots)?;
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
        let env = inputs::environment(&self.env)?;
        let env = env.iter().map(|(key, value)| Ok((text(key)?, text(value)?)));
        let env = env.collect::<Result<_, Failure>>()?;
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
    let cwd = bot.cwd.as_deref();
    let files = bot.command.iter().enumerate().filter_map(|(index, word)| {
        let digest = match index {
            0 if word.starts_with('@') => own_digest(),
            0 if !word.contains('/') => in_path(word).and_then(|path| file_digest(&path).ok()),
            // What cannot be read cannot be run either; the game will tell.
            _ => existing(word, cwd).and_then(|path| file_digest(&path).ok()),
        };
        Some((word.clone(), digest?))
    });
    let files = files.collect();
    PlannedBot { files, ..bot }
}

/// The digest of this very program, which is every bundled bot.
fn own_digest() -> Option<String> {
    static DIGEST: OnceLock<Option<String>> = OnceLock::new();
    let digest = || file_digest(&std::env::current_exe().ok()?).ok();
    DIGEST.get_or_init(digest).clone()
}

/// The program that a name without a path stands for.
fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// The file that a word of the command names, seen from the bot's working directory.
fn existing(word: &str, cwd: Option<&str>) -> Option<PathBuf> {
    let path = cwd.map_or_else(|| PathBuf::from(word), |cwd| Path::new(cwd).join(word));
    path.is_file().then_some(path)
}

/// How a planned bot is started.
pub(super) fn command(config: &Config, bot: &PlannedBot) -> Result<BotCommand, Failure> {
    let words = bot.command.iter().map(OsString::from).collect();
    let env = bot.env.iter().map(|(key, value)| (key.into(), value.into())).collect();
    let sandbox = bot.sandbox.as_deref().map(Sandbox::new).transpose().map_err(Failure::user)?;
    let confinement = inputs::confinement(config, sandbox)?;
    inputs::bot_command(words, bot.cwd.as_ref().map(PathBuf::from), env, confinement)
}
