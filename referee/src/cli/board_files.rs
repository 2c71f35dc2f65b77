//! The files of boards: single files, patterns, and folders, which may hold other files too.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use fs_err as fs;

use crate::cli::{Failure, inputs};
use rules::game::GameKind;
use terms::path::is_hidden;
use terms::text::natural;

/// The most files named in a warning.
const NAMED_FILES: usize = 5;

/// A file that was read as a board.
pub(super) struct BoardFile {
    pub(super) path: PathBuf,
    /// Its test case, or its error.
    pub(super) test_case: Result<String, Failure>,
}

/// Reads the boards that these words name: files, patterns, and folders, which stand for the boards in them. Relative paths start at
/// `folder`.
pub(super) fn read(
    kind: &GameKind,
    words: &[PathBuf],
    folder: &Path,
) -> Result<Vec<BoardFile>, Failure> {
    let mut files = Vec::new();
    for word in words {
        let path = folder.join(word);
        if path.is_dir() {
            files.extend(in_folder(kind, &path)?);
        } else if inputs::is_missing(&path) && is_pattern(word) {
            files.extend(
                matching(folder, word)?.into_iter().map(|path| BoardFile::read(kind, path)),
            );
        } else {
            files.push(BoardFile::read(kind, path));
        }
    }
    Ok(files)
}

impl BoardFile {
    fn read(kind: &GameKind, path: PathBuf) -> Self {
        let test_case = inputs::load_board(kind, &path).map(|case| case.text);
        Self { path, test_case }
    }

    fn extension(&self) -> Option<&OsStr> {
        self.path.extension()
    }
}

fn is_pattern(word: &Path) -> bool {
    word.to_str().is_some_and(|word| word.contains(['*', '?', '[']))
}

/// The files that match a pattern, relative to `folder`, `test2` before `test10`. A wildcard matches no hidden file.
fn matching(folder: &Path, pattern: &Path) -> Result<Vec<PathBuf>, Failure> {
    let refuse = |problem: String| Failure::file(pattern, problem);
    let files = judges::files_of_cases(&pattern.to_string_lossy(), folder);
    let files = files.map_err(|error| refuse(format!("not a pattern: {error}")))?;
    if files.is_empty() {
        return Err(refuse("no file matches this pattern".to_owned()));
    }
    Ok(files)
}

/// The boards in a folder, `test2` before `test10`. Hidden files are left out, and files that are not boards, unless they
/// have the extension of a board in the folder: such a file is a damaged board.
fn in_folder(kind: &GameKind, folder: &Path) -> Result<Vec<BoardFile>, Failure> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(Failure::user)? {
        let path = entry.map_err(Failure::user)?.path();
        if path.is_file() && !is_hidden(&path) {
            paths.push(path);
        }
    }
    sort(&mut paths);
    let mut files: Vec<_> = paths.into_iter().map(|path| BoardFile::read(kind, path)).collect();
    let good = files.iter().filter(|file| file.test_case.is_ok());
    let endings: BTreeSet<_> = good.map(|file| file.extension().map(OsStr::to_owned)).collect();
    if endings.is_empty() {
        return Err(no_board(folder, files));
    }
    let is_stranger = |file: &mut BoardFile| {
        let ending = file.extension().map(OsStr::to_owned);
        file.test_case.is_err() && !endings.contains(&ending)
    };
    let strangers: Vec<BoardFile> = files.extract_if(.., is_stranger).collect();
    warn_of_strangers(folder, &strangers);
    Ok(files)
}

/// The error for a folder without a board.
fn no_board(folder: &Path, files: Vec<BoardFile>) -> Failure {
    match files.into_iter().next() {
        None => Failure::file(folder, "there is no file in this folder"),
        Some(file) => file.test_case.map_or_else(
            |failure| {
                let folder = folder.display();
                Failure::user(anyhow!("{folder}: there is no board in this folder; {failure}"))
            },
            |_| unreachable!("no file is a board"),
        ),
    }
}

/// Names the files of a folder that are not boards, in one line.
fn warn_of_strangers(folder: &Path, strangers: &[BoardFile]) {
    let name = |file: &BoardFile| file.path.file_name().map(|name| name.display().to_string());
    let names: Vec<String> = strangers.iter().filter_map(name).collect();
    let more = match names.len().saturating_sub(NAMED_FILES) {
        _ if names.is_empty() => return,
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = names[..names.len().min(NAMED_FILES)].join(", ");
    log::warn!("{}: left out files that are not boards: {names}{more}", folder.display());
}

fn sort(files: &mut [PathBuf]) {
    files.sort_by(|a, b| natural(&a.to_string_lossy(), &b.to_string_lossy()));
}
