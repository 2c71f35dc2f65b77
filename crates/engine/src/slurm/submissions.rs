//! What has been submitted of a run: `submissions.jsonl` in its folder.
//!
//! A line says that a user begins to submit, before anything is; each job is a line once it has its number. A kill
//! may lose the second kind, so jobs in the queue are known by their script.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write as _};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use fs_err as fs;
use serde::{Deserialize, Serialize};

/// A line of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Note {
    /// A user begins to submit.
    Begun {
        /// The user's id.
        user: u32,
        /// The limit on concurrent tasks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_tasks: Option<NonZeroU32>,
    },
    /// A job was submitted.
    Job {
        /// Its number.
        job: u64,
        /// The part of index 0 of the array; `None` if the job merges the parts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_part: Option<u32>,
    },
}

/// The file.
#[derive(Debug, Clone)]
pub(super) struct Submissions(PathBuf);

/// The right to submit, which one process has at a time, and `sbatch` with it.
#[derive(Debug)]
pub struct SubmissionLock(File);

impl SubmissionLock {
    /// The lock for another process, which ends when both have closed it.
    pub(super) fn share(&self) -> io::Result<File> {
        self.0.try_clone()
    }

    /// Adds a line.
    pub(super) fn note(&self, note: Note) -> io::Result<()> {
        let line = serde_json::to_string(&note).expect("memory") + "\n";
        (&self.0).write_all(line.as_bytes())
    }
}

impl Submissions {
    pub(super) fn of(run: &Path) -> Self {
        Self(run.join("submissions.jsonl"))
    }

    /// Whether nothing was ever submitted.
    pub(super) fn is_empty(&self) -> bool {
        // The lock alone leaves an empty file.
        fs::metadata(&self.0).map_or(true, |file| file.len() == 0)
    }

    /// The lines that are whole; none if the file cannot be read.
    fn notes(&self) -> Vec<Note> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The ids of the users who have submitted.
    pub(super) fn users(&self) -> BTreeSet<u32> {
        let user = |note| match note {
            Note::Begun { user, .. } => Some(user),
            Note::Job { .. } => None,
        };
        self.notes().into_iter().filter_map(user).collect()
    }

    /// The most recent limit on concurrent tasks.
    pub(super) fn max_tasks(&self) -> Option<NonZeroU32> {
        let max_tasks = |note: &Note| match *note {
            Note::Begun { max_tasks, .. } => Some(max_tasks),
            Note::Job { .. } => None,
        };
        self.notes().iter().rev().find_map(max_tasks)?
    }

    /// Waits until no other process submits jobs of the run.
    pub(super) fn lock(&self) -> io::Result<SubmissionLock> {
        let open = fs::OpenOptions::new().read(true).append(true).create(true).open(&self.0)?;
        if let Err(error) = open.file().lock() {
            let path = self.0.display();
            log::warn!(
                "{path} cannot be locked ({error}): make sure that nobody else submits this run now"
            );
        }
        Ok(SubmissionLock(open.into_parts().0))
    }
}
