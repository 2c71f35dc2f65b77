//! The folder of a run: `run.toml`, `results.jsonl`, and the logs and bundles of games.
//!
//! # What is kept when
//!
//! `run.toml` appears whole, before the first game. A finished game is one line of `results.jsonl`,
//! appended by one `write` of the whole line, and the file is synced to the disk at least once a
//! second while games finish, and at the end. So a kill at any moment loses the games in flight and no
//! other; a loss of power loses those of the last second as well. A line that was cut short is no
//! result: readers leave it out, and taking up the run cuts it off.
//!
//! Whoever adds results holds a lock on `results.jsonl`, which the kernel lets go of with the process.

use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use fs_err as fs;
use fs_err::File;
use serde::{Deserialize, Serialize};

use super::game_set::GameSet;
use super::outcome::Outcome;
use super::plan::Plan;
use crate::gamelog::Host;
use crate::source::{SourceError, json_problem};

/// The version of the format of run folders that this referee writes, and the only one that it reads.
const FORMAT: u32 = 1;

pub(super) const RUN: &str = "run.toml";
pub(super) const RESULTS: &str = "results.jsonl";

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
    /// The opponent against which playing decides who is better, and then stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Opponent>,
    /// What is played.
    pub plan: Plan,
}

/// A bot of another run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opponent {
    /// The other run's folder.
    pub run: PathBuf,
    /// The bot.
    pub bot: String,
}

impl Run {
    /// A run of `plan` that starts now, here.
    pub fn new(plan: Plan, against: Option<Opponent>) -> Self {
        Self {
            format: FORMAT,
            referee: env!("CARGO_PKG_VERSION").to_owned(),
            started: jiff::Timestamp::now(),
            host: crate::play::host(),
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
    /// There is something where a new run should be.
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
    /// A line of the results is not as it was written.
    #[error("{}:{line}: {problem}", path.display())]
    Damaged {
        /// The run's `results.jsonl`.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Another process adds to it.
    #[error("another process is playing the run in {}; wait for its end", .0.display())]
    InUse(PathBuf),
    /// It cannot be read.
    #[error("cannot read the run")]
    Read(#[source] io::Error),
    /// It cannot be written.
    #[error("cannot write the run; the results so far are kept, and --resume goes on from them")]
    Write(#[source] io::Error),
    /// There cannot be such a folder.
    #[error("cannot make the run folder")]
    Make(#[source] io::Error),
}

impl FolderError {
    /// Whether the user can help it, rather than the machine.
    pub fn is_users(&self) -> bool {
        match self {
            Self::Write(_) => false,
            Self::Make(error) => error.kind() != io::ErrorKind::StorageFull,
            _ => true,
        }
    }
}

/// A run that is there to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFolder {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub run: Run,
}

impl RunFolder {
    /// Reads what the run in `path` is.
    ///
    /// # Errors
    /// When there is none, or it is not as it was written.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let file = path.join(RUN);
        let source = fs::read_to_string(&file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                FolderError::NotARun(path.to_owned())
            }
            _ => FolderError::Read(error),
        })?;
        let run = parse_run(file, &source)?;
        Ok(Self { path: path.to_owned(), run })
    }

    /// The results, in the order in which the games ended; one that was cut short is left out.
    ///
    /// # Errors
    /// When they cannot be read or are damaged; then it was the last item.
    pub fn outcomes(
        &self,
    ) -> Result<impl Iterator<Item = Result<Outcome, FolderError>> + use<>, FolderError> {
        let path = self.path.join(RESULTS);
        let file = File::open(&path).map_err(FolderError::Read)?;
        Ok(Lines { path, reader: BufReader::new(file), number: 0, line: Vec::new() })
    }

    /// The games of the plan that have a result.
    ///
    /// # Errors
    /// When a result cannot be read, or belongs to no game of the plan, or to one that has a result.
    pub fn played(&self) -> Result<GameSet, FolderError> {
        let mut played = GameSet::new(self.run.plan.games());
        for (outcome, line) in self.outcomes()?.zip(1..) {
            let outcome = outcome?;
            let damaged =
                |problem| FolderError::Damaged { path: self.path.join(RESULTS), line, problem };
            self.check(&outcome).map_err(damaged)?;
            if !played.add(outcome.game) {
                return Err(damaged(format!("game {} has a result already", outcome.game)));
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

/// The lines of `results.jsonl`.
struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    number: usize,
    line: Vec<u8>,
}

impl Iterator for Lines {
    type Item = Result<Outcome, FolderError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.line.clear();
        self.number += 1;
        match self.reader.read_until(b'\n', &mut self.line) {
            Err(error) => return Some(Err(FolderError::Read(error))),
            Ok(_) if !self.line.ends_with(b"\n") => return None,
            Ok(_) => {}
        }
        let parsed = serde_json::from_slice(&self.line);
        Some(parsed.map_err(|error| FolderError::Damaged {
            path: self.path.clone(),
            line: self.number,
            problem: format!("not a result: {}", json_problem(&error)),
        }))
    }
}
