//! Test cases: the files of the user's, and what a program gets that takes its case as a file or as a seed.

use std::path::{Path, PathBuf};

use fs_err as fs;
use glob::{MatchOptions, glob_with};

use contain::bot::Scratch;
use rules::game::judge::Case;
use rules::game::{Drawing, JudgeFailure, Traits};
use serde::de::{Deserializer, Error as _};
use terms::text::{natural, without_byte_order_mark};
use terms::values::words;

use crate::command::JudgeCommand;

/// The name of the case's file in the scratch folder.
pub(crate) const CASE_FILE: &str = "referee-case.txt";

/// The placeholders of a case, with their values; writes the case's file if the command wants one.
pub(crate) fn place(
    case: &Case,
    command: &JudgeCommand,
    scratch: &Scratch,
) -> Result<Vec<(&'static str, String)>, JudgeFailure> {
    match case {
        Case::Seed(seed) if command.has("{case}") => Err(JudgeFailure::new(format!(
            "its command takes a `{{case}}`, and seed {seed} has no file"
        ))),
        Case::Seed(seed) => {
            Ok(vec![("{seed}", seed.to_string()), ("{seed04}", format!("{seed:04}"))])
        }
        Case::Text(text) => {
            let file = write(scratch, CASE_FILE, text.as_bytes())?;
            Ok(vec![("{case}", file)])
        }
    }
}

/// Writes a file of the scratch folder; returns its path.
pub(crate) fn write(scratch: &Scratch, name: &str, content: &[u8]) -> Result<String, JudgeFailure> {
    let file = scratch.path().join(name);
    fs::write(&file, content).map_err(|error| JudgeFailure::new(error.to_string()))?;
    Ok(file.display().to_string())
}

/// Whether a file is left out of the scratch folder: one that the referee writes there, or a picture, which would pass for
/// one of the judge's.
pub(crate) fn is_written_anew(file: &Path) -> bool {
    let is_own = file.to_string_lossy().starts_with("referee-");
    is_own || Drawing::has_ending(file)
}

/// Reads the setting `traits`: names, a list of them, or a pattern.
pub(crate) fn traits<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Traits>, D::Error> {
    let words = words(deserializer)?;
    Traits::parse(&words.join(" ")).map(Some).map_err(D::Error::custom)
}

/// The cases in the files that these words mean, by the names of the files without their endings.
pub(crate) fn read_files(words: &[String], folder: &Path) -> Result<Vec<(String, String)>, String> {
    let mut cases: Vec<(String, String)> = Vec::new();
    let mut read: Vec<PathBuf> = Vec::new();
    for word in words {
        let paths = files_of_cases(word, folder).map_err(|error| format!("{word}: {error}"))?;
        if paths.is_empty() {
            let path = folder.join(word);
            let what = if path.is_dir() { "no .txt or .in file is in" } else { "no file matches" };
            return Err(format!("{what} {}", path.display()));
        }
        for path in paths {
            let text = fs::read_to_string(&path).map(without_byte_order_mark);
            let text = text.map_err(|error| error.to_string())?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(other) = cases.iter().position(|(known, _)| *known == name) {
                let (path, other) = (path.display(), read[other].display());
                return Err(format!("{path}: there is another case `{name}`, {other}"));
            }
            cases.push((name, text));
            read.push(path);
        }
    }
    Ok(cases)
}

/// The patterns of the cases in a folder. The first one that a file matches counts.
const IN_FOLDER: [&str; 2] = ["*.txt", "*.in"];

/// The files that a word of `cases` means, `2` before `10`: a file, those in a folder, or those that match a pattern. A
/// wildcard matches no hidden file.
///
/// # Errors
/// When it is not a pattern.
pub fn files_of_cases(word: &str, folder: &Path) -> Result<Vec<PathBuf>, glob::PatternError> {
    let literal = |path: &Path| PathBuf::from(glob::Pattern::escape(&path.to_string_lossy()));
    let path = folder.join(word);
    let patterns = if path.is_dir() {
        IN_FOLDER.map(|pattern| literal(&path).join(pattern)).to_vec()
    } else if path.exists() {
        vec![literal(&path)]
    } else {
        vec![literal(folder).join(word)]
    };
    let options = MatchOptions { require_literal_leading_dot: true, ..MatchOptions::new() };
    let mut paths: Vec<PathBuf> = Vec::new();
    for pattern in patterns {
        paths.extend(glob_with(&pattern.to_string_lossy(), options)?.flatten());
        paths.retain(|path| !path.is_dir());
        if !paths.is_empty() {
            break;
        }
    }
    paths.sort_by(|a, b| natural(&a.to_string_lossy(), &b.to_string_lossy()));
    Ok(paths)
}

/// The folders of the files that a word of `cases` means.
pub(crate) fn folders_of_files(word: &str, folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<_> = files_of_cases(word, folder).unwrap_or_default();
    for file in &mut folders {
        file.pop();
    }
    folders.dedup();
    folders
}
