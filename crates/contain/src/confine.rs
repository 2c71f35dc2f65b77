//! What a program may do, as data: the method that keeps its processes together, its sandbox, its limits, its cores.

use std::io;
use std::path::PathBuf;

use crate::sys;

/// The method that holds a bot's processes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContainmentMethod {
    /// The bot's own user, pid and mount namespaces.
    Namespace,
    /// A filter that keeps every process in its group.
    Seccomp,
    /// An ordinary child in a process group of its own.
    Plain,
}

impl ContainmentMethod {
    /// From the strongest to the weakest.
    pub const ALL: [Self; 3] = [Self::Namespace, Self::Seccomp, Self::Plain];

    /// The name in `--containment` and in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Seccomp => "seccomp",
            Self::Plain => "plain",
        }
    }

    /// How it works, as a phrase.
    pub fn how(self) -> &'static str {
        match self {
            Self::Namespace => "the bot's own pid, mount and user namespaces",
            Self::Seccomp => "a filter that keeps processes in their group",
            Self::Plain if cfg!(windows) => "all processes are in a job that the system kills",
            Self::Plain => "the process group is killed; what leaves it outlives the game",
        }
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn is_namespace(self) -> bool {
        self == Self::Namespace
    }
}

/// The cores of a bot, of the thread that talks to it, and of its keeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinning {
    /// Their numbers.
    pub cores: Vec<usize>,
}

/// The number of physical cores that this thread may use: two threads of one core slow each other down.
///
/// # Errors
/// When the system does not tell.
pub fn physical_cores() -> io::Result<usize> {
    sys::physical_cores()
}

/// Why cores cannot be kept apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinError {
    /// There are too few cores.
    #[error(
        "pinning: the bots need {wanted} cores in all, and this process may use {available}{}",
        if *taken > 0 { format!(", of which other suites have {taken}") } else { String::new() }
    )]
    TooFew {
        /// The number of cores for all bots.
        wanted: usize,
        /// The number of cores that this process may use.
        available: usize,
        /// The number of those that others have taken.
        taken: usize,
    },
    /// The system does not let a program choose cores.
    #[error("pinning: the cores of a bot can be chosen on Linux alone")]
    NotLinux,
    /// The system refused.
    #[error("pinning: the system does not let processes be pinned")]
    Io(#[from] io::Error),
}

impl Pinning {
    /// Chooses `cores_per_bot` of the cores that this process may use.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan(cores_per_bot: usize) -> Result<Self, PinError> {
        Ok(Self::plan_apart(1, cores_per_bot, |_| true)?.swap_remove(0))
    }

    /// As [`plan`](Self::plan), for several concurrent bots, each on its own cores. Only cores for which `take` returns true
    /// are used. Two threads of one physical core are used only when each of the others has one.
    ///
    /// # Errors
    /// When there are too few, or the system refuses.
    pub fn plan_apart(
        bots: usize,
        cores_per_bot: usize,
        mut take: impl FnMut(usize) -> bool,
    ) -> Result<Vec<Self>, PinError> {
        let allowed = match sys::usable_cores_apart() {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                return Err(PinError::NotLinux);
            }
            allowed => allowed?,
        };
        let (available, wanted) = (allowed.len(), bots * cores_per_bot);
        let free = allowed.into_iter().filter(|&core| available >= wanted && take(core));
        let chosen: Vec<usize> = free.take(wanted).collect();
        if chosen.len() < wanted {
            let taken = if available >= wanted { available - chosen.len() } else { 0 };
            return Err(PinError::TooFew { wanted, available, taken });
        }
        Ok(chosen.chunks(cores_per_bot).map(|cores| Self { cores: cores.to_vec() }).collect())
    }
}

/// A sandbox that this host can enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Folders and files that this bot may read, in addition to what every bot may read.
    pub(crate) readable: Vec<PathBuf>,
    /// The paths by which they were given, which may be links.
    pub(crate) given: Vec<PathBuf>,
    /// Folders and files that are not shown with a folder around them.
    pub(crate) withheld: Vec<PathBuf>,
    /// The names of files that mark such a folder.
    pub(crate) marks: Vec<&'static str>,
}

impl Sandbox {
    /// Withholds these files and folders where no path given to [`new`](Self::new) shows them: a folder that is one of
    /// them, or has one of them in it, is not shown as a whole although the bot's command, its `PATH` or the system names it. A
    /// file, or a folder within one of them, is still shown if the command names it.
    #[must_use]
    pub fn withhold(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.withheld.extend(paths.into_iter().filter_map(|path| path.canonicalize().ok()));
        self
    }

    /// Withholds folders that directly contain a file of one of these names as well. They are looked for in the folders that the
    /// bot's command names, and in two levels of folders below.
    #[must_use]
    pub fn withhold_marked(mut self, names: impl IntoIterator<Item = &'static str>) -> Self {
        self.marks.extend(names);
        self
    }
}
