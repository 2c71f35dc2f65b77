//! Makes one run of its shards.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use fs_err as fs;
use fs_err::File;

use super::comment::comment_in;
use super::folder::{FolderError, RESULTS, Run, RunFolder, SESSIONS};
use super::logs::GAMES;
use crate::suite::files::{NEW, json_line};
use terms::path::folder_of;

/// Copies the results, sessions, logs and comment of [joined](RunFolder::joined) shards into a new run at `path`, which appears whole or not at
/// all. The shards stay as they are.
///
/// # Errors
/// When a shard is being played, `path` exists, or files cannot be read or written.
pub fn merge(shards: &RunFolder, path: &Path) -> Result<RunFolder, FolderError> {
    if shards.is_in_use() {
        return Err(FolderError::InUse(shards.path.clone()));
    }
    if path.exists() {
        return Err(FolderError::Exists(path.to_owned()));
    }
    fs::create_dir_all(folder_of(path)).map_err(FolderError::Make)?;
    let place = tempfile::Builder::new().prefix(NEW).tempdir_in(folder_of(path));
    let place = place.map_err(FolderError::Make)?;
    let whole =
        RunFolder::create(&place.path().join("run"), Run { shard: None, ..shards.run.clone() })?;
    let sessions: Vec<u8> = shards.sessions()?.iter().flat_map(json_line).collect();
    fs::write(whole.path.join(SESSIONS), sessions).map_err(FolderError::Write)?;
    let file = File::create(whole.path.join(RESULTS)).map_err(FolderError::Write)?;
    let mut lines = BufWriter::new(&file);
    for outcome in shards.outcomes()? {
        lines.write_all(&json_line(&outcome?)).map_err(FolderError::Write)?;
    }
    lines.flush().and_then(|()| file.sync_all()).map_err(FolderError::Write)?;
    drop(lines);
    for home in shards.homes() {
        copy_all(&home.join(GAMES), &whole.path.join(GAMES)).map_err(FolderError::Write)?;
    }
    if let Some(comment) = shards.homes().into_iter().find_map(comment_in) {
        whole.set_comment(&comment)?;
    }
    fs::rename(&whole.path, path).map_err(FolderError::Make)?;
    RunFolder::open(path)
}

/// Copies a folder, if it is there: logs, and folders of pictures.
fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_all(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}
