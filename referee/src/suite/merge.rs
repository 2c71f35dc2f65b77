//! Joins the shards of a plan into one run.

use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::folder::{FolderError, RunFolder};
use super::game_set::GameSet;
use super::plan::Plan;
use super::writer::RunWriter;

/// The folders of a run that hold something for each game.
const KEPT: [&str; 2] = ["games", "failures"];

/// Why runs cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// One of the runs cannot be read, or the joined one not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The runs are not of one plan.
    #[error("{} and {} are not of the same plan: {difference}", first.display(), other.display())]
    Plans {
        /// One of them.
        first: PathBuf,
        /// Another one.
        other: PathBuf,
        /// What differs.
        difference: String,
    },
    /// A game has been played twice.
    #[error("game {game} is in {} and in an earlier folder as well; each game may be in one only", folder.display())]
    Overlap {
        /// The game.
        game: usize,
        /// The second folder that it is in.
        folder: PathBuf,
    },
    /// Games are missing.
    #[error(
        "{missing} of {games} games have no result, the first of them game {first}; join the missing shards too, or say --partial"
    )]
    Gaps {
        /// How many.
        missing: usize,
        /// Of how many.
        games: usize,
        /// The first one.
        first: usize,
    },
    /// Logs cannot be copied.
    #[error("cannot copy the logs")]
    Copy(#[source] io::Error),
}

impl MergeError {
    /// Whether the user can help it, rather than the machine.
    pub fn is_users(&self) -> bool {
        match self {
            Self::Folder(error) => error.is_users(),
            Self::Copy(_) => false,
            Self::Plans { .. } | Self::Overlap { .. } | Self::Gaps { .. } => true,
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// The games that have a result now.
    pub games: usize,
    /// The games of the plan.
    pub planned: usize,
}

/// Joins `shards` into a new run in `out`. Unless it is to be `partial`, they must have all games of
/// their plan.
///
/// # Errors
/// When the shards do not fit together; nothing is written then.
pub fn merge(shards: &[RunFolder], out: &Path, partial: bool) -> Result<Merged, MergeError> {
    let first = shards.first().expect("at least one shard");
    let plan = Plan { shard: None, ..first.run.plan.clone() };
    let mut played = GameSet::new(plan.games());
    for shard in shards {
        check(first, shard, &mut played)?;
    }
    let merged = Merged { games: played.count(), planned: plan.games() };
    if !partial && let Some(missing) = (1..=plan.games()).find(|&game| !played.has(game)) {
        let missing_games = merged.planned - merged.games;
        return Err(MergeError::Gaps {
            missing: missing_games,
            games: merged.planned,
            first: missing,
        });
    }
    let mut run = first.run.clone();
    run.plan = plan;
    let mut writer = RunWriter::create(out, run)?;
    for shard in shards {
        for outcome in shard.outcomes()? {
            writer.append(&outcome?)?;
        }
        copy_kept(&shard.path, out).map_err(MergeError::Copy)?;
    }
    writer.finish()?;
    Ok(merged)
}

/// Checks that a shard is of the same plan and has no game that is in `played`, to which its own are
/// added.
fn check(first: &RunFolder, shard: &RunFolder, played: &mut GameSet) -> Result<(), MergeError> {
    if let Some(difference) = first.run.plan.difference(&shard.run.plan) {
        let (first, other) = (first.path.clone(), shard.path.clone());
        return Err(MergeError::Plans { first, other, difference });
    }
    let own = shard.played()?;
    for game in (1..=shard.run.plan.games()).filter(|&game| own.has(game)) {
        if !played.add(game) {
            return Err(MergeError::Overlap { game, folder: shard.path.clone() });
        }
    }
    Ok(())
}

/// Copies logs and bundles; their names hold the number of the game, so none meets another.
fn copy_kept(from: &Path, to: &Path) -> io::Result<()> {
    for name in KEPT {
        let folder = from.join(name);
        if folder.is_dir() {
            copy_folder(&folder, &to.join(name))?;
        }
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
