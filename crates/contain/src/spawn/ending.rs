//! What is left of a bot's processes after its end.

/// The known remaining processes of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Left {
    /// The number of processes that live on; usually 0.
    Survivors(usize),
    /// The keeper was killed, so they are unknown.
    Unknown,
    /// All were killed, but the kernel had not finished in time.
    Dying,
}

impl Default for Left {
    fn default() -> Self {
        Self::Survivors(0)
    }
}
