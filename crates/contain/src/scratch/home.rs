//! The one folder that holds the scratch folders of all referees of a user, in the folder of temporary files.
//!
//! Anybody may put anything into the folder of temporary files. So a name proves nothing: nothing is used or removed there
//! except what is private, belongs to the effective user and is marked, and no link is followed.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, readlinkat, symlinkat, unlinkat};

/// The mark: a symbolic link that leads nowhere, since a kill cannot leave half of a link as it can half of a file.
const MARK: &str = "SCRATCH-FOLDERS-OF-REFEREE";
const TEXT: &str = "referee removes these folders";

/// Private, with the sticky bit, which means nothing in such a folder: a kill between making and marking it leaves an empty folder
/// that differs from an empty one of the user's.
const MODE: u32 = 0o1700;

/// The wait for another referee that is removing the folder, and the number of these waits.
const WAIT: Duration = Duration::from_millis(1);
const WAITS: u32 = 1000;

/// The folder of all scratch folders, removed with the last of them.
#[derive(Debug)]
pub(crate) struct Home {
    path: PathBuf,
    /// The folder itself, open, with a lock that all referees share; `None` if only this process has it.
    shared: Option<File>,
}

/// What is where the shared folder should be.
enum Found {
    Shared(File),
    /// Another referee is removing it.
    Going,
    /// Something that no referee has made, or nothing since none can be made.
    Unusable,
}

impl Home {
    /// Opens or makes the user's folder in `temporary`. If that name is taken by anything else, makes a folder of another name,
    /// for this process alone.
    ///
    /// # Errors
    /// When no folder can be made there.
    pub(crate) fn open(temporary: &Path) -> io::Result<Self> {
        let name = format!("referee-{}", rustix::process::geteuid().as_raw());
        let path = temporary.join(&name);
        for _ in 0..WAITS {
            match find(&path) {
                Found::Shared(folder) => return Ok(Self { path, shared: Some(folder) }),
                Found::Going => sleep(WAIT),
                Found::Unusable => break,
            }
        }
        log::debug!("{} is not a referee's folder, or is kept locked", path.display());
        let fresh = tempfile::Builder::new().prefix(&format!("{name}-")).tempdir_in(temporary)?;
        Ok(Self { path: fresh.keep(), shared: None })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is still there: others may clear out the folder of temporary files.
    pub(crate) fn is_in_place(&self) -> bool {
        match &self.shared {
            Some(folder) => is_at(&self.path, folder),
            None => self.path.is_dir(),
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let is_ready = self.shared.as_ref().is_none_or(|folder| {
            folder.try_lock().is_ok() && is_empty(folder) && unmark(folder).is_ok()
        });
        // This refuses a folder that is not empty.
        if is_ready && let Err(error) = fs::remove_dir(&self.path) {
            log::debug!("the folder {} stays: {error}", self.path.display());
        }
    }
}

fn find(path: &Path) -> Found {
    match DirBuilder::new().mode(MODE).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Found::Unusable,
        _ => {}
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match openat(CWD, path, flags, Mode::empty()) {
        Ok(folder) => File::from(folder),
        Err(rustix::io::Errno::NOENT) => return Found::Going,
        Err(_) => return Found::Unusable,
    };
    if !is_private(&folder) {
        return Found::Unusable;
    }
    match folder.try_lock_shared() {
        Ok(()) if is_at(path, &folder) => {}
        Ok(()) | Err(fs::TryLockError::WouldBlock) => return Found::Going,
        Err(fs::TryLockError::Error(_)) => return Found::Unusable,
    }
    // In this order: another referee may mark it and use it in the meantime.
    if is_empty(&folder) && mark(&folder) || is_marked(&folder) {
        Found::Shared(folder)
    } else {
        Found::Unusable
    }
}

/// Whether nobody but the effective user may enter the folder, which no user makes like this.
fn is_private(folder: &File) -> bool {
    let own = rustix::process::geteuid().as_raw();
    folder.metadata().is_ok_and(|data| data.uid() == own && data.mode() & 0o1777 == MODE)
}

/// Whether this folder, and not another one, is at `path`.
fn is_at(path: &Path, folder: &File) -> bool {
    let id = |data: fs::Metadata| (data.dev(), data.ino());
    let here = fs::symlink_metadata(path).map(id);
    here.is_ok_and(|here| folder.metadata().is_ok_and(|data| id(data) == here))
}

/// Marks the folder; of several referees that do so, each succeeds.
fn mark(folder: &File) -> bool {
    let _ = symlinkat(TEXT, folder, MARK);
    is_marked(folder)
}

fn is_marked(folder: &File) -> bool {
    readlinkat(folder, MARK, Vec::new()).is_ok_and(|text| text.as_bytes() == TEXT.as_bytes())
}

fn unmark(folder: &File) -> rustix::io::Result<()> {
    unlinkat(folder, MARK, AtFlags::empty())
}

/// Whether it holds nothing, or only its mark.
fn is_empty(folder: &File) -> bool {
    let expected = [".", "..", MARK].map(str::as_bytes);
    let Ok(mut entries) = Dir::read_from(folder) else { return false };
    entries.all(|entry| entry.is_ok_and(|entry| expected.contains(&entry.file_name().to_bytes())))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
    use std::thread::scope;

    use tempfile::TempDir;

    use super::*;

    /// Makes something at a place.
    type Make = fn(&Path);

    /// A folder of temporary files, and the place of the shared folder in it.
    fn temporary() -> (TempDir, PathBuf) {
        let temporary = tempfile::tempdir().expect("a folder");
        let name = format!("referee-{}", rustix::process::geteuid().as_raw());
        let place = temporary.path().join(name);
        (temporary, place)
    }

    fn folder(path: &Path, mode: u32) {
        fs::create_dir(path).expect("room");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("its owner");
    }

    /// A folder as a referee makes it.
    fn marked(path: &Path) {
        folder(path, MODE);
        symlink(TEXT, path.join(MARK)).expect("room");
    }

    #[test]
    fn referees_share_a_folder_that_goes_with_the_last_one() {
        let (temporary, place) = temporary();
        let [first, second] = [(), ()].map(|()| Home::open(temporary.path()).expect("a folder"));
        assert_eq!([first.path(), second.path()], [&place; 2]);
        let mode = fs::metadata(&place).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        drop(first);
        assert!(second.is_in_place());
        fs::create_dir(place.join("bot-1")).expect("room");
        drop(second);
        let third = Home::open(temporary.path()).expect("the same folder");
        assert_eq!(third.path(), place, "it was not empty, and is still marked");
        fs::remove_dir(place.join("bot-1")).expect("it is there");
        drop(third);
        assert!(!place.exists());
    }

    #[test]
    fn no_referee_gets_a_folder_that_another_one_is_removing() {
        let (temporary, place) = temporary();
        scope(|scope| {
            for number in 0..2 {
                let (temporary, inner) = (temporary.path(), place.join(format!("bot-{number}")));
                scope.spawn(move || {
                    for _ in 0..2_000 {
                        let home = Home::open(temporary).expect("a folder");
                        assert!(inner.starts_with(home.path()), "{home:?}");
                        fs::create_dir(&inner).expect("it is there");
                        fs::remove_dir(&inner).expect("it is there");
                    }
                });
            }
        });
        assert!(!place.exists());
    }

    #[test]
    fn kills_at_any_moment_leave_a_folder_that_is_used_again() {
        let left: [Make; 2] = [|place| folder(place, MODE), marked];
        for leave in left {
            let (temporary, place) = temporary();
            leave(&place);
            let home = Home::open(temporary.path()).expect("the same folder");
            assert_eq!(home.path(), place);
            drop(home);
            assert!(!place.exists());
        }
    }

    #[test]
    fn what_no_referee_of_the_user_made_is_neither_used_nor_removed() {
        let made: [(&str, Make); 9] = [
            ("a file", |place| fs::write(place, "").expect("room")),
            ("a folder", |place| folder(place, 0o755)),
            ("a private folder", |place| folder(place, 0o700)),
            ("an unmarked folder", |place| {
                folder(place, MODE);
                fs::write(place.join("file"), "").expect("room");
            }),
            ("another text", |place| {
                folder(place, MODE);
                symlink("another text", place.join(MARK)).expect("room");
            }),
            ("another mark", |place| {
                folder(place, MODE);
                fs::write(place.join(MARK), TEXT).expect("room");
            }),
            ("a folder that others may enter", |place| {
                marked(place);
                fs::set_permissions(place, Permissions::from_mode(0o1755)).expect("its owner");
            }),
            ("a link", |place| {
                marked(&place.with_extension("elsewhere"));
                symlink(place.with_extension("elsewhere"), place).expect("room");
            }),
            ("a link to nothing", |place| symlink("nowhere", place).expect("room")),
        ];
        for (what, make) in made {
            let (temporary, place) = temporary();
            make(&place);
            is_left_alone(what, temporary.path(), &place);
        }
    }

    #[test]
    fn the_folder_of_another_user_is_neither_used_nor_removed() {
        let (temporary, place) = temporary();
        marked(&place);
        // Only root may give it away; of other users this needs two.
        if chown(&place, Some(65534), None).is_ok() {
            is_left_alone("of another user", temporary.path(), &place);
        }
    }

    /// Opens a folder next to `place`, which stays as it is.
    #[track_caller]
    fn is_left_alone(what: &str, temporary: &Path, place: &Path) {
        let state = || {
            let data = fs::symlink_metadata(place).expect(what);
            (data.ino(), data.mode(), data.ctime(), data.ctime_nsec())
        };
        let before = state();
        let home = Home::open(temporary).expect("another folder");
        let fresh = home.path().to_owned();
        let beside = format!("{}-", place.display());
        assert!(fresh.display().to_string().starts_with(&beside), "{what}: {fresh:?}");
        assert!(home.is_in_place() && is_empty(&File::open(&fresh).expect("it is there")));
        drop(home);
        assert!(!fresh.exists(), "{what}");
        assert_eq!(state(), before, "{what}");
    }

    #[test]
    fn a_folder_that_somebody_keeps_locked_is_given_up() {
        let (temporary, place) = temporary();
        marked(&place);
        let locked = File::open(&place).expect("it is there");
        locked.lock().expect("nobody else has it");
        let home = Home::open(temporary.path()).expect("another folder");
        assert_ne!(home.path(), place);
        drop(locked);
        let home = Home::open(temporary.path()).expect("the same folder");
        assert_eq!(home.path(), place);
    }

    #[test]
    fn a_folder_that_was_removed_or_replaced_is_not_in_place() {
        let (temporary, place) = temporary();
        let home = Home::open(temporary.path()).expect("a folder");
        fs::rename(&place, place.with_extension("moved")).expect("it is there");
        assert!(!home.is_in_place());
        marked(&place);
        assert!(!home.is_in_place());
        drop(home);
        assert!(place.exists(), "another referee's");
    }
}
