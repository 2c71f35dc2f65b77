//! Adds results to a run, and makes the files of run folders.

use std::fs::TryLockError;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use fs_err as fs;
use fs_err::{File, OpenOptions};

use super::folder::{FolderError, RESULTS, RUN, Run, RunFolder};
use super::outcome::Outcome;

/// How long results may stay in memory of the system only.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A run that results are added to.
#[derive(Debug)]
pub struct RunWriter {
    /// Where it is, and what.
    pub folder: RunFolder,
    results: File,
    /// The length of the whole lines.
    length: u64,
    synced: Instant,
    line: Vec<u8>,
}

impl RunWriter {
    /// Makes a folder for a run.
    ///
    /// # Errors
    /// When there is something at `path`, or it cannot be made.
    pub fn create(path: &Path, run: Run) -> Result<Self, FolderError> {
        if !is_free(path) {
            return Err(FolderError::Exists(path.to_owned()));
        }
        fs::create_dir_all(path).map_err(FolderError::Make)?;
        let source = toml::to_string_pretty(&run).expect("a run can be written as TOML");
        write_whole(&path.join(RUN), source.as_bytes()).map_err(FolderError::Make)?;
        Self::lock(RunFolder { path: path.to_owned(), run })
    }

    /// Takes up a run; a last result that was cut short is cut off.
    ///
    /// # Errors
    /// When it is in use, or cannot be written.
    pub fn resume(folder: RunFolder) -> Result<Self, FolderError> {
        let mut writer = Self::lock(folder)?;
        writer.length = whole_lines(&mut writer.results).map_err(FolderError::Read)?;
        writer.results.set_len(writer.length).map_err(FolderError::Write)?;
        writer.results.seek(SeekFrom::End(0)).map_err(FolderError::Write)?;
        Ok(writer)
    }

    fn lock(folder: RunFolder) -> Result<Self, FolderError> {
        let path = folder.path.join(RESULTS);
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let results = open.map_err(FolderError::Make)?;
        match results.file().try_lock() {
            Err(TryLockError::WouldBlock) => return Err(FolderError::InUse(folder.path)),
            // A file system without locks still takes results.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        Ok(Self { folder, results, length: 0, synced: Instant::now(), line: Vec::new() })
    }

    /// Adds a result.
    ///
    /// # Errors
    /// When it cannot be written; what was written of it is cut off again.
    pub fn append(&mut self, outcome: &Outcome) -> Result<(), FolderError> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, outcome).expect("memory");
        self.line.push(b'\n');
        self.write_line().map_err(|error| {
            // If that fails too, the next reader leaves the torn line out all the same.
            let _ = self.results.set_len(self.length);
            FolderError::Write(error)
        })
    }

    fn write_line(&mut self) -> io::Result<()> {
        self.results.write_all(&self.line)?;
        self.length += self.line.len() as u64;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.results.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }

    /// Sees to it that all results are on the disk.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn finish(&self) -> Result<(), FolderError> {
        self.results.sync_data().map_err(FolderError::Write)
    }
}

/// The length of a file up to its last newline.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    const CHUNK: u64 = 1 << 16;
    let mut end = file.metadata()?.len();
    let mut chunk = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
        chunk.resize(usize::try_from(end - start).expect("a small chunk"), 0);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut chunk)?;
        if let Some(newline) = chunk.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + newline as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Whether a run can be made at `path`: there is nothing but what a kill may have left of a file that
/// was about to appear.
fn is_free(path: &Path) -> bool {
    let left_over = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name().as_encoded_bytes().starts_with(NEW.as_bytes()))
    };
    match fs::read_dir(path) {
        Ok(mut entries) => entries.all(left_over),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// What the name of a file starts with that is about to appear.
const NEW: &str = ".new-";

/// Writes a file that appears whole or not at all.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let name_path = |error: io::Error| {
        io::Error::new(error.kind(), format!("failed to write {}: {error}", path.display()))
    };
    let made = tempfile::Builder::new().prefix(NEW).tempfile_in(folder.unwrap_or(Path::new(".")));
    let mut file = made.map_err(name_path)?;
    file.write_all(content).map_err(name_path)?;
    file.as_file().sync_all().map_err(name_path)?;
    // A temporary file is the user's alone; this one is as readable as any other.
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(readable).map_err(name_path)?;
    file.persist(path).map_err(|error| name_path(error.error))?;
    Ok(())
}
