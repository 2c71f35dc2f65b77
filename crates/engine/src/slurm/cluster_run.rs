//! A run on a cluster: which parts are due, their waves, the jobs that merge, and the wait for the games.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

use fs_err as fs;

use super::programs::{self, Job, Queued, SlurmError};
use super::submissions::{Submission, Submissions};
use super::tasks::{SCRIPT, merge_options};
use contain::interrupt::Interrupt;
use results::compare::{Decider, has_needed_games};
use results::suite::{FolderError, RunFolder};

/// A run that may be decided early is submitted in this number of waves of parts, and checked after each.
const WAVES: usize = 10;

/// The interval of polls for missing games, unless a poll takes long.
const INTERVAL: Duration = Duration::from_secs(2);

/// Polling may take at most 1/10 of the time.
const LOOKING_SHARE: u32 = 10;

/// Polls in a row without a task in the queue, after which missing games are given up. Results may take a
/// while to appear on a shared file system.
const LOOKS_WITHOUT_TASKS: u32 = 5;

/// A run in parts that a cluster plays.
pub struct ClusterRun<'a> {
    folder: &'a RunFolder,
    submissions: Submissions,
}

/// Jobs that were submitted together.
pub struct Submitted {
    /// The parts.
    pub parts: Vec<u32>,
    /// The jobs that play them, and those that merge them.
    pub jobs: Vec<u64>,
}

/// Why parts were not submitted, or not all of them.
#[derive(Debug, thiserror::Error)]
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
    Interrupted(i32),
}

impl<'a> ClusterRun<'a> {
    /// A run, with the jobs that have been submitted so far.
    pub fn of(folder: &'a RunFolder) -> Self {
        Self { folder, submissions: Submissions::of(&folder.path) }
    }

    /// Whether the run has a batch script.
    pub fn has_script(&self) -> bool {
        self.folder.path.join(SCRIPT).exists()
    }

    /// Whether nothing was submitted so far.
    pub fn is_new(&self) -> bool {
        self.submissions.is_empty()
    }

    /// All jobs that were submitted, those that have ended included.
    pub fn jobs(&self) -> Vec<u64> {
        self.submissions.jobs().collect()
    }

    /// The tasks and jobs of this run that are in the queue.
    ///
    /// # Errors
    /// When the cluster cannot be asked. If nothing was submitted it is not asked.
    pub fn queue(&self) -> Result<Vec<Queued>, SlurmError> {
        if self.is_new() {
            return Ok(Vec::new());
        }
        let mut queue = programs::queue()?;
        queue.retain(|queued| self.submissions.has(queued));
        Ok(queue)
    }

    /// Submits the parts that are missing and not in the `queue`, and a job that merges all. Arrays have at most
    /// `array` tasks; if a run may be decided early, parts come in waves with a merging job after each.
    ///
    /// # Errors
    /// When the cluster refuses; jobs that were submitted before are kept in the run folder.
    pub fn submit(
        &mut self,
        due: Vec<u32>,
        queue: &[Queued],
        array: u32,
    ) -> Result<Submitted, SubmitError> {
        fs::create_dir_all(self.folder.path.join("parts"))?;
        let (tasks, merging): (Vec<&Queued>, Vec<&Queued>) =
            queue.iter().partition(|job| self.submissions.part(job).is_some());
        programs::cancel(&merging.iter().map(|job| job.job).collect())?;
        let mut playing: Vec<u64> = tasks.iter().map(|task| task.job).collect();
        playing.dedup();
        let mut jobs = Vec::new();
        let waves = if self.folder.run.against.is_some() { WAVES } else { 1 };
        for wave in due.chunks(due.len().div_ceil(waves).max(1)) {
            for block in wave.chunk_by(|a, b| (a - 1) / array == (b - 1) / array) {
                let job = self.submit_block(block, array)?;
                playing.push(job);
                jobs.push(job);
            }
            jobs.push(self.submit_merge(&playing)?);
        }
        Ok(Submitted { parts: due, jobs })
    }

    /// The parts that are missing and not in the `queue`.
    ///
    /// # Errors
    /// When results cannot be read.
    pub fn due(&self, queue: &[Queued]) -> Result<Vec<u32>, FolderError> {
        let queued: BTreeSet<u32> =
            queue.iter().filter_map(|job| self.submissions.part(job)).collect();
        let missing = self.folder.missing_parts()?.into_iter().map(|(part, _)| part);
        Ok(missing.filter(|part| !queued.contains(part)).collect())
    }

    /// Submits parts as one array.
    fn submit_block(&mut self, block: &[u32], array: u32) -> Result<u64, SubmitError> {
        let first = (block[0] - 1) / array * array + 1;
        let tasks: Vec<u32> = block.iter().map(|part| part - first).collect();
        let argument = first.to_string();
        let script = &self.folder.path.join(SCRIPT);
        let job = Job { script, argument: &argument, tasks: &tasks, after: &[], options: &[] };
        self.submit_job(&job, Some(first))
    }

    /// Submits a job that merges the parts after these jobs.
    fn submit_merge(&mut self, after: &[u64]) -> Result<u64, SubmitError> {
        let script = &self.folder.path.join(SCRIPT);
        let options = &merge_options(self.folder)?;
        self.submit_job(&Job { script, argument: "merge", tasks: &[], after, options }, None)
    }

    fn submit_job(&mut self, job: &Job<'_>, first_part: Option<u32>) -> Result<u64, SubmitError> {
        let job = programs::submit(job)?;
        self.submissions.add(Submission { job, first_part })?;
        Ok(job)
    }

    /// Waits until the games have been played, and calls `see` at each poll with their number so far, and the
    /// tasks in the queue. If the cluster cannot be asked, the wait goes on.
    ///
    /// # Errors
    /// When results cannot be read.
    pub fn wait(
        &self,
        interrupt: &Interrupt,
        mut see: impl FnMut(usize, &[Queued]),
    ) -> Result<Waited, FolderError> {
        let mut without_tasks = 0;
        let mut told = String::new();
        loop {
            let (look, mut pause) = (Instant::now(), INTERVAL);
            if has_needed_games(self.folder, Decider::of(self.folder)?.as_ref())? {
                return Ok(Waited::Complete);
            }
            match self.queue() {
                Ok(mut tasks) => {
                    tasks.retain(|job| self.submissions.part(job).is_some());
                    see(self.folder.played()?.count(), &tasks);
                    without_tasks = if tasks.is_empty() { without_tasks + 1 } else { 0 };
                    told.clear();
                    pause = INTERVAL.max(look.elapsed() * LOOKING_SHARE);
                }
                // The controller may be away for long, and Slurm's programs wait for it themselves.
                Err(error) if error.to_string() != told => {
                    log::warn!("{error}; waiting anyway");
                    told = error.to_string();
                }
                Err(_) => {}
            }
            if without_tasks > LOOKS_WITHOUT_TASKS {
                return Ok(Waited::NothingComes);
            }
            if let Some(signal) = interrupt.wait(pause) {
                return Ok(Waited::Interrupted(signal));
            }
        }
    }
}

/// Cancels the jobs of a run that has all its games, except the current job. A failure is only a warning.
pub fn cancel_rest(folder: &RunFolder) {
    if folder.parts() == 0 {
        return;
    }
    let own = std::env::var("SLURM_JOB_ID").ok().and_then(|job| job.parse().ok());
    let cancelled = ClusterRun::of(folder).queue().and_then(|queue| {
        let jobs = queue.into_iter().map(|queued| queued.job);
        programs::cancel(&jobs.filter(|job| Some(*job) != own).collect())
    });
    if let Err(error) = cancelled {
        log::warn!("jobs that are no longer needed could not be cancelled: {error}");
    }
}
