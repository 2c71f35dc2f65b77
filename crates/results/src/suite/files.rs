//! Makes the files of run folders, whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use fs_err as fs;
use serde::Serialize;
use tempfile::{NamedTempFile, PersistError};

use terms::path::folder_of;
use terms::system::{REPLACE_PATIENCE, is_held, usual_permissions};

/// The prefix of the name of a file or folder that is about to appear.
pub const NEW: &str = ".new-";

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

/// Checks, before any work is done for its content, that a file can appear whole at `path`.
///
/// # Errors
/// When its folder is missing, or no file can be made there.
pub fn check_place(path: &Path) -> io::Result<()> {
    let path = link_target(path)?;
    let folder = folder_of(&path);
    if !folder.is_dir() {
        let problem = format!("there is no folder {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, problem));
    }
    // Without a name, so that a kill at this moment leaves nothing.
    tempfile::tempfile_in(folder).map(drop)
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

pub(super) fn json_line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("memory");
    line.push(b'\n');
    line
}

/// Makes a folder in a run folder if it is missing. A run that was removed or renamed in the meantime is not made again.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Removes unfinished files with this prefix that a kill has left in `folder`. No other process may be writing there.
pub(super) fn sweep(folder: &Path, prefix: impl AsRef<OsStr>) {
    let prefix = prefix.as_ref();
    let prefix = prefix.as_encoded_bytes();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_left_over = entry.file_name().as_encoded_bytes().starts_with(prefix);
        if is_left_over && let Err(error) = fs::remove_file(entry.path()) {
            log::debug!("{}: {error}", entry.path().display());
        }
    }
}

/// A file next to `path`, whose name begins with this prefix, to replace it.
pub(super) fn new_file(path: &Path, prefix: impl AsRef<OsStr>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    // On Unix a temporary file is the user's alone; this one is as readable as any other. Some file systems refuse to change that later.
    if let Some(permissions) = usual_permissions() {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder_of(path))
}

/// A [new file](new_file) with this content.
pub(super) fn written(
    path: &Path,
    prefix: impl AsRef<OsStr>,
    content: &[u8],
) -> io::Result<NamedTempFile> {
    let mut file = new_file(path, prefix)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    Ok(file)
}

pub(super) fn naming(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| {
        io::Error::new(error.kind(), format!("failed to write {}: {error}", path.display()))
    }
}

/// Puts a finished file in the place of `path`.
pub(super) fn put_in_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    patiently(file, |file| file.persist(path))
}

/// Puts a finished file where none may be yet.
pub(super) fn put_new(file: NamedTempFile, path: &Path) -> io::Result<()> {
    patiently(file, |file| file.persist_noclobber(path))
}

/// Puts a file somewhere even if another program holds up the first attempts: on Windows a program that reads the
/// old file, or looks for viruses in the new one.
fn patiently(
    mut file: NamedTempFile,
    put: impl Fn(NamedTempFile) -> Result<File, PersistError>,
) -> io::Result<()> {
    const PAUSE: Duration = Duration::from_millis(5);
    let until = Instant::now() + REPLACE_PATIENCE;
    loop {
        let Err(failed) = put(file) else { return Ok(()) };
        if !is_held(&failed.error) || Instant::now() >= until {
            return Err(failed.error);
        }
        file = failed.file;
        sleep(PAUSE);
    }
}

/// Replaces a file of the user's, or makes it, whole or not at all. The new one has the old one's permissions.
///
/// # Errors
/// When it cannot be written.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let file = written(path, NEW, content)?;
    if let Ok(data) = fs::metadata(path) {
        // A file system may refuse this.
        let _ = file.as_file().set_permissions(data.permissions());
    }
    put_in_place(file, path)
}

/// Writes a file that appears whole or not at all.
///
/// # Errors
/// When it cannot be written; the error names it.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let file = written(path, NEW, content).map_err(naming(path))?;
    put_in_place(file, path).map_err(naming(path))
}

/// Writes a file of the user's in the same way, and removes what killed attempts have left. No other process may be writing the file.
pub(super) fn write_among_others(path: &Path, content: &[u8]) -> io::Result<()> {
    // Other unfinished files in the folder may belong to a living process.
    let name = path.file_name().unwrap_or_default();
    let prefix: OsString = [NEW.as_ref(), name, "-".as_ref()].into_iter().collect();
    sweep(folder_of(path), &prefix);
    let file = written(path, &prefix, content).map_err(naming(path))?;
    put_in_place(file, path).map_err(naming(path))
}

/// Does `work` in a thread for each processor, and returns what each has made.
pub(super) fn on_all_processors<T: Send>(work: impl Fn() -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("nobody panics")).collect()
    })
}
