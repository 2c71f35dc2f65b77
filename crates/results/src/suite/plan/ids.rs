//! The ids of a board: digests of its content, which do not depend on its name.

use serde::{Deserialize, Serialize};

use crate::digest::digest;
use rules::game::TestCase;
use rules::game::judge::JudgeProgram;

/// The digest of a test case: equal for the same board in any file format.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoardId(Box<str>);

/// The digest of a board's [record key](TestCase::record_key): equal for boards that share their
/// records, such as the same `SameGame` board in other colours.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordId(Box<str>);

impl BoardId {
    /// The digest of the test case as the game writes it.
    pub fn of(case: &TestCase) -> Self {
        Self(digest(case.text.as_bytes()).into())
    }
}

impl RecordId {
    /// The id under which a test case's records are kept. Scores of another judge are of another game.
    pub fn of(case: &TestCase, judge: Option<&JudgeProgram>) -> Self {
        let judge = judge.map(JudgeProgram::deciding);
        let judge = judge.map(|judge| serde_json::to_string(&judge).expect("plain data"));
        let key = format!("{}{}", case.record_key, judge.unwrap_or_default());
        Self(digest(key.as_bytes()).into())
    }

    #[cfg(test)]
    pub(crate) fn named(name: &str) -> Self {
        Self(name.into())
    }
}
