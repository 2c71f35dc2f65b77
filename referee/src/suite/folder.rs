//! The folder of a run: `run.toml`, `results.jsonl`, `parts.jsonl`, and the logs and bundles of games.
//!
//! # What is kept when
//!
//! `run.toml` appears whole, before the first game, and never changes. Of several processes that start
//! the same run, one makes it. A finished game is one line of `results.jsonl`, appended by one `write` of
//! the whole line, and the file is synced to the disk at least once a second while games finish, and at
//! the end. So a kill at any moment loses the games in flight and no other; a loss of power loses those
//! of the last second as well. A line that was cut short is no result: readers leave it out, and taking
//! up the run cuts it off. Of two results of one game the first one counts.
//!
//! A line of `parts.jsonl` says where and when a process played games of the run; each result names its
//! part.
//!
//! Whoever adds results holds a lock on `results.jsonl`, which the kernel lets go of with the process.

use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use fs_err as fs;
use fs_err::File;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::game_set::GameSet;
use super::margin::Margin;
use super::outcome::Outcome;
use super::part::Part;
use super::plan::Plan;
use crate::gamelog::Host;
use crate::source::{SourceError, json_problem};
use crate::text::plural;

/// The version of the format of run folders that this referee writes, and the only one that it reads.
const FORMAT: u32 = 1;

pub(super) const RUN: &str = "run.toml";
pub(super) const RESULTS: &str = "results.jsonl";
pub(super) const PARTS: &str = "parts.jsonl";

/// What a run is: the content of `run.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The version of the format.
    format: u32,
    /// The version of the referee that started it.
    pub referee: String,
    /// When it was started, in UTC.
    pub started: jiff::Timestamp,
    /// Where it was started.
    pub host: Host,
    /// The working directory that it was started in, from which the bots are found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_in: Option<PathBuf>,
    /// The opponent against which playing decides who is better, and then stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Opponent>,
    /// What is played.
    pub plan: Plan,
}

/// A bot of another run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opponent {
    /// The other run's folder.
    pub run: PathBuf,
    /// The bot.
    pub bot: String,
    /// The difference that does not matter.
    #[serde(default)]
    pub margin: Margin,
}

impl Run {
    /// A run of `plan` that starts now, here.
    pub fn new(plan: Plan, against: Option<Opponent>) -> Self {
        Self {
            format: FORMAT,
            referee: env!("CARGO_PKG_VERSION").to_owned(),
            started: jiff::Timestamp::now(),
            host: crate::play::host(),
            started_in: std::env::current_dir().ok(),
            against,
            plan,
        }
    }
}

/// What is wrong with a run folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder holds no run.
    #[error("{} is no run folder: it has no {RUN}", .0.display())]
    NotARun(PathBuf),
    /// The folder for a new run is not empty.
    #[error("{} exists; choose another folder, or take up the run in it with --resume", .0.display())]
    Exists(PathBuf),
    /// The run was made by another version.
    #[error("{}: the run is of format {format}, and this referee reads format {FORMAT}", path.display())]
    Format {
        /// The run's `run.toml`.
        path: PathBuf,
        /// Its format.
        format: i64,
    },
    /// `run.toml` is not as it was written.
    #[error("{}:{problem}", path.display())]
    Plan {
        /// The run's `run.toml`.
        path: PathBuf,
        /// What is wrong, and where.
        problem: SourceError,
    },
    /// A line is not as it was written.
    #[error("{}:{line}: {problem}; delete this line, and --resume plays its game again", path.display())]
    Damaged {
        /// The run's `results.jsonl` or `parts.jsonl`.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Another process is playing the run.
    #[error("another process is playing the run in {}; wait for its end", .0.display())]
    InUse(PathBuf),
    /// The run cannot be read.
    #[error("cannot read the run")]
    Read(#[source] io::Error),
    /// The run cannot be written.
    #[error("cannot write the run; the results so far are kept, and --resume goes on from them")]
    Write(#[source] io::Error),
    /// The folder cannot be made.
    #[error("cannot make the run folder")]
    Make(#[source] io::Error),
}

impl FolderError {
    /// Whether the user can help it, rather than the machine.
    pub fn is_user_error(&self) -> bool {
        match self {
            Self::Write(_) => false,
            Self::Make(error) => error.kind() != io::ErrorKind::StorageFull,
            _ => true,
        }
    }
}

/// A run that can be read.
#[derive(Debug, Clone)]
pub struct RunFolder {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub run: Run,
    /// Results are read several times; what is odd about them is told once.
    duplicates_told: Arc<Once>,
}

impl RunFolder {
    pub(super) fn new(path: PathBuf, run: Run) -> Self {
        Self { path, run, duplicates_told: Arc::new(Once::new()) }
    }

    /// Reads what the run in `path` is.
    ///
    /// # Errors
    /// When the folder holds no run, or `run.toml` is malformed.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let file = path.join(RUN);
        let source = fs::read_to_string(&file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                FolderError::NotARun(path.to_owned())
            }
            _ => FolderError::Read(error),
        })?;
        let run = parse_run(file, &source)?;
        Ok(Self::new(path.to_owned(), run))
    }

    /// The results, in the order in which the games ended; one that was cut short is left out, and so
    /// is a second one of a game.
    ///
    /// # Errors
    /// When they cannot be read or are damaged; then it was the last item.
    pub fn outcomes(&self) -> Result<Outcomes, FolderError> {
        let path = self.path.join(RESULTS);
        let lines = JsonLines::open(path)?;
        let played = GameSet::new(self.run.plan.games());
        Ok(Outcomes { lines, played, duplicates: 0, told: Arc::clone(&self.duplicates_told) })
    }

    /// Where the games were played; empty for runs of a referee that did not keep it.
    ///
    /// # Errors
    /// When the file cannot be read or is damaged.
    pub fn parts(&self) -> Result<Vec<Part>, FolderError> {
        let path = self.path.join(PARTS);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let mut lines = JsonLines::open(path)?;
        std::iter::from_fn(|| lines.next()).collect()
    }

    /// The games of the plan that have been played.
    ///
    /// # Errors
    /// When a result cannot be read, or belongs to no game of the plan.
    pub fn played(&self) -> Result<GameSet, FolderError> {
        let mut played = GameSet::new(self.run.plan.games());
        let mut outcomes = self.outcomes()?;
        while let Some(outcome) = outcomes.next() {
            let outcome = outcome?;
            self.check(&outcome).map_err(|problem| outcomes.lines.damaged(problem))?;
            if outcome.is_played() {
                played.add(outcome.game);
            }
        }
        Ok(played)
    }

    /// Whether a result belongs to the plan.
    fn check(&self, outcome: &Outcome) -> Result<(), String> {
        let plan = &self.run.plan;
        if !plan.has(outcome.game) {
            return Err(format!("there is no game {} in the plan", outcome.game));
        }
        let planned = plan.assignment(outcome.game);
        let bot = &plan.bots[planned.bot].name;
        let board = plan.board_name(planned.board);
        if *bot == outcome.bot && board == outcome.board && planned.repeat == outcome.repeat {
            return Ok(());
        }
        Err(format!("by the plan, game {} is one of `{bot}` on {board}", outcome.game))
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
    toml::from_str(source).map_err(|error| refuse(&error))
}

/// The results of a run.
pub struct Outcomes {
    lines: JsonLines,
    played: GameSet,
    duplicates: usize,
    told: Arc<Once>,
}

impl Outcomes {
    /// The result that came last, as it was written.
    pub(super) fn line(&self) -> &[u8] {
        &self.lines.line
    }

    /// The results so far of games that had one already.
    pub(super) fn duplicates(&self) -> usize {
        self.duplicates
    }

    fn is_duplicate(&mut self, outcome: &Outcome) -> bool {
        let is_planned = (1..=self.played.games()).contains(&outcome.game);
        outcome.is_played() && is_planned && !self.played.add(outcome.game)
    }

    fn tell_duplicates(&self) {
        if self.duplicates > 0 {
            let path = self.lines.path.display();
            let results = plural(self.duplicates as u64, "result");
            self.told.call_once(|| {
                log::warn!("{path}: left out {results} of games that have an earlier one");
            });
        }
    }
}

impl Iterator for Outcomes {
    type Item = Result<Outcome, FolderError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.lines.next::<Outcome>() {
                Some(Ok(outcome)) if self.is_duplicate(&outcome) => self.duplicates += 1,
                None => {
                    self.tell_duplicates();
                    return None;
                }
                item => return item,
            }
        }
    }
}

/// A file of JSON values, one on each line.
struct JsonLines {
    path: PathBuf,
    reader: BufReader<File>,
    number: usize,
    line: Vec<u8>,
}

impl JsonLines {
    fn open(path: PathBuf) -> Result<Self, FolderError> {
        let file = File::open(&path).map_err(FolderError::Read)?;
        Ok(Self { path, reader: BufReader::new(file), number: 0, line: Vec::new() })
    }

    /// The next value; a line without its newline was cut short and is left out.
    fn next<T: DeserializeOwned>(&mut self) -> Option<Result<T, FolderError>> {
        self.line.clear();
        self.number += 1;
        match self.reader.read_until(b'\n', &mut self.line) {
            Err(error) => return Some(Err(FolderError::Read(error))),
            Ok(_) if !self.line.ends_with(b"\n") => return None,
            Ok(_) => {}
        }
        let parsed = serde_json::from_slice(&self.line);
        Some(
            parsed.map_err(|error| self.damaged(format!("not a result: {}", json_problem(&error)))),
        )
    }

    fn damaged(&self, problem: String) -> FolderError {
        FolderError::Damaged { path: self.path.clone(), line: self.number, problem }
    }
}
