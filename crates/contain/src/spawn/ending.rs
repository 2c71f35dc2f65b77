//! The end of a keeper with all processes of its bot, and what is left of them.

use std::fs;
use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, kill_process_group, pidfd_send_signal};

use super::handle::Keeper;
use crate::decide::tuning::TUNING;

/// The known remaining processes of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Left {
    /// The first few processes that live on, and the number of the rest; usually empty.
    Survivors(Vec<Survivor>, usize),
    /// The keeper was killed, so they are unknown.
    Unknown,
    /// All were killed, but the kernel had not finished in time.
    Dying,
}

impl Default for Left {
    fn default() -> Self {
        Self::Survivors(Vec::new(), 0)
    }
}

/// A process that outlives its game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survivor {
    /// Its process number.
    pub pid: i32,
    /// Its name, if it still runs.
    pub name: String,
}

impl Keeper {
    /// Has the keeper end with all the bot's processes, without waiting for it. In a namespace the kernel ends them,
    /// whatever the bot did to its keeper.
    pub(crate) fn begin_end(&self) {
        // Both fail only on a keeper that has ended.
        let _ = self.channel.shutdown(Shutdown::Write);
        if self.is_namespace() {
            let _ = pidfd_send_signal(self.pidfd.as_fd(), Signal::KILL);
        }
    }

    /// Ends all the bot's processes, and the keeper itself.
    pub(crate) fn end(&mut self) -> Left {
        if std::mem::replace(&mut self.ended, true) {
            return Left::default();
        }
        self.begin_end();
        if !has_ended_within(&self.pidfd, TUNING.ending.reap_limit) {
            let pid = self.pid.as_raw_pid();
            let limit = TUNING.ending.reap_limit;
            log::warn!("the bot has not died within {limit:?} (its keeper is process {pid})");
            let _ = pidfd_send_signal(self.pidfd.as_fd(), Signal::KILL);
            self.kill_group();
            return Left::Dying;
        }
        if !self.has_cleared() {
            self.kill_group();
            return Left::Unknown;
        }
        drop(self.mounts.take());
        let (survivors, more) = self.survivors();
        Left::Survivors(survivors.iter().copied().map(Survivor::from_pid).collect(), more)
    }
}

impl Keeper {
    /// Kills the bot's process group after its keeper was killed, which killed the bot itself
    /// too.
    fn kill_group(&self) {
        self.bot().map(|bot| kill_process_group(bot, Signal::KILL));
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.end();
    }
}

impl Survivor {
    pub(super) fn from_pid(pid: i32) -> Self {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        Self { pid, name: name.trim_end().to_owned() }
    }
}

pub(super) fn has_ended_within(keeper: &OwnedFd, limit: Duration) -> bool {
    let until = Instant::now() + limit;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).expect("a few seconds");
        match poll(&mut [PollFd::new(keeper, PollFlags::IN)], Some(&timeout)) {
            Err(Errno::INTR) => {}
            Ok(ready) => return ready > 0,
            Err(error) => {
                log::error!("a bot's keeper cannot be watched: {error}");
                return false;
            }
        }
    }
}
