//! The table of games: the only list of games in the program.

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use super::kind::GameKind;
use super::{samegame, square_remover};

/// The games that come with the referee; the first one is the default.
pub static GAMES: LazyLock<[Arc<GameKind>; 2]> =
    LazyLock::new(|| [samegame::kind().into(), square_remover::kind().into()]);

/// The games that a program has added.
static REGISTERED: RwLock<Vec<Arc<GameKind>>> = RwLock::new(Vec::new());

/// All games: those that come with the referee, then those that were [registered](register).
pub fn games() -> Vec<Arc<GameKind>> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    GAMES.iter().chain(registered.iter()).cloned().collect()
}

/// Adds a game to the table for as long as the program runs. Logs, run folders, settings and `--game`
/// then accept its name. Registering the same row twice changes nothing.
///
/// # Errors
/// When the table has another game of that name.
pub fn register(kind: impl Into<Arc<GameKind>>) -> Result<(), NameTaken> {
    let kind = kind.into();
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let mut others = GAMES.iter().chain(registered.iter());
    match others.find(|other| other.name == kind.name) {
        Some(other) if Arc::ptr_eq(other, &kind) => Ok(()),
        Some(_) => Err(NameTaken(kind.name.clone())),
        None => {
            registered.push(kind);
            Ok(())
        }
    }
}

/// Another game has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is another game `{0}`; give yours another name")]
pub struct NameTaken(String);

impl GameKind {
    /// The game called `name`.
    pub fn named(name: &str) -> Option<Arc<Self>> {
        games().into_iter().find(|kind| kind.name == name)
    }
}

/// No game has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no game `{name}`; the games are: {}", known.join(", "))]
#[non_exhaustive]
pub struct UnknownGame {
    /// The name that no game has.
    pub name: String,
    /// The names that games have.
    pub known: Vec<String>,
}

impl UnknownGame {
    /// The error for a name that no game of the table has.
    pub fn new(name: impl Into<String>) -> Self {
        let known = games().into_iter().map(|kind| kind.name.clone()).collect();
        Self { name: name.into(), known }
    }
}
