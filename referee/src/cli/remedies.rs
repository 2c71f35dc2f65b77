//! What to type after an error: the library's errors know no command line.

use anyhow::anyhow;

use super::Failure;
use super::signals::signal;
use contain::bot::{SpawnError, Unavailable};
use engine::config::CommandError;
use engine::play::PlayError;
use engine::suite::{BotError, PoolError, RunError};
use results::compare::NoLogarithm;
use results::gamelog::OpenError;
use results::ratings::RatingsError;
use results::suite::{FolderError, RecordsError};
use terms::fault::Attributed;

const GO_ON: &str = "; the results so far are kept, and `referee resume` continues from them";

/// An error of the library, with what to type after it.
pub(super) trait Remedied: Attributed + Send + Sync + 'static {
    /// The end of the error's sentence.
    fn remedy(&self) -> &'static str {
        ""
    }
}

impl<E: Remedied> From<E> for Failure {
    fn from(error: E) -> Self {
        let (fault, remedy) = (error.at_fault(), error.remedy());
        match remedy {
            "" => Self::of(fault, error),
            _ => Self::of(fault, anyhow!("{:#}{remedy}", anyhow::Error::new(error))),
        }
    }
}

impl Remedied for CommandError {}
impl Remedied for RatingsError {}
impl Remedied for RecordsError {}
impl Remedied for SpawnError {}

impl Remedied for RunError {
    fn remedy(&self) -> &'static str {
        match self {
            Self::Folder(error) => error.remedy(),
            Self::Bot(error) => error.remedy(),
            Self::Game(PoolError::Keep(_)) => GO_ON,
            _ => "",
        }
    }
}

impl Remedied for BotError {
    fn remedy(&self) -> &'static str {
        if let Self::Containment(error) = self { error.remedy() } else { "" }
    }
}

impl Remedied for FolderError {
    fn remedy(&self) -> &'static str {
        match self {
            Self::Exists(_) => {
                "; choose another folder, or resume the run in it with `referee resume`"
            }
            Self::Damaged { .. } => "; delete this line, and `referee resume` plays its game again",
            Self::Write(_) => GO_ON,
            _ => "",
        }
    }
}

impl Remedied for OpenError {
    fn remedy(&self) -> &'static str {
        match self {
            Self::NotALog(_) => "; remove it or choose another name for --log",
            Self::InUse(_) => "; choose another name for --log",
            _ => "",
        }
    }
}

impl Remedied for NoLogarithm {
    fn remedy(&self) -> &'static str {
        "; take --score points, ratio or rank"
    }
}

impl Remedied for Unavailable {
    fn remedy(&self) -> &'static str {
        match self {
            Self::Method { .. } => "; `referee doctor` shows what this host offers",
            _ => "",
        }
    }
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::Cancelled { by, .. } => {
                Self::Interrupted { signal: signal(by), kept: String::new() }
            }
            error => Self::of(error.at_fault(), error),
        }
    }
}
