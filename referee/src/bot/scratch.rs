//! The folder that a bot in a sandbox may write to, and how to be rid of it whatever a bot has made
//! of it: folders that nobody may read, or more of them in one another than there are descriptors.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;

/// A folder that goes, with all that is in it, when this is dropped.
#[derive(Debug)]
pub(super) struct Scratch(TempDir);

impl Scratch {
    pub(super) fn new() -> io::Result<Self> {
        tempfile::Builder::new().prefix("referee-bot-").tempdir().map(Self)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let removed = empty(self.path()).and_then(|()| fs::remove_dir(self.path()));
        if let Err(error) = removed {
            log::error!("the bot's scratch folder {} stays: {error}", self.path().display());
        }
    }
}

/// Empties a folder without going down: what is deeper is moved up first.
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
}
