//! Makes the files of run folders, whole or not at all.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde::Serialize;
use tempfile::NamedTempFile;

/// The prefix of the name of a file or folder that is about to appear.
pub(super) const NEW: &str = ".new-";

/// The longest chain of symbolic links, as on Linux.
const MAX_LINKS: usize = 40;

/// The file that a chain of symbolic links leads to, whether it exists or not; `path` itself if it is not a link.
///
/// # Errors
/// When the links lead in a circle.
pub fn link_target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other(format!("{}: too many symbolic links", path.display())))
}

/// Opens a file to read, and nothing that is not one: a pipe would wait for its writer for ever.
pub(super) fn open_regular(path: &Path) -> io::Result<fs::File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other(format!("{} is not a file", path.display())));
    }
    fs::File::open(path)
}

/// The whole content of a regular file.
pub(super) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(path)?.read_to_end(&mut content)?;
    Ok(content)
}

/// A value as one line of JSON.
pub(super) fn json_line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("memory");
    line.push(b'\n');
    line
}

/// The folder that holds `path`.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Removes unfinished files that a kill has left in `folder`. No other process may be writing there.
pub(super) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_left_over = entry.file_name().as_encoded_bytes().starts_with(NEW.as_bytes());
        if is_left_over && let Err(error) = fs::remove_file(entry.path()) {
            log::debug!("{}: {error}", entry.path().display());
        }
    }
}

/// Removes a file, unless another process has already done so.
pub(super) fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Removes a folder, unless it is not empty, or another process has already done so.
pub(super) fn remove_if_empty(folder: &Path) -> io::Result<()> {
    match fs::remove_dir(folder) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty
            ) =>
        {
            Ok(())
        }
        removed => removed,
    }
}

/// A file beside `path`, to replace it.
pub(super) fn new_file(path: &Path) -> io::Result<NamedTempFile> {
    let file = tempfile::Builder::new().prefix(NEW).tempfile_in(folder_of(path))?;
    // On Unix a temporary file is the user's alone; this one is as readable as any other.
    #[cfg(unix)]
    file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
    Ok(file)
}

pub(super) fn written(path: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = new_file(path)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    Ok(file)
}

pub(super) fn naming(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| {
        io::Error::new(error.kind(), format!("failed to write {}: {error}", path.display()))
    }
}

/// Writes a file that appears whole or not at all.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let file = written(path, content).map_err(naming(path))?;
    file.persist(path).map(drop).map_err(|error| naming(path)(error.error))
}
