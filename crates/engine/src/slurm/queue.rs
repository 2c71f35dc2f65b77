//! The jobs of one run in the cluster's queue.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use fs_err as fs;

use super::programs::{self, Queued, SlurmError};
use super::submissions::Submissions;

/// The interval of polls, unless a poll takes long.
pub(super) const INTERVAL: Duration = Duration::from_secs(2);

/// Polling may take at most 1/10 of the time.
pub(super) const POLLING_SHARE: u32 = 10;

/// The jobs of a run in the queue: the jobs of its batch script, whichever user submitted them.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    submissions: Submissions,
    /// An absolute path.
    script: PathBuf,
}

impl Queue {
    pub(super) fn of(submissions: Submissions, script: PathBuf) -> Self {
        Self { submissions, script }
    }

    /// The jobs and tasks. If nothing was submitted, the cluster is not asked.
    pub(super) fn read(&self) -> Result<Vec<Queued>, SlurmError> {
        if self.submissions.is_empty() {
            return Ok(Vec::new());
        }
        let mut users = self.submissions.users();
        users.insert(own_user());
        let mut queue = programs::queue(&users)?;
        let mut known = BTreeMap::new();
        queue.retain(|job| {
            *known.entry(job.script.clone()).or_insert_with_key(|script| self.is_script(script))
        });
        Ok(queue)
    }

    /// Whether this is the run's script, perhaps by another path.
    fn is_script(&self, script: &Path) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        script == self.script || real(script).is_some_and(|path| Some(path) == real(&self.script))
    }

    /// Reads the queue again and again, on a thread that ends when the receiver is gone: Slurm's programs may wait
    /// long for a busy controller.
    pub(super) fn watch(self) -> Receiver<Result<Vec<Queued>, SlurmError>> {
        let (sender, news) = sync_channel(1);
        thread::spawn(move || {
            loop {
                let look = Instant::now();
                if sender.send(self.read()).is_err() {
                    return;
                }
                thread::sleep(INTERVAL.max(look.elapsed() * POLLING_SHARE));
            }
        });
        news
    }
}

/// The id of this process's user.
pub(super) fn own_user() -> u32 {
    contain::system::user()
}
