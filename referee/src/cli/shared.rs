//! Flags that several commands share.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use super::inputs::{self, NamedBot, Variable};
use super::words::word;
use super::{Failure, completions, hints, refuse};
use contain::bot::{Containment, Pinning, Sandbox, SandboxError};
use engine::config::{Bound, Config, GameLimits, Layer, Limit, Size};
use results::suite::RunFolder;
use rules::game::GameKind;
use terms::limits::{OnHostDelay, Profile};

/// The environment of a bot.
#[derive(Debug, Args)]
pub(super) struct EnvironmentFlags {
    /// The bot's working directory
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(super) cwd: Option<PathBuf>,

    /// Set an environment variable for the bot (repeatable)
    ///
    /// NAME alone records the value that the bot inherits.
    #[arg(long, value_name = "NAME[=VALUE]", hide_short_help = true, value_parser = inputs::variable)]
    pub(super) env: Vec<Variable>,

    /// Give the bot no network, and only its own folder to write to (repeatable with PATH)
    ///
    /// Its folder is its TMPDIR. It can read the system, the folders of its PATH, the files and
    /// folders that its command or --cwd names, and each PATH.
    #[arg(long, value_name = "PATH", hide_short_help = true, num_args = 0..=1, require_equals = true, default_missing_value = "")]
    sandbox: Vec<OsString>,
}

impl EnvironmentFlags {
    /// Whether any of these flags was given.
    pub(super) fn is_given(&self) -> bool {
        self.cwd.is_some() || !self.env.is_empty() || !self.sandbox.is_empty()
    }

    /// The additional paths that a bot in a sandbox may read; `None` without a sandbox.
    pub(super) fn sandbox(&self) -> Option<Vec<PathBuf>> {
        let paths = self.sandbox.iter().filter(|path| !path.is_empty()).map(PathBuf::from);
        (!self.sandbox.is_empty()).then(|| paths.collect())
    }
}

/// What starts the bot.
#[derive(Debug, Args)]
pub(super) struct BotFlags {
    /// The bot's command line, a bundled bot such as @greedy, or a bot of the project
    ///
    /// The line is split into words as a shell would, but runs without a shell. `referee bot
    /// --help` lists the bundled bots.
    #[arg(short, long, value_name = "CMD", conflicts_with = "command", add = completions::bots())]
    bot: Vec<String>,

    #[command(flatten)]
    environment: EnvironmentFlags,

    /// Give the bot separate cores, which its judge and the referee share
    #[arg(long)]
    pin: bool,

    /// The number of cores for the bot [default: 1]
    #[arg(long, value_name = "N", requires = "pin", value_parser = clap::value_parser!(u16).range(1..))]
    cores_per_bot: Option<u16>,

    /// A word without a flag, which is always an error
    #[arg(hide = true)]
    stray: Option<OsString>,

    /// The bot's command line, word by word
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl BotFlags {
    /// Whether they name a bot.
    pub(super) fn is_named(&self) -> bool {
        !self.bot.is_empty() || !self.command.is_empty()
    }

    /// The number of cores for each bot, if it has separate ones.
    fn cores(&self) -> usize {
        self.cores_per_bot.map_or(1, usize::from)
    }

    /// Refuses a word without a flag, and flags for a bot where none is named.
    pub(super) fn refuse_without_bot(&self) -> Result<(), Failure> {
        hints::refuse_stray(self.stray.as_deref())?;
        if !self.is_named() && (self.environment.is_given() || self.pin) {
            let problem = "--cwd, --env, --sandbox and --pin are for a bot; name it with --bot CMD";
            return refuse(problem);
        }
        Ok(())
    }

    /// The named bot, or the default one.
    pub(super) fn resolve(&self, config: &Config) -> Result<NamedBot, Failure> {
        match &self.bot[..] {
            [] => self.resolve_line(config, None),
            [line] => self.resolve_line(config, Some(line)),
            _ => refuse(
                "this command accepts one --bot; `referee suite` and `referee timing` accept several, and so does `referee play` with a \
                 --game of several players",
            ),
        }
    }

    /// The bots of a game by seat: the named ones, or one for all seats. One bot is asked at a time, so they share cores,
    /// unless they may ponder.
    pub(super) fn resolve_seats(
        &self,
        config: &Config,
        ponders: bool,
    ) -> Result<Vec<NamedBot>, Failure> {
        let players = config.game.players;
        let mut bots = if self.bot.len() <= 1 || players == 1 {
            vec![self.resolve(config)?; players]
        } else if self.bot.len() == players {
            let lines = self.bot.iter();
            lines.map(|line| self.resolve_line(config, Some(line))).collect::<Result<_, _>>()?
        } else {
            let name = &config.game.name;
            return refuse(format!(
                "{name} has {players} players: name {players} bots with --bot, by seat, or one for all seats; \
                 `players` in [game.{name}] is their number"
            ));
        };
        if self.pin && players > 1 {
            let of_each = self.cores();
            let tables = if ponders { players } else { 1 };
            let cores = Pinning::plan(of_each * tables).map_err(Failure::user)?.cores;
            let mut shares = cores.chunks(of_each).cycle();
            for bot in &mut bots {
                bot.command.pinning = shares.next().map(|cores| Pinning { cores: cores.to_vec() });
            }
        }
        Ok(bots)
    }

    /// The named bots, or the game's default bot.
    pub(super) fn resolve_all(&self, config: &Config) -> Result<Vec<NamedBot>, Failure> {
        for (index, name) in self.bot.iter().enumerate() {
            if self.bot[..index].contains(name) {
                return refuse(format!("--bot: `{name}` is named twice"));
            }
        }
        match &self.bot[..] {
            [] => Ok(vec![self.resolve_line(config, None)?]),
            lines => lines.iter().map(|line| self.resolve_line(config, Some(line))).collect(),
        }
    }

    /// The bot of this command line; without one, the bot of the last words, or the default one.
    fn resolve_line(&self, config: &Config, line: Option<&str>) -> Result<NamedBot, Failure> {
        hints::refuse_stray(self.stray.as_deref())?;
        let (name, words) = if self.command.is_empty() {
            let line = match line {
                Some(line) => line,
                None => inputs::default_bot(config)?,
            };
            (line.to_owned(), inputs::split_words("--bot", line)?)
        } else {
            let shown: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
            (shown.join(" "), self.command.clone())
        };
        let own = self.environment.env.iter().map(|(name, value)| (name.into(), value.into()));
        let mut env: BTreeMap<OsString, OsString> = own.collect();
        let mut cwd = self.environment.cwd.clone();
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
            None if self.command.is_empty() => {
                hints::refuse_mistakes("--bot", config, &name, &words, cwd.as_deref())?;
                words
            }
            None => words,
        };
        let sandbox = self.environment.sandbox().map(|paths| Sandbox::new(&paths));
        let sandbox = sandbox.transpose().map_err(|error| match error {
            SandboxError::Unreadable { .. } => {
                Failure::user(anyhow::Error::new(error).context("--sandbox"))
            }
            _ => Failure::user(error),
        })?;
        let confinement = config.confinement(sandbox)?;
        inputs::refuse_bundled(&words, &config.game)?;
        if let Some(param) = hints::open_param(words.iter().filter_map(|word| word.to_str())) {
            let problem =
                format!("`{{{param}}}` stands for a value of --param, which `referee suite` takes");
            return refuse(format!("--bot: {problem}"));
        }
        let is_given = env.contains_key(OsStr::new(hints::UNBUFFERED));
        let mut command = inputs::bot_command(words.clone(), cwd, env, confinement)?;
        hints::warn_of_unbuffered(&config.game, &words, is_given);
        if self.pin {
            command.pinning = Some(Pinning::plan(self.cores()).map_err(Failure::user)?);
        }
        Ok(NamedBot { name, command })
    }
}

/// The game, and its rules about time.
#[derive(Debug, Args)]
pub(super) struct RuleFlags {
    #[arg(long, value_name = "NAME", add = completions::games(), help = "The game [default: samegame]", long_help = inputs::game_help("The game"))]
    game: Option<String>,

    /// The time limits [default: official]
    #[arg(long, overrides_with = "profile", hide_short_help = true, value_name = "NAME", value_parser = word::<Profile>())]
    profile: Option<Profile>,

    /// The time for the first answer, including the start, such as 20s
    ///
    /// It overrides the profile.
    #[arg(
        long,
        overrides_with = "first_turn",
        hide_short_help = true,
        value_name = "TIME",
        allow_hyphen_values = true
    )]
    first_turn: Option<Limit>,

    /// The time for each later answer, such as 50ms
    ///
    /// It overrides the profile.
    #[arg(long, overrides_with = "turn", value_name = "TIME", allow_hyphen_values = true)]
    turn: Option<Limit>,

    /// The time for all answers of a game, such as 30s
    ///
    /// It applies to games that have a total limit, such as Square Remover. It overrides the
    /// profile.
    #[arg(
        long,
        overrides_with = "total",
        hide_short_help = true,
        value_name = "TIME",
        allow_hyphen_values = true
    )]
    total: Option<Limit>,

    /// The memory of all the bot's processes, such as 768MiB, or none
    #[arg(
        long,
        overrides_with = "memory",
        hide_short_help = true,
        value_name = "SIZE",
        allow_hyphen_values = true
    )]
    memory: Option<Bound<Size>>,

    /// The stack of each of the bot's processes, such as 1GiB, or none [default: the shell's]
    #[arg(
        long,
        overrides_with = "stack",
        hide_short_help = true,
        value_name = "SIZE",
        allow_hyphen_values = true
    )]
    stack: Option<Bound<Size>>,

    #[command(flatten)]
    config: ConfigFlag,
}

/// How the bot's processes are kept together.
#[derive(Debug, Args)]
pub(super) struct ContainmentFlag {
    /// How to keep the bot's processes together, so that all end with the game [default: auto]
    #[arg(long, overrides_with = "containment", hide_short_help = true, value_name = "METHOD", value_parser = word::<Containment>())]
    pub(super) containment: Option<Containment>,
}

/// Settings besides the flags.
#[derive(Debug, Args)]
pub(super) struct ConfigFlag {
    /// A file of settings, or KEY=VALUE for one, such as containment=plain (repeatable) [default: the
    /// nearest referee.toml in this or a parent folder]
    ///
    /// `referee config` shows the keys and the values that apply.
    #[arg(long = "config", hide_short_help = true, value_name = "FILE|KEY=VALUE")]
    values: Vec<PathBuf>,
}

impl ConfigFlag {
    /// The settings file in use, if any.
    pub(super) fn path(&self) -> Result<Option<PathBuf>, Failure> {
        let mut files = self.values.iter().filter(|value| setting(value).is_none());
        match (files.next(), files.next()) {
            (Some(_), Some(_)) => {
                let problem = "--config: name one file; KEY=VALUE sets a setting besides";
                refuse(problem)
            }
            (named, _) => Ok(inputs::config_path(named.map(PathBuf::as_path))),
        }
    }

    /// Whether any settings are named.
    pub(super) fn is_given(&self) -> bool {
        !self.values.is_empty()
    }

    /// The single settings, the last one on top, as text of a settings file.
    pub(super) fn single(&self) -> impl Iterator<Item = String> {
        self.values.iter().rev().filter_map(|value| setting(value))
    }

    /// The single settings as layers, the last one on top.
    pub(super) fn single_layers(&self) -> Result<Vec<Layer>, Failure> {
        let layer = |text: String| {
            text.parse::<Layer>().map_err(|error| {
                Failure::user(anyhow!("--config {}: {}", text.trim(), error.problem))
            })
        };
        self.single().map(layer).collect()
    }

    /// The settings that these values mean, the first one on top.
    pub(super) fn layers(&self) -> Result<Vec<Layer>, Failure> {
        let mut layers = self.single_layers()?;
        layers.push(inputs::config_file(self.path()?.as_deref())?);
        Ok(layers)
    }

    /// The same flags for a command in this folder.
    pub(super) fn words(&self) -> Result<Vec<String>, Failure> {
        let mut words = Vec::new();
        for value in &self.values {
            let value = match setting(value) {
                Some(_) => value.clone(),
                None => std::path::absolute(value).map_err(Failure::user)?,
            };
            words.extend(["--config".to_owned(), value.display().to_string()]);
        }
        Ok(words)
    }
}

/// The line of a settings file that KEY=VALUE means; `None` for the name of a file. A value that is not TOML, or has another type than
/// the key's, is text.
fn setting(value: &Path) -> Option<String> {
    let (key, value) = value.to_str()?.split_once('=')?;
    let is_key = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !key.chars().all(is_key) {
        return None;
    }
    let (plain, text) =
        (format!("{key} = {value}\n"), format!("{key} = {}\n", toml::Value::from(value)));
    let is_plain = plain.parse::<Layer>().is_ok()
        || plain.parse::<toml::Table>().is_ok() && text.parse::<Layer>().is_err();
    Some(if is_plain { plain } else { text })
}

impl RuleFlags {
    /// Settings besides the flags.
    pub(super) fn config(&self) -> &ConfigFlag {
        &self.config
    }

    fn limits(&self) -> GameLimits {
        let &Self { first_turn, turn, total, memory, stack, .. } = self;
        GameLimits { first_turn, turn, total, memory, stack }
    }

    /// Resolves these flags and the settings.
    pub(super) fn resolve(
        &self,
        on_host_delay: Option<OnHostDelay>,
        containment: Option<Containment>,
    ) -> Result<Config, Failure> {
        let game = self.game.as_deref().map(inputs::game_layer).transpose()?;
        let mut flags = game.unwrap_or_default();
        (flags.on_host_delay, flags.containment) = (on_host_delay, containment);
        (flags.profile, flags.fixed) = (self.profile, self.limits());
        inputs::settings([flags].into_iter().chain(self.config.layers()?))
    }
}

/// The settings of a run's plan; what the plan does not store comes from `flag`, the user's file and the defaults. The user's settings
/// must have the game of the run if it is not built in.
pub(super) fn of_run(folder: &RunFolder, flag: &ConfigFlag) -> Result<Config, Failure> {
    let plan = &folder.run.plan;
    let (layers, game) = (flag.layers()?, &plan.game);
    let is_known = || layers.iter().any(|layer| layer.has_game_named(game));
    if plan.judge.is_some() && GameKind::named(game).is_none() && !is_known() {
        let run = hints::shell_path(&folder.path);
        return refuse(format!(
            "{} cannot be resumed: these settings have no table [game.{game}], which names its judge; `referee resume {run} \
             --config FILE` with the file that has it",
            folder.path.display()
        ));
    }
    inputs::settings([inputs::stored(plan)].into_iter().chain(layers))
}
