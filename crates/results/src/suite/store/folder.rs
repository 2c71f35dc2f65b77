//! The folder of a run: `run.toml`, `results.jsonl`, `sessions.jsonl`, the user's comment, and the logs of
//! games.
//!
//! # Parts
//!
//! A run that is played in parts has `results.jsonl` and `sessions.jsonl` in a folder for each part,
//! `parts/0017`, so that machines that share the run folder need not share a lock. Reading the run reads
//! these, until [`merge`](fn@super::merge) puts one `results.jsonl` in their place: then it is a run like any other.
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
//! A process that adds results holds a lock on `results.jsonl`, which the system releases when the process
//! ends. If these are the results of a part, it also shares a lock on `run.toml`, which the process that merges the parts
//! needs alone. On Windows, where nobody else can read a file that is locked, the locks are on `results.jsonl.lock` and
//! `run.toml.lock` instead.

use std::fs::TryLockError;
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use fs_err::{File, OpenOptions};
use serde::{Deserialize, Serialize};

use super::commit::Commit;
use super::logs::{Logs, Packing};
use crate::gamelog::Machine;
use crate::suite::files::read_regular;
use crate::suite::plan::{MAX_GAMES, Margin, Plan};
use rules::measure::Measure;
use rules::source::SourceError;
use statistics::Risk;
use terms::fault::{AtFault, Attributed};
use terms::system::lock_beside;

/// The version of the format of run folders that this referee writes, and the only one that it reads.
pub(super) const FORMAT: u32 = 1;

pub(in crate::suite) const RUN: &str = "run.toml";
pub(in crate::suite) const RESULTS: &str = "results.jsonl";
pub(super) const SESSIONS: &str = "sessions.jsonl";

/// What is locked instead of the results, where that is another file.
pub(super) const RESULTS_LOCK: &str = "results.jsonl.lock";

pub(in crate::suite) const PART_FOLDERS: &str = "parts";

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
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub logs: Logs,
    /// How the logs are written.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
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
    /// What is played.
    pub plan: Plan,
}

/// The bot that a run is played against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opponent {
    /// The other run's folder; empty if it plays in the same run.
    #[serde(default, skip_serializing_if = "is_empty")]
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

fn is_empty(path: &Path) -> bool {
    path.as_os_str().is_empty()
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
    /// The plan has too many parts.
    #[error("{}: the plan has {parts} parts; it can have at most {most}", path.display())]
    TooManyParts {
        /// The run's `run.toml`.
        path: PathBuf,
        /// The number of its parts.
        parts: u32,
        /// The maximum for its games.
        most: u32,
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
    /// The parts of the run were merged.
    #[error("the parts of {} were merged in the meantime, so no more games are added to one", .0.display())]
    Merged(PathBuf),
    /// Files cannot be locked, and the request is not safe without a lock.
    #[error(
        "{} cannot be locked, so another process may be playing it, and existing lines can neither be cut off \
         nor dropped; copy the run to a file system with locks",
        .0.display()
    )]
    Unlocked(PathBuf),
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

impl FolderError {
    /// Whether another process is playing the run.
    pub fn is_in_use(&self) -> bool {
        matches!(self, Self::InUse(_))
    }
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

/// A run, or a part of one, that can be read.
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
    /// The part, from 1, if this is not the whole run.
    pub part: Option<u32>,
    /// The content of `run.toml`, to notice when another run has this path.
    pub(super) source: Arc<[u8]>,
    /// Results are read several times, but duplicates are reported once.
    pub(super) duplicates_told: Arc<Once>,
    /// Whether results of other games than the plan's are read too, instead of being refused.
    pub(super) reads_foreign: bool,
    /// Every part is locked, but the warning about missing locks is given once.
    unlocked_told: Arc<Once>,
}

impl RunFolder {
    /// The name of the file that makes a folder a run's.
    pub const FILE: &str = RUN;

    pub(super) fn new(path: PathBuf, run: Run, source: &[u8]) -> Self {
        let told = || Arc::new(Once::new());
        let source = source.into();
        let (part, reads_foreign) = (None, false);
        let (duplicates_told, unlocked_told) = (told(), told());
        Self { path, run, part, source, duplicates_told, reads_foreign, unlocked_told }
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
        Ok(Self::new(path.to_owned(), run, &source))
    }

    /// The same, for a reader that names each result that is not of the plan.
    pub(in crate::suite) fn with_foreign_results(&self) -> Self {
        Self { reads_foreign: true, ..self.clone() }
    }

    /// A part of this run, from 1.
    #[must_use]
    pub fn of_part(&self, part: u32) -> Self {
        Self { part: Some(part), ..self.clone() }
    }

    /// The number of parts that have not been merged; 0 if this is a run like any other.
    pub fn parts(&self) -> u32 {
        let is_merged = || self.path.join(RESULTS).exists();
        let parts = self.run.plan.parts.filter(|_| self.part.is_none() && !is_merged());
        parts.map_or(0, NonZeroU32::get)
    }

    /// The results that are not in a part's folder.
    pub(super) fn place(&self) -> PathBuf {
        match self.part {
            Some(part) => self.path.join(PART_FOLDERS).join(format!("{part:04}")),
            None => self.path.clone(),
        }
    }

    /// Opens the file that is locked while the parts are merged, and shared while one of them is played.
    pub(super) fn open_lock_of_parts(&self, to_merge: bool) -> io::Result<File> {
        let run = self.path.join(RUN);
        let mut open = OpenOptions::new();
        open.read(true).write(to_merge);
        match lock_beside(&run) {
            Some(beside) => open.write(true).create(true).truncate(false).open(beside),
            None => open.open(run),
        }
    }

    /// The games to be played here, in order.
    pub fn schedule(&self) -> impl Iterator<Item = usize> + Send + use<> {
        self.run.plan.schedule(self.part)
    }

    /// The number of games to be played here; in games of several players, of their seats.
    pub fn planned(&self) -> usize {
        self.run.plan.scheduled(self.part)
    }

    /// Why the run, or its part, cannot be merged now: another process is adding results, or, without locks, might be.
    pub fn in_use(&self) -> Option<FolderError> {
        let results = self.place().join(RESULTS);
        let locked = lock_beside(&results).unwrap_or(results);
        match std::fs::File::open(locked).ok()?.try_lock_shared() {
            Ok(()) => None,
            Err(TryLockError::WouldBlock) => Some(FolderError::InUse(self.place())),
            Err(TryLockError::Error(_)) => Some(FolderError::Unlocked(self.place())),
        }
    }

    /// How many of the games to be played here have been played, and the number of all.
    ///
    /// # Errors
    /// When a result cannot be read, or belongs to no game of the plan.
    pub fn progress(&self) -> Result<(usize, usize), FolderError> {
        let plan = &self.run.plan;
        Ok((plan.tables(self.played()?.count()), plan.tables(self.planned())))
    }

    /// Warns that files cannot be locked.
    pub(super) fn warn_of_missing_lock(&self, error: &io::Error) {
        self.unlocked_told.call_once(|| {
            log::warn!(
                "{} cannot be locked ({error}): results are only appended, and what cannot be safe is refused; if two \
                 processes play the same games, the first result of each counts",
                self.path.display()
            );
        });
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
    let (parts, most) = (run.plan.parts.map_or(0, NonZeroU32::get), run.plan.max_parts());
    if parts > most {
        return Err(FolderError::TooManyParts { path, parts, most });
    }
    Ok(run)
}
