//! The file system of a sandboxed bot in a namespace: its readable files, read-only and at their paths on the
//! host, and scratch space in memory. Everything else is missing.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::mount::MountFlags;

/// One step of building a tree. Paths are relative to its root, except sources of binds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MountStep {
    Folder(CString),
    /// A folder where everybody may make files.
    OpenFolder(CString),
    File(CString),
    Link {
        target: CString,
        at: CString,
    },
    /// Shows a file or folder of the host, with all mounts in it.
    Bind {
        from: CString,
        at: CString,
    },
    /// Changes the flags of a mount.
    Remount {
        at: CString,
        /// [`MountFlags`].
        flags: u32,
    },
    /// The mount point of /proc.
    Proc(CString),
}

/// A bot's own file system: a small one in memory, with parts of the host's in it.
#[derive(Debug)]
pub(crate) struct FileTree {
    /// Its size, as options of tmpfs.
    pub(crate) options: CString,
    pub(crate) steps: Vec<MountStep>,
}

/// Harmless devices.
pub(crate) const DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The scratch folder.
pub(crate) const SCRATCH: &str = "/tmp";

/// The bot's own folders, which hide the host's.
const OWN: [&str; 3] = ["/dev", "/proc", SCRATCH];

/// The most files that a bot may make: more would fill memory that is not counted.
const MAX_FILES: u32 = 1 << 16;

/// The longest chain of symbolic links to follow.
const MAX_LINKS: u32 = 40;

/// A tree in which `readable` can be read, `named` paths lead where they lead on the host, and `cwd` exists. The bot may write at
/// most `size` bytes.
pub(crate) fn build(
    readable: Vec<PathBuf>,
    named: &[PathBuf],
    cwd: &Path,
    size: Option<u64>,
) -> io::Result<FileTree> {
    let mut builder = Builder { mounts: mount_points()?, ..Builder::default() };
    builder.own_folders()?;
    let readable: Vec<PathBuf> = readable.into_iter().flat_map(without_own).collect();
    // Folders come before their contents. Missing files are skipped.
    let real: BTreeSet<PathBuf> =
        readable.iter().filter_map(|path| path.canonicalize().ok()).collect();
    for path in &real {
        builder.show(path)?;
    }
    for path in readable.iter().chain(named).map(PathBuf::as_path).chain([cwd]) {
        builder.lead_to(path, MAX_LINKS)?;
    }
    if !builder.exists(cwd) {
        builder.folder(cwd)?;
    }
    let size = size.map(|size| format!("size={size},")).unwrap_or_default();
    let options = CString::new(format!("{size}nr_inodes={MAX_FILES},mode=755"));
    Ok(FileTree { options: options.expect("no NUL"), steps: builder.steps })
}

/// The path itself, or its entries if the folder cannot be shown as a whole.
fn without_own(path: PathBuf) -> Vec<PathBuf> {
    let is_own = |path: &Path| OWN.iter().any(|own| path == Path::new(own));
    if path == Path::new("/") || path == Path::new(SCRATCH) {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        return entries.map(|entry| entry.path()).filter(|path| !is_own(path)).collect();
    }
    if is_own(&path) || path.starts_with("/proc") { Vec::new() } else { vec![path] }
}

/// A mount point and its flags.
struct MountPoint {
    path: PathBuf,
    flags: MountFlags,
}

/// From /proc/self/mountinfo, in the order in which they were mounted.
fn mount_points() -> io::Result<Vec<MountPoint>> {
    let text = fs::read("/proc/self/mountinfo")?;
    Ok(text.split(|&byte| byte == b'\n').filter_map(mount_point).collect())
}

fn mount_point(line: &[u8]) -> Option<MountPoint> {
    let mut fields = line.split(|&byte| byte == b' ');
    let (path, options) = (fields.nth(4)?, fields.next()?);
    let options = options.split(|&byte| byte == b',');
    let flags = options.filter_map(flag).fold(MountFlags::empty(), |all, flag| all | flag);
    Some(MountPoint { path: unescape(path), flags })
}

/// A flag that must be kept when a mount becomes read-only, or the kernel refuses.
fn flag(option: &[u8]) -> Option<MountFlags> {
    Some(match option {
        b"nosuid" => MountFlags::NOSUID,
        b"nodev" => MountFlags::NODEV,
        b"noexec" => MountFlags::NOEXEC,
        b"noatime" => MountFlags::NOATIME,
        b"nodiratime" => MountFlags::NODIRATIME,
        b"relatime" => MountFlags::RELATIME,
        _ => return None,
    })
}

/// Decodes escapes such as `\040`: a backslash and three octal digits.
fn unescape(field: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| byte == b'\\');
        let code = digits.and_then(|digits| str::from_utf8(digits).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 8).ok());
        path.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    std::ffi::OsString::from_vec(path).into()
}

#[derive(Default)]
struct Builder {
    steps: Vec<MountStep>,
    mounts: Vec<MountPoint>,
    /// Folders, files and links already made.
    made: BTreeSet<PathBuf>,
    /// The visible paths of the host.
    shown: BTreeSet<PathBuf>,
}

impl Builder {
    fn own_folders(&mut self) -> io::Result<()> {
        for folder in ["/proc", "/dev"] {
            self.folder(Path::new(folder))?;
        }
        self.steps.push(MountStep::Proc(relative(Path::new("/proc"))?));
        for folder in [SCRATCH, "/dev/shm"] {
            self.steps.push(MountStep::OpenFolder(relative(Path::new(folder))?));
            self.made.insert(folder.into());
        }
        // A small image or a chroot does not have all of them.
        for device in DEVICES.map(Path::new).into_iter().filter(|device| device.exists()) {
            self.steps.push(MountStep::File(relative(device)?));
            self.bind(device)?;
        }
        for (name, target) in
            [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")]
        {
            let target = PathBuf::from("/proc/self").join(target);
            self.link(&target, &Path::new("/dev").join(name))?;
        }
        Ok(())
    }

    /// Shows a file or folder read-only, with all mounts in it.
    fn show(&mut self, path: &Path) -> io::Result<()> {
        if self.exists(path) || OWN[..2].iter().any(|own| path.starts_with(own)) {
            return Ok(());
        }
        if path.is_dir() {
            self.folder(path)?;
        } else {
            self.parents(path)?;
            self.steps.push(MountStep::File(relative(path)?));
        }
        self.bind(path)?;
        let around = self.mounts.iter().filter(|mount| path.starts_with(&mount.path));
        // Of several mounts at one place, the last is on top.
        let own = around.max_by_key(|mount| mount.path.components().count());
        let own = own.map_or(MountFlags::empty(), |mount| mount.flags);
        let is_inside = |mount: &&MountPoint| mount.path.starts_with(path) && mount.path != path;
        let inside = self.mounts.iter().filter(is_inside);
        for (at, flags) in [(path, own)].into_iter().chain(inside.map(|it| (&*it.path, it.flags))) {
            let flags = flags | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
            self.steps.push(MountStep::Remount { at: relative(at)?, flags: flags.bits() });
        }
        self.shown.insert(path.to_owned());
        Ok(())
    }

    /// Makes the symbolic links on a path.
    fn lead_to(&mut self, path: &Path, links_left: u32) -> io::Result<()> {
        let mut reached = PathBuf::new();
        let mut components = path.components();
        while let Some(component) = components.next() {
            match component {
                Component::ParentDir => drop(reached.pop()),
                Component::CurDir => continue,
                _ => reached.push(component),
            }
            if self.is_shown(&reached) {
                return Ok(());
            }
            let Ok(target) = fs::read_link(&reached) else { continue };
            if links_left == 0 {
                return Ok(());
            }
            let folder = reached.parent().unwrap_or(Path::new("/")).to_owned();
            if !self.made.contains(&reached) && !reached.starts_with("/dev") {
                self.parents(&reached)?;
                self.link(&target, &reached)?;
            }
            return self.lead_to(&folder.join(target).join(components.as_path()), links_left - 1);
        }
        Ok(())
    }

    fn is_shown(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.shown.contains(folder))
    }

    fn exists(&self, path: &Path) -> bool {
        path == Path::new("/") || self.made.contains(path) || self.is_shown(path)
    }

    fn parents(&mut self, path: &Path) -> io::Result<()> {
        path.parent().map_or(Ok(()), |parent| self.folder(parent))
    }

    fn folder(&mut self, path: &Path) -> io::Result<()> {
        if self.exists(path) {
            return Ok(());
        }
        self.parents(path)?;
        self.steps.push(MountStep::Folder(relative(path)?));
        self.made.insert(path.to_owned());
        Ok(())
    }

    fn link(&mut self, target: &Path, at: &Path) -> io::Result<()> {
        let target = c_string(target)?;
        self.steps.push(MountStep::Link { target, at: relative(at)? });
        self.made.insert(at.to_owned());
        Ok(())
    }

    fn bind(&mut self, path: &Path) -> io::Result<()> {
        self.steps.push(MountStep::Bind { from: c_string(path)?, at: relative(path)? });
        Ok(())
    }
}

fn relative(path: &Path) -> io::Result<CString> {
    c_string(path.strip_prefix("/").unwrap_or(path))
}

fn c_string(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_mount_points_are_understood() {
        assert_eq!(unescape(br"/a\040b\134c\9"), Path::new(r"/a b\c\9"));
    }

    #[test]
    fn a_link_that_leads_up_a_folder_leads_where_it_does_on_the_host() {
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().canonicalize().expect("it is there");
        for (link, target) in [("a/one", "../b/two"), ("b/two", "../c")] {
            fs::create_dir(real.join(&link[..1])).expect("made");
            std::os::unix::fs::symlink(target, real.join(link)).expect("made");
        }
        let mut builder = Builder::default();
        builder.lead_to(&real.join("a/one"), MAX_LINKS).expect("no NUL");
        let links = builder.steps.iter().filter(|step| matches!(step, MountStep::Link { .. }));
        let link = |(at, target): (&str, &Path)| MountStep::Link {
            target: c_string(target).expect("no NUL"),
            at: relative(&real.join(at)).expect("no NUL"),
        };
        let expected = [("a/one", "../b/two"), ("b/two", "../c")];
        let expected = expected.map(|(at, target)| link((at, Path::new(target))));
        assert!(links.eq(&expected), "{:?}", builder.steps);
    }

    #[test]
    fn what_cannot_be_executed_on_the_host_cannot_be_in_the_tree() {
        let line = b"36 35 8:1 / /usr rw,nosuid,noexec,relatime shared:1 - ext4 /dev/sda1 rw";
        let mount = mount_point(line).expect("a mount point");
        assert_eq!(mount.path, Path::new("/usr"));
        let mut builder = Builder { mounts: vec![mount], ..Builder::default() };
        builder.show(Path::new("/usr/bin")).expect("no NUL");
        let kept = MountFlags::NOSUID | MountFlags::NOEXEC | MountFlags::RELATIME;
        let flags = kept | MountFlags::RDONLY | MountFlags::NODEV;
        let at = relative(Path::new("/usr/bin")).expect("no NUL");
        assert_eq!(builder.steps.last(), Some(&MountStep::Remount { at, flags: flags.bits() }));
    }

    #[test]
    fn a_bot_may_make_no_more_files_than_its_memory_is_counted_for() {
        let options = |size| build(Vec::new(), &[], Path::new("/"), size).expect("a tree").options;
        assert_eq!(options(Some(1000)).as_c_str(), c"size=1000,nr_inodes=65536,mode=755");
        assert_eq!(options(None).as_c_str(), c"nr_inodes=65536,mode=755");
    }

    #[test]
    fn a_shared_folder_is_shown_without_itself() {
        assert_eq!(without_own("/proc/self".into()), Vec::<PathBuf>::new());
        assert_eq!(without_own("/usr".into()), [Path::new("/usr")]);
        let all = without_own("/".into());
        assert!(all.contains(&"/usr".into()) && !all.contains(&"/proc".into()), "{all:?}");
    }
}
