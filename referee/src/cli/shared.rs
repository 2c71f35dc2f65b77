//! Flags that several commands share.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, ValueEnum as _};

use super::Failure;
use super::inputs::{self, NamedBot};
use crate::bot::{Containment, Pinning, Sandbox};
use crate::config::{Config, Limit, LimitsTable, Overrides};
use crate::limits::{LimitKind, OnHostDelay, Profile};
use crate::suite::Plan;

/// Who plays, and in which surroundings.
#[derive(Debug, Args)]
pub(super) struct BotFlags {
    /// The bot's command line, split into words as a shell would, but run without one; `@NAME` is a
    /// bundled bot (see `referee bot --help`), and a name alone may be one of the project's bots
    #[arg(short, long, value_name = "CMD", conflicts_with = "command")]
    bot: Option<String>,

    /// The bot's working directory
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// Sets an environment variable for the bot (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,

    /// Gives the bot cores of its own, and keeps the referee on another
    #[arg(long)]
    pin: bool,

    /// How many cores the bot gets [default: 1]
    #[arg(long, value_name = "N", requires = "pin")]
    cores_per_bot: Option<usize>,

    /// Keeps the bot from the network, and from writing anywhere but in a folder of its own (its
    /// TMPDIR); it may read the system, its program's and its arguments' folders, its working
    /// directory and what is in its PATH
    #[arg(long)]
    sandbox: bool,

    /// Something else that a bot in a sandbox may read (repeatable)
    #[arg(long, value_name = "PATH", requires = "sandbox")]
    sandbox_read: Vec<PathBuf>,

    /// The bot's command line, word by word
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl BotFlags {
    /// The bot that was named, or the game's default one.
    pub(super) fn resolve(&self, config: &Config) -> Result<NamedBot, Failure> {
        let (name, words) = if self.command.is_empty() {
            let line = self.bot.as_deref().unwrap_or(config.game.default_bot);
            (line.to_owned(), inputs::split_words("--bot", line)?)
        } else {
            let shown: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
            (shown.join(" "), self.command.clone())
        };
        let mut env = inputs::environment(&self.env)?;
        let mut cwd = self.cwd.clone();
        let known =
            if self.command.is_empty() { inputs::project_bot(config, &name)? } else { None };
        let words = match known {
            Some(bot) => {
                cwd.get_or_insert(bot.cwd);
                for (key, value) in bot.env {
                    env.entry(key.into()).or_insert_with(|| value.into());
                }
                bot.words
            }
            None => words,
        };
        let sandbox = self.sandbox.then(|| Sandbox::new(&self.sandbox_read));
        let sandbox = sandbox.transpose().map_err(Failure::user)?;
        let confinement = inputs::confinement(config, sandbox)?;
        let mut command = inputs::bot_command(words, cwd, env, confinement)?;
        if self.pin {
            let cores = self.cores_per_bot.unwrap_or(1).max(1);
            command.pinning = Some(Pinning::plan(cores).map_err(Failure::user)?);
        }
        Ok(NamedBot { name, command })
    }
}

/// The game, and its rules about time.
#[derive(Debug, Args)]
pub(super) struct RuleFlags {
    /// The game: samegame, square-remover [default: samegame]
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

    /// The time for the whole of a game that is one exchange (Square Remover), such as 30s
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    total: Option<String>,

    /// The memory of all the bot's processes together, such as 768MiB, or none
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    memory: Option<String>,

    /// What keeps the bot's processes together, so that none outlives its game [default: auto]
    #[arg(long, value_name = "MEANS")]
    containment: Option<Containment>,

    /// Settings, in the form of configs/default.toml [default: the nearest referee.toml, from the working
    /// directory upwards]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl RuleFlags {
    /// Whether any of these flags was given that says what is played.
    pub(super) fn is_given(&self) -> bool {
        let limits = [&self.first_turn, &self.turn, &self.total, &self.game, &self.memory];
        limits.iter().any(|flag| flag.is_some()) || self.profile.is_some() || self.config.is_some()
    }

    /// The file that settings come from, if there is one.
    pub(super) fn config_path(&self) -> Option<PathBuf> {
        inputs::config_path(self.config.as_deref())
    }

    /// The flags that were given: the flag, the setting that it stands for, and its value.
    pub(super) fn given(&self, game: &str) -> Vec<(&'static str, String, String)> {
        let limit = |name: &str| format!("limits.{game}.{name}");
        let profile = self.profile.map(|profile| profile.name().to_owned());
        let possible = self.containment.and_then(|means| means.to_possible_value());
        let containment = possible.map(|value| value.get_name().to_owned());
        [
            ("--game", "game".to_owned(), self.game.clone()),
            ("--profile", "profile".to_owned(), profile),
            ("--first-turn", limit("first-turn"), self.first_turn.clone()),
            ("--turn", limit("turn"), self.turn.clone()),
            ("--total", limit("total"), self.total.clone()),
            ("--memory", limit("memory"), self.memory.clone()),
            ("--containment", "containment".to_owned(), containment),
        ]
        .into_iter()
        .filter_map(|(flag, name, value)| Some((flag, name, value?)))
        .collect()
    }

    /// Settings that say the same as the plan of a run; what a plan does not say comes from the
    /// user's file and the defaults.
    pub(super) fn of_plan(&self, plan: &Plan) -> Result<Config, Failure> {
        let limit = |kind| plan.rules.limits.of(kind).map(Limit);
        let profile = Profile::from_str(&plan.rules.profile, false);
        let flags = Overrides {
            game: Some(plan.game.clone()),
            profile: Some(profile.map_err(|error| Failure::user(anyhow!(error)))?),
            limits: LimitsTable {
                first_turn: limit(LimitKind::FirstTurn),
                turn: limit(LimitKind::Turn),
                total: limit(LimitKind::Total),
                memory: None,
            },
            on_host_delay: Some(plan.rules.on_host_delay),
            containment: self.containment,
        };
        let file = inputs::config_file(self.config.as_deref())?;
        let mut config =
            Config::resolve(&file, &flags).map_err(|error| Failure::user(anyhow!(error)))?;
        config.resources = plan.rules.resources;
        Ok(config)
    }

    /// The settings that these flags and the file they name come to.
    pub(super) fn resolve(&self, on_host_delay: Option<OnHostDelay>) -> Result<Config, Failure> {
        let file = inputs::config_file(self.config.as_deref())?;
        let limit = |flag, text: &Option<String>| inputs::limit(flag, text.as_deref());
        let flags = Overrides {
            game: self.game.clone(),
            profile: self.profile,
            limits: LimitsTable {
                first_turn: limit("--first-turn", &self.first_turn)?,
                turn: limit("--turn", &self.turn)?,
                total: limit("--total", &self.total)?,
                memory: inputs::value("--memory", self.memory.as_deref())?,
            },
            on_host_delay,
            containment: self.containment,
        };
        Config::resolve(&file, &flags).map_err(|error| Failure::user(anyhow!(error)))
    }
}
