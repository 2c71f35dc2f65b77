//! The commit of the user's repository that a run was started from.

use serde::{Deserialize, Serialize};

/// A commit, and whether tracked files differed from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its name, in full.
    pub commit: String,
    /// Whether tracked files had changes that were not committed; `None` if that is not known, as in runs with a sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty: Option<bool>,
}

impl Commit {
    /// The beginning of its name, with a `*` after it if there were changes.
    pub fn short(&self) -> String {
        let short: String = self.commit.chars().take(9).collect();
        if self.dirty == Some(true) { short + "*" } else { short }
    }
}
