//! Adds results to a run, and makes the files of run folders.

use std::fs::TryLockError;
use std::io::{self, BufRead as _, BufReader, Seek as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use fs_err as fs;
use fs_err::{File, OpenOptions};

use super::folder::{FolderError, RESULTS, RUN, Run, RunFolder, SESSIONS};
use super::outcomes::sessions_in;
use super::session::Session;
use crate::cut::cut;
use crate::suite::files::{
    NEW, json_line, naming, new_file, put_in_place, put_new, read_regular, sweep, written,
};
use crate::suite::outcome::Outcome;
use terms::system::lock_beside;

/// The longest time before results are synced to the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A run whose results are being written.
#[derive(Debug)]
pub struct RunWriter {
    /// The run that gets the results.
    pub folder: RunFolder,
    results: File,
    /// The file that is locked.
    _lock: File,
    /// The length of the whole lines.
    length: u64,
    synced: Instant,
    lines: Vec<u8>,
    /// The number of the session that results are added to.
    session: Option<u32>,
}

impl RunFolder {
    /// Makes a folder for a run. Of several processes that try at the same moment, one gets it.
    ///
    /// # Errors
    /// When `path` exists, or cannot be made, or the run names a path that is not UTF-8.
    pub fn create(path: &Path, run: Run) -> Result<Self, FolderError> {
        if let Some(odd) = run.not_utf8().or(Some(path).filter(|path| path.to_str().is_none())) {
            return Err(FolderError::NotUtf8(odd.to_owned()));
        }
        if !is_free(path) {
            return Err(FolderError::Exists(path.to_owned()));
        }
        fs::create_dir_all(path).map_err(FolderError::Make)?;
        let source = toml::to_string_pretty(&run).expect("its paths are UTF-8");
        match write_new(&path.join(RUN), source.as_bytes()) {
            // The first process may also have swept away what this one was writing.
            Err(_) if path.join(RUN).exists() => Err(FolderError::Exists(path.to_owned())),
            made => {
                made.map_err(FolderError::Make)?;
                Ok(Self::new(path.to_owned(), run, source.as_bytes()))
            }
        }
    }

    /// Checks that the run is still where it was opened.
    fn check_unmoved(&self) -> Result<(), FolderError> {
        if read_regular(&self.path.join(RUN)).is_ok_and(|now| *now == *self.source) {
            Ok(())
        } else {
            Err(FolderError::Gone(self.path.clone()))
        }
    }

    /// Opens the file whose lock is the run's: `run.toml`, which is never replaced, or a file next to it.
    fn open_lock(&self) -> io::Result<File> {
        let run = self.path.join(RUN);
        match lock_beside(&run) {
            Some(beside) => open_to_add(&beside),
            None => OpenOptions::new().read(true).append(true).open(run),
        }
    }

    /// Why a file of the run cannot be opened.
    fn cannot_open(&self, error: io::Error) -> FolderError {
        self.check_unmoved().err().unwrap_or(FolderError::Open(error))
    }
}

impl RunWriter {
    /// Makes a folder for a run, and begins to play it. Of several processes that try at the same moment, one gets it.
    ///
    /// # Errors
    /// When `path` exists, or cannot be made.
    pub fn create(path: &Path, run: Run) -> Result<Self, FolderError> {
        Self::lock(RunFolder::create(path, run)?)
    }

    /// Resumes a run, without the results of games that were not played and those that `is_dropped`
    /// picks. A last result that was cut short is cut off. If the [run](super::Run::plays_delayed_again) plays games again that the
    /// host's delays ended, their results go too. The results of all seats of a game go together, also if a kill has left only some of
    /// them.
    ///
    /// # Errors
    /// When it is in use, damaged, or cannot be written, or has been moved since it was opened.
    pub fn resume(
        folder: RunFolder,
        is_dropped: impl Fn(&Outcome) -> bool,
    ) -> Result<Self, FolderError> {
        let mut writer = Self::lock(folder)?;
        sweep(&writer.folder.path, NEW);
        writer.length = cut_tail(&mut writer.results).map_err(FolderError::Write)?;
        let plays_delayed = writer.folder.run.plays_delayed_again();
        let is_dropped = |outcome: &Outcome| {
            let is_delayed = || plays_delayed && outcome.is_lost_by_host();
            !outcome.is_played() || is_dropped(outcome) || is_delayed()
        };
        let torn = writer.folder.torn_tables(is_dropped)?;
        let is_dropped = |outcome: &Outcome| {
            is_dropped(outcome) || torn.as_ref().is_some_and(|torn| torn.has(outcome.table()))
        };
        let mut outcomes = writer.folder.outcomes()?;
        let drops = outcomes.try_fold(0, |count, outcome| {
            outcome.map(|outcome| count + usize::from(is_dropped(&outcome)))
        })?;
        if drops > 0 || outcomes.duplicates() > 0 {
            writer.drop_outcomes(is_dropped)?;
        }
        Ok(writer)
    }

    fn lock(folder: RunFolder) -> Result<Self, FolderError> {
        folder.check_unmoved()?;
        let lock = folder.open_lock().map_err(|error| folder.cannot_open(error))?;
        lock_file(&lock, &folder)?;
        let results = open_to_add(&folder.path.join(RESULTS));
        let results = results.map_err(|error| folder.cannot_open(error))?;
        // The process that had the lock may have moved the run.
        folder.check_unmoved()?;
        Ok(Self {
            folder,
            results,
            _lock: lock,
            length: 0,
            synced: Instant::now(),
            lines: Vec::new(),
            session: None,
        })
    }

    /// Replaces the file by one without some results.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn drop_outcomes(
        &mut self,
        is_dropped: impl Fn(&Outcome) -> bool,
    ) -> Result<(), FolderError> {
        let path = self.folder.path.join(RESULTS);
        let mut new = new_file(&path, NEW).map_err(FolderError::Write)?;
        let mut outcomes = self.folder.outcomes()?;
        while let Some(outcome) = outcomes.next() {
            if !is_dropped(&outcome?) {
                new.write_all(outcomes.line()).map_err(FolderError::Write)?;
            }
        }
        new.as_file().sync_all().map_err(FolderError::Write)?;
        let open = std::fs::OpenOptions::new().read(true).append(true).open(new.path());
        self.results = File::from_parts(open.map_err(FolderError::Write)?, &path);
        self.length = self.results.metadata().map_err(FolderError::Write)?.len();
        // On Windows an open file cannot be replaced.
        drop(outcomes);
        put_in_place(new, &path).map_err(FolderError::Write)
    }

    /// Begins a session of the run: the games that this process plays.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin_session(&mut self, session: Session) -> Result<(), FolderError> {
        let number = sessions_in(&self.folder.path)?.last().map_or(1, |last| last.number + 1);
        let line = json_line(&Session { number, ..session });
        let path = self.folder.path.join(SESSIONS);
        let mut file = open_to_add(&path).map_err(FolderError::Write)?;
        let length = cut_tail(&mut file).map_err(FolderError::Write)?;
        file.write_all(&line).map_err(|error| {
            take_back(&file, length);
            FolderError::Write(error)
        })?;
        self.session = Some(number);
        Ok(())
    }

    /// Adds the result of a game to the session that was begun last: one line, or one for each seat, in one write.
    ///
    /// # Errors
    /// When it cannot be written, in which case a partial line is cut off again, or when the run's folder was
    /// removed or renamed.
    pub fn append(&mut self, seats: &[Outcome]) -> Result<(), FolderError> {
        // Results that were moved are missing here.
        let there = fs::metadata(self.results.path());
        if !there.is_ok_and(|there| there.len() >= self.length) {
            self.folder.check_unmoved()?;
            return Err(FolderError::Gone(self.folder.path.clone()));
        }
        let line = |seat: &Outcome| json_line(&Outcome { session: self.session, ..seat.clone() });
        self.lines = seats.iter().flat_map(line).collect();
        self.write_lines().map_err(|error| {
            take_back(&self.results, self.length);
            FolderError::Write(error)
        })
    }

    fn write_lines(&mut self) -> io::Result<()> {
        self.results.write_all(&self.lines)?;
        self.length += self.lines.len() as u64;
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

/// Opens a file to add lines to it, and makes it if it is missing.
fn open_to_add(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

/// Cuts off what a failed write has left.
fn take_back(file: &File, length: u64) {
    // If that fails too, readers still leave the torn line out.
    let _ = cut(file.file(), file.path(), length);
}

/// Locks a run; the kernel unlocks it when this process ends. Where files cannot be locked, it goes on without.
fn lock_file(lock: &File, folder: &RunFolder) -> Result<(), FolderError> {
    match lock.file().try_lock() {
        Err(TryLockError::WouldBlock) => return Err(FolderError::InUse(folder.path.clone())),
        Err(TryLockError::Error(error)) => log::warn!(
            "{} cannot be locked ({error}): no other process may play the same run at the same time",
            folder.path.display()
        ),
        Ok(()) => {}
    }
    Ok(())
}

/// Cuts off a last line that is not whole, and returns the length of the others.
fn cut_tail(file: &mut File) -> io::Result<u64> {
    let length = whole_lines(file)?;
    if length < file.metadata()?.len() {
        cut(file.file(), file.path(), length)?;
    }
    Ok(length)
}

/// The length of a file up to its last newline.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    file.rewind()?;
    let (mut lines, mut line, mut length) = (BufReader::new(file), Vec::new(), 0);
    loop {
        line.clear();
        lines.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Ok(length);
        }
        length += line.len() as u64;
    }
}

/// Whether a run can be made at `path`: it has only unfinished files that a kill may have left.
fn is_free(path: &Path) -> bool {
    let left_over = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name().as_encoded_bytes().starts_with(NEW.as_bytes()))
    };
    match fs::read_dir(path) {
        Ok(mut entries) => entries.all(left_over),
        // If it cannot be made either, that says why.
        Err(_) => !path.exists(),
    }
}

/// Writes a file that must not exist yet; it appears whole or not at all.
fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    written(path, NEW, content).and_then(|file| put_new(file, path)).map_err(naming(path))
}

#[cfg(test)]
mod tests {
    use std::slice;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::suite::plan::test_plan;

    fn new_run(path: &Path) -> RunWriter {
        RunWriter::create(path, Run::new(test_plan(3), None)).expect("a run")
    }

    #[test]
    fn a_run_that_was_moved_since_it_was_opened_is_not_made_again() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("run");
        let folder = RunFolder::create(&path, Run::new(test_plan(3), None)).expect("a run");
        fs::rename(&path, place.path().join("moved")).expect("renamed");
        let resumed = RunWriter::resume(folder.clone(), |_| false);
        assert!(matches!(resumed, Err(FolderError::Gone(_))), "{resumed:?}");
        assert!(!path.exists());
        // Nor is anything added to a folder that has other files by now, or another run of the same plan.
        fs::create_dir(&path).expect("made");
        let resumed = RunWriter::resume(folder.clone(), |_| false);
        assert!(matches!(resumed, Err(FolderError::Gone(_))), "{resumed:?}");
        assert_eq!(fs::read_dir(&path).expect("a folder").count(), 0);
        let run = Run::new(folder.run.plan.clone(), None);
        RunFolder::create(&path, run).expect("another run");
        let resumed = RunWriter::resume(folder, |_| false);
        assert!(matches!(resumed, Err(FolderError::Gone(_))), "{resumed:?}");
        assert_eq!(fs::read_dir(&path).expect("a folder").count(), 1);
    }

    #[test]
    fn shards_of_one_plan_are_joined_and_others_are_refused() {
        let place = tempfile::tempdir().expect("a folder");
        let shard = |name: &str, shard: &str, boards| {
            let shard = Some(shard.parse().expect("a shard"));
            let run = Run { shard, ..Run::new(test_plan(boards), None) };
            RunFolder::create(&place.path().join(name), run).expect("a run")
        };
        let [one, other, again] =
            [("1", "1/2"), ("2", "2/2"), ("2b", "2/2")].map(|(name, it)| shard(name, it, 3));
        let joined = RunFolder::joined(vec![other.clone(), one.clone()]).expect("one plan");
        assert_eq!((joined.len(), joined[0].planned()), (1, 3));
        assert_eq!(joined[0].schedule().count(), 3);
        assert!(joined[0].missing_shards().is_empty());
        let lone = RunFolder::joined(vec![one.clone()]).expect("a run");
        assert_eq!((lone[0].planned(), lone[0].missing_shards().len()), (2, 1));
        let twice = RunFolder::joined(vec![other, again]);
        assert!(matches!(twice, Err(FolderError::SameShard { .. })), "{twice:?}");
        let apart = RunFolder::joined(vec![one, shard("4", "2/2", 4)]);
        let apart = apart.expect_err("another plan").to_string();
        assert!(
            apart.ends_with("shards of different plans: it has seeds 1..3, not seeds 1..4"),
            "{apart}"
        );
    }

    #[test]
    fn a_run_stays_locked_while_outcomes_are_dropped() {
        let place = tempfile::tempdir().expect("a folder");
        let mut writer = new_run(&place.path().join("run"));
        let folder = writer.folder.clone();
        let is_over = AtomicBool::new(false);
        let locked = thread::scope(|scope| {
            let other = scope.spawn(|| {
                let mut tries = (0..).map(|_| RunWriter::lock(folder.clone()));
                tries.find(|lock| lock.is_ok() || is_over.load(Ordering::Relaxed))
            });
            let dropped = (0..300).try_for_each(|_| writer.drop_outcomes(|_| true));
            is_over.store(true, Ordering::Relaxed);
            dropped.expect("it can be written");
            other.join().expect("no panic").expect("a last try")
        });
        assert!(matches!(locked, Err(FolderError::InUse(_))), "{locked:?}");
    }

    #[test]
    fn no_result_is_added_to_a_run_that_was_moved() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("run");
        let mut writer = new_run(&path);
        let json = r#"{"game":1,"bot":"b","board":"x","board_id":"","record_id":"","repeat":1,
            "verdict":"completed","won":true,"score":1,"counts":true,"official":"","turns":1}"#;
        let outcome: Outcome = serde_json::from_str(json).expect("an outcome");
        writer.append(slice::from_ref(&outcome)).expect("in place");
        fs::rename(&path, place.path().join("moved")).expect("renamed");
        let added = writer.append(slice::from_ref(&outcome));
        assert!(matches!(added, Err(FolderError::Gone(_))), "{added:?}");
        // Others may play a run of the same name by now.
        drop(new_run(&path));
        let added = writer.append(slice::from_ref(&outcome));
        assert!(matches!(added, Err(FolderError::Gone(_))), "{added:?}");
        let moved = fs::read_to_string(place.path().join("moved").join(RESULTS)).expect("results");
        assert_eq!(moved.lines().count(), 1);
    }
}
