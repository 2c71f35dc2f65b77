//! Joins the shards of a plan into one run.

use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::folder::{FolderError, Run, RunFolder};
use super::game_set::GameSet;
use super::outcome::Outcome;
use super::part::Part;
use super::plan::Plan;
use super::writer::{NEW, RunWriter, folder_of, is_free};

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
    /// The shards come from plans that were divided differently.
    #[error("{} is one of {} parts and {} is one of {}; parts of different divisions overlap or leave gaps", first.display(), counts.0, other.display(), counts.1)]
    Divided {
        /// One of them.
        first: PathBuf,
        /// Another one.
        other: PathBuf,
        /// Into how many parts each of the two divides the plan.
        counts: (usize, usize),
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
    pub fn is_user_error(&self) -> bool {
        match self {
            Self::Folder(error) => error.is_user_error(),
            Self::Copy(_) => false,
            Self::Plans { .. }
            | Self::Divided { .. }
            | Self::Overlap { .. }
            | Self::Gaps { .. } => true,
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
    join(shards, out, run)?;
    Ok(merged)
}

/// Builds the joined run beside `out`, where it then appears whole.
fn join(shards: &[RunFolder], out: &Path, run: Run) -> Result<(), MergeError> {
    let failed = |error| MergeError::Folder(FolderError::Make(error));
    if !is_free(out) {
        return Err(FolderError::Exists(out.to_owned()).into());
    }
    fs::create_dir_all(folder_of(out)).map_err(failed)?;
    let new = tempfile::Builder::new().prefix(NEW).tempdir_in(folder_of(out)).map_err(failed)?;
    let mut writer = RunWriter::create(new.path(), run)?;
    for shard in shards {
        append(shard, &mut writer)?;
        copy_kept(&shard.path, new.path()).map_err(MergeError::Copy)?;
    }
    writer.finish()?;
    // A temporary folder is the user's alone; this one is as readable as any other.
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(new.path(), readable).map_err(failed)?;
    match fs::rename(new.path(), out) {
        // Somebody else has made it in the meantime.
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
            Err(FolderError::Exists(out.to_owned()).into())
        }
        renamed => {
            renamed.map_err(failed)?;
            let _ = new.keep();
            Ok(())
        }
    }
}

/// Adds the games of a shard that were played, and its parts under new numbers.
fn append(shard: &RunFolder, writer: &mut RunWriter) -> Result<(), MergeError> {
    let before = writer.folder.parts()?.last().map_or(0, |last| last.part);
    for part in shard.parts()? {
        writer.add_part(&Part { part: before + part.part, ..part })?;
    }
    for outcome in shard.outcomes()? {
        let outcome = outcome?;
        if outcome.is_played() {
            let part = outcome.part.map(|part| before + part);
            writer.append(&Outcome { part, ..outcome })?;
        }
    }
    Ok(())
}

/// Checks that a shard is of the same plan and has no game that is in `played`, to which its own are
/// added.
fn check(first: &RunFolder, shard: &RunFolder, played: &mut GameSet) -> Result<(), MergeError> {
    if let Some(difference) = first.run.plan.difference(&shard.run.plan) {
        let (first, other) = (first.path.clone(), shard.path.clone());
        return Err(MergeError::Plans { first, other, difference });
    }
    let counts = first.run.plan.shard.zip(shard.run.plan.shard);
    if let Some((a, b)) = counts.filter(|(a, b)| a.count != b.count) {
        let (first, other) = (first.path.clone(), shard.path.clone());
        return Err(MergeError::Divided { first, other, counts: (a.count, b.count) });
    }
    let own = shard.played()?;
    for game in (1..=shard.run.plan.games()).filter(|&game| own.has(game)) {
        if !played.add(game) {
            return Err(MergeError::Overlap { game, folder: shard.path.clone() });
        }
    }
    Ok(())
}

/// Copies logs and bundles; their names hold the number of the game, so they never collide.
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
