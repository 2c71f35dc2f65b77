//! The writable folder of a bot in a sandbox or of a judge, and its removal whatever was put there:
//! folders that nobody may read, or nested deeper than the number of descriptors allows.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Once;

use tempfile::TempDir;

/// A folder that is removed with all its content when this is dropped. If the referee is killed
/// first, the next one that makes such a folder removes it.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// Held while the referee lives.
    _lock: File,
}

const PREFIX: &str = "referee-bot-";

/// The most attempts, since another referee may remove a new folder as one that was left behind.
const ATTEMPTS: u32 = 10;

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
            let made = tempfile::Builder::new().prefix(PREFIX).tempdir();
            let folder = made.map_err(|error| {
                io::Error::new(error.kind(), format!("{error}; TMPDIR can name another folder"))
            })?;
            match lock(folder.path()) {
                Some(lock) => return Ok(Self { folder, _lock: lock }),
                None if attempts.next().is_some() => {}
                None => return Err(io::Error::other("the temporary folder takes no locks")),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Locks a folder, unless another process has done so or removed it.
fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
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
        // Its bot may have taken all permissions away.
        if is_ours
            && open_up(&path).is_ok()
            && let Some(_lock) = lock(&path)
        {
            // That referee's bot may still be dying; then the next sweep removes the folder.
            if let Err(error) = remove(&path) {
                log::debug!("an old scratch folder {} stays: {error}", path.display());
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = remove(self.path()) {
            log::error!("the bot's scratch folder {} stays: {error}", self.path().display());
        }
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    empty(folder)?;
    fs::remove_dir(folder)
}

/// Empties a directory iteratively: nested ones are hoisted first, so depth costs no descriptors.
fn empty(top: &Path) -> io::Result<()> {
    let mut moved = 0_u64;
    let mut folders = clear_out(top)?;
    while let Some(folder) = folders.pop() {
        for inner in clear_out(&folder)? {
            let place = loop {
                moved += 1;
                let place = top.join(format!("moved-{moved}"));
                if !place.try_exists()? {
                    break place;
                }
            };
            // Moving a folder to another one takes the right to write to it.
            open_up(&inner)?;
            fs::rename(&inner, &place)?;
            folders.push(place);
        }
        fs::remove_dir(folder)?;
    }
    Ok(())
}

/// Removes all files of a folder; returns its folders.
fn clear_out(folder: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    open_up(folder)?;
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(folders)
}

fn open_up(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

#[cfg(test)]
mod tests {
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
