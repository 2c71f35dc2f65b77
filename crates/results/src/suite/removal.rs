//! Removes the folders of runs.

use std::ffi::OsString;
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};

use fs_err as fs;

use super::folder::{FolderError, RESULTS, RunFolder};
use super::writer::RunWriter;

/// The prefix of the name of a folder that is being removed. It is hidden, so that no list shows it.
const REMOVED: &str = ".removed-";

impl RunFolder {
    /// Removes the run. It vanishes at once; what a kill leaves of it is hidden, and
    /// [`remove_remains`] removes it.
    ///
    /// # Errors
    /// When it is in use, or cannot be removed.
    pub fn remove(self) -> Result<(), FolderError> {
        let path = self.path.clone();
        let lock = RunWriter::lock(self)?;
        let name = path.file_name().unwrap_or_default();
        let hidden: OsString = [REMOVED.as_ref(), name].into_iter().collect();
        let hidden = path.with_file_name(hidden);
        fs::rename(&path, &hidden).map_err(FolderError::Remove)?;
        drop(lock);
        fs::remove_dir_all(hidden).map_err(FolderError::Remove)
    }

    /// Whether a process is adding results.
    pub fn is_in_use(&self) -> bool {
        let results = std::fs::File::open(self.place().join(RESULTS));
        results.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

/// Removes what kills have left of runs in `folder` that were being removed.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_remains(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(REMOVED.as_bytes()) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// The size of all files below `folder`, in bytes; what cannot be read is left out.
pub fn size_of(folder: &Path) -> u64 {
    let (mut size, mut open) = (0, vec![PathBuf::from(folder)]);
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(data) if data.is_dir() => open.push(entry.path()),
                Ok(data) => size += data.len(),
                Err(_) => {}
            }
        }
    }
    size
}
