//! The files that make a bot: its program and what its arguments name.
//!
//! A digest tells whether a file is still the one that the plan names.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::stamp::digest_of;
use contain::bot::SpawnError;
use results::suite::PlannedBot;
use terms::system::{IS_WINDOWS, is_executable, is_path, program_file};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BotFiles(Vec<BotFile>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct BotFile {
    word: String,
    path: PathBuf,
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
            Some(BotFile { word: word.clone(), path: path((index, word))? })
        };
        Self(command.iter().enumerate().filter_map(file).collect())
    }

    /// The digest of each readable file.
    pub(super) fn digests(&self) -> BTreeMap<String, String> {
        let digest = |file: &BotFile| Some((file.word.clone(), digest_of(&file.path).ok()?));
        self.0.iter().filter_map(digest).collect()
    }

    /// Checks each file against its digest in the plan, if the plan has one.
    pub(super) fn check(&self, planned: &BTreeMap<String, String>) -> Result<(), FileChange> {
        let planned = self.0.iter().filter_map(|file| Some((file, planned.get(&file.word)?)));
        for (file, planned) in planned {
            match digest_of(&file.path) {
                Ok(digest) if digest == *planned => {}
                Ok(_) => return Err(FileChange::Replaced(file.word.clone())),
                Err(_) => return Err(FileChange::Missing(file.word.clone())),
            }
        }
        Ok(())
    }
}

/// Checks that a bot's program exists and can be executed, before it is started.
///
/// # Errors
/// The same errors as starting the bot.
pub fn check_program(bot: &PlannedBot) -> Result<(), SpawnError> {
    let Some(program) = bot.command.first() else { return Ok(()) };
    if let Some(file) = BotFiles::of(bot).0.into_iter().next().filter(|file| file.word == *program)
    {
        return match file.path {
            _ if IS_WINDOWS || program.starts_with('@') => Ok(()),
            path if !is_executable(&path) => Err(SpawnError::NotExecutable(program.into())),
            path if lacks_interpreter(&path) => Err(SpawnError::NoInterpreter(program.into())),
            _ => Ok(()),
        };
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

/// Whether the `#!` line of a script names a file that is missing.
fn lacks_interpreter(script: &Path) -> bool {
    let mut line = String::new();
    // A binary is not UTF-8, and then there is no line.
    let _ = File::open(script).map(|file| BufReader::new(file.take(256)).read_line(&mut line));
    // As the kernel splits it, to which a carriage return is part of the name.
    let words = line.strip_prefix("#!").map(|it| it.trim_matches([' ', '\t', '\n']));
    let interpreter = words.and_then(|it| it.split([' ', '\t']).next());
    interpreter.is_some_and(|it| it.starts_with('/') && !Path::new(it).exists())
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
    fn a_script_needs_the_interpreter_of_its_first_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let bot = folder.path().join("bot");
        for (line, is_missing) in [
            ("#!/bin/sh\n", false),
            ("#! /bin/sh -e\n", false),
            ("#!\t/bin/sh\t-e\n", false),
            ("#!/bin/sh\t \n", false),
            ("#!/bin/sh\r\n", true),
            ("#!/nowhere/sh\t-e\n", true),
            ("/nowhere/sh\n", false),
        ] {
            std::fs::write(&bot, line).expect("written");
            assert_eq!(lacks_interpreter(&bot), is_missing, "{line:?}");
        }
    }

    #[test]
    fn another_content_is_seen_and_a_new_time_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let bot = folder.path().join("bot.sh");
        std::fs::write(&bot, "exit 1").expect("written");
        let files = files(folder.path());
        let planned = files.digests();
        assert_eq!(files.check(&planned), Ok(()));
        std::fs::write(&bot, "exit 1").expect("written");
        assert_eq!(files.check(&planned), Ok(()), "the same content");
        std::fs::write(&bot, "exit 2").expect("written");
        assert_eq!(files.check(&planned), Err(FileChange::Replaced("bot.sh".to_owned())));
        std::fs::remove_file(&bot).expect("removed");
        assert_eq!(files.check(&planned), Err(FileChange::Missing("bot.sh".to_owned())));
    }
}
