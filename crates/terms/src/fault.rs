//! Whose fault an error is: it decides the exit code, and what becomes of a game that has no result.

use std::io;

/// Whose fault an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtFault {
    /// The user's: another command, file or setting mends it.
    User,
    /// The surroundings' of a bot: its host has too little memory or space, or the judge of its game failed.
    Host,
    /// The referee's: something failed that it relies on.
    Referee,
}

impl AtFault {
    /// Whose fault it is that a file cannot be written: the user's, for choosing it, unless the host has no space.
    pub fn of_write(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::StorageFull { Self::Host } else { Self::User }
    }
}

/// An error whose fault is known.
pub trait Attributed: std::error::Error {
    /// Whose fault it is: the user's, unless it says otherwise.
    fn at_fault(&self) -> AtFault {
        AtFault::User
    }
}

/// An error and what caused it, on one line.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let chain = std::iter::successors(Some(error), |&error| error.source());
    let text = chain.map(ToString::to_string).collect::<Vec<_>>().join(": ");
    text.replace(":\n", ": ").replace('\n', "; ")
}
