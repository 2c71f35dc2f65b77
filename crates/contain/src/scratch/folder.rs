//! The writable folder of a bot in a sandbox or of a judge, and its removal.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rustix::fs::CWD;
use tempfile::TempDir;

use super::home::Home;
use super::later;
use super::removal::{self, Mark, Marks};
use crate::decide::tuning::TUNING;

/// A folder that is removed with all its content when this is dropped. If the referee is killed
/// first, the next one that makes such a folder removes it.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// The folder itself, open and locked while the referee lives.
    lock: File,
    /// The files that it was made with, by name.
    files: BTreeMap<OsString, Shown>,
    /// These files, and what else later games find in it.
    kept: Marks,
    /// The socket that later games find in it.
    socket: Option<UnixListener>,
    /// Keeps the folder that it is in. The last field, since that goes once nothing is in it.
    _home: Arc<Home>,
}

/// How a folder shows a file or folder that is elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// A link, through which it can be written to.
    Link(PathBuf),
    /// A copy of a file that was like this.
    Copy(PathBuf, Mark),
}

/// The largest file that is copied rather than linked, and the maximum of all copies in a folder.
const LARGEST_COPY: i64 = 1 << 20;
const COPIES: i64 = 16 << 20;

/// More connections than may wait for a socket to accept them.
const LARGEST_BACKLOG: usize = 1 << 16;

const PREFIX: &str = "bot-";

/// Whether a folder has been left to the background.
static IS_REMOVING: AtomicBool = AtomicBool::new(false);

/// Folders with files whose games are over, from the oldest on. A new one takes an inode for each file, and ext4 does not give
/// out again what was removed within the last five seconds: after a thousand games the search takes a quarter of a
/// millisecond for each.
static READY: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());

/// Where all folders are made, while there is a [`Host`](crate::Host).
static HOME: Mutex<Option<Arc<Home>>> = Mutex::new(None);

fn ready() -> MutexGuard<'static, Vec<Scratch>> {
    READY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Scratch {
    /// Makes a folder, and removes those that killed referees have left.
    ///
    /// # Errors
    /// When the temporary folder takes no folder or no locks.
    pub fn new() -> io::Result<Self> {
        let mut attempts = 0..TUNING.cleanup.attempts;
        loop {
            let made = home().and_then(|home| {
                let mut new = tempfile::Builder::new();
                let folder = new.prefix(PREFIX).disable_cleanup(true).tempdir_in(home.path())?;
                Ok((home, folder))
            });
            let (home, folder) = made.map_err(|error| {
                io::Error::new(error.kind(), format!("{error}; TMPDIR can name another folder"))
            })?;
            match lock(folder.path()) {
                Some(lock) => {
                    let (files, kept) = (BTreeMap::new(), Marks::new());
                    return Ok(Self { folder, lock, files, kept, socket: None, _home: home });
                }
                None if attempts.next().is_some() => {}
                None => return Err(io::Error::other("the temporary folder takes no locks")),
            }
        }
    }

    /// A folder with these files and folders, by name: a new one, or one that was [left to other games](Self::leave). Small files
    /// are copied, so that writing to them changes only the copy; larger ones, programs and folders are links.
    ///
    /// # Errors
    /// As for a [new](Self::new) one, or when it takes no link or copy.
    pub fn with_files(files: BTreeMap<OsString, PathBuf>) -> io::Result<Self> {
        let files = shown(files);
        let used = {
            let mut all = ready();
            let place = all.iter().position(|scratch| scratch.files == files);
            // Otherwise the oldest goes, so that there are no more than games at one time.
            place.or_else(|| (!all.is_empty()).then_some(0)).map(|place| all.remove(place))
        };
        match used {
            Some(used) if used.files == files && used.is_as_left() => return Ok(used),
            stale => stale.into_iter().for_each(Self::remove_later),
        }
        let mut scratch = Self::new()?;
        for (name, shown) in &files {
            let path = scratch.path().join(name);
            match shown {
                Shown::Link(target) => symlink(target, path)?,
                Shown::Copy(source, mark) => copy(source, mark, &path)?,
            }
            scratch.keep(name)?;
        }
        scratch.files = files;
        Ok(scratch)
    }

    /// Keeps one of its files for the games that find this folder again, unless it is changed in the meantime.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn keep(&mut self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let name = CString::new(name.as_ref().as_bytes())?;
        let mark = removal::mark(self.lock.as_fd(), &name)?;
        self.kept.insert(name, mark);
        Ok(())
    }

    /// A socket of this name in it, whose `accept` does not wait. The games that find this folder again have the same one, since a new
    /// one takes an inode too.
    ///
    /// # Errors
    /// When the folder takes no socket of this name.
    pub fn listener(&mut self, name: &str) -> io::Result<UnixListener> {
        if let Some(socket) = &self.socket {
            // Nothing that has connected in an earlier game.
            for _ in 0..LARGEST_BACKLOG {
                if socket.accept().is_err() {
                    break;
                }
            }
            return socket.try_clone();
        }
        let socket = UnixListener::bind(self.path().join(name))?;
        socket.set_nonblocking(true)?;
        self.keep(name)?;
        self.socket.insert(socket).try_clone()
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

    /// Leaves a folder [with files](Self::with_files) to other games while there is a [`Host`](crate::Host), without whatever
    /// has come into it. Unless its own game `has_ended` with all its processes, which might still write there, it is
    /// removed. Both in the background: [`await_removals`] waits for it.
    pub fn leave(self, has_ended: bool) {
        if self.files.is_empty() || !has_ended {
            return self.remove_later();
        }
        IS_REMOVING.store(true, Ordering::Relaxed);
        later::drop_later(Used(Some(self)));
    }

    /// Removes whatever has come into it, and marks it itself.
    fn clear(&mut self) -> io::Result<()> {
        self.lock.set_permissions(Permissions::from_mode(0o700))?;
        removal::empty_but(&self.kept, self.lock.as_fd(), Instant::now() + TUNING.cleanup.removal)?;
        self.keep(".")
    }

    /// Whether it is where it was, and all in it as it was when it was cleared: others may write there.
    fn is_as_left(&self) -> bool {
        let here = removal::mark(CWD, self.path()).ok();
        here.as_ref() == self.kept.get(c".")
            && removal::are_as_marked(self.lock.as_fd(), &self.kept)
    }
}

/// How to show these files: the smallest as copies, while there is room for them.
fn shown(files: BTreeMap<OsString, PathBuf>) -> BTreeMap<OsString, Shown> {
    let copy = |path: &Path| {
        let data = path.metadata().ok()?;
        // A program might not be started here, and of a file that cannot be read there is no copy.
        let is_program = data.permissions().mode() & 0o111 != 0;
        if !data.is_file() || is_program {
            return None;
        }
        let real = path.canonicalize().ok()?;
        let mark = File::open(&real).and_then(|_| removal::mark(CWD, &real)).ok()?;
        (mark.size() <= LARGEST_COPY).then_some((real, mark))
    };
    let mut copies: Vec<_> =
        files.iter().filter_map(|(name, path)| Some((name.clone(), copy(path)?))).collect();
    copies.sort_by_key(|(_, (_, mark))| mark.size());
    let mut room = COPIES;
    copies.retain(|(_, (_, mark))| {
        room -= mark.size();
        room >= 0
    });
    let links = files.into_iter().map(|(name, path)| (name, Shown::Link(path)));
    let copies = copies.into_iter().map(|(name, (path, mark))| (name, Shown::Copy(path, mark)));
    links.chain(copies).collect()
}

/// Copies what a file held when it was marked: a log may grow for as long as it is read.
fn copy(source: &Path, mark: &Mark, to: &Path) -> io::Result<()> {
    let mut marked = File::open(source)?.take(mark.size().unsigned_abs());
    io::copy(&mut marked, &mut File::create(to)?)?;
    // A copy of a read-only file can be written to, as a new file could.
    let mode = source.metadata()?.permissions().mode() | 0o200;
    fs::set_permissions(to, Permissions::from_mode(mode))
}

/// A folder that other games may have once this has been dropped in the background.
struct Used(Option<Scratch>);

impl Drop for Used {
    fn drop(&mut self) {
        // Where it cannot be cleared, it is removed, which says why it cannot.
        let Some(mut scratch) = self.0.take() else { return };
        if scratch.clear().is_ok() {
            ready().push(scratch);
        }
    }
}

/// Removes the folders that wait for other games, and lets go of the folder that they are in.
pub(crate) fn remove_ready() {
    let all = std::mem::take(&mut *ready());
    drop(all);
    let home = opened_home().take();
    drop(home);
}

/// Waits until the scratch folders of all bots and judges that have ended are removed, or left to other games; a program calls
/// this before it ends. What it leaves, the next program that makes a scratch folder removes.
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

fn opened_home() -> MutexGuard<'static, Option<Arc<Home>>> {
    HOME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The folder in which all folders are made.
fn home() -> io::Result<Arc<Home>> {
    // A relative path would change with the working directory, and an empty one means that.
    let temporary = std::path::absolute(Path::new(".").join(env::temp_dir()))?;
    home_in(&temporary, &mut opened_home())
}

/// The folder that is opened, if it is still there. Otherwise one in `temporary`, from which what killed referees have left is
/// removed.
fn home_in(temporary: &Path, opened: &mut Option<Arc<Home>>) -> io::Result<Arc<Home>> {
    if let Some(home) = opened.as_ref().filter(|home| home.is_in_place()) {
        return Ok(Arc::clone(home));
    }
    let home = Arc::new(Home::open(temporary)?);
    sweep(home.path());
    *opened = Some(Arc::clone(&home));
    Ok(home)
}

/// Removes the folders of referees that were killed.
fn sweep(home: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
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
    folder.set_permissions(Permissions::from_mode(0o700))?;
    removal::empty(folder.as_fd(), Instant::now() + TUNING.cleanup.removal)?;
    fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::spawn::host::Host;

    fn put_another_file_in_its_place(folder: &Path) {
        fs::remove_file(folder.join("link")).expect("it is there");
        fs::write(folder.join("link"), "other words").expect("room");
    }

    fn add_a_file(folder: &Path) {
        fs::write(folder.join("added"), "").expect("room");
    }

    fn move_away(folder: &Path) {
        fs::rename(folder, folder.with_extension("moved")).expect("it is there");
    }

    /// Leaves a folder to others, and waits until they can have it.
    fn leave(scratch: Scratch) {
        scratch.leave(true);
        await_removals();
    }

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).expect("may be read");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("a name").file_name()).collect();
        names.sort();
        names
    }

    /// Folders with the files of a test. There is one list of them, so there is one such test.
    struct Linked {
        _host: Host,
        files: TempDir,
    }

    impl Linked {
        fn folder(&self, link: &str) -> Scratch {
            let files = BTreeMap::from([(link.into(), self.files.path().join("file"))]);
            Scratch::with_files(files).expect("a folder")
        }

        fn have_copies_of_small_files(&self) {
            let path = |name: &str| self.files.path().join(name);
            fs::create_dir(path("folder")).expect("room");
            let large = usize::try_from(LARGEST_COPY).expect("small") + 1;
            fs::write(path("large"), vec![b'x'; large]).expect("room");
            fs::set_permissions(path("file"), Permissions::from_mode(0o444)).expect("its owner");
            let names = ["file", "folder", "large"];
            let folder = || {
                let files = names.map(|name| (name.into(), path(name)));
                Scratch::with_files(files.into()).expect("a folder")
            };
            let first = folder();
            for name in ["folder", "large"] {
                assert_eq!(fs::read_link(first.path().join(name)).expect("a link"), path(name));
            }
            let copy = first.path().join("file");
            let mode = copy.symlink_metadata().expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o644);
            fs::write(copy, "written").expect("it may be");
            leave(first);
            let read =
                |scratch: &Scratch| fs::read_to_string(scratch.path().join("file")).expect("there");
            let second = folder();
            assert_eq!(read(&second), "its words");
            let written = second.path().to_owned();
            leave(second);
            fs::set_permissions(path("file"), Permissions::from_mode(0o644)).expect("its owner");
            fs::write(path("file"), "new words").expect("its owner");
            let third = folder();
            assert_eq!(read(&third), "new words");
            assert_ne!(third.path(), written);
            drop(third);
            fs::write(path("file"), "its words").expect("its owner");
        }

        fn are_left_as_they_were(&self) {
            let mut first = self.folder("link");
            let path = first.path().to_owned();
            fs::write(path.join("kept"), "").expect("room");
            first.keep("kept").expect("it is there");
            let socket = first.listener("socket").expect("it is new");
            assert!(UnixStream::connect(path.join("socket")).is_ok());
            fs::create_dir_all(path.join("folder/inner")).expect("room");
            fs::write(path.join("folder/inner/file"), "").expect("room");
            fs::set_permissions(&path, Permissions::from_mode(0o0)).expect("its owner");
            assert_ne!(self.folder("link").path(), path, "its game goes on");
            drop(socket);
            leave(first);
            let mut second = self.folder("link");
            assert_eq!(second.path(), path);
            assert_eq!(names(&path), ["kept", "link", "socket"]);
            let socket = second.listener("socket").expect("it is kept");
            assert!(socket.accept().is_err(), "what came in an earlier game is gone");
            let here = UnixStream::connect(path.join("socket")).expect("it is there");
            assert!(socket.accept().is_ok());
            drop(here);
            let mode = fs::metadata(&path).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
            leave(second);
            assert_ne!(self.folder("other").path(), path, "its files differ");
            await_removals();
            assert!(!path.exists(), "of changing files, the old ones go");
        }

        /// By its own game, or while the folder waits for the next one.
        fn are_not_left_if_changed(&self, change: fn(&Path), is_waiting: bool) {
            let folder = self.folder("link");
            let path = folder.path().to_owned();
            if !is_waiting {
                change(&path);
            }
            leave(folder);
            if is_waiting {
                change(&path);
            }
            let next = self.folder("link");
            await_removals();
            assert_eq!(names(next.path()), ["link"]);
            let words = fs::read_to_string(next.path().join("link")).expect("there");
            assert_eq!(words, "its words");
            assert!(!path.exists() || next.path() == path);
            let _ = fs::remove_dir(path.with_extension("moved"));
        }

        fn are_removed_at_the_end(&self) {
            let [shared, last] = [false, true].map(|has_ended| {
                let folder = self.folder("link");
                let path = folder.path().to_owned();
                folder.leave(has_ended);
                await_removals();
                path
            });
            assert!(!shared.exists(), "somebody may still write there");
            assert!(last.exists());
            remove_ready();
            assert!(!last.exists() && self.files.path().join("file").exists());
        }
    }

    #[test]
    fn folders_with_files_are_left_to_other_games() {
        let linked = Linked { _host: Host::hold(), files: TempDir::new().expect("a folder") };
        fs::write(linked.files.path().join("file"), "its words").expect("room");
        linked.have_copies_of_small_files();
        linked.are_left_as_they_were();
        for change in [put_another_file_in_its_place, add_a_file, move_away] {
            linked.are_not_left_if_changed(change, false);
            linked.are_not_left_if_changed(change, true);
        }
        linked.are_removed_at_the_end();
    }

    #[test]
    fn a_growing_file_is_copied_as_it_was() {
        let files = TempDir::new().expect("a folder");
        let path = files.path().join("log");
        fs::write(&path, "its words").expect("room");
        let Shown::Copy(source, mark) = shown([("log".into(), path.clone())].into())
            .remove(OsStr::new("log"))
            .expect("it is there")
        else {
            panic!("it is small");
        };
        fs::write(&path, "its words and others").expect("room");
        let copy = files.path().join("copy");
        super::copy(&source, &mark, &copy).expect("room");
        assert_eq!(fs::read_to_string(copy).expect("there"), "its words");
    }

    #[test]
    fn folders_that_nobody_may_enter_go_too() {
        let scratch = Scratch::new().expect("a folder");
        let path = scratch.path().to_owned();
        let inner = path.join("moved-1/b");
        fs::create_dir_all(&inner).expect("room");
        fs::write(inner.join("file"), "x").expect("room");
        symlink("/", inner.join("link")).expect("room");
        for folder in [inner, path.join("moved-1")] {
            fs::set_permissions(folder, Permissions::from_mode(0o0)).expect("its owner");
        }
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn folders_of_referees_that_were_killed_go_and_those_of_living_ones_stay() {
        let home = tempfile::tempdir().expect("a folder");
        let [left, living, other] =
            [format!("{PREFIX}left"), format!("{PREFIX}living"), "other".to_owned()]
                .map(|name| home.path().join(name));
        for folder in [&left, &living, &other] {
            fs::create_dir_all(folder.join("a/b")).expect("room");
        }
        let _held = lock(&living).expect("nobody else has it");
        sweep(home.path());
        assert_eq!([&left, &living, &other].map(|folder| folder.exists()), [false, true, true]);
    }

    #[test]
    fn folders_are_made_after_somebody_has_cleared_out_the_temporary_files() {
        let temporary = tempfile::tempdir().expect("a folder");
        let mut opened = None;
        let mut path =
            || home_in(temporary.path(), &mut opened).expect("a folder").path().to_owned();
        let first = path();
        assert_eq!((path(), first.is_dir()), (first.clone(), true));
        removal::empty(
            File::open(temporary.path()).expect("a folder").as_fd(),
            Instant::now() + TUNING.cleanup.removal,
        )
        .expect("its owner");
        assert_eq!((path(), first.is_dir()), (first, true));
    }
}
