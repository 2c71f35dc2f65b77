//! Adds results to a run, and makes the files of run folders.

use std::fs::TryLockError;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

use fs_err as fs;
use fs_err::{File, OpenOptions};
use tempfile::NamedTempFile;

use super::folder::{FolderError, PARTS, RESULTS, RUN, Run, RunFolder};
use super::outcome::Outcome;
use super::part::Part;

/// How long results may stay in memory of the system only.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// What the name of a file or a folder starts with that is about to appear.
pub(super) const NEW: &str = ".new-";

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
    /// The number of the part that results are added to.
    part: Option<u32>,
}

impl RunWriter {
    /// Makes a folder for a run. Of several that try at the same moment, one gets it.
    ///
    /// # Errors
    /// When there is something at `path`, or it cannot be made.
    pub fn create(path: &Path, run: Run) -> Result<Self, FolderError> {
        if !is_free(path) {
            return Err(FolderError::Exists(path.to_owned()));
        }
        fs::create_dir_all(path).map_err(FolderError::Make)?;
        let source = toml::to_string_pretty(&run).expect("a run can be written as TOML");
        match write_new(&path.join(RUN), source.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(FolderError::Exists(path.to_owned()))
            }
            made => {
                made.map_err(FolderError::Make)?;
                Self::lock(RunFolder::new(path.to_owned(), run))
            }
        }
    }

    /// Takes up a run, without the results of games that were not played and those that `is_dropped`
    /// picks. A last result that was cut short is cut off.
    ///
    /// # Errors
    /// When it is in use, damaged, or cannot be written.
    pub fn resume(
        folder: RunFolder,
        is_dropped: impl Fn(&Outcome) -> bool,
    ) -> Result<Self, FolderError> {
        let mut writer = Self::lock(folder)?;
        writer.length = whole_lines(&mut writer.results).map_err(FolderError::Read)?;
        writer.results.set_len(writer.length).map_err(FolderError::Write)?;
        writer.results.seek(SeekFrom::End(0)).map_err(FolderError::Write)?;
        let is_dropped = |outcome: &Outcome| !outcome.is_played() || is_dropped(outcome);
        let mut outcomes = writer.folder.outcomes()?;
        let drops = outcomes.try_fold(0, |count, outcome| {
            outcome.map(|outcome| count + usize::from(is_dropped(&outcome)))
        })?;
        if drops + outcomes.duplicates() > 0 {
            writer.drop_outcomes(is_dropped)?;
        }
        Ok(writer)
    }

    fn lock(folder: RunFolder) -> Result<Self, FolderError> {
        let path = folder.path.join(RESULTS);
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let results = open.map_err(FolderError::Make)?;
        lock_file(&results, &folder)?;
        // Whoever had the lock may have put another file in its place.
        let same =
            |a: std::fs::Metadata, b: std::fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        let now = fs::metadata(&path).and_then(|now| Ok(same(now, results.metadata()?)));
        if !now.map_err(FolderError::Read)? {
            return Err(FolderError::InUse(folder.path));
        }
        let (synced, line) = (Instant::now(), Vec::new());
        Ok(Self { folder, results, length: 0, synced, line, part: None })
    }

    /// Puts a file without some results in place of the old one. It is locked before it appears.
    fn drop_outcomes(&mut self, is_dropped: impl Fn(&Outcome) -> bool) -> Result<(), FolderError> {
        let path = self.folder.path.join(RESULTS);
        let mut new = new_file(&path).map_err(FolderError::Write)?;
        let mut outcomes = self.folder.outcomes()?;
        while let Some(outcome) = outcomes.next() {
            if !is_dropped(&outcome?) {
                new.write_all(outcomes.line()).map_err(FolderError::Write)?;
            }
        }
        new.as_file().sync_all().map_err(FolderError::Write)?;
        let file = new.reopen().map_err(FolderError::Write)?;
        let mut results = File::from_parts(file, &path);
        lock_file(&results, &self.folder)?;
        new.persist(&path).map_err(|error| FolderError::Write(error.error))?;
        self.length = results.seek(SeekFrom::End(0)).map_err(FolderError::Write)?;
        self.results = results;
        Ok(())
    }

    /// Begins a part of the run: the games that are played here and now.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin_part(&mut self, part: Part) -> Result<(), FolderError> {
        let number = self.folder.parts()?.last().map_or(1, |last| last.part + 1);
        self.add_part(&Part { part: number, ..part })?;
        self.part = Some(number);
        Ok(())
    }

    /// Adds a part under its own number.
    pub(super) fn add_part(&self, part: &Part) -> Result<(), FolderError> {
        let mut line = serde_json::to_vec(part).expect("memory");
        line.push(b'\n');
        let path = self.folder.path.join(PARTS);
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(&line)).map_err(FolderError::Write)
    }

    /// Adds a result to the part that was begun last; before any part was begun, the result keeps its own.
    ///
    /// # Errors
    /// When it cannot be written; what was written of it is cut off again.
    pub fn append(&mut self, outcome: &Outcome) -> Result<(), FolderError> {
        let outcome = Outcome { part: self.part.or(outcome.part), ..outcome.clone() };
        self.line.clear();
        serde_json::to_writer(&mut self.line, &outcome).expect("memory");
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

    /// Syncs all results to the disk.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn finish(&self) -> Result<(), FolderError> {
        self.results.sync_data().map_err(FolderError::Write)
    }
}

/// Locks the results of a run; the kernel unlocks them when this process ends.
fn lock_file(results: &File, folder: &RunFolder) -> Result<(), FolderError> {
    match results.file().try_lock() {
        Err(TryLockError::WouldBlock) => Err(FolderError::InUse(folder.path.clone())),
        Err(TryLockError::Error(error)) => {
            let path = folder.path.display();
            log::warn!(
                "{path} cannot be locked ({error}); see to it that no other process plays this run"
            );
            Ok(())
        }
        Ok(()) => Ok(()),
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
pub(super) fn is_free(path: &Path) -> bool {
    let left_over = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name().as_encoded_bytes().starts_with(NEW.as_bytes()))
    };
    match fs::read_dir(path) {
        Ok(mut entries) => entries.all(left_over),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// The folder that something is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// A file beside `path` that is to take its place.
fn new_file(path: &Path) -> io::Result<NamedTempFile> {
    let file = tempfile::Builder::new().prefix(NEW).tempfile_in(folder_of(path))?;
    // A temporary file is the user's alone; this one is as readable as any other.
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    Ok(file)
}

fn written(path: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = new_file(path)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn naming(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| {
        io::Error::new(error.kind(), format!("failed to write {}: {error}", path.display()))
    }
}

/// Writes a file that appears whole or not at all.
pub(super) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let file = written(path, content).map_err(naming(path))?;
    file.persist(path).map(drop).map_err(|error| naming(path)(error.error))
}

/// The same for a file that must not be there yet.
fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    let file = written(path, content).map_err(naming(path))?;
    file.persist_noclobber(path).map(drop).map_err(|error| naming(path)(error.error))
}
