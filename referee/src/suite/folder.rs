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

use std::fs::TryLockError;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fs_err as fs;
use fs_err::{File, OpenOptions};
use serde::{Deserialize, Serialize};

use super::outcome::Outcome;
use super::plan::Plan;
use crate::gamelog::Host;
use crate::source::{SourceError, json_problem};

/// The version of the format of run folders that this referee writes, and the only one that it reads.
const FORMAT: u32 = 1;

const RUN: &str = "run.toml";
const RESULTS: &str = "results.jsonl";

/// How long results may stay in memory of the system only.
const SYNC: Duration = Duration::from_secs(1);

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
    pub against: Option<Against>,
    /// What is played.
    pub plan: Plan,
}

/// A bot of another run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Against {
    /// The other run's folder.
    pub run: PathBuf,
    /// The bot.
    pub bot: String,
}

impl Run {
    /// A run of `plan` that starts now, here.
    pub fn new(plan: Plan, against: Option<Against>) -> Self {
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
    pub fn played(&self) -> Result<Played, FolderError> {
        let mut played = Played::new(self.run.plan.games());
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

/// Which games of a plan have been played: a bit for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    bits: Vec<u64>,
    count: usize,
}

impl Played {
    /// None of `games`.
    pub fn new(games: usize) -> Self {
        Self { bits: vec![0; games / 64 + 1], count: 0 }
    }

    /// Adds a game; `false` if it was there.
    pub fn add(&mut self, game: usize) -> bool {
        let new = !self.has(game);
        self.bits[game / 64] |= 1 << (game % 64);
        self.count += usize::from(new);
        new
    }

    /// Whether this game has been played.
    pub fn has(&self, game: usize) -> bool {
        self.bits[game / 64] >> (game % 64) & 1 == 1
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// A run that results are added to.
#[derive(Debug)]
pub struct RunWriter {
    /// Where it is, and what.
    pub folder: RunFolder,
    results: File,
    /// The length of the whole lines.
    length: u64,
    synced: Instant,
    line: Vec<u8>,
}

impl RunWriter {
    /// Makes a folder for a run.
    ///
    /// # Errors
    /// When there is something at `path`, or it cannot be made.
    pub fn create(path: &Path, run: Run) -> Result<Self, FolderError> {
        if !is_free(path) {
            return Err(FolderError::Exists(path.to_owned()));
        }
        fs::create_dir_all(path).map_err(FolderError::Make)?;
        let source = toml::to_string_pretty(&run).expect("a run can be written as TOML");
        write_whole(&path.join(RUN), source.as_bytes()).map_err(FolderError::Make)?;
        Self::lock(RunFolder { path: path.to_owned(), run })
    }

    /// Takes up a run; a last result that was cut short is cut off.
    ///
    /// # Errors
    /// When it is in use, or cannot be written.
    pub fn resume(folder: RunFolder) -> Result<Self, FolderError> {
        let mut writer = Self::lock(folder)?;
        writer.length = whole_lines(&mut writer.results).map_err(FolderError::Read)?;
        writer.results.set_len(writer.length).map_err(FolderError::Write)?;
        writer.results.seek(SeekFrom::End(0)).map_err(FolderError::Write)?;
        Ok(writer)
    }

    fn lock(folder: RunFolder) -> Result<Self, FolderError> {
        let path = folder.path.join(RESULTS);
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let results = open.map_err(FolderError::Make)?;
        match results.file().try_lock() {
            Err(TryLockError::WouldBlock) => return Err(FolderError::InUse(folder.path)),
            // A file system without locks still takes results.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        Ok(Self { folder, results, length: 0, synced: Instant::now(), line: Vec::new() })
    }

    /// Adds a result.
    ///
    /// # Errors
    /// When it cannot be written; what was written of it is cut off again.
    pub fn append(&mut self, outcome: &Outcome) -> Result<(), FolderError> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, outcome).expect("memory");
        self.line.push(b'\n');
        self.write_line().map_err(|error| {
            // If that fails too, the next reader leaves the torn line out all the same.
            let _ = self.results.set_len(self.length);
            FolderError::Write(error)
        })
    }

    fn write_line(&mut self) -> io::Result<()> {
        self.results.write_all(&self.line)?;
        self.length += self.line.len() as u64;
        if self.synced.elapsed() >= SYNC {
            self.results.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Sees to it that all results are on the disk.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn finish(&self) -> Result<(), FolderError> {
        self.results.sync_data().map_err(FolderError::Write)
    }
}

/// The length of a file up to its last newline.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    const CHUNK: u64 = 1 << 16;
    let mut end = file.metadata()?.len();
    let mut chunk = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
        chunk.resize(usize::try_from(end - start).expect("a small chunk"), 0);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut chunk)?;
        if let Some(newline) = chunk.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + newline as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Whether a run can be made at `path`: there is nothing but what a kill may have left of a file that
/// was about to appear.
fn is_free(path: &Path) -> bool {
    let left_over = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name().as_encoded_bytes().starts_with(NEW.as_bytes()))
    };
    match fs::read_dir(path) {
        Ok(mut entries) => entries.all(left_over),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// What the name of a file starts with that is about to appear.
const NEW: &str = ".new-";

/// Writes a file that appears whole or not at all.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let name_path = |error: io::Error| {
        io::Error::new(error.kind(), format!("failed to write {}: {error}", path.display()))
    };
    let made = tempfile::Builder::new().prefix(NEW).tempfile_in(folder.unwrap_or(Path::new(".")));
    let mut file = made.map_err(name_path)?;
    file.write_all(content).map_err(name_path)?;
    file.as_file().sync_all().map_err(name_path)?;
    // A temporary file is the user's alone; this one is as readable as any other.
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(readable).map_err(name_path)?;
    file.persist(path).map_err(|error| name_path(error.error))?;
    Ok(())
}
