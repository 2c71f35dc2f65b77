//! The commit of the user's repository that a run was started from.

use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

/// A commit, and whether tracked files differed from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its name, in full.
    pub commit: String,
    /// Whether tracked files had changes that were not committed.
    #[serde(default)]
    pub dirty: bool,
}

impl Commit {
    /// The commit that is checked out in the working directory. Git is asked once; `None` if there is no
    /// git, no repository, or no commit yet.
    ///
    /// Untracked files do not count as changes: the folder of the runs is often untracked.
    pub fn here() -> Option<Self> {
        let mut git = Command::new("git");
        git.args(["describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]);
        git.env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null());
        let output = git.output().ok().filter(|output| output.status.success())?;
        Self::described(std::str::from_utf8(&output.stdout).ok()?.trim_end())
    }

    /// Reads what `git describe` prints.
    fn described(text: &str) -> Option<Self> {
        let clean = text.strip_suffix("-dirty");
        let commit = clean.unwrap_or(text).to_owned();
        let is_name = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then_some(Self { commit, dirty: clean.is_some() })
    }

    /// The beginning of its name, with a `*` after it if there were changes.
    pub fn short(&self) -> String {
        let short: String = self.commit.chars().take(9).collect();
        format!("{short}{}", if self.dirty { "*" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_prints_is_a_commit_and_a_mark() {
        let commit = |text: &str| Commit::described(text).map(|commit| commit.short());
        assert_eq!(commit("0123456789abcdef").as_deref(), Some("012345678"));
        assert_eq!(commit("0123456789abcdef-dirty").as_deref(), Some("012345678*"));
        assert_eq!(commit(""), None);
        assert_eq!(commit("-dirty"), None);
        assert_eq!(commit("v1.0-3-gabcdef"), None);
    }
}
