//! The line of a run in a list of runs.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

use super::Summary;
use crate::suite::files::on_all_processors;
use crate::suite::plan::{Plan, Seeds, Shard};
use crate::suite::records::Bests;
use crate::suite::store::{Commit, FolderError, RunFolder};
use terms::seed::Seed;

/// A run in a list of runs. In JSON its fields are a contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// The user's comment.
    pub comment: Option<String>,
    /// The summary of its results.
    #[serde(skip)]
    pub summary: Summary,
}

impl Listing {
    /// Reads the results of a run, without a comparison with the best known scores.
    ///
    /// # Errors
    /// When they cannot be read or are damaged.
    pub fn of(folder: &RunFolder) -> Result<Self, FolderError> {
        let (run, plan) = (&folder.run, &folder.run.plan);
        let opponent = run.against.as_ref().map(|opponent| opponent.run.clone());
        Ok(Self {
            started: run.started,
            game: plan.game.clone(),
            boards: plan.boards(),
            sets: sets(plan),
            seeds: plan.seeds.as_ref().and_then(Seeds::range),
            planned: plan.tables(folder.planned()),
            shard: run.shard,
            git: run.git.clone(),
            against: opponent.filter(|run| !run.as_os_str().is_empty()),
            comment: folder.comment(),
            summary: Summary::of(folder, &Bests::default())?,
        })
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
}

fn sets(plan: &Plan) -> Vec<String> {
    let listed = plan.boards.iter().filter_map(|board| board.set.as_ref());
    let mut sets: Vec<String> =
        listed.chain(plan.seeds.as_ref().and_then(|seeds| seeds.set.as_ref())).cloned().collect();
    sets.sort();
    sets.dedup();
    sets
}

/// What `show` makes of each run in `folder`, on all processors. Hidden entries and files are left out; a folder that is not a
/// readable run comes with its error. A missing folder has no runs.
///
/// # Errors
/// When `folder` cannot be read.
pub fn list_runs<T: Send>(
    folder: &Path,
    show: impl Fn(RunFolder) -> Result<T, FolderError> + Sync,
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
    let next = AtomicUsize::new(0);
    let work = || {
        let mut shown = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            shown.push((path.clone(), RunFolder::open(path).and_then(&show)));
        }
        shown
    };
    Ok(on_all_processors(work).into_iter().flatten().collect())
}
