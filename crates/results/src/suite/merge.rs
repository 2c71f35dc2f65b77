//! Puts the results of a run's parts together.

use std::io::{BufWriter, ErrorKind, Write as _};

use fs_err as fs;
use fs_err::OpenOptions;

use super::files::{json_line, new_file, write_whole};
use super::folder::{FolderError, PART_FOLDERS, RESULTS, RUN, RunFolder, SESSIONS};

/// Makes one `results.jsonl` and one `sessions.jsonl` of those of the parts, and takes the parts away. It
/// may be killed at any moment and called again, and does nothing for a run that has no parts any more.
/// Of several processes that do it at a time one waits for the other.
///
/// # Errors
/// When results cannot be read, or the files not be written; the parts are left then.
pub fn merge(folder: &RunFolder) -> Result<(), FolderError> {
    let run = folder.path.join(RUN);
    let lock = OpenOptions::new().read(true).write(true).open(run).map_err(FolderError::Write)?;
    if let Err(error) = lock.file().lock() {
        log::warn!("{} cannot be locked ({error})", folder.path.display());
    }
    if folder.parts() > 0 {
        put_together(folder)?;
    }
    let parts = folder.path.join(PART_FOLDERS);
    if parts.exists()
        && let Err(error) = fs::remove_dir_all(&parts)
    {
        log::warn!("the parts are merged, but not all of their files are gone: {error}");
    }
    Ok(())
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
    // Where there are no locks, somebody else may have been faster, with the same results.
    match new.persist_noclobber(&path) {
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(()),
        kept => kept.map(drop).map_err(|error| FolderError::Write(error.error)),
    }
}
