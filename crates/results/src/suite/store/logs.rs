//! The logs of single games in a run folder.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::RunFolder;
use crate::gamelog::{self, Log};

/// The folder of the logs.
pub(super) const GAMES: &str = "games";

/// Which games leave a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Logs {
    /// Every game.
    All,
    /// Lost games.
    #[default]
    Failed,
    /// No game.
    None,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Packing {
    /// Not packed.
    #[default]
    Plain,
    /// Packed with gzip.
    Gzip,
}

/// The path of a game's log, if it is packed.
pub fn packed_log(log: &Path) -> PathBuf {
    log.with_extension("jsonl.gz")
}

/// The files of a game, which any of its results names by its number in the plan.
impl RunFolder {
    /// The number in the names of a game's files. With several players, earlier referees took the first seat's result.
    fn number_of_files(&self, result: usize) -> usize {
        match self.run.plan.first_of_table(result) {
            first if self.run.names_games => (first - 1) / self.run.plan.players() + 1,
            first => first,
        }
    }

    /// The path of the log, if it is not packed.
    pub fn log_path(&self, result: usize) -> PathBuf {
        self.home_of(result).join(GAMES).join(format!("{:06}.jsonl", self.number_of_files(result)))
    }

    /// The log; `None` if it was not kept.
    ///
    /// # Errors
    /// When it exists and cannot be read; the error names it.
    pub fn kept_log(&self, result: usize) -> io::Result<Option<Log>> {
        let Some((path, text)) = self.unpacked_log(result)? else { return Ok(None) };
        gamelog::read(&text)
            .map(Some)
            .map_err(|error| io::Error::other(format!("{}:{error}", path.display())))
    }

    /// The lines of the log, unpacked; `None` if it was not kept.
    pub(in crate::suite) fn log_content(&self, result: usize) -> io::Result<Option<Vec<u8>>> {
        Ok(self.unpacked_log(result)?.map(|(_, text)| text))
    }

    fn unpacked_log(&self, result: usize) -> io::Result<Option<(PathBuf, Vec<u8>)>> {
        let plain = self.log_path(result);
        let packed = packed_log(&plain);
        // Only earlier versions wrote these; reading one fails with what to do.
        let zstd = plain.with_extension("jsonl.zst");
        let is_there = |path: &PathBuf| {
            // One that cannot be reached was not left out either: reading it says why.
            path.metadata()
                .map_or_else(|error| error.kind() != ErrorKind::NotFound, |it| it.is_file())
        };
        let Some(path) = [plain, packed, zstd].into_iter().find(is_there) else {
            return Ok(None);
        };
        let text = gamelog::unpacked(fs::read(&path)?);
        let text =
            text.map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        Ok(Some((path, text)))
    }
}
