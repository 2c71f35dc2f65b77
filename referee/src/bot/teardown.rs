//! The end of a bot: politely first, then certainly, and always within a bound.

use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, pidfd_send_signal};
use wait_timeout::ChildExt as _;

use super::BotProcess;
use super::pipes::Captured;
use crate::verdict::BotExit;

/// How long a killed bot may take to be gone. Only a process stuck inside the kernel needs long;
/// it cannot be waited for, and dies as soon as the kernel lets go of it.
const REAP_LIMIT: Duration = Duration::from_secs(5);

/// How much of what a bot writes after its last exchange is kept.
const LATE_OUTPUT_CAP: usize = 4096;

/// How a bot's process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// Its own end, or that of the kill; `None` if it could not be reaped.
    pub exit: Option<BotExit>,
    /// Whether it had to be killed.
    pub killed: bool,
    /// What it wrote to its standard output after the last exchange.
    pub late_output: Captured,
    /// What it wrote to its standard error after the last exchange.
    pub stderr: Captured,
}

impl BotProcess {
    /// Closes the bot's input, gives it `grace` to exit, then kills its process group and reaps it.
    ///
    /// # Errors
    /// When the system fails the referee; the bot is killed all the same.
    pub fn finish(mut self, grace: Duration) -> io::Result<Ending> {
        self.stdin.close();
        let mut ending = Ending::default();
        let until = Instant::now() + grace;
        while self.exit_status()?.is_none() && Instant::now() < until {
            let ready = self.wait(Some(until))?;
            self.drain_into(&mut ending)?;
            if ready.interrupted {
                break;
            }
        }
        ending.killed = self.exit_status()?.is_none();
        ending.exit = self.kill_and_reap()?;
        self.drain_into(&mut ending)?;
        Ok(ending)
    }

    fn drain_into(&mut self, ending: &mut Ending) -> io::Result<()> {
        self.stdout.drain(|chunk| ending.late_output.push(chunk, LATE_OUTPUT_CAP))?;
        self.stderr.drain(|chunk| ending.stderr.push(chunk, self.stderr_cap))
    }

    fn kill_and_reap(&mut self) -> io::Result<Option<BotExit>> {
        self.reaped = true;
        kill_group(self.pid);
        // The bot may have moved to another group; this one cannot miss, and fails only on a
        // process that has ended.
        let _ = pidfd_send_signal(self.pidfd.as_fd(), Signal::KILL);
        let status = self.child.wait_timeout(REAP_LIMIT)?;
        if status.is_none() {
            log::warn!("the bot (process {}) has not died within {REAP_LIMIT:?}", self.child.id());
        }
        Ok(status.map(BotExit::from))
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        if !self.reaped
            && let Err(error) = self.kill_and_reap()
        {
            log::error!("the bot (process {}) cannot be reaped: {error}", self.child.id());
        }
    }
}

/// Kills whatever is left of the group; it may be empty.
pub(super) fn kill_group(leader: Pid) {
    let _ = kill_process_group(leader, Signal::KILL);
}
