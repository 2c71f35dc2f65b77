//! The stop of all processes of a program.

use std::mem;
use std::sync::{Mutex, PoisonError};

use crate::decide::tuning::TUNING;
use crate::sys::processes::{Group, Stopped};

/// Stops, continues or kills the processes of a job.
#[derive(Debug)]
pub(crate) struct Leash {
    pub(crate) group: Group,
    pub(crate) stopped: Mutex<Vec<Stopped>>,
}

impl Leash {
    /// Stops all processes of the job.
    pub(crate) fn stop(&self, _processes: &[i32]) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.group.stop(&mut stopped, TUNING.ending.reap_limit) {
            log::warn!("a bot runs on while another is asked: {error}");
        }
    }

    /// Continues them.
    pub(crate) fn resume(&self, _processes: &[i32]) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        for process in mem::take(&mut *stopped) {
            if let Err(error) = process.resume() {
                log::warn!("a bot cannot be continued: {error}");
            }
        }
    }

    /// Kills them.
    pub(crate) fn kill(&self, _processes: &[i32]) {
        self.group.kill();
    }
}
