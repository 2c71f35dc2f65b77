//! The logs of single games in a run folder.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::gamelog::{self, Log};

/// The folder of the bundles.
pub const BUNDLES: &str = "failures";

/// Which games leave a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Logs {
    /// Every game.
    All,
    /// Lost games, each with a bundle to examine it.
    #[default]
    Failed,
    /// Neither logs nor bundles.
    None,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// Not packed.
    #[default]
    Plain,
    /// Packed with gzip.
    Gzip,
}

/// The path of a game's log, if it is not packed.
pub fn log_path(folder: &Path, game: usize) -> PathBuf {
    folder.join("games").join(format!("{game:06}.jsonl"))
}

/// The folder with what is needed to examine a lost game, if it was kept.
pub fn bundle_path(folder: &Path, game: usize) -> PathBuf {
    folder.join(BUNDLES).join(format!("{game:06}"))
}

/// The path of a game's log, if it is packed.
pub fn packed_log(log: &Path) -> PathBuf {
    log.with_extension("jsonl.gz")
}

/// The log of a game in a run folder; `None` if it was not kept.
///
/// # Errors
/// When it exists and cannot be read; the error names it.
pub fn kept_log(folder: &Path, game: usize) -> io::Result<Option<Log>> {
    let Some((path, text)) = unpacked_log(folder, game)? else { return Ok(None) };
    gamelog::read(&text)
        .map(Some)
        .map_err(|error| io::Error::other(format!("{}:{error}", path.display())))
}

/// The lines of the log of a game in a run folder, unpacked; `None` if it was not kept.
pub(in crate::suite) fn log_content(folder: &Path, game: usize) -> io::Result<Option<Vec<u8>>> {
    Ok(unpacked_log(folder, game)?.map(|(_, text)| text))
}

fn unpacked_log(folder: &Path, game: usize) -> io::Result<Option<(PathBuf, Vec<u8>)>> {
    let plain = log_path(folder, game);
    let packed = packed_log(&plain);
    // Only earlier versions wrote these; reading one fails with what to do.
    let zstd = plain.with_extension("jsonl.zst");
    let is_there = |path: &PathBuf| {
        // One that cannot be reached was not left out either: reading it says why.
        path.metadata().map_or_else(|error| error.kind() != ErrorKind::NotFound, |it| it.is_file())
    };
    let Some(path) = [plain, packed, zstd].into_iter().find(is_there) else {
        return Ok(None);
    };
    let text = gamelog::unpacked(fs::read(&path)?);
    let text = text.map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    Ok(Some((path, text)))
}
