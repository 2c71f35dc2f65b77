//! The folder of a run: `run.toml`, `results.jsonl`, `sessions.jsonl`, the user's comment, and the logs of
//! games.
//!
//! # Shards
//!
//! A run with a `shard`, such as `2/5`, has the games of a machine's share of its plan, and is a run like any other. [`RunFolder::joined`]
//! reads several as one, and [`merge`](fn@super::merge) makes one of them.
//!
//! # What survives a kill
//!
//! `run.toml` appears whole, before the first game, and never changes. Of several processes that start
//! the same run, one makes it. A finished game is one line of `results.jsonl`, appended by one `write` of
//! the whole line, and the file is synced to the disk at least once a second while games finish, and at
//! the end. So a kill at any moment loses the games in flight and no other; a loss of power loses those
//! of the last second as well. A line that was cut short is not a result: readers leave it out, and
//! resuming the run cuts it off. Of two results of one game the first one counts.
//!
//! A line of `sessions.jsonl` is a session: where and when a process played games of the run. Each result
//! names its session.
//!
//! A process that adds results holds a lock on `run.toml`, which the system releases when the process
//! ends. On Windows, where nobody else can read a file that is locked, it is on `run.toml.lock` instead.

use std::collections::BTreeSet;
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use serde::{Deserialize, Serialize};

use super::commit::Commit;
use super::logs::{Logs, Packing};
use crate::gamelog::Machine;
use crate::suite::files::read_regular;
use crate::suite::plan::{MAX_GAMES, Margin, Plan, Shard};
use rules::measure::Measure;
use rules::source::SourceError;
use statistics::Risk;
use terms::fault::{AtFault, Attributed};
use terms::system::lock_beside;

/// The version of the format of run folders that this referee writes, and the only one that it reads.
pub(super) const FORMAT: u32 = 1;

pub(in crate::suite) const RUN: &str = "run.toml";
pub(super) const RESULTS: &str = "results.jsonl";
pub(super) const SESSIONS: &str = "sessions.jsonl";

/// Where versions before 2.0.0 kept the parts of a run.
const PARTS: &str = "parts";

/// What a run is: the content of `run.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The version of the format.
    pub(super) format: u32,
    /// The version of the referee that started it.
    pub referee: String,
    /// When it was started, in UTC.
    pub started: jiff::Timestamp,
    /// Where it was started.
    pub host: Machine,
    /// The working directory of the start, from which the bots are found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_in: Option<PathBuf>,
    /// Whether games that the host's delays ended stay lost by the user's choice, instead of being played again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves_delayed: bool,
    /// Which games leave a log, also when the run is resumed.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub logs: Logs,
    /// How the logs are written.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub packing: Packing,
    /// Whether games of several players name their files by the game's number. Earlier ones took its first result's number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) names_games: bool,
    /// The commit of the user's repository that it was started from, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<Commit>,
    /// The opponent, if playing stops once the better bot is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Opponent>,
    /// The share of the plan that is played here, if others play the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The bots that could not play.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub out: Vec<OutBot>,
    /// What is played.
    pub plan: Plan,
}

/// A bot that was to play, and could not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutBot {
    /// Its name.
    pub bot: String,
    /// The cause.
    pub why: String,
}

impl OutBot {
    /// The bots of these runs that could not play in any of them.
    pub fn of<'a>(runs: impl Iterator<Item = &'a RunFolder> + Clone) -> Vec<Self> {
        let all = runs.clone().flat_map(|run| &run.run.plan.bots);
        let played: BTreeSet<&str> = all.map(|bot| bot.name.as_str()).collect();
        let mut out: Vec<Self> = Vec::new();
        for bot in runs.flat_map(|run| &run.run.out) {
            if !played.contains(bot.bot.as_str()) && out.iter().all(|it| it.bot != bot.bot) {
                out.push(bot.clone());
            }
        }
        out
    }
}

/// The bot that a run is played against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opponent {
    /// The other run's folder; empty if it plays in the same run.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub run: PathBuf,
    /// The name of the bot in the plan.
    pub bot: String,
    /// The difference that does not matter.
    #[serde(default)]
    pub margin: Margin,
    /// The chance of a false decision on either side.
    #[serde(default, skip_serializing_if = "Risk::is_default")]
    pub risk: Risk,
    /// The measure of the comparison.
    #[serde(default, skip_serializing_if = "Measure::is_points")]
    pub measure: Measure,
}

impl Run {
    /// The first path that is not UTF-8, which `run.toml` cannot name.
    pub(super) fn not_utf8(&self) -> Option<&Path> {
        let opponent = self.against.iter().map(|against| &against.run);
        let readable = self.plan.bots.iter().filter_map(|bot| bot.sandbox.as_ref()).flatten();
        let mut paths = self.started_in.iter().chain(opponent).chain(readable);
        paths.find(|path| path.to_str().is_none()).map(PathBuf::as_path)
    }
}

/// What is wrong with a run folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder is missing.
    #[error("{}: there is no such folder", .0.display())]
    NoFolder(PathBuf),
    /// The folder holds no run.
    #[error("{} is not a run folder: it has no {RUN}", .0.display())]
    NotARun(PathBuf),
    /// The folder for a new run is not empty.
    #[error("{} exists", .0.display())]
    Exists(PathBuf),
    /// `run.toml` is text, and cannot name this path.
    #[error("{}: a run cannot name this path, which is not UTF-8; rename it", .0.display())]
    NotUtf8(PathBuf),
    /// The run was made by another version.
    #[error("{}: the run has format {format}, and this referee reads format {FORMAT}", path.display())]
    Format {
        /// The run's `run.toml`.
        path: PathBuf,
        /// The format that the run has.
        format: i64,
    },
    /// `run.toml` is malformed.
    #[error("{}:{problem}", path.display())]
    Plan {
        /// The run's `run.toml`.
        path: PathBuf,
        /// What is wrong, and where.
        problem: SourceError,
    },
    /// The plan has too many games.
    #[error("{}: the plan has {games} games; a run has at most {MAX_GAMES}", path.display())]
    TooLarge {
        /// The run's `run.toml`.
        path: PathBuf,
        /// The number of its games, if they can be counted.
        games: usize,
    },
    /// The run was played in parts by an earlier version, and they were not merged.
    #[error("{} is in parts, which only version 1 of the referee can merge", .0.display())]
    InParts(PathBuf),
    /// Two shards are the same one.
    #[error("{} and {} are both shard {shard}", one.display(), other.display())]
    SameShard {
        /// The first run.
        one: PathBuf,
        /// The second run.
        other: PathBuf,
        /// The shard that both are.
        shard: Shard,
    },
    /// Two shards are of different plans.
    #[error("{} and {} are shards of different plans: {difference}", one.display(), other.display())]
    OtherPlan {
        /// The first run.
        one: PathBuf,
        /// The second run.
        other: PathBuf,
        /// What differs, as a clause.
        difference: String,
    },
    /// A line is malformed.
    #[error("{}:{line}: {problem}", path.display())]
    Damaged {
        /// The run's `results.jsonl`.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Another process is playing the run.
    #[error("another process is playing the run in {}; wait for it to finish", .0.display())]
    InUse(PathBuf),
    /// A session is malformed.
    #[error("{}:{line}: not a session: {problem}; delete this line", path.display())]
    Session {
        /// The run's `sessions.jsonl`.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The run was removed, renamed or replaced.
    #[error("the run in {} was removed, renamed or replaced in the meantime, so no more games are added", .0.display())]
    Gone(PathBuf),
    /// The run cannot be read.
    #[error("cannot read the run")]
    Read(#[source] io::Error),
    /// The run cannot be written. The results so far are kept.
    #[error("cannot write the run")]
    Write(#[source] io::Error),
    /// The comment on the run cannot be written.
    #[error("cannot write the comment on the run")]
    Comment(#[source] io::Error),
    /// The folder cannot be made.
    #[error("cannot make the run folder")]
    Make(#[source] io::Error),
    /// The results cannot be opened to add to them.
    #[error("cannot open the run for writing")]
    Open(#[source] io::Error),
}

impl Attributed for FolderError {
    fn at_fault(&self) -> AtFault {
        match self {
            Self::Write(_) => AtFault::Host,
            Self::Make(error) | Self::Open(error) | Self::Comment(error) => {
                AtFault::of_write(error)
            }
            _ => AtFault::User,
        }
    }
}

/// A run, or several shards of one, that can be read.
///
/// ```no_run
/// use results::suite::{Bests, RunFolder, Summary};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = RunFolder::open("runs/today".as_ref())?;
/// for outcome in folder.outcomes()? {
///     let outcome = outcome?;
///     println!("{} on {}: {:?}", outcome.bot, outcome.board, outcome.score);
/// }
/// for tally in Summary::of(&folder, &Bests::default())?.bots {
///     println!("{}: {:?} on average", tally.bot, tally.mean());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RunFolder {
    /// Where the run is.
    pub path: PathBuf,
    /// What it is.
    pub run: Run,
    /// The shards that were joined, and their folders.
    shards: Vec<(Shard, PathBuf)>,
    /// The content of `run.toml`, to notice when another run has this path.
    pub(super) source: Arc<[u8]>,
    /// Results are read several times, but duplicates are reported once.
    pub(super) duplicates_told: Arc<Once>,
    /// Whether results of other games than the plan's are read too, instead of being refused.
    pub(super) reads_foreign: bool,
}

impl RunFolder {
    /// The name of the file that makes a folder a run's.
    pub const FILE: &str = RUN;

    pub(super) fn new(path: PathBuf, run: Run, source: &[u8]) -> Self {
        let duplicates_told = Arc::new(Once::new());
        Self {
            path,
            run,
            shards: Vec::new(),
            source: source.into(),
            duplicates_told,
            reads_foreign: false,
        }
    }

    /// Opens the run in `path`.
    ///
    /// # Errors
    /// When the folder holds no run, or `run.toml` is malformed.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let file = path.join(RUN);
        let source = read_regular(&file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if !path.exists() => FolderError::NoFolder(path.to_owned()),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                FolderError::NotARun(path.to_owned())
            }
            _ => FolderError::Read(error),
        })?;
        let run = parse_run(file, &String::from_utf8_lossy(&source))?;
        if path.join(PARTS).is_dir() && !path.join(RESULTS).exists() {
            return Err(FolderError::InParts(path.to_owned()));
        }
        Ok(Self::new(path.to_owned(), run, &source))
    }

    /// The same runs, with the shards of each plan joined into one, in the place of the first.
    ///
    /// # Errors
    /// When two are the same shard, or shards that belong together are of different plans.
    pub fn joined(runs: Vec<Self>) -> Result<Vec<Self>, FolderError> {
        let mut joined: Vec<Self> = Vec::new();
        for run in runs {
            let Some(shard) = run.run.shard else {
                joined.push(run);
                continue;
            };
            let is_mate = |other: &&mut Self| {
                let of_as_many = other.shards.first().is_some_and(|(it, _)| it.of() == shard.of());
                of_as_many && other.run.plan.difference(&run.run.plan).is_none()
            };
            let mut mates = joined.iter_mut();
            match mates.find(is_mate) {
                Some(mate) => mate.add_shard(shard, run.path)?,
                None => joined.push(Self { shards: vec![(shard, run.path.clone())], ..run }),
            }
        }
        for (at, one) in joined.iter().enumerate() {
            joined[at + 1..].iter().try_for_each(|other| one.refuse_complement(other))?;
        }
        Ok(joined)
    }

    fn add_shard(&mut self, shard: Shard, path: PathBuf) -> Result<(), FolderError> {
        if let Some((_, one)) = self.shards.iter().find(|(it, _)| *it == shard) {
            return Err(FolderError::SameShard { one: one.clone(), other: path, shard });
        }
        self.shards.push((shard, path));
        self.shards.sort();
        self.run.shard = None;
        Ok(())
    }

    /// Refuses shards of another plan that would complete these.
    fn refuse_complement(&self, other: &Self) -> Result<(), FolderError> {
        let of = |run: &Self| run.shards.first().map(|(shard, _)| shard.of());
        let has = |shard: &Shard| self.shards.iter().any(|(it, _)| it == shard);
        let is_apart = other.shards.iter().all(|(shard, _)| !has(shard));
        let Some(difference) = self.run.plan.difference(&other.run.plan) else { return Ok(()) };
        if of(self).is_none() || of(self) != of(other) || !is_apart {
            return Ok(());
        }
        let [one, other] = [self, other].map(|run| run.shards[0].1.clone());
        Err(FolderError::OtherPlan { one, other, difference })
    }

    /// The shards that are missing to make one run of those that were joined; none if this is a whole run.
    pub fn missing_shards(&self) -> Vec<Shard> {
        let Some((first, _)) = self.shards.first() else { return Vec::new() };
        let has = |shard: &Shard| self.shards.iter().any(|(it, _)| it == shard);
        let all = (1..=first.of()).filter_map(|number| Shard::new(number, first.of()));
        all.filter(|shard| !has(shard)).collect()
    }

    /// The folders that have the results: this one, or the joined shards' folders.
    pub fn homes(&self) -> Vec<&Path> {
        match &self.shards[..] {
            [] => vec![&self.path],
            shards => shards.iter().map(|(_, path)| path.as_path()).collect(),
        }
    }

    /// The folder that has the files of a game.
    pub(super) fn home_of(&self, game: usize) -> &Path {
        let mut shards = self.shards.iter();
        let home = shards.find(|(shard, _)| self.run.plan.is_in(game, *shard));
        home.map_or(&self.path, |(_, path)| path)
    }

    /// The same, for a reader that names each result that is not of the plan.
    pub(in crate::suite) fn with_foreign_results(&self) -> Self {
        Self { reads_foreign: true, ..self.clone() }
    }

    /// The games to be played here, in order.
    pub fn schedule(&self) -> impl Iterator<Item = usize> + Send + use<> {
        self.run.plan.schedule(&self.own_shards())
    }

    /// The shards that are played here; none if this is a whole run.
    fn own_shards(&self) -> Vec<Shard> {
        match &self.shards[..] {
            [] => self.run.shard.into_iter().collect(),
            shards => shards.iter().map(|(shard, _)| *shard).collect(),
        }
    }

    /// The number of games to be played here; in games of several players, of their seats.
    pub fn planned(&self) -> usize {
        self.run.plan.scheduled(&self.own_shards())
    }

    /// The number of games of a bot, by index, to be played here.
    pub fn planned_of(&self, bot: usize) -> usize {
        self.run.plan.scheduled_of(bot, &self.own_shards())
    }

    /// Whether another process is adding results.
    pub fn is_in_use(&self) -> bool {
        self.homes().into_iter().any(|home| {
            let run = home.join(RUN);
            let locked = lock_beside(&run).unwrap_or(run);
            let file = std::fs::File::open(locked).ok();
            file.is_some_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
        })
    }

    /// How many of the games to be played here have been played, and the number of all.
    ///
    /// # Errors
    /// When a result cannot be read, or belongs to no game of the plan.
    pub fn progress(&self) -> Result<(usize, usize), FolderError> {
        let plan = &self.run.plan;
        Ok((plan.tables(self.played()?.count()), plan.tables(self.planned())))
    }
}

fn parse_run(path: PathBuf, source: &str) -> Result<Run, FolderError> {
    #[derive(Deserialize)]
    struct AnyFormat {
        format: i64,
    }
    let refuse = |error: &toml::de::Error| FolderError::Plan {
        path: path.clone(),
        problem: SourceError::from_toml(source, error),
    };
    let AnyFormat { format } = toml::from_str(source).map_err(|error| refuse(&error))?;
    if format != i64::from(FORMAT) {
        return Err(FolderError::Format { path, format });
    }
    let run: Run = toml::from_str(source).map_err(|error| refuse(&error))?;
    if run.plan.is_too_large() {
        return Err(FolderError::TooLarge { path, games: run.plan.games() });
    }
    Ok(run)
}
