//! The writable folder of a bot in a sandbox or of a judge, and its removal.
//!
//! Next to the folder is an empty file, which is locked while the referee lives. It is there before the folder and after it, so
//! that the next referee finds whatever a killed one has left. Nothing else among the temporary files is removed.
//!
//! What the kernel takes long to remove is dropped in the background, so that no game waits for it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use tempfile::{Builder, NamedTempFile};

use crate::decide::tuning::TUNING;
use crate::sys::{flatten, is_own};
use terms::system::{is_executable, link};

/// A folder that is removed with all its content when this is dropped. If the referee is killed first, the next one that makes
/// such a folder removes it.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    lock: NamedTempFile,
}

/// The names of a folder and of the file next to it: `referee-scratch-Ab12Cd` and `referee-scratch-Ab12Cd.lock`.
const PREFIX: &str = "referee-scratch-";
const LOCK: &str = ".lock";

/// The largest file that is copied rather than linked, and the maximum of all copies in a folder.
const LARGEST_COPY: u64 = 1 << 20;
const COPIES: u64 = 16 << 20;

/// The wait for processes that are about to end and whose folder cannot be removed before.
const PAUSE: Duration = Duration::from_millis(10);

impl Scratch {
    /// Makes a folder. The first one of a process also removes those that killed referees have left.
    ///
    /// # Errors
    /// When the folder of temporary files takes no folder or no locks.
    pub fn new() -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        // A relative path would change with the working directory, and an empty one means that.
        let home = std::path::absolute(Path::new(".").join(env::temp_dir()))?;
        SWEPT.call_once(|| sweep(&home));
        Self::new_in(&home).map_err(|error| {
            io::Error::new(error.kind(), format!("{error}; TMPDIR can name another folder"))
        })
    }

    fn new_in(home: &Path) -> io::Result<Self> {
        let lock = new_lock(home)?;
        let path = lock.path().with_extension("");
        // This fails if the name is taken.
        let folder = Builder::new().prefix(&path).rand_bytes(0).tempdir_in(home)?;
        Ok(Self { path: folder.keep(), lock })
    }

    /// A folder with these files and folders, by name. Small files are copied, so that writing to them changes only the copy;
    /// larger ones, programs and folders are links.
    ///
    /// # Errors
    /// As for a [new](Self::new) one, or when something cannot be linked or copied.
    pub fn with_files(files: BTreeMap<OsString, PathBuf>) -> io::Result<Self> {
        let scratch = Self::new()?;
        let mut room = COPIES;
        for (name, target) in files {
            show(&target, &scratch.path.join(name), &mut room)?;
        }
        Ok(scratch)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder in the background: [`await_removals`] waits for it.
    pub fn remove_later(self) {
        drop_later(self);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.path, TUNING.cleanup.removal) {
            log::error!("the scratch folder {} stays: {error}", self.path.display());
            self.lock.disable_cleanup(true);
        }
    }
}

/// Waits until the scratch folders of all bots and judges that have ended are removed; a program calls this before it ends. What
/// it leaves, the next program that makes a scratch folder removes.
pub fn await_removals() {
    wait();
}

/// Makes and locks the file for a new folder.
fn new_lock(home: &Path) -> io::Result<NamedTempFile> {
    loop {
        let lock = Builder::new().prefix(PREFIX).suffix(LOCK).tempfile_in(home)?;
        lock.as_file().lock()?;
        // Until then it was a killed referee's to another one, which may have removed it.
        if lock.path().exists() {
            return Ok(lock);
        }
    }
}

/// Shows a file or folder in another place: small files as copies, for which there is this much `room`.
fn show(target: &Path, place: &Path, room: &mut u64) -> io::Result<()> {
    if let Ok(data) = target.metadata()
        && data.is_file()
        && data.len() <= LARGEST_COPY.min(*room)
        // A program might not be started there, and of a file that cannot be read there is no copy.
        && !is_executable(target)
        && let Ok(source) = File::open(target)
    {
        *room -= data.len();
        // A log may grow for as long as it is read.
        return io::copy(&mut source.take(data.len()), &mut File::create(place)?).map(drop);
    }
    link(target, place)
}

/// Removes the folders of referees that were killed.
fn sweep(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_ours = name.starts_with(PREFIX.as_bytes())
            && name.ends_with(LOCK.as_bytes())
            && entry
                .metadata()
                .is_ok_and(|data| data.is_file() && data.len() == 0 && is_own(&data));
        if is_ours && let Err(error) = remove_if_left(&entry.path()) {
            // That referee's bot may still be dying; then the next sweep removes the folder.
            log::debug!("{} and its folder stay: {error}", entry.path().display());
        }
    }
}

/// Removes a file next to a folder, and that folder, unless a living referee has locked the file.
fn remove_if_left(lock: &Path) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(lock)?;
    file.try_lock()?;
    let folder = lock.with_extension("");
    if folder.symlink_metadata().is_ok_and(|data| !data.is_dir()) {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    remove(&folder, Duration::ZERO)?;
    fs::remove_file(lock)
}

/// Removes a folder if it is there, within a time: its processes may be putting more there.
fn remove(path: &Path, patience: Duration) -> io::Result<()> {
    let until = Instant::now() + patience;
    loop {
        let removed = try_to_remove(path);
        if removed.is_ok() || path.symlink_metadata().is_err_and(|error| is_not_found(&error)) {
            return Ok(());
        }
        if Instant::now() >= until {
            return removed;
        }
        sleep(PAUSE);
    }
}

fn is_not_found(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn try_to_remove(path: &Path) -> io::Result<()> {
    flatten(path)?;
    fs::remove_dir_all(path)
}

/// Whatever is removed by dropping it.
type DeferredDrop = Box<dyn Send>;

/// The most that may wait for removal; beyond that, dropping waits, so that a suite cannot fill up the host.
const WAITING: usize = 16;

/// The thread that drops, and what it is to drop.
struct Remover {
    queue: SyncSender<DeferredDrop>,
    thread: JoinHandle<()>,
}

static REMOVER: Mutex<Option<Remover>> = Mutex::new(None);

fn remover() -> MutexGuard<'static, Option<Remover>> {
    REMOVER.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Remover {
    fn start() -> Option<Self> {
        let (queue, all) = sync_channel::<DeferredDrop>(WAITING);
        let drop_all = move || all.into_iter().for_each(drop);
        let thread = thread::Builder::new().name("clean-up".to_owned()).spawn(drop_all).ok()?;
        Some(Self { queue, thread })
    }
}

/// Drops something in the background.
pub(crate) fn drop_later(waste: impl Send + 'static) {
    let mut remover = remover();
    if remover.is_none() {
        *remover = Remover::start();
    }
    let Some(Remover { queue, .. }) = &*remover else { return };
    let refused = queue.try_send(Box::new(waste));
    // Not while others wait for the queue.
    drop(remover);
    if let Err(TrySendError::Full(waste)) = refused {
        drop(waste);
    }
}

/// Waits until all has been dropped.
pub(crate) fn wait() {
    let queue = remover().as_ref().map(|remover| remover.queue.clone());
    let (last, is_dropped) = channel::<()>();
    if queue.is_some_and(|queue| queue.send(Box::new(last)).is_ok()) {
        // It fails once the other end, the last in the queue, has been dropped.
        let _ = is_dropped.recv();
    }
}

/// Ends the thread once it has dropped all.
pub(crate) fn end() {
    if let Some(Remover { queue, thread }) = remover().take() {
        drop(queue);
        let _ = thread.join();
    }
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
    use std::thread::scope;

    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).expect("may be read");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("a name").file_name()).collect();
        names.sort();
        names
    }

    /// A scratch folder with a file, as a killed referee leaves it.
    fn left_in(home: &Path) -> PathBuf {
        let lock = new_lock(home).expect("room");
        let path = lock.path().with_extension("");
        fs::create_dir(&path).expect("room");
        fs::write(path.join("file"), "").expect("room");
        lock.keep().expect("it is there");
        path
    }

    #[test]
    fn the_next_sweep_removes_what_a_killed_referee_has_left_at_any_moment() {
        let home = tempfile::tempdir().expect("a folder");
        left_in(home.path());
        fs::remove_dir_all(left_in(home.path())).expect("it is there");
        let living = Scratch::new_in(home.path()).expect("a folder");
        fs::write(living.path().join("file"), "").expect("room");
        sweep(home.path());
        assert_eq!(names(living.path()), ["file"]);
        assert_eq!(names(home.path()).len(), 2, "a folder and its file");
        drop(living);
        assert!(names(home.path()).is_empty());
    }

    #[test]
    fn no_sweep_removes_the_folder_of_a_living_referee() {
        let home = tempfile::tempdir().expect("a folder");
        let home = home.path();
        scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..1_000).for_each(|_| sweep(home)));
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        let scratch = Scratch::new_in(home).expect("a folder");
                        assert!(scratch.path().is_dir() && scratch.lock.path().exists());
                    }
                });
            }
        });
        sweep(home);
        assert!(names(home).is_empty());
    }

    /// Places like a referee's among the temporary files, which it has not made.
    #[cfg(unix)]
    #[test]
    fn nothing_that_no_referee_has_made_is_removed() {
        let home = tempfile::tempdir().expect("a folder");
        let at = |name: &str| home.path().join(format!("{PREFIX}{name}"));
        let folder = |name: &str| {
            fs::create_dir(at(name)).expect("room");
            fs::write(at(name).join("file"), "mine").expect("room");
        };
        for name in ["alone", "full", "linked", "taken"] {
            folder(name);
        }
        fs::write(at("full.lock"), "mine").expect("room");
        fs::write(home.path().join("empty"), "").expect("room");
        symlink("../empty", at("linked.lock")).expect("room");
        fs::create_dir(at("taken.lock")).expect("room");
        fs::write(at("link.lock"), "").expect("room");
        symlink(at("alone"), at("link")).expect("room");
        fs::write(at("file.lock"), "").expect("room");
        fs::write(at("file"), "mine").expect("room");
        fs::write(home.path().join("referee-mine.lock"), "").expect("room");
        fs::create_dir(home.path().join("referee-mine")).expect("room");
        folder("other");
        fs::write(at("other.lock"), "").expect("room");
        // Only root can give it away; of other users this needs two.
        if chown(at("other.lock"), Some(65534), None).is_err() {
            fs::remove_file(at("other.lock")).expect("its owner");
        }
        let before = names(home.path());
        sweep(home.path());
        assert_eq!(names(home.path()), before);
        for name in ["alone", "full", "linked", "taken", "other"] {
            assert_eq!(names(&at(name)), ["file"], "{name}");
        }
    }

    #[test]
    fn a_folder_that_is_there_already_is_not_taken() {
        let home = tempfile::tempdir().expect("a folder");
        let lock = new_lock(home.path()).expect("room");
        let path = lock.path().with_extension("");
        fs::create_dir(&path).expect("room");
        let made = Builder::new().prefix(&path).rand_bytes(0).tempdir_in(home.path());
        assert_eq!(made.expect_err("it is there").kind(), io::ErrorKind::AlreadyExists);
        assert!(path.is_dir());
    }

    #[test]
    fn a_folder_of_temporary_files_that_takes_nothing_is_named() {
        let missing = tempfile::tempdir().expect("a folder").path().join("missing");
        let error = Scratch::new_in(&missing).expect_err("no folder").to_string();
        assert!(error.contains("missing"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_has_copies_of_small_files_and_links_to_all_else() {
        let files = tempfile::tempdir().expect("a folder");
        let path = |name: &str| files.path().join(name);
        let large = usize::try_from(LARGEST_COPY).expect("small") + 1;
        fs::create_dir(path("folder")).expect("room");
        fs::write(path("large"), vec![b'x'; large]).expect("room");
        for (name, mode) in [("file", 0o444), ("program", 0o755)] {
            fs::write(path(name), "its words").expect("room");
            fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).expect("its owner");
        }
        let all = ["file", "folder", "large", "program"].map(|name| (name.into(), path(name)));
        let scratch = Scratch::with_files(all.into()).expect("a folder");
        for name in ["folder", "large", "program"] {
            assert_eq!(fs::read_link(scratch.path().join(name)).expect("a link"), path(name));
        }
        let copy = scratch.path().join("file");
        assert_eq!(fs::read_to_string(&copy).expect("there"), "its words");
        fs::write(copy, "written").expect("a copy of a read-only file can be written to");
        drop(scratch);
        assert_eq!(fs::read_to_string(path("file")).expect("there"), "its words");
        assert_eq!(names(files.path()).len(), 4);
    }

    #[test]
    fn copies_have_a_bound_together() {
        let files = tempfile::tempdir().expect("a folder");
        let [source, copy, link] = ["source", "copy", "link"].map(|name| files.path().join(name));
        fs::write(&source, "x".repeat(6)).expect("room");
        let mut room = 10;
        show(&source, &copy, &mut room).expect("room");
        show(&source, &link, &mut room).expect("room");
        assert_eq!(room, 4);
        fs::write(&source, "other").expect("its owner");
        assert_eq!([copy, link].map(|file| fs::read(file).expect("there").len()), [6, 5]);
    }
}
