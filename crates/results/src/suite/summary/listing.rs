//! The line of a run in a list of runs, kept so that the list need not read every result.
//!
//! `listing.json` is made from `run.toml` and the results, and is valid while these have the sizes and times
//! of change that it names. It can be deleted at any moment. Its summary has points by board, not shares of the
//! best known scores, since these change from day to day.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use serde::{Deserialize, Serialize};

use super::Summary;
use crate::suite::files::{new_file, read_regular};
use crate::suite::plan::{Plan, Seeds, Shard};
use crate::suite::records::Bests;
use crate::suite::store::{Commit, FolderError, RESULTS, RUN, RunFolder, comment_in};
use terms::seed::Seed;

const LISTING: &str = "listing.json";

/// The version of the format; a listing of another one is made again.
const FORMAT: u32 = 8;

/// A run in a list of runs. In JSON its fields are a contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// When it was started, in UTC.
    pub started: jiff::Timestamp,
    /// The name of the game that was played.
    pub game: String,
    /// The number of boards.
    pub boards: usize,
    /// The board sets that its boards come from.
    pub sets: Vec<String>,
    /// The first and the last seed, if boards come from seeds.
    pub seeds: Option<(Seed, Seed)>,
    /// The games of the plan.
    pub planned: usize,
    /// The share of the plan that is played, if others play the rest.
    pub shard: Option<Shard>,
    /// The commit of the user's repository that it was started from.
    pub git: Option<Commit>,
    /// The run of the opponent, if it has one.
    pub against: Option<PathBuf>,
    /// The user's comment, which is read each time.
    pub comment: Option<String>,
    /// The summary of its results.
    #[serde(skip)]
    pub summary: Summary,
}

/// The content of `listing.json`, format and stamps first.
type Kept<L, S> = (u32, Stamps, L, S);

/// The size of a file, and when its content was changed, in seconds and nanoseconds.
type Stamp = (u64, i64, i64);

/// The stamps of the files that a listing is made from; `None` for a missing file.
type Stamps = [Option<Stamp>; 2];

fn stamp(file: &Path) -> Option<Stamp> {
    let data = fs::metadata(file).ok()?;
    let changed = jiff::Timestamp::try_from(data.modified().ok()?).ok()?;
    Some((data.len(), changed.as_second(), changed.subsec_nanosecond().into()))
}

/// The stamps of the run in `path`.
fn stamps(path: &Path) -> Stamps {
    [RUN, RESULTS].map(|name| stamp(&path.join(name)))
}

impl Listing {
    /// The listing of the run in `path`: the kept one if it is still valid, or else a new one, which is kept if
    /// the folder can be written.
    ///
    /// # Errors
    /// When the folder holds no run, or it cannot be read or is damaged.
    pub fn of(path: &Path) -> Result<Self, FolderError> {
        Ok(Self { comment: comment_in(path), ..Self::kept_or_read(path)? })
    }

    fn kept_or_read(path: &Path) -> Result<Self, FolderError> {
        let kept = read_regular(&path.join(LISTING)).ok();
        let kept =
            kept.and_then(|bytes| serde_json::from_slice::<Kept<Self, Summary>>(&bytes).ok());
        match kept {
            Some((FORMAT, kept, listing, summary)) if kept == stamps(path) => {
                Ok(Self { summary, ..listing })
            }
            _ => Self::read(&RunFolder::open(path)?, &Bests::default()),
        }
    }

    /// Reads the results of a run, [compares](Summary::compare) them with the best `known` scores, and
    /// keeps the listing if the folder can be written.
    ///
    /// # Errors
    /// When the results cannot be read.
    pub fn read(folder: &RunFolder, known: &Bests) -> Result<Self, FolderError> {
        let (run, plan) = (&folder.run, &folder.run.plan);
        // Taken first, so that a result added in the meantime makes the listing out of date.
        let stamps = stamps(&folder.path);
        // A run that was killed at once has no results yet.
        let has_results = stamps[1].is_some();
        let listing = Self {
            started: run.started,
            game: plan.game.clone(),
            boards: plan.boards(),
            sets: sets(plan),
            seeds: plan.seeds.as_ref().and_then(Seeds::range),
            planned: plan.tables(folder.planned()),
            shard: run.shard,
            git: run.git.clone(),
            against: run
                .against
                .as_ref()
                .map(|opponent| opponent.run.clone())
                .filter(|run| !run.as_os_str().is_empty()),
            comment: None,
            summary: if has_results { Summary::of(folder, known)? } else { Summary::new(folder) },
        };
        // Without it the next list only takes longer.
        if let Err(error) = listing.keep(&folder.path, &stamps) {
            log::debug!("{}: {error}", folder.path.display());
        }
        Ok(listing)
    }

    /// Replaces the old file. It is not synced to the disk: one that a loss of power
    /// damages is made again.
    fn keep(&self, path: &Path, stamps: &Stamps) -> io::Result<()> {
        let path = path.join(LISTING);
        let mut file = BufWriter::new(new_file(&path)?);
        let kept: Kept<&Self, &Summary> = (FORMAT, *stamps, self, &self.summary);
        serde_json::to_writer(&mut file, &kept)?;
        file.into_inner()?.persist(path).map(drop).map_err(|error| error.error)
    }

    /// Whether a bot's name contains `text`.
    pub fn has_bot(&self, text: &str) -> bool {
        self.summary.bots.iter().any(|tally| tally.bot.contains(text))
    }

    /// The name of its boards: its board sets, its seeds, or their number.
    pub fn board_names(&self) -> String {
        let shard = self.shard.map_or_else(String::new, |shard| format!(", shard {shard}"));
        self.all_board_names() + &shard
    }

    fn all_board_names(&self) -> String {
        let seeds = self.seeds.filter(|_| self.sets.is_empty());
        match seeds {
            Some((first, last)) if first == last => format!("seed {first}"),
            Some((first, last)) => format!("seeds {first}..{last}"),
            None if self.sets.is_empty() => self.boards.to_string(),
            None => self.sets.join(", "),
        }
    }

    /// Whether its boards come from the set of this name, or from exactly these seeds, such as `1..100`.
    pub fn has_boards(&self, set: &str) -> bool {
        let seeds = self.seeds.map(|(first, last)| format!("{first}..{last}"));
        self.sets.iter().any(|name| name == set) || seeds.is_some_and(|seeds| seeds == set)
    }
}

fn sets(plan: &Plan) -> Vec<String> {
    let listed = plan.boards.iter().filter_map(|board| board.set.as_ref());
    let mut sets: Vec<String> =
        listed.chain(plan.seeds.as_ref().and_then(|seeds| seeds.set.as_ref())).cloned().collect();
    sets.sort();
    sets.dedup();
    sets
}

/// Calls `show` with the listing of each run in `folder`, on all processors. Hidden entries and files are left
/// out; a folder that is not a readable run comes with its error. A missing folder has no runs.
///
/// # Errors
/// When `folder` cannot be read.
pub fn list_runs<T: Send>(
    folder: &Path,
    show: impl Fn(&Path, Listing) -> T + Sync,
) -> io::Result<Vec<(PathBuf, Result<T, FolderError>)>> {
    let mut paths = Vec::new();
    match fs_err::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        entries => {
            for entry in entries? {
                let entry = entry?;
                let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                if !is_hidden && !entry.file_type()?.is_file() && entry.path().is_dir() {
                    paths.push(entry.path());
                }
            }
        }
    }
    let (next, shown) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut mine = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            mine.push((path.clone(), Listing::of(path).map(|listing| show(path, listing))));
        }
        shown.lock().expect("nobody panics").extend(mine);
    };
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        for _ in 0..threads.min(paths.len()) {
            scope.spawn(work);
        }
    });
    Ok(shown.into_inner().expect("nobody panics"))
}
