//! Flags that several commands share.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use super::inputs::{self, NamedBot, Variable};
use super::words::{FlagValue as _, word};
use super::{Failure, completions, hints};
use contain::bot::{Containment, Pinning, Sandbox, SandboxError};
use engine::config::{Bound, Config, GameLimits, Layer, Limit, Size};
use results::suite::RunFolder;
use rules::game::GameKind;
use terms::limits::{OnHostDelay, Profile};

/// The environment of a bot.
#[derive(Debug, Args)]
pub(super) struct EnvironmentFlags {
    /// The bot's working directory
    #[arg(long, value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,

    /// Set an environment variable for the bot (repeatable)
    ///
    /// NAME alone records the value that the bot inherits.
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = inputs::variable)]
    pub(super) env: Vec<Variable>,

    /// Give the bot no network, and only its own folder to write to (repeatable with PATH)
    ///
    /// Its folder is its TMPDIR. It can read the system, the folders of its PATH, the files and
    /// folders that its command or --cwd names, and each PATH.
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true, default_missing_value = "")]
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
            return Err(Failure::user(anyhow!(problem)));
        }
        Ok(())
    }

    /// The named bot, or the game's default bot.
    pub(super) fn resolve(&self, config: &Config) -> Result<NamedBot, Failure> {
        match &self.bot[..] {
            [] => self.resolve_line(config, None),
            [line] => self.resolve_line(config, Some(line)),
            _ => Err(Failure::user(anyhow!(
                "this command accepts one --bot; `referee suite` and `referee timing` accept several, and so does `referee play` with a \
                 --game of several players"
            ))),
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
            return Err(Failure::user(anyhow!(
                "{name} has {players} players: name {players} bots with --bot, by seat, or one for all seats; \
                 `players` in [game.{name}] is their number"
            )));
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
                return Err(Failure::user(anyhow!("--bot: `{name}` is named twice")));
            }
        }
        match &self.bot[..] {
            [] => Ok(vec![self.resolve_line(config, None)?]),
            lines => lines.iter().map(|line| self.resolve_line(config, Some(line))).collect(),
        }
    }

    /// The bot of this command line; without one, the bot of the last words, or the game's default bot.
    fn resolve_line(&self, config: &Config, line: Option<&str>) -> Result<NamedBot, Failure> {
        hints::refuse_stray(self.stray.as_deref())?;
        let (name, words) = if self.command.is_empty() {
            let line = match line {
                Some(line) => line,
                None => inputs::default_bot(&config.game)?,
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
                hints::refuse_mistakes(config, &name, &words, cwd.as_deref())?;
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
        let confinement = inputs::confinement(config, sandbox)?;
        inputs::refuse_bundled(&words, &config.game)?;
        if let Some(param) = hints::open_param(words.iter().filter_map(|word| word.to_str())) {
            let problem =
                format!("`{{{param}}}` stands for a value of --param, which `referee suite` takes");
            return Err(Failure::user(anyhow!("--bot: {problem}")));
        }
        hints::warn_of_unbuffered(
            &config.game,
            &words,
            env.contains_key(OsStr::new(hints::UNBUFFERED)),
        );
        let mut command = inputs::bot_command(words, cwd, env, confinement)?;
        if self.pin {
            command.pinning = Some(Pinning::plan(self.cores()).map_err(Failure::user)?);
        }
        Ok(NamedBot { name, command })
    }
}

/// The game, and its rules about time.
#[derive(Debug, Args)]
pub(super) struct RuleFlags {
    #[arg(long, value_name = "NAME", add = completions::games(), help = inputs::game_help("The game"))]
    game: Option<String>,

    /// The time limits [default: official]
    #[arg(long, overrides_with = "profile", value_name = "NAME", value_parser = word::<Profile>())]
    profile: Option<Profile>,

    /// The time for the first answer, including the start, such as 20s
    ///
    /// It overrides the profile.
    #[arg(long, overrides_with = "first_turn", value_name = "TIME", allow_hyphen_values = true)]
    first_turn: Option<Limit>,

    /// The time for each later answer, such as 50ms
    ///
    /// It overrides the profile.
    #[arg(long, overrides_with = "turn", value_name = "TIME", allow_hyphen_values = true)]
    turn: Option<Limit>,

    /// The time for all answers of a game, such as 30s
    ///
    /// It applies to games with such a limit: Square Remover and contests. It overrides the
    /// profile.
    #[arg(long, overrides_with = "total", value_name = "TIME", allow_hyphen_values = true)]
    total: Option<Limit>,

    /// The memory of all the bot's processes, such as 768MiB, or none
    #[arg(long, overrides_with = "memory", value_name = "SIZE", allow_hyphen_values = true)]
    memory: Option<Bound<Size>>,

    /// The stack of each of the bot's processes, such as 1GiB, or none [default: the shell's]
    #[arg(long, overrides_with = "stack", value_name = "SIZE", allow_hyphen_values = true)]
    stack: Option<Bound<Size>>,

    /// How to keep the bot's processes together, so that all end with the game [default: auto]
    #[arg(long, overrides_with = "containment", value_name = "METHOD", value_parser = word::<Containment>())]
    containment: Option<Containment>,

    /// A file of settings, like configs/default.toml [default: the nearest referee.toml upwards]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl RuleFlags {
    /// Whether any of these flags was given that say what a plan stores.
    pub(super) fn is_given(&self) -> bool {
        let named = self.game.is_some() || self.profile.is_some();
        named || self.limits() != GameLimits::default()
    }

    /// The settings file in use, if any.
    pub(super) fn config_path(&self) -> Option<PathBuf> {
        inputs::config_path(self.config.as_deref())
    }

    /// The flags that were given, each with its setting and its value.
    pub(super) fn given(&self, game: &str) -> Vec<(&'static str, String, String)> {
        let limit = |name: &str| format!("limits.{game}.{name}");
        let time = |limit: Option<Limit>| limit.map(|limit| limit.to_string());
        let profile = self.profile.map(|profile| profile.name().to_owned());
        let containment = self.containment.map(|method| method.word().to_owned());
        [
            ("--game", "game".to_owned(), self.game.clone()),
            ("--profile", "profile".to_owned(), profile),
            ("--first-turn", limit("first-turn"), time(self.first_turn)),
            ("--turn", limit("turn"), time(self.turn)),
            ("--total", limit("total"), time(self.total)),
            ("--memory", limit("memory"), self.memory.map(|memory| memory.to_string())),
            ("--stack", limit("stack"), self.stack.map(|stack| stack.to_string())),
            ("--containment", "containment".to_owned(), containment),
        ]
        .into_iter()
        .filter_map(|(flag, name, value)| Some((flag, name, value?)))
        .collect()
    }

    /// Whether --config names a file of settings.
    pub(super) fn names_config(&self) -> bool {
        self.config.is_some()
    }

    /// The flags for another command, so that settings that plans do not store are the same there. From another folder it does not
    /// find the file of settings.
    pub(super) fn task_words(&self, elsewhere: bool) -> Result<Vec<String>, Failure> {
        let mut words = Vec::new();
        let file = if elsewhere { self.config_path() } else { self.config.clone() };
        if let Some(path) = file {
            let path = std::path::absolute(path).map_err(Failure::user)?;
            words.extend(["--config".to_owned(), path.display().to_string()]);
        }
        if let Some(method) = self.containment {
            words.extend(["--containment".to_owned(), method.word().to_owned()]);
        }
        Ok(words)
    }

    fn limits(&self) -> GameLimits {
        let times = [self.first_turn, self.turn, self.total];
        GameLimits { stack: self.stack, ..GameLimits::new(times, self.memory) }
    }

    /// The settings of a run's plan; settings that the plan does not store come from the user's file and the
    /// defaults.
    pub(super) fn of_run(&self, folder: &RunFolder) -> Result<Config, Failure> {
        let file = self.file_for(folder)?;
        let mut flags = inputs::stored(&folder.run.plan);
        flags.containment = self.containment;
        inputs::settings([flags, file])
    }

    /// The user's settings file, which must have the game of the run if it is not built in.
    fn file_for(&self, folder: &RunFolder) -> Result<Layer, Failure> {
        let plan = &folder.run.plan;
        let file = inputs::config_file(self.config.as_deref())?;
        let game = &plan.game;
        if plan.judge.is_some() && !file.has_game_named(game) && GameKind::named(game).is_none() {
            let run = hints::shell_path(&folder.path);
            let problem =
                format!("these settings have no table [game.{game}], which names its judge");
            let remedy =
                format!("`referee suite --resume {run} --config FILE` with the file that has it");
            let path = folder.path.display();
            return Err(Failure::user(anyhow!("{path} cannot be resumed: {problem}; {remedy}")));
        }
        Ok(file)
    }

    /// Resolves these flags and the settings file.
    pub(super) fn resolve(&self, on_host_delay: Option<OnHostDelay>) -> Result<Config, Failure> {
        self.resolve_over(inputs::config_file(self.config.as_deref())?, on_host_delay)
    }

    /// Resolves these flags over the settings of a file that has been read.
    pub(super) fn resolve_over(
        &self,
        file: Layer,
        on_host_delay: Option<OnHostDelay>,
    ) -> Result<Config, Failure> {
        inputs::settings([self.layer(Layer::default(), on_host_delay)?, file])
    }

    /// As [`resolve`](Self::resolve), of flags that repeat the rules of a run, whose game is the default.
    pub(super) fn again(
        &self,
        folder: &RunFolder,
        on_host_delay: Option<OnHostDelay>,
    ) -> Result<Config, Failure> {
        let file = match self.game {
            Some(_) => inputs::config_file(self.config.as_deref())?,
            None => self.file_for(folder)?,
        };
        let default = Layer::of_game(&folder.run.plan.game);
        inputs::settings([self.layer(default, on_host_delay)?, file])
    }

    /// These flags as settings.
    fn layer(
        &self,
        default_game: Layer,
        on_host_delay: Option<OnHostDelay>,
    ) -> Result<Layer, Failure> {
        let game = self.game.as_deref().map(inputs::game_layer).transpose()?;
        let mut flags = game.unwrap_or(default_game);
        flags.profile = self.profile;
        flags.fixed = self.limits();
        flags.on_host_delay = on_host_delay;
        flags.containment = self.containment;
        Ok(flags)
    }
}
