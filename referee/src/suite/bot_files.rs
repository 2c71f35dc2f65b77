//! The files that make a bot: its program and what its arguments name.
//!
//! A digest tells whether a file is still the one that the plan names. Reading a file takes long, so
//! a digest is kept for as long as the file's stamp (its place, size and times) stays the same.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use fs_err as fs;

use crate::digest::file_digest;

/// The files of a bot, each with what the bot's command calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotFiles(Vec<(String, PathBuf)>);

/// What is not the same any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileChange {
    /// This file has another content.
    Replaced(String),
    /// This file cannot be read.
    Missing(String),
}

/// Changes whenever the file's content does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Self> {
        let data = fs::metadata(path)?;
        Ok(Self {
            file: (data.dev(), data.ino()),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }
}

impl BotFiles {
    /// The files that a command names, seen from `folder`. A first word `@NAME` is this very program; a
    /// name without a slash is looked up in `search`, a `PATH`.
    pub fn of(command: &[String], folder: Option<&Path>, search: Option<&OsStr>) -> Self {
        let here = |word: &str| folder.map_or_else(|| word.into(), |folder| folder.join(word));
        let path = |(index, word): (usize, &String)| match index {
            0 if word.starts_with('@') => std::env::current_exe().ok(),
            0 if !word.contains('/') => in_path(word, search?),
            _ => Some(here(word)).filter(|path| path.is_file()),
        };
        let words = command.iter().enumerate();
        Self(words.filter_map(|(index, word)| Some((word.clone(), path((index, word))?))).collect())
    }

    /// The digest of each file that can be read.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let digest = |(word, path): &(String, PathBuf)| Some((word.clone(), stamped(path).ok()?.1));
        self.0.iter().filter_map(digest).collect()
    }

    /// Checks that all files have the digests that the plan names, as far as it names one.
    pub(super) fn check(
        &self,
        planned: &BTreeMap<String, String>,
    ) -> Result<Vec<Stamp>, FileChange> {
        let planned =
            self.0.iter().filter_map(|(word, path)| Some((word, path, planned.get(word)?)));
        let check = |(word, path, planned): (&String, &PathBuf, &String)| match stamped(path) {
            Ok((stamp, digest)) if digest == *planned => Ok(stamp),
            Ok(_) => Err(FileChange::Replaced(word.clone())),
            Err(_) => Err(FileChange::Missing(word.clone())),
        };
        planned.map(check).collect()
    }

    /// Whether the program itself is there.
    pub fn has_program(&self, command: &[String]) -> bool {
        self.0.first().map(|(word, _)| word) == command.first()
    }
}

/// A file's stamp and the digest of its content.
fn stamped(path: &Path) -> io::Result<(Stamp, String)> {
    static KNOWN: LazyLock<Mutex<HashMap<PathBuf, (Stamp, String)>>> =
        LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let stamp = Stamp::of(path)?;
        if let Some(found) = known().get(path).filter(|(known, _)| *known == stamp) {
            return Ok(found.clone());
        }
        let digest = file_digest(path)?;
        // A file that was written to while it was read has a digest of neither content.
        if Stamp::of(path)? == stamp {
            known().insert(path.to_owned(), (stamp, digest));
        }
    }
}

/// The program that a name without a path stands for.
fn in_path(name: &str, search: &OsStr) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(search).map(|folder| folder.join(name)).find(is_program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> BotFiles {
        let words = ["sh", "bot.sh", "--fast"].map(str::to_owned);
        BotFiles::of(&words, Some(folder), Some(OsStr::new("/nowhere:/usr/bin:/bin")))
    }

    #[test]
    fn the_program_and_the_files_that_arguments_name_make_a_bot() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("bot.sh"), "exit 1").expect("written");
        let digests = files(folder.path()).digests();
        assert_eq!(digests.keys().collect::<Vec<_>>(), ["bot.sh", "sh"]);
        assert_eq!(digests["bot.sh"], crate::digest::digest(b"exit 1"));
    }

    #[test]
    fn another_content_is_seen_and_a_new_time_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let bot = folder.path().join("bot.sh");
        std::fs::write(&bot, "exit 1").expect("written");
        let files = files(folder.path());
        let planned = files.digests();
        let before = files.check(&planned).expect("nothing has changed");
        assert_eq!(files.check(&planned).as_ref(), Ok(&before));
        std::fs::write(&bot, "exit 1").expect("written");
        assert_ne!(files.check(&planned).expect("the same content"), before);
        std::fs::write(&bot, "exit 2").expect("written");
        assert_eq!(files.check(&planned), Err(FileChange::Replaced("bot.sh".to_owned())));
        std::fs::remove_file(&bot).expect("removed");
        assert_eq!(files.check(&planned), Err(FileChange::Missing("bot.sh".to_owned())));
    }
}
