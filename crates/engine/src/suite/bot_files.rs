//! The files that make a bot: its program and what its arguments name.
//!
//! A digest tells whether a file is still the one that the plan names.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::stamp::{Stamp, stamped};
use contain::bot::{Sandbox, SpawnError};
use results::suite::{NEW, PlannedBot, make_folder};
use terms::path::folder_of;
use terms::system::{is_executable, is_path, link, program_file};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BotFiles(Vec<BotFile>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct BotFile {
    /// The index of the word of the bot's command that names it, from 0.
    index: usize,
    word: String,
    path: PathBuf,
    /// Whether the word is the path of a user's file, rather than the name of an installed program.
    is_own: bool,
}

/// The path in `folder` of the copy of a file that a word of a command names: in a folder of its own, by its name.
fn copy_in(folder: &Path, index: usize, word: &str) -> Option<PathBuf> {
    Some(folder.join(index.to_string()).join(Path::new(word).file_name()?))
}

/// How a bot's files have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileChange {
    /// This file's content differs.
    Replaced(String),
    /// This file cannot be read.
    Missing(String),
}

impl BotFiles {
    /// The files of a bot with paths resolved here.
    pub(super) fn of(bot: &PlannedBot) -> Self {
        let path = bot.env.get("PATH").map(OsString::from).or_else(|| std::env::var_os("PATH"));
        Self::named(&bot.command, bot.cwd.as_deref().map(Path::new), path.as_deref())
    }

    /// The files that a command names, relative to `folder`. A first word `@NAME` is this program itself; a
    /// name without a slash is looked up in `search`, a `PATH`.
    fn named(command: &[String], folder: Option<&Path>, search: Option<&OsStr>) -> Self {
        let here = |word: &str| folder.map_or_else(|| word.into(), |folder| folder.join(word));
        let path = |(index, word): (usize, &String)| match index {
            0 if word.starts_with('@') => std::env::current_exe().ok(),
            0 if !is_path(word) => in_path(word, search?),
            0 => Some(program_file(&here(word))).filter(|path| path.is_file()),
            _ => Some(here(word)).filter(|path| path.is_file()),
        };
        let file = |(index, word): (usize, &String)| {
            let path = path((index, word))?;
            let is_own = (index > 0 || is_path(word)) && !is_of_environment(&path);
            Some(BotFile { index, word: word.clone(), path, is_own })
        };
        Self(command.iter().enumerate().filter_map(file).collect())
    }

    /// Copies the user's own files into `folder`, unless they are there already, each with links to what is next to the original:
    /// a program finds its modules, libraries and weights by its own path.
    pub(super) fn copy_into(&self, folder: &Path) -> io::Result<()> {
        for (file, copy) in self.copies_in(folder).filter(|(_, copy)| !copy.exists()) {
            for folder in [folder_of(folder), folder, folder_of(&copy)] {
                make_folder(folder)?;
            }
            self.link_other_copies(&file.path, &copy, folder)?;
            for neighbours in folders_around(&file.path)? {
                link_neighbours(&neighbours, &copy)?;
            }
            // Last: a copy that is there has its links.
            copy_whole(&file.path, &copy)?;
        }
        Ok(())
    }

    /// Makes links, next to a copy, to the copies of other files that are next to its original.
    fn link_other_copies(&self, original: &Path, copy: &Path, folder: &Path) -> io::Result<()> {
        for (other, copy_of_other) in self.copies_in(folder) {
            let name = copy_of_other.file_name().unwrap_or_default();
            let target = Path::new("..").join(other.index.to_string()).join(name);
            if folder_of(&other.path) == folder_of(original) && copy_of_other != copy {
                let place = folder_of(copy).join(name);
                match make_link(&target, &place) {
                    // It is copied later, and some systems link only to what is there.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        copy_whole(&other.path, &place)?;
                    }
                    made => made?,
                }
            }
        }
        Ok(())
    }

    /// The user's own files, if these are originals, with the paths of their copies in `folder`.
    fn copies_in(&self, folder: &Path) -> impl Iterator<Item = (&BotFile, PathBuf)> {
        let own = self.0.iter().filter(|file| file.is_own);
        own.filter_map(move |file| Some((file, copy_in(folder, file.index, &file.word)?)))
    }

    /// The sandbox of a bot that runs from the copies of these files in `folder`, in which it sees what it would without copies.
    pub(super) fn shown_to(&self, sandbox: Sandbox, folder: &Path) -> Sandbox {
        let copied: Vec<_> = self.copies_in(folder).filter(|(_, copy)| copy.exists()).collect();
        let links = copied.iter().flat_map(|(file, copy)| {
            let around = folders_around(&file.path).unwrap_or_default();
            around.into_iter().map(|around| (folder_of(copy).to_owned(), around))
        });
        sandbox.linking(links).naming(copied.iter().map(|(file, _)| &*file.path))
    }

    /// These files of `command`, with the copies in `folder` instead of the originals, which may be gone.
    pub(super) fn copied_in(mut self, command: &[String], folder: &Path) -> Self {
        for (index, word) in command.iter().enumerate() {
            if let Some(path) = copy_in(folder, index, word).filter(|copy| copy.exists()) {
                self.0.retain(|file| file.index != index);
                self.0.push(BotFile { index, word: word.clone(), path, is_own: true });
            }
        }
        self.0.sort_by_key(|file| file.index);
        self
    }

    /// The bot's command, with the paths of the copies in `folder`.
    pub(super) fn command(&self, command: &[String], folder: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = command.iter().map(OsString::from).collect();
        for file in self.0.iter().filter(|file| file.path.starts_with(folder)) {
            words[file.index] = file.path.clone().into();
        }
        words
    }

    /// The digest of each readable file.
    pub(super) fn digests(&self) -> BTreeMap<String, String> {
        let digest = |file: &BotFile| Some((file.word.clone(), stamped(&file.path).ok()?.1));
        self.0.iter().filter_map(digest).collect()
    }

    /// Checks each file against its digest in the plan, if the plan has one.
    pub(super) fn check(
        &self,
        planned: &BTreeMap<String, String>,
    ) -> Result<Vec<Stamp>, FileChange> {
        let planned = self.0.iter().filter_map(|file| Some((file, planned.get(&file.word)?)));
        let check = |(file, planned): (&BotFile, &String)| match stamped(&file.path) {
            Ok((stamp, digest)) if digest == *planned => Ok(stamp),
            Ok(_) => Err(FileChange::Replaced(file.word.clone())),
            Err(_) => Err(FileChange::Missing(file.word.clone())),
        };
        planned.map(check).collect()
    }
}

/// Checks that a bot's program exists, before it is started.
///
/// # Errors
/// The same errors as starting the bot.
pub fn check_program(bot: &PlannedBot) -> Result<(), SpawnError> {
    let Some(program) = bot.command.first() else { return Ok(()) };
    if BotFiles::of(bot).0.first().is_some_and(|file| file.word == *program) {
        return Ok(());
    }
    let path =
        bot.cwd.as_deref().map_or_else(|| program.into(), |cwd| Path::new(cwd).join(program));
    let is_path = is_path(program);
    Err(match program {
        _ if is_path && path.is_dir() => SpawnError::Directory(path),
        _ if is_path => SpawnError::NoSuchFile(path),
        name => SpawnError::not_in_path(Path::new(name)),
    })
}

/// Copies a file with its permissions; the copy appears whole or not at all.
pub(super) fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    let source = fs::File::open(from)?;
    let permissions = source.metadata()?.permissions();
    let mut builder = tempfile::Builder::new();
    builder.prefix(NEW);
    // Windows makes no file that is read-only from the start.
    if !permissions.readonly() {
        builder.permissions(permissions.clone());
    }
    let mut new = builder.tempfile_in(folder_of(to))?;
    // Of plain files, so that the kernel copies.
    io::copy(&mut source.file(), new.as_file_mut())?;
    // Despite the umask; a file system that refuses this decides by itself what may be executed.
    let _ = new.as_file().set_permissions(permissions);
    new.persist(to).map(drop).map_err(|error| error.error)
}

/// Whether this is a program in a virtual environment of Python's: it finds its modules by the place that it was installed in.
fn is_of_environment(path: &Path) -> bool {
    let around = path.parent().and_then(Path::parent);
    around.is_some_and(|around| around.join("pyvenv.cfg").is_file())
}

/// The folder that a file's path names and the one that the file really is in, unless it is an installed program: what is next to
/// that is found by other ways.
fn folders_around(file: &Path) -> io::Result<Vec<PathBuf>> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let installed: Vec<_> =
        std::env::split_paths(&search).filter_map(|folder| folder.canonicalize().ok()).collect();
    let mut folders = vec![fs::canonicalize(folder_of(file))?];
    folders.push(folder_of(&fs::canonicalize(file)?).to_owned());
    folders.dedup();
    folders.retain(|folder| !installed.contains(folder));
    Ok(folders)
}

/// Makes links, next to a copy, to everything in `folder` but what has the copy's name or the copy in it.
fn link_neighbours(folder: &Path, copy: &Path) -> io::Result<()> {
    let copies = fs::canonicalize(folder_of(copy))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if copy.file_name() != Some(&entry.file_name()) && !copies.starts_with(entry.path()) {
            make_link(&entry.path(), &copies.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Makes a link, unless another one has its place.
fn make_link(target: &Path, at: &Path) -> io::Result<()> {
    match link(target, at) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// The path of the program with this name.
fn in_path(name: &str, search: &OsStr) -> Option<PathBuf> {
    let named = |folder: PathBuf| program_file(&folder.join(name));
    std::env::split_paths(search).map(named).find(|file| is_executable(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> BotFiles {
        let words = ["sh", "bot.sh", "--fast"].map(str::to_owned);
        BotFiles::named(&words, Some(folder), Some(OsStr::new("/nowhere:/usr/bin:/bin")))
    }

    #[test]
    fn the_program_and_the_files_that_arguments_name_make_a_bot() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("bot.sh"), "exit 1").expect("written");
        let digests = files(folder.path()).digests();
        assert_eq!(digests.keys().collect::<Vec<_>>(), ["bot.sh", "sh"]);
        assert_eq!(digests["bot.sh"], results::digest::digest(b"exit 1"));
    }

    #[test]
    fn the_users_own_files_are_copied_and_installed_programs_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("bot.sh"), "exit 1").expect("written");
        let words = ["sh", "bot.sh", "--fast"].map(str::to_owned);
        let (original, copies) = (files(folder.path()), folder.path().join("copies"));
        assert_eq!(original.clone().copied_in(&words, &copies), original);
        original.copy_into(&copies).expect("copied");
        std::fs::write(folder.path().join("bot.sh"), "exit 2").expect("written");
        original.copy_into(&copies).expect("it is there");
        assert_eq!(original.command(&words, &copies), words.each_ref().map(OsString::from));
        let played = original.clone().copied_in(&words, &copies);
        let bot = copies.join("1/bot.sh").into_os_string();
        assert_eq!(played.command(&words, &copies), ["sh".into(), bot, "--fast".into()]);
        assert_eq!(played.digests()["bot.sh"], results::digest::digest(b"exit 1"));
        assert_eq!(original.digests()["bot.sh"], results::digest::digest(b"exit 2"));
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
