//! The end of a bot: politely first, then certainly, and always within a bound.

use std::fs;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_send_signal, waitid,
};

use super::BotProcess;
use super::launch::Keeper;
use super::pipes::Captured;
use terms::verdict::BotExit;

/// How long a keeper may take to clear everything away. It gives up before that by itself; only a
/// process stuck inside the kernel holds it longer, and dies as soon as the kernel lets go of it.
const REAP_LIMIT: Duration = Duration::from_secs(5);

/// How much of what a bot writes after its last exchange is kept.
const LATE_OUTPUT_CAP: usize = 4096;

/// How a bot's process ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// How it ended, by itself or by the kill; `None` if it is not certain that it has.
    pub exit: Option<BotExit>,
    /// Whether it had to be killed.
    pub killed: bool,
    /// What it wrote to its standard output beyond the replies that were asked for.
    pub late_output: Captured,
    /// What it wrote to its standard error after the last exchange.
    pub stderr: Captured,
    /// What is left of it.
    pub left: Left,
    /// The limit on open files, if one of its processes was seen to have come to it.
    pub reached_open_files: Option<u64>,
}

/// What is left of a bot's processes, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// The first few processes that live on, and the number of the rest; usually empty.
    Survivors(Vec<Survivor>, usize),
    /// The keeper was killed, so nobody can tell.
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
    /// Its number.
    pub pid: i32,
    /// Its name, if it still runs.
    pub name: String,
}

impl BotProcess {
    /// Closes the bot's input, gives it `grace` to exit, then kills and reaps all its processes.
    ///
    /// Where the system fails the referee, the bot is killed all the same; what is lost is told in
    /// the diagnostics.
    pub fn finish(mut self, grace: Duration) -> Ending {
        self.keeper.announce_end();
        self.stdin.close();
        let reached_open_files = self.guard.reached_open_files();
        let mut ending = Ending { reached_open_files, ..Ending::default() };
        let surplus = self.lines.take(usize::MAX);
        ending.late_output.push(surplus.as_bytes(), LATE_OUTPUT_CAP);
        let grace = if self.guard.is_breached() { Duration::ZERO } else { grace };
        let exited = self.await_exit(grace, &mut ending).unwrap_or_else(|error| {
            log::error!("cannot watch the bot end: {error}");
            false
        });
        ending.left = self.keeper.end();
        if self.guard.clear_room() == Some(true) {
            // Whatever the keeper could not reach has gone as well.
            ending.left = Left::default();
        }
        let exit = self.keeper.bot_exit();
        ending.killed = !exited;
        ending.exit = exit.or(matches!(ending.left, Left::Survivors(..)).then_some(KILLED));
        if let Err(error) = self.drain_into(&mut ending) {
            log::error!("cannot read what the bot has left: {error}");
        }
        log::debug!("keeper {}: {ending:?}", self.keeper.pid.as_raw_pid());
        drop(self.scratch.take());
        ending
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
            if ready.ended || ready.interrupted || Instant::now() >= until {
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

/// Whether a bot of this process's has left processes behind. They may be what keeps a later one waiting.
static HAS_LEFT_SURVIVORS: AtomicBool = AtomicBool::new(false);

pub(super) fn has_left_survivors() -> bool {
    HAS_LEFT_SURVIVORS.load(Ordering::Relaxed)
}

impl Keeper {
    /// Ends all the bot's processes, and the keeper itself.
    pub(super) fn end(&mut self) -> Left {
        if std::mem::replace(&mut self.ended, true) {
            return Left::default();
        }
        // Closing this tells the keeper to end. In a namespace the kernel is to end it, whatever the bot did to it.
        drop(self.control.take());
        if self.is_namespace() {
            // It fails only on a keeper that has ended.
            let _ = pidfd_send_signal(self.pidfd.as_fd(), Signal::KILL);
        }
        if !has_ended_within(&self.pidfd, REAP_LIMIT) {
            let pid = self.pid.as_raw_pid();
            log::warn!("the bot has not died within {REAP_LIMIT:?} (its keeper is process {pid})");
            let _ = pidfd_send_signal(self.pidfd.as_fd(), Signal::KILL);
            self.kill_group();
            return Left::Dying;
        }
        // A namespace's init is killed, and has taken all with it then.
        if !reap(&self.pidfd) && !self.is_namespace() {
            self.kill_group();
            return Left::Unknown;
        }
        drop(self.mounts.take());
        let (survivors, more) = self.survivors();
        HAS_LEFT_SURVIVORS.fetch_or(!survivors.is_empty(), Ordering::Relaxed);
        Left::Survivors(survivors.iter().copied().map(Survivor::of).collect(), more)
    }
}

impl Keeper {
    /// Kills the bot's process group, where its keeper cannot: the bot itself has died of its keeper's
    /// death.
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
    fn of(pid: i32) -> Self {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        Self { pid, name: name.trim_end().to_owned() }
    }
}

/// Reaps a keeper that ends, or has ended; returns whether it went by itself.
pub(super) fn reap(keeper: &OwnedFd) -> bool {
    loop {
        match waitid(WaitId::PidFd(keeper.as_fd()), WaitIdOptions::EXITED) {
            Err(Errno::INTR) => {}
            Ok(status) => return status.is_some_and(|status| status.exited()),
            Err(error) => {
                log::error!("a bot's keeper cannot be reaped: {error}");
                return false;
            }
        }
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
