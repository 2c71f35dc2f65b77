//! The end of a bot: first a chance to exit, then a kill, always in a bounded time.

use std::fs;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, kill_process_group, pidfd_send_signal};

use super::BotProcess;
use super::launch::Keeper;
use super::pipes::Captured;
use super::scratch::Scratch;
use terms::verdict::BotExit;

/// How long to wait for a keeper to kill everything. The keeper itself gives up earlier; only a
/// process stuck inside the kernel holds it longer, and dies as soon as the kernel releases it.
const REAP_LIMIT: Duration = Duration::from_secs(5);

/// The bytes kept of a bot's output after its last exchange.
const LATE_OUTPUT_CAP: usize = 4096;

/// How a bot's process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// Its exit, by itself or by the kill; `None` if it may still run.
    pub exit: Option<BotExit>,
    /// Whether it had to be killed.
    pub killed: bool,
    /// Its standard output beyond the awaited replies.
    pub late_output: Captured,
    /// How many bytes of that it had written before the referee closed its input.
    pub surplus: usize,
    /// Its standard error after the last exchange.
    pub stderr: Captured,
    /// Its remaining processes.
    pub left: Left,
    /// The limit on open files, if one of its processes has reached it.
    pub reached_open_files: Option<u64>,
}

/// The remaining processes of a bot, as far as known.
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

impl BotProcess {
    /// Closes the bot's input, gives it `grace` to exit, then kills and reaps all its processes.
    ///
    /// If a system call fails, the bot is still killed; the log names what was lost.
    pub fn finish(mut self, grace: Duration) -> Ending {
        self.keeper.deadline.set(Instant::now().checked_add(grace));
        self.keeper.announce_end();
        let reached_open_files = self.guard.reached_open_files();
        let mut ending = Ending { reached_open_files, ..Ending::default() };
        self.take_surplus(&mut ending);
        self.stdin.close();
        let grace = if self.guard.is_breached() { Duration::ZERO } else { grace };
        let exited = self.await_exit(grace, &mut ending).unwrap_or_else(|error| {
            log::error!("cannot watch the bot end: {error}");
            false
        });
        ending.left = self.keeper.end();
        if self.guard.clear_cgroup() == Some(true) {
            // Processes out of the keeper's reach have been killed too.
            ending.left = Left::default();
        }
        let exit = self.keeper.bot_exit();
        ending.killed = !exited;
        ending.exit = exit.or(matches!(ending.left, Left::Survivors(..)).then_some(KILLED));
        // A process that lives on could hold up the referee for ever.
        if ending.left == Left::default()
            && let Err(error) = self.drain_into(&mut ending)
        {
            log::error!("cannot read what the bot has left: {error}");
        }
        log::debug!("keeper {}: {ending:?}", self.keeper.pid.as_raw_pid());
        self.scratch.take().into_iter().for_each(Scratch::remove_later);
        ending
    }

    /// Takes what the bot has written so far, which cannot be its reaction to the end of its input.
    fn take_surplus(&mut self, ending: &mut Ending) {
        let held = self.lines.take(usize::MAX);
        let mut take = |chunk: &[u8]| {
            ending.late_output.push(chunk, LATE_OUTPUT_CAP);
            ending.surplus += chunk.len();
        };
        take(held.as_bytes());
        if let Err(error) = self.stdout.drain(&mut self.chunk, take) {
            log::error!("cannot read what the bot has written: {error}");
        }
    }

    /// Whether the bot ends by itself within `grace`.
    fn await_exit(&mut self, grace: Duration, ending: &mut Ending) -> io::Result<bool> {
        let until = Instant::now() + grace;
        if self.keeper.bot_exit().is_some() {
            return Ok(true);
        }
        loop {
            let ready = self.wait(Some(until))?;
            self.drain_into(ending)?;
            if ready.ended || ready.cancelled || Instant::now() >= until {
                return Ok(ready.ended);
            }
        }
    }

    fn drain_into(&mut self, ending: &mut Ending) -> io::Result<()> {
        let keep = |chunk: &[u8]| ending.late_output.push(chunk, LATE_OUTPUT_CAP);
        self.stdout.drain(&mut self.chunk, keep)?;
        self.read_stderr(&mut ending.stderr)
    }
}

/// The exit of a bot that had to be killed.
const KILLED: BotExit = BotExit::Signal(Signal::KILL.as_raw());

/// Whether a bot of this process has left processes behind, which may keep a later bot waiting.
static HAS_LEFT_SURVIVORS: AtomicBool = AtomicBool::new(false);

pub(super) fn has_left_survivors() -> bool {
    HAS_LEFT_SURVIVORS.load(Ordering::Relaxed)
}

impl Keeper {
    /// Has the keeper end with all the bot's processes, without waiting for it. In a namespace the kernel ends them,
    /// whatever the bot did to its keeper.
    pub(super) fn begin_end(&self) {
        // Both fail only on a keeper that has ended.
        let _ = self.channel.shutdown(Shutdown::Write);
        if self.is_namespace() {
            let _ = pidfd_send_signal(self.pidfd.as_fd(), Signal::KILL);
        }
    }

    /// Ends all the bot's processes, and the keeper itself.
    pub(super) fn end(&mut self) -> Left {
        if std::mem::replace(&mut self.ended, true) {
            return Left::default();
        }
        self.begin_end();
        if !has_ended_within(&self.pidfd, REAP_LIMIT) {
            let pid = self.pid.as_raw_pid();
            log::warn!("the bot has not died within {REAP_LIMIT:?} (its keeper is process {pid})");
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
        HAS_LEFT_SURVIVORS.fetch_or(!survivors.is_empty(), Ordering::Relaxed);
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
    fn from_pid(pid: i32) -> Self {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        Self { pid, name: name.trim_end().to_owned() }
    }
}

fn has_ended_within(keeper: &OwnedFd, limit: Duration) -> bool {
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;
    use crate::bot::later::drop_later;
    use crate::bot::{BotCommand, Confinement, ContainmentMethod, Host, Sandbox, await_removals};
    use terms::limits::Resources;

    /// Takes as long to drop as somebody wants.
    struct Slow(Receiver<()>);

    impl Drop for Slow {
        fn drop(&mut self) {
            let _ = self.0.recv();
        }
    }

    #[test]
    fn no_game_waits_for_the_removal_of_a_scratch_folder() {
        // The last host waits for all that is to be removed.
        let _host = Host::hold();
        let sandbox = Sandbox::new(&[]).ok();
        let (method, resources) = (ContainmentMethod::Group, Resources::default());
        let confinement = Confinement { method, resources, sandbox };
        let command = BotCommand::new("true", [] as [&str; 0], confinement);
        let Ok(bot) = BotProcess::spawn(&command, 0, None) else {
            assert!(std::env::var_os("CI").is_none(), "this host has Landlock");
            return;
        };
        let folder = bot.scratch.as_ref().expect("it has a sandbox").path().to_owned();
        let (let_go, slow) = channel();
        drop_later(Slow(slow));
        bot.finish(Duration::ZERO);
        assert!(folder.exists(), "it is removed in the background");
        drop::<Sender<()>>(let_go);
        await_removals();
        assert!(!folder.exists());
    }
}
