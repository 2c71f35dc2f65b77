//! The bots of a suite, as typed and as planned.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{self, Path, PathBuf};

use anyhow::anyhow;
use clap::Args;

use super::params::{Param, combined, param, warn_of_variables};
use super::{opponent, or_keep_going};
use crate::cli::inputs::ProjectBot;
use crate::cli::named_run::run_path;
use crate::cli::shared::EnvironmentFlags;
use crate::cli::{Failure, completions, hints, inputs, refuse};
use contain::bot::check_proc;
use engine::config::Config;
use engine::suite::{check_program, plan_now};
use results::suite::{OutBot, PlannedBot, RunFolder};
use rules::game::GameKind;
use terms::text::{plural, shell_word};

/// The bots to play.
#[derive(Debug, Args)]
pub(super) struct BotsFlags {
    /// A bot's command line, a bundled bot, or a bot of the project (repeatable)
    ///
    /// Such as ./mybot, 'python3 bot.py', @greedy, or the name of a bot in referee.toml.
    #[arg(short, long, value_name = "CMD", add = completions::bots())]
    bot: Vec<String>,

    /// Bots as several words, such as `students/*/bot.py`, or `all` bots of referee.toml
    ///
    /// Each word is one bot. A name is what differs in the paths, such as `ann` for
    /// students/ann/bot.py, and a script that is not executable is started by its interpreter.
    #[arg(long, value_name = "CMD", num_args = 1.., hide_short_help = true, add = completions::bots())]
    bots: Vec<String>,

    /// Play each --bot against only this opponent, in a multiplayer game (repeatable)
    ///
    /// All of them meet the same opponents, on the same boards and in the same seats. Several can
    /// follow one flag, such as `--pool versions/*/bot`, which leaves out the bots of --bot.
    #[arg(long, value_name = "CMD", num_args = 1.., hide_short_help = true, add = completions::bots())]
    pool: Vec<String>,

    /// Play each --bot against all bots of this run, to join its league
    ///
    /// They play the boards of the run from its seats, unless --board or --seed names others.
    /// `referee ratings RUN NEW` and `report RUN NEW` then show both runs as one league.
    #[arg(long, value_name = "RUN", conflicts_with = "pool", hide_short_help = true, add = completions::runs())]
    pub(super) pool_of: Option<PathBuf>,

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
            && self.bots.is_empty()
            && self.command.is_empty()
            && config.project.bots.len() != 1
            && let Some(bot) = &config.game.default_bot
        {
            log::warn!("no --bot is given: these are games of {bot}");
        }
    }

    /// The bots that the flags name, or the default one, and those that cannot play. In a shard none is left out, since another
    /// machine may have it.
    pub(super) fn resolve(
        &self,
        config: &Config,
        keep_going: bool,
        is_shard: bool,
    ) -> Result<(Vec<PlannedBot>, Vec<OutBot>), Failure> {
        hints::refuse_stray(self.stray.as_deref())?;
        let several = self.several(config)?;
        let count = self.bot.len() + several.len() + self.pool.len();
        // Of one bot or two, each is wanted.
        let may_open = self.param.is_empty() && !is_shard;
        let is_open = may_open && (keep_going || count > 2);
        let can_open = may_open && count == 2 && config.game.players == 1;
        let mut sieve = Sieve { is_open, can_open, failures: Vec::new() };
        let mut bots = Vec::new();
        for line in &self.bot {
            bots.push(sieve.typed(line, self.typed("--bot", line, config))?);
        }
        for (name, line) in several {
            let bot = sieve.typed(&line, self.typed("--bots", &line, config))?;
            bots.push(PlannedBot { name, ..bot });
        }
        if !self.command.is_empty() {
            let shown: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
            bots.push(self.planned(shown.join(" "), &self.command)?);
        }
        if bots.is_empty() {
            bots.push(self.typed("--bot", inputs::default_bot(config)?, config)?);
        }
        let mut pool = Vec::new();
        for line in &self.pool {
            let bot = sieve.typed(line, self.typed("--pool", line, config))?;
            pool.push(PlannedBot { pool: true, ..bot });
        }
        if let Some(run) = &self.pool_of {
            pool.extend(of_run(run, &config.game.name)?);
        }
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
        refuse_number(&bots, config.game.players, &config.game.name)?;
        bots.iter().try_for_each(refuse_open)?;
        self.refuse_twins(&bots)?;
        let (bots, out) = sieve.sift(bots, &config.game)?;
        for bot in &bots {
            let words: Vec<OsString> = bot.command.iter().map(OsString::from).collect();
            hints::warn_of_unbuffered(
                &config.game,
                &words,
                bot.env.contains_key(hints::UNBUFFERED),
            );
        }
        Ok((bots, out))
    }

    /// The names and command lines of `--bots`.
    fn several(&self, config: &Config) -> Result<Vec<(String, String)>, Failure> {
        if self.bots != ["all"] {
            return Ok(distinct(&self.bots).into_iter().zip(self.bots.clone()).collect());
        }
        if config.project.bots.is_empty() {
            return refuse("--bots all: referee.toml has no bots; add them as [bots.NAME]");
        }
        Ok(config.project.bots.keys().map(|name| (name.clone(), name.clone())).collect())
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

    /// Refuses two bots of one name, since results distinguish bots by name.
    fn refuse_twins(&self, bots: &[PlannedBot]) -> Result<(), Failure> {
        for (index, bot) in bots.iter().enumerate() {
            if bots[..index].iter().any(|earlier| earlier.name == bot.name) {
                let flag = match (bot.pool, &self.pool_of) {
                    (true, Some(_)) => "--pool-of",
                    (true, None) => "--pool",
                    (false, _) if self.bots.is_empty() => "--bot",
                    (false, _) => "--bots",
                };
                let remedy = "give another label with --name";
                return refuse(format!("{flag}: `{}` is named twice; {remedy}", bot.name));
            }
        }
        Ok(())
    }

    /// A bot as typed after a flag.
    fn typed(&self, flag: &str, line: &str, config: &Config) -> Result<PlannedBot, Failure> {
        if let Some(bot) = inputs::project_bot(config, line)? {
            return self.of_project(line, bot);
        }
        let cwd = self.environment.cwd.as_deref();
        // A pattern finds paths, with any blanks and quotes.
        let is_found = flag != "--bot" && hints::at(line, cwd).is_file();
        let quoted = if is_found { shell_word(line) } else { line.to_owned() };
        let mut words = inputs::split_words(flag, &quoted)?;
        if flag == "--bots" {
            words.splice(0..0, hints::interpreter(&words, cwd));
        }
        hints::refuse_mistakes(flag, config, &quoted, &words, cwd)?;
        self.planned(line.to_owned(), &words)
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

/// Leaves out the bots that cannot play, if enough others can.
struct Sieve {
    /// Whether it leaves out any.
    is_open: bool,
    /// Whether --keep-going would open it.
    can_open: bool,
    /// The failures so far, by command.
    failures: Vec<(Vec<String>, Failure)>,
}

impl Sieve {
    /// A bot as typed; one that is wrong waits to be left out.
    fn typed(
        &mut self,
        line: &str,
        typed: Result<PlannedBot, Failure>,
    ) -> Result<PlannedBot, Failure> {
        match typed {
            Err(failure) if self.is_open => {
                let bot = PlannedBot::new(line, [line]);
                self.failures.push((bot.command.clone(), failure));
                Ok(bot)
            }
            typed => typed.map_err(|failure| self.stopped(failure)),
        }
    }

    fn stopped(&self, failure: Failure) -> Failure {
        if self.can_open { or_keep_going(failure) } else { failure }
    }

    /// The bots that can play, and the others.
    fn sift(
        mut self,
        bots: Vec<PlannedBot>,
        game: &GameKind,
    ) -> Result<(Vec<PlannedBot>, Vec<OutBot>), Failure> {
        let (mut able, mut out) = (Vec::new(), Vec::new());
        let pools = |bots: &[PlannedBot]| bots.iter().map(|bot| bot.pool).collect::<BTreeSet<_>>();
        let all = pools(&bots);
        for bot in bots {
            let known = self.failures.iter().position(|(command, _)| *command == bot.command);
            let problem = match known {
                Some(at) => Err(self.failures.remove(at).1),
                None => refuse_missing(&bot, game),
            };
            match problem {
                Ok(()) => able.push(bot),
                Err(failure) if self.is_open => out.push((bot.name, failure)),
                Err(failure) => return Err(self.stopped(failure)),
            }
        }
        if able.len() < game.players.min(2) || pools(&able) != all {
            return out
                .into_iter()
                .next()
                .map_or(Ok((able, Vec::new())), |(_, failure)| Err(failure));
        }
        let cause = |(bot, failure): (String, Failure)| {
            let why = failure.to_string();
            let why = why.strip_prefix("cannot start the bot: ").unwrap_or(&why);
            log::warn!("{bot} is out: {why}");
            // What a compiler prints follows.
            OutBot { bot, why: why.lines().next().unwrap_or_default().to_owned() }
        };
        Ok((able, out.into_iter().map(cause).collect()))
    }
}

/// Names of bots by what differs in their paths: the folders and the ending that all share say nothing.
fn distinct(paths: &[String]) -> Vec<String> {
    let parts: Vec<Vec<&str>> =
        paths.iter().map(|path| path.split(path::is_separator).collect()).collect();
    let least = parts.iter().map(Vec::len).min().unwrap_or(0);
    let alike = |part: &dyn Fn(&[&str], usize) -> String| {
        (0..least)
            .take_while(|&at| parts.iter().all(|it| part(it, at) == part(&parts[0], at)))
            .count()
    };
    let before = alike(&|it, at| it[at].to_owned());
    let after = alike(&|it, at| it[it.len() - 1 - at].to_owned());
    if parts.iter().any(|it| it.len() <= before + after) {
        return paths.to_vec();
    }
    let names: Vec<String> =
        parts.iter().map(|it| it[before..it.len() - after].join("/")).collect();
    let ending = |name: &String| Path::new(name).extension().map(OsStr::to_owned);
    let is_shared = after == 0 && names.iter().all(|name| ending(name) == ending(&names[0]));
    let bare = |name: &String| match ending(name) {
        Some(ending) if is_shared => name[..name.len() - ending.len() - 1].to_owned(),
        _ => name.clone(),
    };
    names.iter().map(bare).collect()
}

/// The bots of a run of this game, as a pool. Those that have changed since would be other bots.
fn of_run(run: &Path, game: &str) -> Result<Vec<PlannedBot>, Failure> {
    let folder = RunFolder::open(&run_path(run)?)?;
    opponent::refuse_other_game("--pool-of", &run.to_string_lossy(), &folder.run.plan, game)?;
    let here = std::env::current_dir().ok();
    if let Some(there) = folder.run.started_in.as_ref().filter(|it| here.as_ref() != Some(it)) {
        let problem = format!("its bots are found from {}; start this there", there.display());
        return refuse(format!("--pool-of {}: {problem}", run.display()));
    }
    let now = plan_now(&folder).bots;
    let mut pool = Vec::new();
    for (bot, now) in folder.run.plan.bots.into_iter().zip(now) {
        if bot.files == now.files {
            pool.push(PlannedBot { pool: true, ..bot });
        } else {
            log::warn!(
                "`{}` has changed since {}, so it is not in the pool",
                bot.name,
                run.display()
            );
        }
    }
    Ok(pool)
}

/// Refuses a pool where nobody meets it, and a bot that meets nobody.
fn refuse_number(bots: &[PlannedBot], players: usize, game: &str) -> Result<(), Failure> {
    let problem = match players {
        1 if bots.iter().any(|bot| bot.pool) => {
            format!("--pool: a game of {game} has one player")
        }
        2.. if bots.len() < 2 => format!(
            "a game of {game} has {players} players: name a second --bot, or opponents with --pool"
        ),
        _ => return Ok(()),
    };
    refuse(problem)
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

/// Refuses a bot whose program is missing, before the run folder is made.
fn refuse_missing(bot: &PlannedBot, kind: &GameKind) -> Result<(), Failure> {
    let words: Vec<OsString> = bot.command.iter().map(OsString::from).collect();
    inputs::refuse_bundled(&words, kind)?;
    // Without it the file of a bundled bot is not known.
    check_proc()?;
    Ok(check_program(bot)?)
}

#[cfg(test)]
mod tests {
    use super::distinct;

    #[test]
    fn a_bots_name_is_its_part_of_the_path() {
        for (paths, names) in [
            ("s/ann/bot.py s/bob/bot.py", "ann bob"),
            ("bots/a.py bots/b.py", "a b"),
            ("bots/a.py bots/b", "a.py b"),
            ("./one ./two", "one two"),
            ("s/ann/bot s/ann/new/bot", "s/ann/bot s/ann/new/bot"),
            ("x/1/bot x/2/new/bot", "1 2/new"),
            ("s/ann/bot.py", "s/ann/bot.py"),
            ("@first @greedy", "@first @greedy"),
            ("v1.2 v1.3", "v1.2 v1.3"),
        ] {
            let paths: Vec<String> = paths.split(' ').map(str::to_owned).collect();
            assert_eq!(distinct(&paths).join(" "), names);
        }
    }
}
