//! Control groups, which only Linux has.

pub(crate) mod host {
    /// The memory limit of the groups around this process: none.
    pub fn memory_limit_of_host() -> Option<u64> {
        None
    }

    /// The limit of the groups around this process on processes: none.
    pub fn process_limit_of_host() -> Option<u64> {
        None
    }

    /// How often one of them has refused a process.
    pub fn refused_processes() -> u64 {
        0
    }

    /// The number of processes that the kernel has killed for lack of memory: unknown here.
    pub(crate) fn memory_kills() -> u64 {
        0
    }

    /// Whether [`memory_kills`] counts a group's kills.
    pub(crate) fn kills_are_of_group() -> bool {
        false
    }
}
