//! A bot of a plan.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A bot, with everything that identifies it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedBot {
    /// The user's name for it.
    pub name: String,
    /// Its command line, word by word, as the user gave it.
    pub command: Vec<String>,
    /// Its working directory, if it is not the referee's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment variables that are set for it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The values of `--param` for it, by name; its command or environment has them as well.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
    /// The extra paths that it may read in a sandbox, if it runs in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Vec<PathBuf>>,
    /// Whether it only sits against the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pool: bool,
    /// The digests of the program and of files that its arguments name, by the word of the command.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

impl PlannedBot {
    /// A bot with this name and command line.
    pub fn new<const N: usize>(name: &str, command: [&str; N]) -> Self {
        let command = command.map(str::to_owned).into();
        Self { name: name.to_owned(), command, ..Self::default() }
    }

    /// How `other` differs, as a clause.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let name = &self.name;
        let other_than = |(file, digest): (&String, &String)| match other.files.get(file) {
            None => Some(format!("the bot `{name}` is incomplete: {file} is missing")),
            Some(other) => (other != digest)
                .then(|| format!("the bot `{name}` has changed: {file} is not the same")),
        };
        let new = |file: &&String| !self.files.contains_key(*file);
        self.files
            .iter()
            .find_map(other_than)
            .or_else(|| {
                let file = other.files.keys().find(new)?;
                Some(format!("the bot `{name}` has changed: {file} was not there"))
            })
            .or_else(|| (self != other).then(|| format!("the bot `{name}` is started differently")))
    }
}
