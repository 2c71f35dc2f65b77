//! The end of a keeper with all processes of its bot.

use std::net::Shutdown;
use std::os::fd::AsFd as _;
use std::time::Instant;

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};

use super::ending::Left;
use super::handle::Keeper;
use crate::decide::tuning::TUNING;
use crate::sys::proc::{children, numbers_until, parent};
use crate::sys::ready::is_ready_within;

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
        if !self.ends_in_time() {
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
        Left::Survivors(self.heard.survivors)
    }
}

impl Keeper {
    /// Waits for the keeper's end. In a namespace a bot can take its keeper's priority, so that it does not get a core to die on
    /// before the bot's processes are gone.
    fn ends_in_time(&self) -> bool {
        let until = Instant::now() + TUNING.ending.reap_limit;
        while !is_ready_within(self.pidfd.as_fd(), TUNING.ending.exit_notice) {
            if Instant::now() >= until {
                return false;
            }
            if self.is_namespace() {
                kill_below(self.pid, until);
            }
        }
        true
    }

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

/// Kills all processes below a keeper.
fn kill_below(keeper: Pid, until: Instant) {
    let keeper = keeper.as_raw_pid();
    let mut parents = vec![keeper];
    while let Some(above) = parents.pop() {
        for thread in numbers_until(&format!("/proc/{above}/task"), until) {
            for child in children(above, thread) {
                let Some(pid) = Pid::from_raw(child) else { continue };
                let Ok(found) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
                // The number may be another process's by now.
                if parent(child).is_some_and(|parent| [above, keeper].contains(&parent)) {
                    let _ = pidfd_send_signal(found, Signal::KILL);
                    parents.push(child);
                }
            }
        }
    }
}
