//! Prepares a folder for its removal, whatever was put there: folders that nobody may read, or nested deeper than the number of
//! descriptors, or a stack, allows.
//!
//! Processes that put it there may still live, and put a link in the place of a folder at any moment. So everything is
//! named relative to an open folder, and no link is followed.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, chmod, openat, renameat};
use rustix::io::Errno;
use rustix::path::Arg;

/// A folder, but not a link to one; its permissions do not matter.
const PLACE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW);

/// Moves all folders below a folder to its top, and gives their owner all rights to them.
pub(crate) fn flatten(path: &Path) -> io::Result<()> {
    let top = open(CWD, path)?;
    let mut folders = folders_in(&top)?;
    let mut moved = 0_u64;
    while let Some(name) = folders.pop() {
        let folder = open(&top, &*name)?;
        for inner in folders_in(&folder)? {
            // Moving a folder to another one takes the right to write to it.
            open(&folder, &*inner)?;
            folders.push(hoist(&folder, &inner, &top, &mut moved)?);
        }
    }
    Ok(())
}

/// The names of the folders in a folder.
fn folders_in(folder: &OwnedFd) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type() == FileType::Directory && name != c"." && name != c".." {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Moves a folder to the top; returns its new name.
fn hoist(from: &OwnedFd, name: &CStr, top: &OwnedFd, moved: &mut u64) -> io::Result<CString> {
    loop {
        *moved += 1;
        let place = CString::new(format!("moved-{moved}"))?;
        match renameat(from, name, top, &*place) {
            // The name is taken.
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
            renamed => return Ok(renamed.map(|()| place)?),
        }
    }
}

/// Gives the owner all rights to a folder, and opens it for reading.
fn open(around: impl AsFd, path: impl Arg) -> io::Result<OwnedFd> {
    let place = openat(around, path, PLACE | OFlags::CLOEXEC, Mode::empty())?;
    // fchmod(2) refuses such a descriptor; this name is the very same folder.
    // A file system that refuses it may grant these rights already.
    let _ = chmod(format!("/proc/self/fd/{}", place.as_raw_fd()), Mode::RWXU);
    Ok(openat(&place, c".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::scope;
    use std::time::{Duration, Instant};

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
                // It may be filled again at any moment.
                let _ = flatten(&scratch).and_then(|()| fs::remove_dir_all(&scratch));
                let _ = fs::create_dir(&scratch);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let mode = fs::metadata(&precious).expect("it is there").permissions().mode();
        assert!(keep.exists() && mode & 0o777 == 0o755, "{mode:o}");
    }

    #[test]
    fn folders_that_nobody_may_enter_come_to_the_top() {
        let top = tempfile::tempdir().expect("a folder");
        let inner = top.path().join("moved-1/b");
        fs::create_dir_all(&inner).expect("room");
        fs::write(inner.join("file"), "x").expect("room");
        symlink("/", inner.join("link")).expect("room");
        for folder in [&inner, &top.path().join("moved-1"), top.path()] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o0)).expect("its owner");
        }
        flatten(top.path()).expect("its owner");
        for folder in ["", "moved-1", "moved-2"] {
            let data = fs::metadata(top.path().join(folder)).expect("it is there");
            assert_eq!(data.permissions().mode() & 0o777, 0o700, "{folder}");
        }
        assert!(top.path().join("moved-2/file").exists());
    }

    #[test]
    fn folders_nested_deeper_than_the_usual_number_of_descriptors_come_to_the_top() {
        let top = tempfile::tempdir().expect("a folder");
        let [inner, outer] = ["inner", "outer"].map(|name| top.path().join(name));
        fs::create_dir(&inner).expect("room");
        for _ in 0..1_500 {
            fs::create_dir(&outer).expect("room");
            fs::rename(&inner, outer.join("inner")).expect("its owner");
            fs::rename(&outer, &inner).expect("its owner");
        }
        flatten(top.path()).expect("its owner");
        assert_eq!(fs::read_dir(top.path()).expect("a folder").count(), 1_501);
    }
}
