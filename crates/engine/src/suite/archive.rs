//! The logs of a run's games.

use std::io::{self, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use fs_err as fs;

use super::game::Finished;
use results::gamelog::{self, Log, drawings, outputs};
use results::suite::{Logs, Outcome, Packing, RunFolder, make_folder, packed_log};

/// Keeps games in a run folder.
pub(super) struct Archive<'a> {
    pub(super) folder: &'a RunFolder,
    /// The most bytes of a log, if it is limited.
    pub(super) log_size: Option<u64>,
    /// Which games are kept.
    pub(super) logs: Logs,
    /// How.
    pub(super) packing: Packing,
    /// The folder for what the bots write, if it is kept.
    pub(super) outputs: Option<&'a Path>,
    /// Whether no two results have a board's name, so that files need no more.
    pub(super) is_named_by_board: bool,
}

impl Archive<'_> {
    /// Keeps a game as the settings say; a game that was never started leaves nothing. What an earlier try of the game has
    /// left, which has no result any more, goes.
    pub(super) fn keep(&self, finished: &Finished) -> io::Result<()> {
        let outcome = &finished.outcomes[0];
        self.keep_outputs(finished, outcome)?;
        let has_failed = finished.outcomes.iter().any(|outcome| !outcome.won);
        let leaves_log = match self.logs {
            Logs::None => false,
            Logs::Failed => has_failed,
            Logs::All => true,
        };
        let path = self.folder.log_path(outcome.game);
        let packed = packed_log(&path);
        if !leaves_log || finished.events.is_empty() {
            drawings::keep(&path, &[])?;
            return [path, packed].iter().try_for_each(|log| remove_if_there(log));
        }
        let log = gamelog::log_of(&finished.events, &path, self.log_size)?;
        make_folder(path.parent().unwrap_or(&self.folder.path))?;
        drawings::keep(&path, finished.drawings())?;
        match self.packing {
            Packing::Plain => {
                remove_if_there(&packed)?;
                fs::write(path, log)
            }
            Packing::Gzip => {
                remove_if_there(&path)?;
                fs::write(packed, gzip(&log)?)
            }
        }
    }

    /// Keeps what the bots wrote. The game's number tells several games of a board apart.
    fn keep_outputs(&self, finished: &Finished, outcome: &Outcome) -> io::Result<()> {
        let Some(folder) = self.outputs else { return Ok(()) };
        let mut log = None;
        finished.events.iter().for_each(|event| Log::record(&mut log, event.clone()));
        let names = self.folder.run.plan.output_names(outcome.game, self.is_named_by_board);
        log.map_or(Ok(()), |log| outputs::keep(folder, &names, &log))
    }
}

fn gzip(log: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(log)?;
    packer.finish()
}

fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
