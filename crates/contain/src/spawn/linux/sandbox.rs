//! The sandbox of a bot: it may read what it needs, write to its own folder, and compute.
//!
//! In a namespace the bot sees its own file system, with nothing else in it ([`tree`]); elsewhere Landlock limits the
//! files. A seccomp filter does the rest: no sockets, nothing that outlives the game, and no calls that change what the
//! other two do not check (modes, owners, times), the machine itself or quotas. Root's bot is another user, without
//! privileges: a device made in the scratch folder would bypass the sandbox. The kernel enforces these rules, and every
//! child inherits them. They are all or nothing: a host that cannot enforce the sandbox refuses it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf, absolute};
use std::sync::OnceLock;

use crate::confine::Sandbox;
use crate::spawn::linux::landlock::Ruleset;
use crate::spawn::linux::tree::FileTree;
use crate::spawn::linux::{landlock, tree};
use crate::sys::raw::landlock_version;

/// The first version of Landlock that checks all ways to change a file's content.
const NEEDED: u32 = 3;

/// System folders that almost every program needs.
const SYSTEM: [&str; 13] = [
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

/// How far below a folder marks are looked for.
const MARK_LEVELS: u32 = 2;

/// The parts of a bot's command that tell which files it needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs<'a> {
    /// The program's path, as executed from `cwd`.
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [OsString],
    /// An absolute path.
    pub(crate) cwd: &'a Path,
    /// Whether it was named, rather than being the referee's.
    pub(crate) is_cwd_named: bool,
    /// The bot's `PATH`.
    pub(crate) path: &'a OsStr,
}

impl Sandbox {
    /// A sandbox in which these existing paths can be read as well; [`Sandbox::new`] checks whether this host can enforce it.
    pub(crate) fn with_readable(paths: &[PathBuf]) -> Self {
        Self {
            readable: paths.iter().filter_map(|path| path.canonicalize().ok()).collect(),
            given: paths.iter().filter_map(|path| absolute(path).ok()).collect(),
            withheld: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// The file system of a bot in a namespace, of at most `size` bytes.
    pub(crate) fn tree(&self, needs: &Needs<'_>, size: Option<u64>) -> io::Result<FileTree> {
        let mut readable = self.readable_by(needs);
        let named = [needs.named(), self.given.clone()].concat();
        readable.extend(MACHINE.map(PathBuf::from));
        tree::build(readable, &named, needs.cwd, size)
    }

    /// The rules for a bot elsewhere: it may write beneath `scratch`.
    pub(crate) fn ruleset(&self, needs: &Needs<'_>, scratch: &Path) -> io::Result<Option<OwnedFd>> {
        let version = landlock_version();
        if version < NEEDED {
            let what = format!(
                "it needs Landlock of version {NEEDED} (Linux 6.2, and `landlock` among the security modules); the version here is \
                 {version}, and 0 means that there is no Landlock"
            );
            return Err(io::Error::other(what));
        }
        let mut readable = self.readable_by(needs);
        readable.extend(WHOLE_MACHINE.map(PathBuf::from));
        // An interpreter lists the folder in which it looks for a file. The names in a folder do not tell what is in its files.
        let named = self.named_by(needs).chain(self.readable.iter().cloned());
        let listed = named.filter_map(|path| {
            if path.is_dir() { Some(path) } else { path.parent().map(Path::to_owned) }
        });
        let listed = listed.filter(|folder| !is_too_broad(folder));
        let all = landlock::READ | landlock::WRITE;
        let outside = landlock::SIGNALS | landlock::SOCKETS;
        let ruleset = Ruleset::forbid(all | landlock::IOCTL, landlock::NETWORK, outside)?
            .allow(landlock::READ, readable)?
            .allow(landlock::LIST, listed)?
            .allow(landlock::READ_FILE | landlock::WRITE_FILE, tree::DEVICES)?
            .allow(all, [scratch])?;
        Ok(Some(ruleset.into()))
    }

    /// The system, what the command names, the installation of its program, and the folders of `PATH`.
    pub(crate) fn readable_by(&self, needs: &Needs<'_>) -> Vec<PathBuf> {
        let mut readable: Vec<PathBuf> =
            SYSTEM.iter().flat_map(|path| without(path.into(), &self.withheld)).collect();
        readable.extend(self.readable.iter().cloned());
        readable.extend(self.named_by(needs));
        let program = needs.cwd.join(needs.program);
        // A program in a virtual environment is a link to one elsewhere.
        let programs = [program.canonicalize().ok(), Some(program)].into_iter().flatten();
        let programs = programs.filter_map(|program| program.parent().map(Path::to_owned));
        readable.extend(
            programs
                .filter(|folder| holds_programs(folder))
                .flat_map(|folder| self.installation(&folder)),
        );
        // In homes only the programs: the rest may be private.
        let in_path = env::split_paths(needs.path).filter_map(|folder| folder.canonicalize().ok());
        readable.extend(in_path.flat_map(|folder| {
            if is_at_home(&folder) && !is_virtual(&folder) {
                let folder = Some(folder).filter(|it| !self.is_within(it) && self.is_whole(it));
                folder.into_iter().collect()
            } else {
                self.installation(&folder)
            }
        }));
        readable
    }

    /// The files and folders that the command names and that are shown.
    fn named_by(&self, needs: &Needs<'_>) -> impl Iterator<Item = PathBuf> {
        let named = needs.named().into_iter().filter_map(|path| path.canonicalize().ok());
        named.filter(move |path| self.shows(path))
    }

    /// A folder of programs, and the installation around it: `/opt/x` for `/opt/x/bin`. Within what is withheld only a virtual
    /// environment of Python's.
    fn installation(&self, folder: &Path) -> Vec<PathBuf> {
        if self.is_within(folder) && !is_virtual(folder) {
            return Vec::new();
        }
        let whole = folder.parent().filter(|_| holds_programs(folder));
        let folders = [Some(folder), whole].into_iter().flatten();
        folders.filter(|folder| self.is_whole(folder)).map(Path::to_owned).collect()
    }

    /// Whether a folder is shown with all that is in it.
    fn is_whole(&self, folder: &Path) -> bool {
        let temporary = env::temp_dir().canonicalize();
        let mut withheld = self.withheld.iter().chain(temporary.iter());
        !is_too_broad(folder) && !withheld.any(|withheld| withheld.starts_with(folder))
    }

    /// Whether what the command names is shown: a file, or a folder as a whole.
    fn shows(&self, named: &Path) -> bool {
        !named.is_dir() || self.is_whole(named) && !self.has_mark(named, MARK_LEVELS)
    }

    fn has_mark(&self, folder: &Path, levels: u32) -> bool {
        let is_here = || self.marks.iter().any(|name| folder.join(name).exists());
        let below = || fs::read_dir(folder).into_iter().flatten().flatten();
        let is_folder = |it: &fs::DirEntry| it.file_type().is_ok_and(|kind| kind.is_dir());
        is_here()
            || levels > 0
                && below().any(|it| is_folder(&it) && self.has_mark(&it.path(), levels - 1))
    }

    /// Whether a folder is within what is withheld. A home, which may be the working folder, has other things in it.
    fn is_within(&self, folder: &Path) -> bool {
        let mut withheld = self.withheld.iter().filter(|withheld| !is_too_broad(withheld));
        withheld.any(|withheld| folder.starts_with(withheld))
    }
}

impl Needs<'_> {
    /// The paths of all that the command may name, and of the working directory if it was named.
    fn named(&self) -> Vec<PathBuf> {
        self.words().chain(self.is_cwd_named.then(|| self.cwd.to_owned())).collect()
    }

    /// The paths of the program and of all that arguments may name. A class path has several, and a flag may stand before one.
    fn words(&self) -> impl Iterator<Item = PathBuf> {
        let words = self.arguments.iter().map(OsString::as_os_str);
        let parts = self.arguments.iter().flat_map(|word| parts(word.as_bytes()));
        let words = [self.program.as_os_str()].into_iter().chain(words);
        let words = words.chain(parts.map(OsStr::from_bytes)).filter(|word| !word.is_empty());
        words.map(move |word| self.cwd.join(word))
    }
}

/// The parts of `-cp=build:lib/*` and `-Ilib` that may be paths.
fn parts(word: &[u8]) -> impl Iterator<Item = &[u8]> {
    let of_flag = word.strip_prefix(b"-").and_then(|flag| flag.get(1..));
    let parts = word.split(|byte| b":=".contains(byte));
    parts.chain(of_flag).map(|part| part.strip_suffix(b"/*").unwrap_or(part))
}

/// The path, or the entries of a folder in which something is withheld, without that.
fn without(path: PathBuf, withheld: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(real) = path.canonicalize() else { return Vec::new() };
    let is_inside = |withheld: &PathBuf| withheld.starts_with(&real) && *withheld != real;
    if !withheld.iter().any(is_inside) {
        return vec![path];
    }
    let entries = fs::read_dir(real).into_iter().flatten().flatten();
    // A link grants nothing: what it leads to counts.
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    let entries = entries.map(|entry| entry.path());
    let entries = entries.filter(|entry| !withheld.contains(entry));
    entries.flat_map(|entry| without(entry, withheld)).collect()
}

fn holds_programs(folder: &Path) -> bool {
    ["bin", "sbin", "shims"].iter().any(|name| folder.ends_with(name))
}

/// Whether a folder of programs belongs to a virtual environment.
fn is_virtual(folder: &Path) -> bool {
    folder.parent().is_some_and(|around| around.join("pyvenv.cfg").is_file())
}

/// Whether no bot needs this folder as a whole: a user's home, or a shared folder.
fn is_too_broad(folder: &Path) -> bool {
    let is_shared = |folder: &Path| {
        const STICKY: u32 = 0o1000;
        folder.metadata().is_ok_and(|data| data.permissions().mode() & STICKY != 0)
    };
    let holds_home = || homes().iter().any(|home| home.starts_with(folder));
    folder.parent().is_none() || holds_home() || is_shared(folder)
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
