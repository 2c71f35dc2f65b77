//! The ids of a board: digests of its content, which do not depend on its name.

use serde::{Deserialize, Serialize};

use crate::digest::digest;
use rules::game::Game;

/// The digest of a test case: equal for the same board in any file format.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoardId(String);

/// The digest of a board's [record key](Game::record_key): equal for boards that share their
/// records, such as the same `SameGame` board in other colours.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordId(String);

impl BoardId {
    /// The id of a game's board.
    pub fn of(game: &dyn Game) -> Self {
        Self(digest(game.test_case().as_bytes()))
    }
}

impl RecordId {
    /// The id under which a game's records are kept.
    pub fn of(game: &dyn Game) -> Self {
        Self(digest(game.record_key().as_bytes()))
    }

    #[cfg(test)]
    pub(crate) fn named(name: &str) -> Self {
        Self(name.to_string())
    }
}
