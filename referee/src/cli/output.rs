//! The files that a command writes where the user says: pages, what a bot was sent.
//!
//! They appear whole or not at all. A file that is in the way is replaced only if the referee made it, which a mark
//! near its beginning tells, or if the user says `--force`.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::Failure;
use report::MARK;
use terms::fault::AtFault;
use terms::path::folder_of;

/// How far into a file the mark is looked for, in bytes.
const MARKED_BYTES: u64 = 1024;

/// Whether files that the referee did not make are replaced.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct ForceFlag {
    /// Replace existing files, even if the referee did not make them
    #[arg(long)]
    force: bool,
}

impl ForceFlag {
    /// Refuses a file that is in the way or cannot be written, before any work is done for its content.
    pub(super) fn check(self, path: &Path) -> Result<(), Failure> {
        self.refuse(path, None)?;
        if path.is_dir() {
            return Err(Failure::file(path, "is a folder"));
        }
        // What is not a regular file, such as a pipe, is written as it is.
        if path.exists() && !path.is_file() {
            return Ok(());
        }
        let checked = results::suite::check_place(path);
        checked.with_context(|| format!("cannot write {}", path.display())).map_err(Failure::User)
    }

    /// Writes the file; one that holds this very content already may stay.
    pub(super) fn write(self, path: &Path, content: &[u8]) -> Result<(), Failure> {
        self.refuse(path, Some(content))?;
        write_whole(path, content)
            .with_context(|| format!("cannot write {}", path.display()))
            .map_err(Failure::User)
    }

    fn refuse(self, path: &Path, content: Option<&[u8]>) -> Result<(), Failure> {
        let is_spare = || is_marked(path) || content.is_some_and(|content| holds(path, content));
        if self.force || !path.is_file() || is_spare() {
            return Ok(());
        }
        let problem = "exists, and is not marked as made by the referee; choose another name, or replace it with --force";
        Err(Failure::file(path, problem))
    }
}

/// Refuses two flags that name the same file, in which the second result would replace the first one. What is not a regular
/// file, such as `/dev/stdout`, has room for both.
pub(super) fn refuse_twins<'a>(
    files: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Failure> {
    let mut places = BTreeSet::new();
    for file in files {
        let is_regular = file.is_file() || !file.exists();
        let place = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        if is_regular && !places.insert(place) {
            return Err(Failure::file(
                file,
                "two flags name this file; choose another name for one",
            ));
        }
    }
    Ok(())
}

/// Appends to a file of the user's, which is made if it is missing. What a failed write leaves is taken back.
pub(super) fn append(path: &Path, text: &str) -> Result<(), Failure> {
    let append = || {
        let is_new = !path.exists();
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        let before = file.metadata()?.len();
        file.write_all(text.as_bytes()).inspect_err(|_| {
            // If that fails too, the first error says why.
            let _ = if is_new { fs::remove_file(path) } else { file.set_len(before) };
        })
    };
    if path.exists() && !path.is_file() {
        return Err(Failure::file(path, "is not a file"));
    }
    append().map_err(|error| not_written(path, error))
}

/// Writes a file that must not exist yet. What a failed write leaves is removed.
pub(super) fn write_new(path: &Path, content: &[u8], if_there: &str) -> Result<(), Failure> {
    let mut file = File::create_new(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::file(path, if_there),
        _ => not_written(path, error),
    })?;
    file.write_all(content).map_err(|error| {
        // If that fails too, the first error says why.
        let _ = fs::remove_file(path);
        not_written(path, error)
    })
}

/// The failure to write a file where the user says.
fn not_written(path: &Path, error: io::Error) -> Failure {
    let fault = AtFault::of_write(&error);
    Failure::of(fault, anyhow!(error).context(format!("cannot write {}", path.display())))
}

/// Whether the file is empty, or has the mark; one that cannot be read has none.
fn is_marked(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MARKED_BYTES).read_to_end(&mut head));
    read.is_ok()
        && (head.is_empty() || head.windows(MARK.len()).any(|part| part == MARK.as_bytes()))
}

/// Whether the file holds exactly this.
fn holds(path: &Path, content: &[u8]) -> bool {
    let is_as_long = fs::metadata(path).is_ok_and(|data| data.len() == content.len() as u64);
    is_as_long && fs::read(path).is_ok_and(|there| there == content)
}

/// Writes a file that appears whole or not at all. A link stays one, and what is not a regular file, such as a pipe,
/// is written as it is.
fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        return fs::write(path, content);
    }
    let path = results::suite::link_target(path)?;
    // The error of a folder that is missing does not name the temporary file.
    fs::metadata(folder_of(&path))?;
    results::suite::replace(&path, content)
}
