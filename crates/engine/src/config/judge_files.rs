//! The files of a judge: what its command names.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::stamp::digest_of;
use results::digest::digest;
use terms::system::LIST_SEPARATOR;

/// The digests of the files that a command names: as a word or the value of a flag, or in a class path, whose `*` stands
/// for the jars of a folder.
pub(super) fn digests(words: &[String], folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut digests = BTreeMap::new();
    for (part, path) in named(words, folder) {
        let found = match fs::metadata(&path) {
            Ok(data) if data.is_dir() => digest_of_folder(&path, holds(&path, folder))?,
            Ok(data) if data.is_file() => digest_of(&path)?,
            _ => continue,
        };
        digests.insert(part.to_owned(), found);
    }
    Ok(digests)
}

/// The parts of a command that may name files, and where these would be.
fn named<'a>(
    words: &'a [String],
    folder: &'a Path,
) -> impl Iterator<Item = (&'a str, PathBuf)> + use<'a> {
    let parts = words.iter().flat_map(|word| word.split([LIST_SEPARATOR, '=']));
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(|part| (part, folder.join(part.strip_suffix('*').unwrap_or(part))))
}

/// The files and folders that a judge's command names, unless it names them by whole paths, as it does programs of the system.
pub(super) fn of_judge(words: &[String], folder: &Path) -> Vec<PathBuf> {
    let parts = named(words, folder).filter(|(part, _)| Path::new(part).is_relative());
    parts.map(|(_, path)| path).filter(|path| path.exists()).collect()
}

/// Whether `folder` is `outer` or somewhere below it.
fn holds(outer: &Path, folder: &Path) -> bool {
    let [outer, folder] = [outer, folder].map(|path| fs::canonicalize(path).ok());
    outer.zip(folder).is_some_and(|(outer, folder)| folder.starts_with(outer))
}

/// One digest of all files below a folder, their names included, but not of what Python keeps there when it first imports
/// a file. Of a folder that holds the settings, and with them runs and records, only the classes and jars that are
/// directly in it count.
fn digest_of_folder(folder: &Path, holds_settings: bool) -> io::Result<String> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let is_java = |path: &Path| path.extension().is_some_and(|end| end == "class" || end == "jar");
    let mut all = Vec::new();
    for entry in entries {
        let path = entry.path();
        let one = if path.is_file() && (!holds_settings || is_java(&path)) {
            digest_of(&path)?
        } else if path.is_dir() && !holds_settings && entry.file_name() != "__pycache__" {
            digest_of_folder(&path, false)?
        } else {
            continue;
        };
        all.extend_from_slice(entry.file_name().as_encoded_bytes());
        all.extend_from_slice(format!(" {one}\n").as_bytes());
    }
    Ok(digest(&all))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What changes if these files change, one after the other: whether the digests of the command do.
    fn notices(command: &[&str], files: &[&str]) -> Vec<bool> {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("project");
        for file in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "before").expect("written");
        }
        let words: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        let now = || digests(&words, &folder).expect("they can be read");
        let is_noticed = |file: &&str| {
            let before = now();
            fs::write(folder.join(file), "afterwards").expect("written");
            now() != before
        };
        files.iter().map(is_noticed).collect()
    }

    #[test]
    fn what_a_command_names_is_noticed_and_nothing_else() {
        let files = ["judge.py", "lib/a.jar", "lib/b/c", "other.py"];
        for (command, noticed) in [
            (&["python3", "judge.py"][..], [true, false, false, false]),
            (&["java", "-cp", "judge.py:lib/*"], [true, true, true, false]),
            (&["java", "--rules=lib", "Judge"], [false, true, true, false]),
            (&["./judge.py", "lib/b"], [true, false, true, false]),
            (&["java", "Judge"], [false; 4]),
        ] {
            assert_eq!(notices(command, &files), noticed, "{command:?}");
        }
    }

    #[test]
    fn of_the_folder_of_the_settings_only_classes_and_jars_count() {
        let files = ["Judge.class", "game.jar", "records.toml", "runs/one/bots/1/0/Bot.class"];
        for place in [".", "*", "..", "../project"] {
            let noticed = [place != "..", place != "..", false, false];
            assert_eq!(notices(&["java", "-cp", place], &files), noticed, "{place}");
        }
    }

    #[test]
    fn what_python_keeps_and_what_is_no_file_is_left_out() {
        let files = ["judge/__main__.py", "judge/__pycache__/rules.pyc"];
        assert_eq!(notices(&["python3", "judge"], &files), [true, false]);
        let folder = tempfile::tempdir().expect("a folder");
        let lib = folder.path().join("lib");
        fs::create_dir(&lib).expect("made");
        let _socket = std::os::unix::net::UnixListener::bind(lib.join("socket")).expect("made");
        let words = ["java", "-cp", "lib:lib/socket"].map(str::to_owned);
        let found = digests(&words, folder.path()).expect("a socket is not read");
        assert_eq!(found.keys().collect::<Vec<_>>(), ["lib"]);
    }
}
