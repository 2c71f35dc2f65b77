//! `referee compare`: which of several bots is better, and how certain the result is.

mod groups;
mod labels;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::hints::shell_path;
use super::named_run::{is_run, run_path};
use super::words::{format, word};
use super::{Failure, completions, exit, inputs, print, refuse};
use report::groups::BotGroups;
use report::{Format, Report as _};
use results::compare::{Comparison, Contender, Grouping};
use results::suite::{Margin, PlannedBot, RunFolder, differing_places};
use rules::game::judge::JudgeProgram;
use rules::measure::Measure;
use statistics::Risk;
use terms::text::shell_word;

/// Compare bots on the boards that both have played
///
/// Compare each bot with the first one: the mean difference on boards that both finish, and the
/// games that each lost. The guarded interval, which allows for unseen boards, decides. A verdict
/// requires 60 boards, and is adjusted for the number of bots. Exit with 1 if a bot is worse than
/// the first one, not if it probably is; on fewer boards, if it scores worse on nearly all of them
/// (sign test, p < 0.0001, such as 15 of 15).
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CompareArgs {
    /// Runs made by `referee suite`: folders, or `latest` and `latest~1`; shards count as one run
    ///
    /// RUN:BOT is one bot of a run, RUN:NAME=VALUE the bots of --param with this value, and RUN all
    /// bots.
    #[arg(value_name = "RUN", value_parser = NonEmptyStringValueParser::new(), default_value = "latest", add = completions::sides())]
    runs: Vec<String>,

    /// Group the boards by a property, such as `colors`, or a value that the bot reported
    /// (repeatable)
    ///
    /// Properties are the boards' properties, `set`, and names that the bot wrote to standard error
    /// (`@referee NAME=value`). NAME=VALUES chooses values and ranges, each of which is a group:
    /// `n=2,3..5,6..`. A single bot is shown by its groups.
    #[arg(long, value_name = "NAME[=VALUES]")]
    by: Vec<String>,

    /// The bot to compare the others with [default: the first one]
    ///
    /// Its name is as in the report or in its run.
    #[arg(long, value_name = "BOT")]
    baseline: Option<String>,

    /// How to compare the scores [default: the first run's choice]
    ///
    /// A run's choice is by default what the game's leaderboard adds up: points, or ratio for
    /// Square Remover.
    #[arg(long, value_name = "MEASURE", value_parser = word::<Measure>())]
    score: Option<Measure>,

    /// The false-positive rate in each direction: 2.5% or 5%
    #[arg(long, value_name = "CHANCE", default_value_t = Risk::default())]
    risk: Risk,

    /// Estimate how many boards show a difference of this size, such as 1%, instead of comparing
    ///
    /// The size is in percent of the first bot's mean, or in points; with another measure, in its
    /// percent.
    #[arg(long, value_name = "DIFFERENCE", conflicts_with_all = ["format", "by"], allow_hyphen_values = true)]
    plan: Option<Margin>,

    /// The form of the result
    #[arg(long, value_parser = format(Format::OF_FIGURES), default_value = "text")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  referee compare runs/old runs/new
  referee compare latest~1 latest
  referee compare runs/both
  referee compare runs/all --baseline ./mybot
  referee compare latest~1 latest --by phase
  referee compare latest --by n=10..20 --by colors
  referee compare runs/both --plan 1%
  referee compare latest~1 latest --score ratio
  referee compare runs/both:./old runs/other:./new --format markdown";

pub(super) fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let by = Grouping::parse(&args.by).map_err(|error| Failure::user(anyhow!("--by: {error}")))?;
    let runs = Side::open_all(&args.runs)?;
    refuse_different_games(&runs)?;
    warn_of_places(runs.iter().map(|run| &run.folder))?;
    let measure = measure(args.score, &runs);
    let mut contenders = Vec::new();
    for run in &runs {
        let read = run.contenders(&by)?;
        contenders.extend(read.into_iter().map(|bot| bot.measured_in(measure)));
    }
    if let Some(name) = &args.baseline {
        put_first(name, &mut contenders)?;
    }
    for (index, by) in by.iter().enumerate() {
        groups::refuse_unknown(by, index, &contenders, &runs)?;
    }
    if let [only] = contenders.as_slice() {
        if !by.is_empty() && args.score.is_none() && args.format != Format::Junit {
            return print(|out| BotGroups::of(only, args.risk).write(args.format, out));
        }
        let problem = format!(
            "{} has only `{}` to compare; name another run too, as in `referee compare latest~1 latest`",
            runs[0].folder.path.display(),
            only.name
        );
        return refuse(problem);
    }
    contenders.iter().try_for_each(Contender::check_scores)?;
    let comparisons = Comparison::with_first(&contenders, args.risk);
    refuse_strangers(&comparisons)?;
    if let Some(difference) = args.plan {
        return print(|out| report::needed::write(&comparisons, difference, out));
    }
    print(|out| comparisons.write(args.format, out))?;
    Ok(exit::code(!comparisons.iter().any(|comparison| comparison.paired.is_worse())))
}

/// Refuses bots that have met no common opponent: their places say nothing of each other.
fn refuse_strangers(comparisons: &[Comparison]) -> Result<(), Failure> {
    let are_strangers = |it: &Comparison| it.boards.is_empty() && it.other_opponents > 0;
    match comparisons.first().filter(|_| comparisons.iter().all(are_strangers)) {
        None => Ok(()),
        Some(Comparison { baseline, challenger, .. }) => refuse(format!(
            "{challenger} and {baseline} have met no common opponent on any board, so their places do not compare; play both \
             against the same bots with --pool"
        )),
    }
}

/// Puts the bot of this name before the others. Its name in the report may have its run behind it.
fn put_first(name: &str, contenders: &mut [Contender]) -> Result<(), Failure> {
    let is_it = |bot: &Contender| {
        let rest = bot.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
    };
    let places: Vec<usize> = (0..contenders.len()).filter(|&at| is_it(&contenders[at])).collect();
    let names = || contenders.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>().join("`, `");
    match places.as_slice() {
        [place] => contenders[..=*place].rotate_right(1),
        [] => {
            return refuse(format!(
                "--baseline: there is no `{name}`; the bots are: `{}`",
                names()
            ));
        }
        _ => {
            let problem = "name one of them as the report does";
            return refuse(format!(
                "--baseline: `{name}` is in several runs; {problem}: `{}`",
                names()
            ));
        }
    }
    Ok(())
}

/// The requested measure, or the measure of the first run's game.
pub(super) fn measure(asked: Option<Measure>, runs: &[Side]) -> Measure {
    asked.unwrap_or_else(|| runs[0].folder.run.plan.measure())
}

/// Refuses a bot where a run is wanted.
fn refuse_bot(name: &str) -> Result<(), Failure> {
    let is_known = || inputs::project().is_ok_and(|project| project.bots.contains_key(name));
    if is_run(name) || Path::new(name).is_dir() || !(name.starts_with('@') || is_known()) {
        return Ok(());
    }
    let bot = shell_word(name);
    refuse(format!(
        "{name} is a bot, not a run: `referee suite --bot {bot}` plays one, which is then `latest`"
    ))
}

/// A run as typed.
pub(super) struct Side {
    pub(super) folder: RunFolder,
    /// The bot, or its values of `--param`, if one is named.
    bot: Option<String>,
    /// What to call bots that have the name of another run's bot, by name.
    shown: BTreeMap<String, String>,
}

impl Side {
    /// Opens `RUN` or `RUN:BOT`.
    pub(super) fn open(text: &str) -> Result<Self, Failure> {
        let path = Path::new(text);
        let split = text.match_indices(':').map(|(at, _)| (&text[..at], &text[at + 1..]));
        // Both the folder's and the bot's name may contain colons.
        let named = split.rev().find(|(folder, _)| is_run(folder));
        if let Some((folder, bot)) = named.filter(|_| !path.exists()) {
            let folder = RunFolder::open(&run_path(Path::new(folder))?)?;
            return Self { folder, bot: Some(bot.to_owned()), shown: BTreeMap::new() }.check();
        }
        refuse_bot(text)?;
        let folder = RunFolder::open(&run_path(path)?)?;
        Ok(Self { folder, bot: None, shown: BTreeMap::new() })
    }

    /// Opens several of them, whose bots have names that distinguish them.
    pub(super) fn open_all(texts: &[String]) -> Result<Vec<Self>, Failure> {
        let sides = texts.iter().map(|text| Self::open(text));
        let (shards, mut sides): (Vec<Self>, Vec<Self>) =
            sides.collect::<Result<Vec<_>, _>>()?.into_iter().partition(Self::is_shard);
        let joined = RunFolder::joined(shards.into_iter().map(|side| side.folder).collect())?;
        for folder in joined {
            let missing: Vec<_> = folder.missing_shards().iter().map(ToString::to_string).collect();
            if !missing.is_empty() {
                log::warn!("{}: shard {} is missing", folder.path.display(), missing.join(", "));
            }
            sides.push(Self { folder, bot: None, shown: BTreeMap::new() });
        }
        labels::distinguish(&mut sides);
        Ok(sides)
    }

    /// Whether this is a shard, with all its bots.
    fn is_shard(&self) -> bool {
        self.folder.run.shard.is_some() && self.bot.is_none()
    }

    fn check(self) -> Result<Self, Failure> {
        let Some(bot) = self.bot.as_ref().filter(|_| self.bots().is_empty()) else {
            return Ok(self);
        };
        let path = self.folder.path.display();
        let plan = &self.folder.run.plan;
        if (0..plan.boards()).any(|board| plan.board_name(board) == *bot) {
            let (run, board) = (shell_path(&self.folder.path), shell_word(bot));
            let problem =
                format!("it is a board; `referee show {run} --board {board}` shows its games");
            return refuse(format!("{path} has no bot `{bot}`: {problem}"));
        }
        let bots = plan.bots.iter().map(|bot| bot.name.as_str());
        let bots = bots.collect::<Vec<_>>().join("`, `");
        refuse(format!("{path} has no bot `{bot}`; it has: `{bots}`"))
    }

    /// Whether one bot was selected by its name.
    pub(super) fn names_bot(&self) -> bool {
        self.bot.is_some()
    }

    /// The bots that were selected: by default all but a pool, which meets other opponents.
    pub(super) fn bots(&self) -> Vec<&str> {
        self.planned().into_iter().map(|bot| bot.name.as_str()).collect()
    }

    /// The bots that were selected, as planned.
    fn planned(&self) -> Vec<&PlannedBot> {
        let plan = &self.folder.run.plan;
        let all = &plan.bots;
        let Some(mine) = self.bot.as_deref() else {
            return all[plan.entrants()].iter().collect();
        };
        if let Some(bot) = all.iter().find(|bot| bot.name == mine) {
            return vec![bot];
        }
        let values = values(mine).unwrap_or_default();
        let has = |bot: &PlannedBot, (name, value): &(&str, &str)| {
            bot.params.get(*name).is_some_and(|own| own == value)
        };
        let has_all =
            |bot: &&PlannedBot| !values.is_empty() && values.iter().all(|value| has(bot, value));
        all.iter().filter(has_all).collect()
    }

    /// The selected bots with the names to show.
    pub(super) fn names(&self) -> Vec<(&str, String)> {
        let shown = |bot: &str| self.shown.get(bot).cloned().unwrap_or_else(|| bot.to_owned());
        self.bots().into_iter().map(|bot| (bot, shown(bot))).collect()
    }

    /// Reads the selected bots' games, with boards grouped `by` names if there are any.
    pub(super) fn contenders(&self, by: &[Grouping]) -> Result<Vec<Contender>, Failure> {
        Ok(Contender::read_by(&self.folder, &self.names(), by)?)
    }
}

/// The values of `--param` that `NAME=VALUE,…` names, if it has this form.
fn values(text: &str) -> Option<Vec<(&str, &str)>> {
    text.split(',').map(|pair| pair.split_once('=')).collect()
}

/// Warns of games that do not compare well because they were played on different machines.
pub(super) fn warn_of_places<'a>(runs: impl Iterator<Item = &'a RunFolder>) -> Result<(), Failure> {
    let folders: Vec<&RunFolder> = runs.collect();
    for difference in differing_places(&folders)? {
        log::warn!("{difference}");
    }
    Ok(())
}

/// Refuses to compare runs of different games. Different rules for the same game are allowed.
pub(super) fn refuse_different_games(runs: &[Side]) -> Result<(), Failure> {
    let first = &runs[0].folder;
    for run in &runs[1..] {
        let (one, other) = (&first.run.plan, &run.folder.run.plan);
        let paths = || format!("{} and {}", first.path.display(), run.folder.path.display());
        if one.game != other.game {
            return refuse(format!("{} are of different games", paths()));
        }
        if one.better != other.better {
            let problem = "disagree on which scores are better; play one of them again";
            return refuse(format!("{} {problem}", paths()));
        }
        if !JudgeProgram::are_alike(one.judge.as_ref(), other.judge.as_ref()) {
            return refuse(format!("{} were played with different judges", paths()));
        }
        let differences = one.rules.differences(&other.rules);
        if !differences.is_empty() {
            log::warn!(
                "{} were played under different rules, which may change scores: {}",
                paths(),
                differences.join("; ")
            );
        }
    }
    Ok(())
}
