//! The bots of a suite, as typed and as planned.

use std::ffi::{OsStr, OsString};
use std::path::{self, Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use super::params::{Param, combined, param, warn_of_variables};
use crate::cli::inputs::ProjectBot;
use crate::cli::shared::EnvironmentFlags;
use crate::cli::{Failure, completions, hints, inputs, refuse};
use contain::bot::check_proc;
use engine::config::Config;
use engine::suite::check_program;
use results::suite::PlannedBot;
use rules::game::GameKind;
use terms::text::plural;

/// The bots to play.
#[derive(Debug, Args)]
pub(super) struct BotsFlags {
    /// A bot's command line, a bundled bot, or a bot of the project (repeatable)
    ///
    /// Such as ./mybot, 'python3 bot.py', @greedy, or the name of a bot in referee.toml.
    #[arg(short, long, value_name = "CMD", add = completions::bots())]
    bot: Vec<String>,

    /// Play each --bot against only this opponent, in a multiplayer game (repeatable)
    ///
    /// All of them meet the same opponents, on the same boards and in the same seats. Several can
    /// follow one flag, such as `--pool versions/*/bot`, which leaves out the bots of --bot.
    #[arg(long, value_name = "CMD", num_args = 1.., hide_short_help = true, add = completions::bots())]
    pool: Vec<String>,

    /// Play each bot with each of these values, such as WIDTH=1,2,4 or RATE=0.1..1.0:0.1
    /// (repeatable)
    ///
    /// The range has a first value, a last one and a step; several parameters are combined.
    /// `{WIDTH}` in a bot's command stands for the value; without it the bot gets an environment
    /// variable of that name.
    #[arg(long, value_name = "NAME=VALUES", hide_short_help = true, value_parser = param)]
    param: Vec<Param>,

    /// A label for the bot, such as v2 (once for each bot, in their order)
    ///
    /// Tables, pages and comparisons use it instead of the command line. Labels of a pool come
    /// last, and can be left out.
    #[arg(long, value_name = "LABEL", hide_short_help = true, value_parser = label)]
    name: Vec<String>,

    #[command(flatten)]
    environment: EnvironmentFlags,

    /// A word without a flag, which is always an error
    #[arg(hide = true)]
    stray: Option<OsString>,

    /// A bot's command line, word by word
    #[arg(last = true, value_name = "CMD", hide_short_help = true)]
    command: Vec<OsString>,
}

impl BotsFlags {
    /// Says which bot plays if none is named.
    pub(super) fn warn_of_default(&self, config: &Config) {
        if self.bot.is_empty()
            && self.command.is_empty()
            && config.project.bots.len() != 1
            && let Some(bot) = &config.game.default_bot
        {
            log::warn!("no --bot is given: these are games of {bot}");
        }
    }

    /// The bots that the flags name, or the default one.
    pub(super) fn resolve(&self, config: &Config) -> Result<Vec<PlannedBot>, Failure> {
        hints::refuse_stray(self.stray.as_deref())?;
        let mut bots = Vec::new();
        for line in &self.bot {
            bots.push(self.typed("--bot", line, config)?);
        }
        if !self.command.is_empty() {
            let shown: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
            bots.push(self.planned(shown.join(" "), &self.command)?);
        }
        if bots.is_empty() {
            bots.push(self.typed("--bot", inputs::default_bot(config)?, config)?);
        }
        let pool = self
            .pool
            .iter()
            .map(|line| Ok(PlannedBot { pool: true, ..self.typed("--pool", line, config)? }));
        let mut pool = pool.collect::<Result<Vec<_>, Failure>>()?;
        // A pattern such as versions/*/bot means the others.
        let is_other = |other: &PlannedBot| !bots.iter().any(|own| is_same(own, other));
        if pool.iter().any(is_other) {
            pool.retain(is_other);
        }
        self.label(&mut bots, &mut pool)?;
        if !self.param.is_empty() {
            warn_of_variables(&bots, &self.param);
            bots = combined(bots, &self.param)?;
        }
        bots.append(&mut pool);
        self.refuse_number(&bots, config.game.players, &config.game.name)?;
        bots.iter().try_for_each(refuse_open)?;
        refuse_twins(&bots)?;
        bots.iter().try_for_each(|bot| refuse_missing(bot, &config.game))?;
        for bot in &bots {
            let words: Vec<OsString> = bot.command.iter().map(OsString::from).collect();
            hints::warn_of_unbuffered(
                &config.game,
                &words,
                bot.env.contains_key(hints::UNBUFFERED),
            );
        }
        Ok(bots)
    }

    /// Gives the bots their labels, and then the pool.
    fn label(&self, bots: &mut [PlannedBot], pool: &mut [PlannedBot]) -> Result<(), Failure> {
        let (labels, count) = (self.name.len(), bots.len());
        if labels > 0 && labels != count && labels != count + pool.len() {
            let [labels, count] =
                [(labels, "label"), (count, "bot")].map(|(n, what)| plural(n as u64, what));
            let problem = format!(
                "--name: {labels} for {count}; give one for each bot, in their order, and none or one for each of the pool"
            );
            return refuse(problem);
        }
        for (bot, label) in bots.iter_mut().chain(pool).zip(&self.name) {
            bot.name.clone_from(label);
        }
        Ok(())
    }

    /// A bot as typed after a flag.
    fn typed(&self, flag: &str, line: &str, config: &Config) -> Result<PlannedBot, Failure> {
        if let Some(bot) = inputs::project_bot(config, line)? {
            return self.of_project(line, bot);
        }
        let words = inputs::split_words(flag, line)?;
        hints::refuse_mistakes(config, line, &words, self.environment.cwd.as_deref())?;
        self.planned(line.to_owned(), &words)
    }

    /// Refuses a pool where nobody meets it, and a bot that meets nobody.
    fn refuse_number(
        &self,
        bots: &[PlannedBot],
        players: usize,
        game: &str,
    ) -> Result<(), Failure> {
        let problem = match players {
            1 if !self.pool.is_empty() => format!("--pool: a game of {game} has one player"),
            2.. if bots.len() < 2 => format!(
                "a game of {game} has {players} players: name a second --bot, or opponents with --pool"
            ),
            _ => return Ok(()),
        };
        refuse(problem)
    }

    /// A bot of the project; flags override its environment.
    fn of_project(&self, name: &str, bot: ProjectBot) -> Result<PlannedBot, Failure> {
        let typed = self.planned(name.to_owned(), &bot.words)?;
        let env = bot.env.into_iter().chain(typed.env.clone()).collect();
        let cwd = typed.cwd.clone().or_else(|| Some(bot.cwd.to_str()?.to_owned()));
        Ok(PlannedBot { cwd, env, ..typed })
    }

    fn planned(&self, name: String, words: &[OsString]) -> Result<PlannedBot, Failure> {
        let text = |word: &OsStr| {
            let text = word.to_str().map(str::to_owned);
            text.ok_or_else(|| Failure::user(anyhow!("the bot `{name}`: its command is not UTF-8")))
        };
        let command = words.iter().map(|word| text(word)).collect::<Result<Vec<_>, _>>()?;
        let env = self.environment.env.iter().cloned().collect();
        let cwd = self.environment.cwd.as_ref().map(|cwd| text(cwd.as_os_str())).transpose()?;
        let sandbox = self.environment.sandbox();
        Ok(PlannedBot { name, command, cwd, env, sandbox, ..PlannedBot::default() })
    }
}

/// Parses a label.
fn label(text: &str) -> Result<String, String> {
    let label = text.trim();
    if label.is_empty() || label.contains(char::is_control) {
        return Err("a label is a word or a few, such as v2".to_owned());
    }
    Ok(label.to_owned())
}

/// Refuses a bot whose command waits for a value of `--param`.
fn refuse_open(bot: &PlannedBot) -> Result<(), Failure> {
    if let Some(param) = hints::open_param(bot.command.iter().map(String::as_str)) {
        return refuse(format!(
            "--bot: `{{{param}}}` in the command of `{}` stands for a value of --param {param}=VALUES, which is missing",
            bot.name
        ));
    }
    Ok(())
}

/// Whether both are one program with the same words, folder and environment.
fn is_same(one: &PlannedBot, other: &PlannedBot) -> bool {
    let words = |bot: &PlannedBot| -> Vec<PathBuf> {
        let folder = bot.cwd.as_deref().unwrap_or(".");
        // What a link leads to may look at the name by which it was started.
        let word = |word: &String| path::absolute(Path::new(folder).join(word));
        bot.command.iter().map(|text| word(text).unwrap_or_else(|_| text.into())).collect()
    };
    (words(one), &one.cwd, &one.env) == (words(other), &other.cwd, &other.env)
}

/// Refuses two bots of one name, since results distinguish bots by name.
fn refuse_twins(bots: &[PlannedBot]) -> Result<(), Failure> {
    for (index, bot) in bots.iter().enumerate() {
        if bots[..index].iter().any(|earlier| earlier.name == bot.name) {
            let flag = if bot.pool { "--pool" } else { "--bot" };
            return refuse(format!("{flag}: `{}` is named twice", bot.name));
        }
    }
    Ok(())
}

/// Refuses a bot whose program is missing, before the run folder is made.
fn refuse_missing(bot: &PlannedBot, kind: &GameKind) -> Result<(), Failure> {
    let words: Vec<OsString> = bot.command.iter().map(OsString::from).collect();
    inputs::refuse_bundled(&words, kind)?;
    // Without it the file of a bundled bot is not known.
    check_proc()?;
    Ok(check_program(bot)?)
}
