//! The sandbox of a bot, which only Linux can enforce: there is none elsewhere.

use std::path::{Path, PathBuf};

/// A sandbox that this host can enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sandbox {}

impl Sandbox {
    /// Withholds files and folders.
    #[must_use]
    pub fn withhold(self, _paths: impl IntoIterator<Item = PathBuf>) -> Self {
        match self {}
    }

    /// Withholds folders that contain a file of one of these names.
    #[must_use]
    pub fn withhold_marked(self, _names: impl IntoIterator<Item = &'static str>) -> Self {
        match self {}
    }

    /// Shows files as if the command named them.
    #[must_use]
    pub fn naming<'a>(self, _files: impl IntoIterator<Item = &'a Path>) -> Self {
        match self {}
    }

    /// Shows links to what the bot sees elsewhere.
    #[must_use]
    pub fn linking(self, _folders: impl IntoIterator<Item = (PathBuf, PathBuf)>) -> Self {
        match self {}
    }

    /// Whether `path` is among the paths that only this bot may read.
    pub fn has(&self, _path: &Path) -> bool {
        match *self {}
    }
}
