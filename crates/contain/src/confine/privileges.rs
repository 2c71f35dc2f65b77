//! The privileges that a program keeps.

/// The privileges of the referee that a bot keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privileges {
    All,
    None,
    /// None; the bot runs as another user.
    Nobody,
}

impl Privileges {
    pub(crate) const ALL: [Self; 3] = [Self::All, Self::None, Self::Nobody];
}
