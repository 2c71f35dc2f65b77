//! A run on a cluster: which parts are due, their waves, the jobs that merge, and the wait for the games.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Instant;

use super::programs::{self, Job, Queued, SlurmError};
use super::queue::{INTERVAL, POLLING_SHARE, Queue, own_user};
use super::submissions::{Note, SubmissionLock, Submissions};
use super::tasks::{SCRIPT, merge_options};
use contain::cancel::{Cancelled, Canceller};
use results::compare::{Decider, has_needed_games};
use results::suite::{FolderError, RunFolder, make_folder};

/// A run that may be decided early is submitted in this number of waves of parts, and checked after each.
const WAVES: usize = 10;

/// Polls in a row without a task in the queue or a new result, after which missing games are given up. Results may
/// take a while to appear on a shared file system.
const POLLS_WITHOUT_TASKS: u32 = 5;

/// A run in parts that a cluster plays.
#[derive(Debug)]
pub struct ClusterRun<'a> {
    folder: &'a RunFolder,
    /// The absolute path of the run folder.
    path: PathBuf,
    submissions: Submissions,
}

/// Jobs that were submitted together.
#[derive(Debug)]
pub struct Submitted {
    /// The parts that these jobs play, by number from 1.
    pub parts: Vec<u32>,
    /// The jobs that play them, and those that merge them.
    pub jobs: Vec<u64>,
}

/// Why parts were not submitted, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// The cluster refuses.
    #[error(transparent)]
    Slurm(#[from] SlurmError),
    /// The list of submitted jobs could not be kept in the run folder.
    #[error(transparent)]
    Keep(#[from] io::Error),
}

/// How the wait for a run has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// All needed games have been played.
    Complete,
    /// Games are missing, and the queue has no task of the run.
    NothingComes,
    /// A signal asked to stop.
    Cancelled(Cancelled),
}

impl<'a> ClusterRun<'a> {
    /// A run, with the jobs that have been submitted so far.
    pub fn of(folder: &'a RunFolder) -> Self {
        // Without a working directory, no absolute path is known.
        let path = std::path::absolute(&folder.path).unwrap_or_else(|_| folder.path.clone());
        Self { folder, path, submissions: Submissions::of(&folder.path) }
    }

    /// Whether nothing was submitted so far.
    pub fn is_new(&self) -> bool {
        self.submissions.is_empty()
    }

    /// The limit on concurrent tasks of the last submission.
    pub fn max_tasks(&self) -> Option<NonZeroU32> {
        self.submissions.max_tasks()
    }

    fn script(&self) -> PathBuf {
        self.path.join(SCRIPT)
    }

    /// Waits until no other process submits jobs of this run, so that none is submitted twice.
    ///
    /// # Errors
    /// When the list of submitted jobs cannot be kept in the run folder.
    pub fn lock(&self) -> io::Result<SubmissionLock> {
        self.submissions.lock()
    }

    fn watched(&self) -> Queue {
        Queue::of(self.submissions.clone(), self.script())
    }

    /// The tasks and jobs of this run that are in the queue, whichever user submitted them.
    ///
    /// # Errors
    /// When the cluster cannot be asked. If nothing was submitted it is not asked.
    pub fn queue(&self) -> Result<Vec<Queued>, SlurmError> {
        self.watched().read()
    }

    /// Cancels these jobs of this run, except the current one and other users' jobs, whose number is returned.
    ///
    /// # Errors
    /// When the cluster cannot be asked, or refuses.
    pub fn cancel(&self, queue: &[Queued]) -> Result<usize, SlurmError> {
        let current = std::env::var("SLURM_JOB_ID").ok().and_then(|job| job.parse().ok());
        let numbers = |is_own: bool| -> BTreeSet<u64> {
            let jobs = queue.iter().filter(|job| (job.user == own_user()) == is_own);
            jobs.map(|job| job.job).filter(|job| Some(*job) != current).collect()
        };
        programs::cancel(&numbers(true))?;
        Ok(numbers(false).len())
    }

    /// Submits the parts that are missing and not in the `queue`, and a job that merges all. Arrays have at most
    /// `array` tasks; if a run may be decided early, parts come in waves with a merging job after each. At most
    /// `max_tasks` run at a time. If no part is due, only the job that merges is submitted.
    ///
    /// # Errors
    /// When the cluster refuses; jobs that were submitted before stay in the queue.
    pub fn submit(
        &self,
        lock: &SubmissionLock,
        due: Vec<u32>,
        queue: &[Queued],
        array: u32,
        max_tasks: Option<NonZeroU32>,
    ) -> Result<Submitted, SubmitError> {
        make_folder(&self.folder.path.join("parts"))?;
        let (tasks, merging): (Vec<Queued>, Vec<Queued>) =
            queue.iter().cloned().partition(|job| job.part().is_some());
        self.cancel(&merging)?;
        lock.note(Note::Begun { user: own_user(), max_tasks })?;
        let mut submission = Submission {
            run: self,
            lock,
            array,
            max_tasks,
            playing: tasks
                .iter()
                .map(|task| task.job)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            jobs: Vec::new(),
        };
        let waves = if self.folder.run.against.is_some() { WAVES } else { 1 };
        for wave in due.chunks(due.len().div_ceil(waves).max(1)) {
            submission.submit_wave(wave)?;
        }
        if due.is_empty() {
            submission.submit_wave(&[])?;
        }
        Ok(Submitted { parts: due, jobs: submission.jobs })
    }

    /// The parts that are missing and not in the `queue`.
    ///
    /// # Errors
    /// When results cannot be read.
    pub fn due(&self, queue: &[Queued]) -> Result<Vec<u32>, FolderError> {
        let queued: BTreeSet<u32> = queue.iter().filter_map(Queued::part).collect();
        let missing = self.folder.missing_parts()?.into_iter().map(|(part, _)| part);
        Ok(missing.filter(|part| !queued.contains(part)).collect())
    }

    /// Waits until the games have been played, and calls `see` at each poll with their number so far, and the
    /// tasks in the queue. If the cluster cannot be asked, the wait goes on.
    ///
    /// # Errors
    /// When results cannot be read.
    pub fn wait(
        &self,
        canceller: &Canceller,
        mut see: impl FnMut(usize, &[Queued]),
    ) -> Result<Waited, FolderError> {
        let news = self.watched().watch();
        let mut state = QueueState::default();
        loop {
            let look = Instant::now();
            if has_needed_games(self.folder, Decider::of(self.folder)?.as_ref())? {
                return Ok(Waited::Complete);
            }
            state.count(self.folder.progress()?.0);
            for queue in news.try_iter() {
                state.update(queue);
            }
            if let Some(tasks) = &state.tasks {
                see(state.played, tasks);
            }
            if state.without_tasks > POLLS_WITHOUT_TASKS {
                return Ok(Waited::NothingComes);
            }
            let pause = INTERVAL.max(look.elapsed() * POLLING_SHARE);
            if let Some(by) = canceller.wait(pause) {
                return Ok(Waited::Cancelled(by));
            }
        }
    }
}

/// Jobs that are being submitted together.
struct Submission<'a> {
    run: &'a ClusterRun<'a>,
    lock: &'a SubmissionLock,
    /// The most tasks of an array.
    array: u32,
    /// The most tasks that run at a time.
    max_tasks: Option<NonZeroU32>,
    /// The jobs that play parts, those from before included.
    playing: Vec<u64>,
    /// The jobs that were submitted so far.
    jobs: Vec<u64>,
}

impl Submission<'_> {
    /// Submits parts, and a job that merges all after them.
    fn submit_wave(&mut self, wave: &[u32]) -> Result<(), SubmitError> {
        let array = self.array;
        for block in wave.chunk_by(|a, b| (a - 1) / array == (b - 1) / array) {
            let job = self.submit_block(block)?;
            self.playing.push(job);
        }
        let (after, options) = (self.playing.clone(), merge_options(&self.run.path));
        self.submit(None, &Job { after: &after, options: &options, ..Job::of("merge") })?;
        Ok(())
    }

    /// Submits parts as one array. The limit on tasks is one of an array, so arrays with a limit follow each other.
    fn submit_block(&mut self, block: &[u32]) -> Result<u64, SubmitError> {
        let first = (block[0] - 1) / self.array * self.array + 1;
        let tasks: Vec<u32> = block.iter().map(|part| part - first).collect();
        let after = if self.max_tasks.is_some() { self.playing.clone() } else { Vec::new() };
        let (argument, max_tasks) = (first.to_string(), self.max_tasks);
        let job = Job { tasks: &tasks, max_tasks, after: &after, ..Job::of(&argument) };
        self.submit(Some(first), &job)
    }

    fn submit(&mut self, first_part: Option<u32>, job: &Job<'_>) -> Result<u64, SubmitError> {
        let lock = self.lock.share()?;
        let job = programs::submit(&self.run.script(), job, lock.into())?;
        self.lock.note(Note::Job { job, first_part })?;
        self.jobs.push(job);
        Ok(job)
    }
}

/// What is known of a run while it is waited for.
#[derive(Default)]
struct QueueState {
    /// The number of games played.
    played: usize,
    /// The tasks in the queue; `None` before it was read.
    tasks: Option<Vec<Queued>>,
    /// The number of polls since the last task or result.
    without_tasks: u32,
    /// The last warning about the queue.
    last_warning: String,
}

impl QueueState {
    fn count(&mut self, played: usize) {
        if played > self.played {
            (self.played, self.without_tasks) = (played, 0);
        }
    }

    fn update(&mut self, queue: Result<Vec<Queued>, SlurmError>) {
        match queue {
            Ok(mut tasks) => {
                tasks.retain(|job| job.part().is_some());
                self.without_tasks = if tasks.is_empty() { self.without_tasks + 1 } else { 0 };
                self.tasks = Some(tasks);
                self.last_warning.clear();
            }
            // The controller may be away for long.
            Err(error) if error.to_string() != self.last_warning => {
                log::warn!("{error}; waiting anyway");
                self.last_warning = error.to_string();
            }
            Err(_) => {}
        }
    }
}

/// Cancels the jobs of a run that has all its games, except the current job. A failure is only a warning.
pub fn cancel_rest(folder: &RunFolder) {
    if folder.parts() == 0 {
        return;
    }
    let run = ClusterRun::of(folder);
    if let Err(error) = run.queue().and_then(|queue| run.cancel(&queue)) {
        log::warn!("jobs that are no longer needed could not be cancelled: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::suite::{copy_programs, plan};
    use results::suite::{Plan, PlannedBot, Run, Seeds};

    #[test]
    fn a_run_that_was_renamed_is_not_made_again() {
        let place = tempfile::tempdir().expect("a folder");
        let [path, bot] = ["run", "bot"].map(|name| place.path().join(name));
        std::fs::write(&bot, "exit 1").expect("written");
        let bot = PlannedBot::new("bot", ["sh", bot.to_str().expect("UTF-8")]);
        let plan = plan(&Config::resolve([]).expect("the defaults"), vec![bot]);
        let (seeds, parts) = (Seeds::new([(1, 2)]).ok(), NonZeroU32::new(2));
        let run = Run::new(Plan { seeds, parts, ..plan }, None);
        let folder = RunFolder::create(&path, run).expect("a run");
        let run = ClusterRun::of(&folder);
        let lock = run.lock().expect("a file");
        std::fs::rename(&path, place.path().join("moved")).expect("renamed");
        assert!(copy_programs(&folder).is_err());
        assert!(run.submit(&lock, vec![1], &[], 1, None).is_err());
        assert!(!path.exists());
    }

    #[test]
    fn a_new_result_or_a_task_renews_the_patience() {
        let task = programs::queued("18|0|0|RUNNING|None|/run/slurm.sh 1").expect("a task");
        let merging = programs::queued("19|N/A|0|PENDING|None|/run/slurm.sh merge").expect("a job");
        let mut state = QueueState::default();
        let mut without_tasks = |queue: &[&Queued], played| {
            state.update(Ok(queue.iter().copied().cloned().collect()));
            state.count(played);
            state.without_tasks
        };
        assert_eq!(without_tasks(&[], 0), 1);
        assert_eq!(without_tasks(&[&merging], 0), 2);
        assert_eq!(without_tasks(&[], 3), 0);
        assert_eq!(without_tasks(&[], 3), 1);
        assert_eq!(without_tasks(&[&task, &merging], 3), 0);
    }
}
