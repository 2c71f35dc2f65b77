//! The privileges that a program keeps.

/// The privileges of the referee that a bot keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privileges {
    All,
    /// Only the privilege to read others' files.
    ReadAll,
    None,
    /// None; the bot runs as another user.
    Nobody,
}

impl Privileges {
    pub(crate) const ALL: [Self; 4] = [Self::All, Self::ReadAll, Self::None, Self::Nobody];
}
