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
    /// What it wrote to its standard output beyond the replies that were asked for.
    pub late_output: Captured,
    /// What it wrote to its standard error after the last exchange.
    pub stderr: Captured,
}

impl BotProcess {
    /// Closes the bot's input, gives it `grace` to exit, then kills its process group and reaps it.
    ///
    /// Where the system fails the referee, the bot is killed all the same; what is lost is told in
    /// the diagnostics.
    pub fn finish(mut self, grace: Duration) -> Ending {
        self.stdin.close();
        let mut ending = Ending::default();
        let surplus = self.lines.take(usize::MAX);
        ending.late_output.push(surplus.as_bytes(), LATE_OUTPUT_CAP);
        let exited = self.await_exit(grace, &mut ending).unwrap_or_else(|error| {
            log::error!("cannot watch the bot end: {error}");
            false
        });
        ending.killed = !exited;
        ending.exit = self.kill_and_reap();
        if let Err(error) = self.drain_into(&mut ending) {
            log::error!("cannot read what the bot has left: {error}");
        }
        log::debug!("bot {}: {ending:?}", self.pid.as_raw_pid());
        ending
    }

    /// Whether the bot ends by itself within `grace`.
    fn await_exit(&mut self, grace: Duration, ending: &mut Ending) -> io::Result<bool> {
        let until = Instant::now() + grace;
        loop {
            let ready = self.wait(Some(until))?;
            self.drain_into(ending)?;
            if ready.ended || ready.interrupted || Instant::now() >= until {
                return Ok(ready.ended);
            }
        }
    }

    fn drain_into(&mut self, ending: &mut Ending) -> io::Result<()> {
        self.stdout.drain(|chunk| ending.late_output.push(chunk, LATE_OUTPUT_CAP))?;
        self.stderr.drain(|chunk| ending.stderr.push(chunk, self.stderr_cap))
    }

    fn kill_and_reap(&mut self) -> Option<BotExit> {
        self.reaped = true;
        kill_group(self.pid);
        // The bot may have moved to another group; this one cannot miss, and fails only on a
        // process that has ended.
        let _ = pidfd_send_signal(self.pidfd.as_fd(), Signal::KILL);
        match self.child.wait_timeout(REAP_LIMIT) {
            Ok(Some(status)) => Some(BotExit::from(status)),
            Ok(None) => {
                let pid = self.pid.as_raw_pid();
                log::warn!("the bot (process {pid}) has not died within {REAP_LIMIT:?}");
                None
            }
            Err(error) => {
                log::error!(
                    "the bot (process {}) cannot be reaped: {error}",
                    self.pid.as_raw_pid()
                );
                None
            }
        }
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill_and_reap();
        }
    }
}

/// Kills whatever is left of the group; it may be empty.
pub(super) fn kill_group(leader: Pid) {
    let _ = kill_process_group(leader, Signal::KILL);
}
