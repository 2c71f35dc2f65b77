//! Removes a folder with whatever was put there: folders that nobody may read, or nested deeper than the number of
//! descriptors allows.
//!
//! Processes that put it there may still live, and put a link in the place of a folder at any moment. So everything is
//! named relative to an open folder, and no link is followed.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Instant;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmod, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;

/// What changes when somebody writes to a file, replaces it, moves it or changes its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    inode: u64,
    mode: u32,
    size: i64,
    /// Seconds and nanoseconds. Old kernels count them in steps of some milliseconds.
    changed: (i64, u64),
}

impl Mark {
    pub(crate) fn size(&self) -> i64 {
        self.size
    }
}

/// Marked files, by name.
pub(crate) type Marks = BTreeMap<CString, Mark>;

/// Marks a file, so that it can be told later whether it is as it was.
pub(crate) fn mark(folder: BorrowedFd<'_>, name: impl Arg) -> io::Result<Mark> {
    let data = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let changed = (data.st_ctime, data.st_ctime_nsec);
    Ok(Mark { inode: data.st_ino, mode: data.st_mode, size: data.st_size, changed })
}

/// Whether a file was marked, and is as it was then.
fn is_as_marked(folder: BorrowedFd<'_>, name: &CStr, marks: &Marks) -> bool {
    marks.get(name).is_some_and(|then| mark(folder, name).is_ok_and(|now| now == *then))
}

/// Whether all marked files are as they were.
pub(crate) fn are_as_marked(folder: BorrowedFd<'_>, marks: &Marks) -> bool {
    marks.keys().all(|name| is_as_marked(folder, name, marks))
}

/// A folder, but not a link to one; its permissions do not matter.
const PLACE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);

/// Opens a folder, with all rights of its owner.
pub(crate) fn open(path: &Path) -> io::Result<OwnedFd> {
    Ok(enter(&openat(CWD, path, PLACE | OFlags::CLOEXEC, Mode::empty())?)?)
}

/// Empties an open folder; its processes may be putting more there, so this stops at `until`.
pub(crate) fn empty(top: BorrowedFd<'_>, until: Instant) -> io::Result<()> {
    empty_but(&Marks::new(), top, until)
}

/// Empties an open folder of all but the files that are as they were when they were marked.
pub(crate) fn empty_but(marks: &Marks, top: BorrowedFd<'_>, until: Instant) -> io::Result<()> {
    let mut moved = 0_u64;
    let mut folders = clear_out(top, marks, until)?;
    while let Some(name) = folders.pop() {
        check(until)?;
        match open_in(top, &name) {
            Ok(folder) => {
                for inner in clear_out(folder.as_fd(), &Marks::new(), until)? {
                    folders.extend(hoist(folder.as_fd(), &inner, top, &mut moved)?);
                }
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
            Err(error) => return Err(error.into()),
        }
        match remove(top, &name) {
            // Somebody has put something there in the meantime.
            Err(Errno::NOTEMPTY) => folders.push(name),
            removed => removed?,
        }
    }
    Ok(())
}

fn check(until: Instant) -> io::Result<()> {
    let error = || io::Error::new(io::ErrorKind::TimedOut, "timed out emptying it");
    if Instant::now() < until { Ok(()) } else { Err(error()) }
}

/// Removes all files of a folder but those that are as they were marked; returns the names of its folders.
fn clear_out(folder: BorrowedFd<'_>, marks: &Marks, until: Instant) -> io::Result<Vec<CString>> {
    let mut folders = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." || is_as_marked(folder, name, marks) {
            continue;
        }
        check(until)?;
        let is_folder = entry.file_type() == FileType::Directory;
        match if is_folder { Err(Errno::ISDIR) } else { unlinkat(folder, name, AtFlags::empty()) } {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR) => folders.push(name.to_owned()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(folders)
}

/// Moves a folder to the top, so that depth costs no descriptors; returns its new name, unless it is gone.
fn hoist(
    from: BorrowedFd<'_>,
    name: &CStr,
    top: BorrowedFd<'_>,
    moved: &mut u64,
) -> io::Result<Option<CString>> {
    // Moving a folder to another one takes the right to write to it.
    let opened = open_in(from, name).map(drop);
    loop {
        *moved += 1;
        let place = CString::new(format!("moved-{moved}"))?;
        match opened.and_then(|()| renameat(from, name, top, place.as_c_str())) {
            Ok(()) => return Ok(Some(place)),
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) if opened.is_ok() => {}
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Removes what is now where an empty folder was, if anything.
fn remove(top: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    let removed = match unlinkat(top, name, AtFlags::REMOVEDIR) {
        Err(Errno::NOTDIR) => unlinkat(top, name, AtFlags::empty()),
        removed => removed,
    };
    if removed == Err(Errno::NOENT) { Ok(()) } else { removed }
}

fn open_in(folder: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    enter(&openat(folder, name, PLACE | OFlags::CLOEXEC, Mode::empty())?)
}

/// Gives the owner all rights to a folder, and opens it for reading.
fn enter(place: &OwnedFd) -> Result<OwnedFd, Errno> {
    // fchmod(2) refuses such a descriptor; this name is the very same folder.
    chmod(format!("/proc/self/fd/{}", place.as_raw_fd()), Mode::RWXU)?;
    openat(place, c".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::scope;
    use std::time::Duration;

    use super::*;

    /// Puts a link in the place of a folder, again and again.
    fn keep_swapping(folder: &Path, target: &Path, is_over: &AtomicBool) {
        let (inner, aside) = (folder.join("folder"), folder.join("aside"));
        while !is_over.load(Ordering::Relaxed) {
            let _ = fs::create_dir_all(inner.join("deep"));
            let _ = fs::rename(&inner, &aside);
            let _ = symlink(target, &inner);
            let _ = fs::remove_file(&inner);
            let _ = fs::rename(&aside, &inner);
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_folder_leads_nowhere() {
        let all = tempfile::tempdir().expect("a folder");
        let (scratch, precious) = (all.path().join("scratch"), all.path().join("precious"));
        let keep = precious.join("deep/file");
        fs::create_dir_all(&scratch).expect("room");
        fs::create_dir_all(precious.join("deep")).expect("room");
        fs::write(&keep, "").expect("room");
        fs::set_permissions(&precious, fs::Permissions::from_mode(0o755)).expect("its owner");
        let is_over = AtomicBool::new(false);
        scope(|scope| {
            scope.spawn(|| keep_swapping(&scratch, &precious, &is_over));
            let until = Instant::now() + Duration::from_secs(1);
            while Instant::now() < until {
                let top = open(&scratch).expect("it is there");
                // It may be filled again at any moment.
                let _ = empty(top.as_fd(), until);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let mode = fs::metadata(&precious).expect("it is there").permissions().mode();
        assert!(keep.exists() && mode & 0o777 == 0o755, "{mode:o}");
    }

    #[test]
    fn what_is_filled_faster_than_emptied_is_given_up() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("file"), "").expect("room");
        let top = open(folder.path()).expect("it is there");
        let given_up = empty(top.as_fd(), Instant::now()).expect_err("there is no time");
        assert_eq!(given_up.kind(), io::ErrorKind::TimedOut);
        empty(top.as_fd(), Instant::now() + Duration::from_mins(1)).expect("there is time");
        assert!(!folder.path().join("file").exists());
    }
}
