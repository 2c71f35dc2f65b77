//! The names of the containment methods; `spawn::probe` has how they work and which of them this host offers.

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

    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has them"))]
    pub(crate) fn is_namespace(self) -> bool {
        self == Self::Namespace
    }
}
