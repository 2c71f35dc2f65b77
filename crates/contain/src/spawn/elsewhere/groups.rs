//! Control groups, which only Linux has.

pub(crate) mod group {
    use terms::limits::Breach;

    /// A control group for one bot.
    #[derive(Debug)]
    pub(crate) enum Cgroup {}

    impl Cgroup {
        /// The limit that the bot exceeds.
        pub(crate) fn breach(&self) -> Option<Breach> {
            match *self {}
        }

        /// Whether memory was short on the host rather than in the group.
        pub(crate) fn lacked_memory_of_host(&self) -> bool {
            match *self {}
        }

        /// Kills all processes in it; whether it is empty.
        pub(crate) fn clear(&self) -> bool {
            match *self {}
        }

        /// Leaves it to others.
        pub(crate) fn give_back(self) {
            match self {}
        }
    }

    /// Why there can be none.
    pub(crate) fn home() -> Result<(), String> {
        Err("only Linux has them".to_owned())
    }

    /// Nothing is to be removed.
    pub(crate) fn remove_all() {}
}
