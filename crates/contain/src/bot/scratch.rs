//! The writable folder of a bot in a sandbox or of a judge, and its removal.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{later, removal};

/// A folder that is removed with all its content when this is dropped. If the referee is killed
/// first, the next one that makes such a folder removes it.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// The folder itself, open and locked while the referee lives.
    lock: File,
}

const PREFIX: &str = "referee-bot-";

/// The most attempts, since another referee may remove a new folder as one that was left behind.
const ATTEMPTS: u32 = 10;

/// The time to empty a folder that processes may be filling meanwhile.
const REMOVAL: Duration = Duration::from_mins(1);

/// Whether a folder has been left to the background.
static IS_REMOVING: AtomicBool = AtomicBool::new(false);

impl Scratch {
    /// Makes a folder, and removes those that killed referees have left.
    ///
    /// # Errors
    /// When the temporary folder takes no folder or no locks.
    pub fn new() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| sweep(&std::env::temp_dir()));
        let mut attempts = 0..ATTEMPTS;
        loop {
            let made = tempfile::Builder::new().prefix(PREFIX).disable_cleanup(true).tempdir();
            let folder = made.map_err(|error| {
                io::Error::new(error.kind(), format!("{error}; TMPDIR can name another folder"))
            })?;
            match lock(folder.path()) {
                Some(lock) => return Ok(Self { folder, lock }),
                None if attempts.next().is_some() => {}
                None => return Err(io::Error::other("the temporary folder takes no locks")),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Removes the folder in the background: [`await_removals`] waits for it.
    pub fn remove_later(self) {
        IS_REMOVING.store(true, Ordering::Relaxed);
        later::drop_later(self);
    }
}

/// Waits until the scratch folders of all bots that have ended are removed; a program calls this before it ends. What it
/// leaves, the next program that makes a scratch folder removes.
pub fn await_removals() {
    if IS_REMOVING.load(Ordering::Relaxed) {
        later::wait();
    }
}

/// Opens and locks a folder, unless another process has done so or removed it.
fn lock(folder: &Path) -> Option<File> {
    let file = File::from(removal::open(folder).ok()?);
    file.try_lock().ok()?;
    folder.exists().then_some(file)
}

/// Removes the folders of referees that were killed.
fn sweep(temporary: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(temporary).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && entry.metadata().is_ok_and(|data| data.is_dir() && data.uid() == own);
        let path = entry.path();
        if is_ours && let Some(lock) = lock(&path) {
            // That referee's bot may still be dying; then the next sweep removes the folder.
            if let Err(error) = remove(&path, &lock) {
                log::debug!("an old scratch folder {} stays: {error}", path.display());
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = remove(self.path(), &self.lock) {
            log::error!("the bot's scratch folder {} stays: {error}", self.path().display());
        }
    }
}

/// Removes an open folder by its path.
fn remove(path: &Path, folder: &File) -> io::Result<()> {
    removal::empty(folder.as_fd(), Instant::now() + REMOVAL)?;
    fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn folders_that_nobody_may_enter_go_too() {
        let scratch = Scratch::new().expect("a folder");
        let path = scratch.path().to_owned();
        let inner = path.join("moved-1/b");
        fs::create_dir_all(&inner).expect("room");
        fs::write(inner.join("file"), "x").expect("room");
        std::os::unix::fs::symlink("/", inner.join("link")).expect("room");
        for folder in [inner, path.join("moved-1")] {
            fs::set_permissions(folder, Permissions::from_mode(0o0)).expect("its owner");
        }
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn folders_of_referees_that_were_killed_go_and_those_of_living_ones_stay() {
        let temporary = tempfile::tempdir().expect("a folder");
        let [left, living, other] =
            [format!("{PREFIX}left"), format!("{PREFIX}living"), "other".to_owned()]
                .map(|name| temporary.path().join(name));
        for folder in [&left, &living, &other] {
            fs::create_dir_all(folder.join("a/b")).expect("room");
        }
        let _held = lock(&living).expect("nobody else has it");
        sweep(temporary.path());
        assert_eq!([&left, &living, &other].map(|folder| folder.exists()), [false, true, true]);
    }
}
