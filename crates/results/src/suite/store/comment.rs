//! The user's comment on a run: `comment.txt` in its folder, replaced whole or not at all.

use std::io;

use fs_err as fs;

use super::folder::{FolderError, RunFolder};
use crate::suite::files::{read_regular, write_whole};

const COMMENT: &str = "comment.txt";

impl RunFolder {
    /// The comment; `None` if there is none, or it cannot be read.
    pub fn comment(&self) -> Option<String> {
        comment_in(&self.path)
    }

    /// Replaces the comment; an empty one removes it.
    ///
    /// # Errors
    /// When it cannot be written; the earlier one is still there then.
    pub fn set_comment(&self, comment: &str) -> Result<(), FolderError> {
        let path = self.path.join(COMMENT);
        let comment = comment.trim();
        let written = if comment.is_empty() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            }
        } else {
            write_whole(&path, format!("{comment}\n").as_bytes())
        };
        written.map_err(FolderError::Comment)
    }
}

pub(super) fn comment_in(folder: &std::path::Path) -> Option<String> {
    let text = read_regular(&folder.join(COMMENT)).ok()?;
    let text = String::from_utf8_lossy(&text).trim().to_owned();
    (!text.is_empty()).then_some(text)
}
