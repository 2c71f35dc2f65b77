//! What has been submitted of a run: `submissions.jsonl` in its folder.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::Queued;

/// A job that was submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// Its number.
    pub job: u64,
    /// The part that index 0 of the array stands for; `None` if it merges the parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_part: Option<u32>,
}

/// All of them.
#[derive(Debug)]
pub struct Submissions {
    path: PathBuf,
    all: BTreeMap<u64, Submission>,
}

impl Submissions {
    /// Those of a run, as far as the file can be read.
    pub fn of(run: &Path) -> Self {
        let path = run.join("submissions.jsonl");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let parse = |line: &str| serde_json::from_str(line).ok();
        let all = text.lines().filter_map(parse).map(|one: Submission| (one.job, one)).collect();
        Self { path, all }
    }

    /// Adds one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, submission: Submission) -> std::io::Result<()> {
        let mut file = fs::OpenOptions::new().append(true).create(true).open(&self.path)?;
        let line = serde_json::to_string(&submission).expect("memory") + "\n";
        file.write_all(line.as_bytes())?;
        self.all.insert(submission.job, submission);
        Ok(())
    }

    /// Whether nothing was submitted.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The numbers of the jobs.
    pub fn jobs(&self) -> impl Iterator<Item = u64> {
        self.all.keys().copied()
    }

    /// The jobs among those in the queue that belong to this run.
    pub fn mine<'q>(&self, queue: &'q [Queued]) -> Vec<&'q Queued> {
        queue.iter().filter(|queued| self.all.contains_key(&queued.job)).collect()
    }

    /// The part that a task plays; `None` for a job that merges.
    pub fn part(&self, queued: &Queued) -> Option<u32> {
        Some(self.all.get(&queued.job)?.first_part? + queued.index?)
    }
}
