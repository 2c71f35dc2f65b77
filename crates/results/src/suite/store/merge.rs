//! Puts the results of a run's parts together.

use std::io::{self, BufWriter, ErrorKind, Write as _};
use std::num::NonZeroU32;

use super::folder::{FolderError, PART_FOLDERS, RESULTS, RESULTS_LOCK, RunFolder, SESSIONS};
use crate::suite::files::{
    json_line, new_file, put_new, remove_if_empty, remove_if_there, sweep, write_whole,
};

/// Joins the `results.jsonl` and `sessions.jsonl` of the parts into one of each, and removes the parts' files.
/// It may be killed at any moment and called again, and does nothing for a run that is already merged.
/// Processes that merge at the same time wait for each other.
///
/// # Errors
/// When a part is being played, results cannot be read, or files cannot be written; then the parts stay.
pub fn merge(folder: &RunFolder) -> Result<(), FolderError> {
    let mut parts = (1..=folder.parts()).map(|part| folder.of_part(part));
    // Without locks nobody knows.
    if let Some(played) = parts.find_map(|part| part.in_use().filter(FolderError::is_in_use)) {
        return Err(played);
    }
    let lock = folder.open_lock_of_parts(true).map_err(FolderError::Write)?;
    match lock.file().lock() {
        Ok(()) => sweep(&folder.path),
        Err(error) => folder.warn_of_missing_lock(&error),
    }
    if folder.parts() > 0 {
        put_together(folder)?;
    }
    if let Err(error) = remove_parts(folder) {
        log::warn!("the parts are merged, but not all of their files are gone: {error}");
    }
    Ok(())
}

/// Removes the results of the parts, and leaves other files, such as the output of tasks.
fn remove_parts(folder: &RunFolder) -> io::Result<()> {
    let parts = folder.path.join(PART_FOLDERS);
    for part in 1..=folder.run.plan.parts.map_or(0, NonZeroU32::get) {
        let place = folder.of_part(part).place();
        if place.is_dir() {
            sweep(&place);
            for file in [SESSIONS, RESULTS_LOCK, RESULTS] {
                remove_if_there(&place.join(file))?;
            }
            remove_if_empty(&place)?;
        }
    }
    remove_if_empty(&parts)
}

/// Writes the sessions, and last of all the results, which make it a run like any other.
fn put_together(folder: &RunFolder) -> Result<(), FolderError> {
    let sessions: Vec<u8> = folder.sessions()?.iter().flat_map(json_line).collect();
    write_whole(&folder.path.join(SESSIONS), &sessions).map_err(FolderError::Write)?;
    let path = folder.path.join(RESULTS);
    let new = new_file(&path).map_err(FolderError::Write)?;
    let mut lines = BufWriter::new(new.as_file());
    for outcome in folder.outcomes()? {
        let outcome = outcome?;
        if outcome.is_played() {
            lines.write_all(&json_line(&outcome)).map_err(FolderError::Write)?;
        }
    }
    lines.flush().map_err(FolderError::Write)?;
    drop(lines);
    new.as_file().sync_all().map_err(FolderError::Write)?;
    // Without locks, another process may have been faster, with the same results.
    match put_new(new, &path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        kept => kept.map_err(FolderError::Write),
    }
}
