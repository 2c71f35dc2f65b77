//! The jobs of a run that have been submitted: `submissions.jsonl` in its folder.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::programs::Queued;

/// A job that was submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Submission {
    /// Its number.
    pub(super) job: u64,
    /// The part of index 0 of the array; `None` if the job merges the parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) first_part: Option<u32>,
}

/// All submitted jobs of a run.
#[derive(Debug)]
pub(super) struct Submissions {
    path: PathBuf,
    all: BTreeMap<u64, Submission>,
}

impl Submissions {
    /// Reads the jobs of a run, as far as the file can be read.
    pub(super) fn of(run: &Path) -> Self {
        let path = run.join("submissions.jsonl");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let parse = |line: &str| serde_json::from_str(line).ok();
        let all = text.lines().filter_map(parse).map(|one: Submission| (one.job, one)).collect();
        Self { path, all }
    }

    /// Adds a job.
    pub(super) fn add(&mut self, submission: Submission) -> std::io::Result<()> {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(&self.path)?;
        let line = serde_json::to_string(&submission).expect("memory") + "\n";
        file.write_all(line.as_bytes())?;
        self.all.insert(submission.job, submission);
        Ok(())
    }

    /// Whether nothing was submitted.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The numbers of the jobs.
    pub(super) fn jobs(&self) -> impl Iterator<Item = u64> {
        self.all.keys().copied()
    }

    /// Whether a job in the queue is among them.
    pub(super) fn has(&self, queued: &Queued) -> bool {
        self.all.contains_key(&queued.job)
    }

    /// The part that a task plays; `None` for a job that merges.
    pub(super) fn part(&self, queued: &Queued) -> Option<u32> {
        Some(self.all.get(&queued.job)?.first_part? + queued.index?)
    }
}
