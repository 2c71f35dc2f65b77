//! The sandbox of a bot: it may read what it needs, write to its own folder, and compute.
//!
//! In a namespace the bot sees its own file system, with nothing else in it ([`tree`]), where Landlock, if the kernel
//! has it, keeps it from writing to what read-only mounts do not cover; elsewhere Landlock alone limits the files. A seccomp filter does the rest: no sockets, nothing that outlives the game, and no
//! calls that change what the other two do not check (modes, owners, times) or the machine itself. Root's
//! privileges are dropped: a device made in the scratch folder would bypass the sandbox. The kernel enforces
//! these rules, and every child inherits them. They are all or nothing: a host that cannot enforce the
//! sandbox refuses it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::tree::{self, Tree};
use crate::sys::landlock::{self, Ruleset};
use crate::sys::raw::landlock_version;

/// A sandbox that this host can enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Folders and files that this bot may read, in addition to what every bot may read.
    readable: Vec<PathBuf>,
    /// Folders and files that it may not read, even in a folder that it may.
    hidden: Vec<PathBuf>,
}

/// The first version of Landlock that checks all ways to change a file's content.
pub(crate) const NEEDED: u32 = 3;

/// System folders that almost every program needs.
pub(crate) const SYSTEM: [&str; 13] = [
    "/bin",
    "/etc",
    "/gnu/store",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/opt",
    "/run/current-system",
    "/sbin",
    "/snap",
    "/usr",
];

/// Folders of the host's /sys in which programs read about the machine.
const MACHINE: [&str; 2] = ["/sys/devices/system", "/sys/kernel/mm/transparent_hugepage"];

/// As [`MACHINE`], under Landlock, which cannot exclude parts of a folder.
const WHOLE_MACHINE: [&str; 2] = ["/proc", "/sys"];

/// The parts of a bot's command that tell which files it needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs<'a> {
    /// The program's path, as executed from `cwd`.
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [OsString],
    /// An absolute path.
    pub(crate) cwd: &'a Path,
    /// The bot's `PATH`.
    pub(crate) path: &'a OsStr,
}

impl Sandbox {
    /// A sandbox in which these real paths can be read as well; [`Sandbox::new`] checks whether this host can enforce it.
    pub(crate) fn with_readable(readable: Vec<PathBuf>) -> Self {
        Self { readable, hidden: Vec::new() }
    }

    /// Hides these files and folders, wherever they are in what the bot may read: in a namespace they are empty, elsewhere they cannot
    /// be opened. What is missing, of the system, or among the paths given to [`new`](Self::new) stays as it is, and so does what the
    /// bot's own command names.
    #[must_use]
    pub fn hide(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = paths.into_iter().filter_map(|path| path.canonicalize().ok());
        let is_of_system = |path: &Path| SYSTEM.iter().any(|system| path.starts_with(system));
        let hidden: Vec<_> = real.filter(|path| !is_of_system(path) && !self.has(path)).collect();
        self.hidden.extend(hidden);
        self
    }

    /// Whether `path` is among the paths that this bot may read in addition to what every bot may read.
    pub fn has(&self, path: &Path) -> bool {
        self.readable.iter().any(|readable| path.starts_with(readable))
    }

    /// The file system of a bot in a namespace, of at most `size` bytes.
    pub(crate) fn tree(&self, needs: &Needs<'_>, size: Option<u64>) -> io::Result<Tree> {
        let mut readable = self.readable_by(needs);
        readable.extend(MACHINE.map(PathBuf::from));
        let hidden = self.hidden_from(needs);
        tree::build(readable, &needs.named(), needs.cwd, &hidden, size)
    }

    /// The rules for a bot elsewhere: it may write beneath `scratch`.
    pub(crate) fn ruleset(&self, needs: &Needs<'_>, scratch: &Path) -> io::Result<Option<OwnedFd>> {
        let version = landlock_version();
        if version < NEEDED {
            let what = format!("without a namespace it needs Landlock of version {NEEDED}");
            return Err(io::Error::other(what));
        }
        let mut readable = self.readable_by(needs);
        readable.extend(WHOLE_MACHINE.map(PathBuf::from));
        let hidden = self.hidden_from(needs);
        // The names in a folder do not tell what is in its files.
        let listed = readable.iter().filter(|path| path.is_dir() && holds_any(path, &hidden));
        let listed: Vec<_> = listed.cloned().collect();
        let readable = readable.into_iter().flat_map(|path| without(path, &hidden));
        let all = landlock::READ | landlock::WRITE;
        let outside = landlock::SIGNALS | landlock::SOCKETS;
        let ruleset = Ruleset::forbid(all | landlock::IOCTL, landlock::NETWORK, outside)?
            .allow(landlock::READ, readable)?
            .allow(landlock::LIST, listed)?
            .allow(landlock::READ_FILE | landlock::WRITE_FILE, tree::DEVICES)?
            .allow(all, [scratch])?;
        Ok(Some(ruleset.into()))
    }

    /// What is hidden from this bot.
    fn hidden_from(&self, needs: &Needs<'_>) -> Vec<PathBuf> {
        // A class path holds several, and a flag may stand before one.
        let parts = |word: &OsString| -> Vec<PathBuf> {
            let parts = word.as_bytes().split(|byte| b":=".contains(byte));
            parts.map(|part| needs.cwd.join(OsStr::from_bytes(part))).collect()
        };
        let own = needs.named().into_iter().chain(needs.arguments.iter().flat_map(parts));
        let own = own.chain([needs.cwd.to_owned()]).filter_map(|path| path.canonicalize().ok());
        let own: Vec<_> = own.collect();
        let is_own = |hidden: &Path| own.iter().any(|path| path.starts_with(hidden));
        self.hidden.iter().filter(|hidden| !is_own(hidden)).cloned().collect()
    }

    /// The system, the files that `program` and `arguments` name, the working directory, and the folders of `PATH`.
    fn readable_by(&self, needs: &Needs<'_>) -> Vec<PathBuf> {
        let mut readable: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        readable.extend(self.readable.iter().cloned());
        readable.extend(needs.named().iter().flat_map(|path| readable_around(path)));
        readable.extend(unless_too_broad(needs.cwd));
        // In homes only the programs: the rest may be private.
        let in_path = env::split_paths(needs.path).filter_map(|folder| folder.canonicalize().ok());
        readable.extend(in_path.flat_map(|folder| {
            if is_at_home(&folder) {
                unless_too_broad(&folder).into_iter().collect()
            } else {
                install_prefix(&folder)
            }
        }));
        readable
    }
}

impl Needs<'_> {
    /// The paths of the program and of all files that arguments may name.
    fn named(&self) -> Vec<PathBuf> {
        let words = self.arguments.iter().map(Path::new);
        [self.program].into_iter().chain(words).map(|word| self.cwd.join(word)).collect()
    }
}

/// Whether something hidden is in this folder.
fn holds_any(folder: &Path, hidden: &[PathBuf]) -> bool {
    let folder = folder.canonicalize();
    folder.is_ok_and(|folder| hidden.iter().any(|hidden| hidden.starts_with(&folder)))
}

/// The path, or the entries of a folder in which something is hidden, without that. A link grants nothing: what it leads to counts.
fn without(path: PathBuf, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let real = path.canonicalize();
    if real.is_ok_and(|real| hidden.iter().any(|hidden| real.starts_with(hidden))) {
        return Vec::new();
    }
    if !holds_any(&path, hidden) {
        return vec![path];
    }
    let entries = fs::read_dir(&path).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    entries.flat_map(|entry| without(entry.path(), hidden)).collect()
}

/// A folder, or a file and the installation around it; empty if the path does not exist.
fn readable_around(path: &Path) -> Vec<PathBuf> {
    match path.canonicalize() {
        Ok(folder) if folder.is_dir() => unless_too_broad(&folder).into_iter().collect(),
        Ok(file) => {
            let folders = file.parent().map(install_prefix).unwrap_or_default();
            folders.into_iter().chain([file]).collect()
        }
        Err(_) => Vec::new(),
    }
}

/// A folder of programs, and the installation around it: `/opt/x` for `/opt/x/bin`.
fn install_prefix(folder: &Path) -> Vec<PathBuf> {
    let Ok(folder) = folder.canonicalize() else { return Vec::new() };
    let holds_programs = ["bin", "sbin", "shims"].iter().any(|name| folder.ends_with(name));
    let whole = folder.parent().filter(|_| holds_programs).and_then(unless_too_broad);
    unless_too_broad(&folder).into_iter().chain(whole).collect()
}

/// Refuses folders that no bot needs as a whole: a user's home, or a shared folder.
fn unless_too_broad(folder: &Path) -> Option<PathBuf> {
    let is_shared = |folder: &Path| {
        const STICKY: u32 = 0o1000;
        folder.metadata().is_ok_and(|data| data.permissions().mode() & STICKY != 0)
    };
    let holds_home = || homes().iter().any(|home| home.starts_with(folder));
    let is_too_broad = folder.parent().is_none() || holds_home() || is_shared(folder);
    (!is_too_broad).then(|| folder.to_owned())
}

fn is_at_home(folder: &Path) -> bool {
    homes().iter().any(|home| folder.starts_with(home))
}

/// The homes of people and of the referee's user: by `HOME`, and by the list of users.
fn homes() -> &'static [PathBuf] {
    static HOMES: OnceLock<Vec<PathBuf>> = OnceLock::new();
    HOMES.get_or_init(|| {
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let own = rustix::process::getuid().as_raw();
        let of_people = users.lines().filter_map(|line| {
            let fields: Vec<_> = line.split(':').collect();
            let [_, _, uid, _, _, home, ..] = fields[..] else { return None };
            let uid: u32 = uid.parse().ok()?;
            // System users have lower numbers, and homes in system folders.
            (uid == 0 || uid == own || uid >= 1000).then(|| PathBuf::from(home))
        });
        let all = of_people.chain(env::home_dir()).filter_map(|home| home.canonicalize().ok());
        all.filter(|home| home.parent().is_some()).collect()
    })
}
