//! The names of the containment methods; [`containment`](super::containment) says how
//! they work and which of them this host offers.

/// The method that holds a bot's processes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContainmentMethod {
    /// The bot's own user, pid and mount namespaces.
    Namespace,
    /// A filter that keeps every process in its group.
    Seccomp,
    /// A keeper that adopts orphans.
    Reaper,
    /// The process group alone.
    Group,
}

impl ContainmentMethod {
    /// From the strongest to the weakest.
    pub const ALL: [Self; 4] = [Self::Namespace, Self::Seccomp, Self::Reaper, Self::Group];

    /// The name in `--containment` and in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Seccomp => "seccomp",
            Self::Reaper => "reaper",
            Self::Group => "group",
        }
    }

    /// How it works, as a phrase.
    pub fn how(self) -> &'static str {
        match self {
            Self::Namespace => "the bot's own pid, mount and user namespaces",
            Self::Seccomp => "a filter that keeps processes in their group",
            Self::Reaper => "orphans are adopted, and killed one by one",
            Self::Group => "the process group is killed; processes that left it are named",
        }
    }

    pub(crate) fn is_namespace(self) -> bool {
        self == Self::Namespace
    }
}
