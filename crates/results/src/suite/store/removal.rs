//! Removes the files of runs. If a folder has other files, they stay, and the folder with them.

use std::ffi::OsString;
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::folder::{FolderError, PART_FOLDERS, RESULTS, RESULTS_LOCK, RUN, RunFolder, SESSIONS};
use super::writer::RunWriter;
use crate::gamelog::drawings::ENDING;
use crate::suite::files::{NEW, remove_if_empty, remove_if_there};
use crate::suite::plan::Plan;
use rules::game::Drawing;
use terms::system::lock_beside;

/// The prefix of the name of a folder that is being removed. It is hidden, so that no list shows it.
const REMOVED: &str = ".removed-";

/// The new name of `run.toml` while a run is removed from a folder that stays.
const REMOVED_RUN: &str = ".removed-run.toml";

/// The files of a run folder, without those in its subfolders.
const FILES: [&str; 11] = [
    RUN,
    "run.toml.lock",
    REMOVED_RUN,
    RESULTS,
    RESULTS_LOCK,
    SESSIONS,
    "comment.txt",
    "listing.json",
    "slurm.sh",
    "submissions.jsonl",
    "merge.out",
];

/// The files of a bundle.
pub const BUNDLE: [&str; 6] =
    ["board.txt", "game.jsonl", "stdin.txt", "stderr.txt", "again.sh", "again.cmd"];

/// What is in a run folder.
#[derive(Debug, Default)]
pub struct Contents {
    /// The files of the run.
    files: Vec<PathBuf>,
    /// The folders that the run has made, each before those in it.
    folders: Vec<PathBuf>,
    /// Other files and folders, relative to the folder; of a folder only its own path.
    pub foreign: Vec<PathBuf>,
    /// The size of the run's files, in bytes.
    pub size: u64,
}

impl RunFolder {
    /// The content of the folder; what cannot be read is left out.
    pub fn contents(&self) -> Contents {
        let (mut contents, mut open) = (Contents::default(), vec![PathBuf::new()]);
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(self.path.join(&folder)).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), folder.join(entry.file_name()));
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() && is_own(&name, true, &self.run.plan) {
                    contents.folders.push(path);
                    open.push(name);
                } else if kind.is_symlink() && is_link_of_copy(&name) {
                    contents.files.push(path);
                } else if kind.is_file() && is_own(&name, false, &self.run.plan) {
                    contents.size += entry.metadata().map_or(0, |data| data.len());
                    contents.files.push(path);
                } else {
                    contents.foreign.push(name);
                }
            }
        }
        contents.foreign.sort();
        contents
    }

    /// Removes the run, and its folder if nothing else is in it. The run vanishes at once; if a kill leaves files,
    /// they are hidden, and [`remove_remains`] removes them.
    ///
    /// # Errors
    /// When it is in use, is in parts, cannot be locked, or cannot be removed.
    pub fn remove(mut self) -> Result<(), FolderError> {
        // A process that plays a part holds only the part's lock.
        if self.parts() > 0 {
            return Err(FolderError::InParts(self.path));
        }
        let lock = RunWriter::lock(self.clone())?;
        if !lock.is_locked() {
            return Err(FolderError::Unlocked(self.path));
        }
        let path = self.path.clone();
        if self.contents().foreign.is_empty() {
            let name = path.file_name().unwrap_or_default();
            let hidden: OsString = [REMOVED.as_ref(), name].into_iter().collect();
            let hidden = path.with_file_name(hidden);
            // Windows renames no folder with open files, and so none that another process has begun to play by now.
            let lock = Some(lock).filter(|_| lock_beside(&path).is_none());
            fs::rename(&path, &hidden).map_err(FolderError::Remove)?;
            drop(lock);
            self.path = hidden;
            self.clear(RUN)
        } else {
            fs::rename(path.join(RUN), path.join(REMOVED_RUN)).map_err(FolderError::Remove)?;
            drop(lock);
            self.clear(REMOVED_RUN)
        }
        .map_err(FolderError::Remove)
    }

    /// Removes the files of the run, `run.toml` last.
    fn clear(&self, last: &str) -> io::Result<()> {
        let Contents { files, folders, .. } = self.contents();
        let last = self.path.join(last);
        for file in files.iter().filter(|file| **file != last) {
            remove_if_there(file)?;
        }
        for folder in folders.iter().rev() {
            remove_if_empty(folder)?;
        }
        remove_if_there(&last)?;
        remove_if_empty(&self.path)
    }

    /// Why the run, or its part, cannot be removed or merged now: another process is adding results, or, without locks, might be.
    pub fn in_use(&self) -> Option<FolderError> {
        let results = self.place().join(RESULTS);
        let locked = lock_beside(&results).unwrap_or(results);
        match std::fs::File::open(locked).ok()?.try_lock_shared() {
            Ok(()) => None,
            Err(TryLockError::WouldBlock) => Some(FolderError::InUse(self.place())),
            Err(TryLockError::Error(_)) => Some(FolderError::Unlocked(self.place())),
        }
    }
}

/// Removes what is left in `folder` of runs whose removal was killed.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_remains(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(REMOVED.as_bytes());
        let last = if is_hidden { RUN } else { REMOVED_RUN };
        if !entry.file_type()?.is_dir() {
            continue;
        }
        if path.join(last).is_file() {
            match RunFolder::open_as(&path, last) {
                Ok(remains) => remains.clear(last)?,
                Err(error) => log::warn!("{} is left: {error}", path.display()),
            }
        } else if is_hidden {
            remove_if_empty(&path)?;
        }
    }
    Ok(())
}

/// Whether a run has made this file or folder; its path is relative to the run's folder.
fn is_own(name: &Path, is_folder: bool, plan: &Plan) -> bool {
    let parts: Option<Vec<&str>> = name.iter().map(|part| part.to_str()).collect();
    let Some(parts) = parts else { return false };
    match (parts.as_slice(), is_folder) {
        (["games" | "failures" | "bots" | PART_FOLDERS], true) => true,
        (["failures" | "bots" | PART_FOLDERS, number], true) => is_number(number),
        (["bots", bot, word], true) => is_number(bot) && is_number(word),
        (["referee"], false) => plan.parts.is_some(),
        ([file], false) => FILES.contains(file) || is_half_made(file),
        (["games", log], false) => is_log(log),
        (["games", pictures], true) => is_pictures(pictures),
        (["games", pictures, file], false) => {
            is_pictures(pictures) && Drawing::has_ending(Path::new(file))
        }
        (["failures", game, file], false) => is_number(game) && BUNDLE.contains(file),
        ([PART_FOLDERS, printed], false) => is_printed(printed),
        ([PART_FOLDERS, _, file], false) => {
            [RESULTS, RESULTS_LOCK, SESSIONS].contains(file) || is_half_made(file)
        }
        (["bots", bot, word, file], false) => is_half_made(file) || is_copy(plan, bot, word, file),
        _ => false,
    }
}

/// Whether links with this path stand next to the copy of a bot's file, and lead to what is next to the original.
fn is_link_of_copy(name: &Path) -> bool {
    let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
    let [bots, bot, word, _] = parts.as_slice() else { return false };
    bots == "bots" && is_number(bot) && is_number(word)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether this is the name of an unfinished file.
fn is_half_made(file: &str) -> bool {
    let random = file.strip_prefix(NEW).or(file.strip_prefix(".tmp"));
    random.is_some_and(|random| {
        random.len() == 6 && random.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Whether this is the name of a game's log, packed or not.
fn is_log(file: &str) -> bool {
    let (number, kind) = file.split_once('.').unwrap_or((file, ""));
    is_number(number) && ["jsonl", "jsonl.gz", "jsonl.zst"].contains(&kind)
}

/// Whether this is the name of the folder with a game's pictures.
fn is_pictures(folder: &str) -> bool {
    folder.split_once('.').is_some_and(|(number, kind)| is_number(number) && kind == ENDING)
}

/// Whether this is the name of a task's output, such as `4711_17.out`.
fn is_printed(file: &str) -> bool {
    let numbers = file.strip_suffix(".out").and_then(|stem| stem.split_once('_'));
    numbers.is_some_and(|(job, task)| is_number(job) && is_number(task))
}

/// Whether this is the copy of the file that a word of a bot's command names.
fn is_copy(plan: &Plan, bot: &str, word: &str, file: &str) -> bool {
    let bot = bot.parse::<usize>().ok().and_then(|bot| plan.bots.get(bot.checked_sub(1)?));
    let word = word.parse::<usize>().ok().and_then(|word| bot?.command.get(word));
    word.is_some_and(|word| Path::new(word).file_name().is_some_and(|name| name == file))
}

#[cfg(test)]
mod tests {
    use super::super::folder::Run;
    use super::*;
    use crate::suite::plan::test_plan;

    #[test]
    fn a_run_in_parts_is_not_removed() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("run");
        let plan = Plan { parts: std::num::NonZeroU32::new(2), ..test_plan(3) };
        let folder = RunFolder::create(&path, Run::new(plan, None)).expect("a run");
        let removed = folder.clone().remove();
        assert!(matches!(removed, Err(FolderError::InParts(_))), "{removed:?}");
        assert!(path.join(RUN).exists());
        fs::write(path.join(RESULTS), "").expect("merged");
        folder.remove().expect("it is merged");
        assert!(!path.exists());
    }

    #[test]
    fn a_run_knows_its_own_files_and_no_others() {
        let plan = Plan { parts: std::num::NonZeroU32::new(2), ..test_plan(3) };
        let own = |name: &str, is_folder| is_own(Path::new(name), is_folder, &plan);
        for file in [
            "run.toml",
            "referee",
            ".new-a1B2c3",
            "games/000017.jsonl.gz",
            "failures/000017/again.sh",
            "parts/0017/results.jsonl",
            "parts/4711_17.out",
            "bots/1/0/bot",
        ] {
            assert!(own(file, false), "{file}");
        }
        for file in [
            "NOTES.txt",
            "run.toml.bak",
            ".new-idea",
            "games/best.jsonl",
            "games/000017.jsonl~",
            "failures/000017/core",
            "parts/notes.out",
            "bots/1/0/other",
            "bots/2/0/bot",
            "bots/0/0/bot",
        ] {
            assert!(!own(file, false), "{file}");
        }
        assert!(own("games", true) && own("bots/1/0", true));
        assert!(!own("mine", true) && !own("games/000017.jsonl", true) && !own("run.toml", true));
    }
}
