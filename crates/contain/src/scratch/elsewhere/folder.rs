//! The writable folder of a judge, and its removal.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::later;
use crate::decide::tuning::TUNING;

/// A folder that is removed with all its content when this is dropped. If the referee is killed first, the next one that makes
/// such a folder removes it.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// The file next to it that is locked while the referee lives.
    lock: Option<File>,
}

const PREFIX: &str = "referee-scratch-";
const LOCK: &str = "lock";

/// What is in the file that is locked, so that nothing of anybody else's is taken for it.
const MARK: &str = "referee removes this file and the folder of its name\n";

/// The largest file that is copied rather than linked, and the maximum of all copies in a folder.
const LARGEST_COPY: u64 = 1 << 20;
const COPIES: u64 = 16 << 20;

/// The wait for processes that are about to end and whose folder cannot be removed before.
const PAUSE: Duration = Duration::from_millis(10);

/// Whether a folder has been left to the background.
static IS_REMOVING: AtomicBool = AtomicBool::new(false);

impl Scratch {
    /// Makes a folder, and removes those that killed referees have left.
    ///
    /// # Errors
    /// When the folder of temporary files takes no folder or no locks.
    pub fn new() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        let home = std::path::absolute(std::env::temp_dir())?;
        SWEPT.call_once(|| sweep(&home));
        let folder =
            tempfile::Builder::new().prefix(PREFIX).disable_cleanup(true).tempdir_in(&home)?;
        let mut scratch = Self { folder, lock: None };
        let mut lock = File::create_new(scratch.lock_path())?;
        lock.write_all(MARK.as_bytes())?;
        lock.try_lock()?;
        scratch.lock = Some(lock);
        Ok(scratch)
    }

    /// A folder with these files and folders, by name. Small files are copied, so that writing to them changes only the copy; larger
    /// ones and folders are links, or copies as well where the system takes no links.
    ///
    /// # Errors
    /// As for a [new](Self::new) one, or when something cannot be linked or copied.
    pub fn with_files(files: BTreeMap<OsString, PathBuf>) -> io::Result<Self> {
        let scratch = Self::new()?;
        let mut room = COPIES;
        for (name, target) in files {
            show(&target, &scratch.path().join(name), &mut room)?;
        }
        Ok(scratch)
    }

    /// Keeps one of its files for the games that find this folder again, which none does here.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn keep(&mut self, name: impl AsRef<OsStr>) -> io::Result<()> {
        fs::symlink_metadata(self.path().join(name.as_ref())).map(drop)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    fn lock_path(&self) -> PathBuf {
        self.path().with_extension(LOCK)
    }

    /// Removes the folder in the background: [`await_removals`] waits for it.
    pub fn remove_later(self) {
        IS_REMOVING.store(true, Ordering::Relaxed);
        later::drop_later(self);
    }

    /// As [`remove_later`](Self::remove_later): no folder is left to other games here.
    pub fn leave(self, _has_ended: bool) {
        self.remove_later();
    }
}

/// Shows a file or folder in another place: small files as copies, for which there is this much `room`.
fn show(target: &Path, place: &Path, room: &mut u64) -> io::Result<()> {
    let data = target.metadata().ok().filter(Metadata::is_file);
    if let Some(data) = data.filter(|data| data.len() <= LARGEST_COPY.min(*room))
        // Of a file that cannot be read there is no copy.
        && fs::copy(target, place).is_ok()
    {
        *room -= data.len();
        return make_writable(place);
    }
    link(target, place, room)
}

/// Lets a copy of a read-only file be written to, as a new file could.
#[cfg(unix)]
fn make_writable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = file.metadata()?.permissions().mode();
    fs::set_permissions(file, fs::Permissions::from_mode(mode | 0o200))
}

/// Lets a copy of a read-only file be written to, as a new file could.
#[cfg(not(unix))]
#[expect(clippy::permissions_set_readonly_false, reason = "it is for all users on Unix alone")]
fn make_writable(file: &Path) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(false);
    fs::set_permissions(file, permissions)
}

/// Has `link` lead to `target`.
#[cfg(unix)]
fn link(target: &Path, link: &Path, _room: &mut u64) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Has `link` be `target`, or a copy: symbolic links need a right of their own.
#[cfg(not(unix))]
fn link(target: &Path, link: &Path, room: &mut u64) -> io::Result<()> {
    if !target.is_dir() {
        return fs::hard_link(target, link).or_else(|_| fs::copy(target, link).map(drop));
    }
    fs::create_dir(link)?;
    for entry in fs::read_dir(target)? {
        let entry = entry?;
        show(&entry.path(), &link.join(entry.file_name()), room)?;
    }
    Ok(())
}

/// Nothing waits for other games here.
pub(crate) fn remove_ready() {}

/// Waits until the scratch folders of all judges that have ended are removed; a program calls this before it ends. What it
/// leaves, the next program that makes a scratch folder removes.
pub fn await_removals() {
    if IS_REMOVING.load(Ordering::Relaxed) {
        later::wait();
    }
}

/// Removes the folders of referees that were killed.
fn sweep(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_lock = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && path.extension() == Some(LOCK.as_ref());
        if is_lock && let Some(lock) = marked(&path) {
            // That referee's judge may still be dying; then the next sweep removes the folder.
            let removed = remove(&path.with_extension(""), Duration::ZERO);
            drop(lock);
            if removed.is_ok() {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// Opens and locks a file of a referee's, unless another one has it.
fn marked(path: &Path) -> Option<File> {
    let lock = OpenOptions::new().read(true).write(true).open(path).ok()?;
    lock.try_lock().ok()?;
    let mut content = String::new();
    (&lock).take(1 << 10).read_to_string(&mut content).ok()?;
    (content == MARK).then_some(lock)
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = remove(self.path(), TUNING.cleanup.removal) {
            log::error!("the scratch folder {} stays: {error}", self.path().display());
            return;
        }
        drop(self.lock.take());
        let _ = fs::remove_file(self.lock_path());
    }
}

/// Removes a folder, within a time.
fn remove(path: &Path, patience: Duration) -> io::Result<()> {
    let until = Instant::now() + patience;
    loop {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) if Instant::now() < until => sleep(PAUSE),
            removed => return removed,
        }
    }
}
