//! The other end of a bot's pipes, where that is a program: it gets the bot's output as it comes, and only it knows when a
//! reply is over.
//!
//! # Theory of operation
//!
//! Where a program believes that it has started the bot itself, the referee passes the bytes on, both ways. An exchange
//! then has as its input whatever the program writes before the bot's first output, and as its reply whatever the bot
//! writes before the program writes again. The bot's clock runs from the last byte of that input to the last byte of that
//! reply, so the program's own time is never the bot's. When the limit has passed, the program's system calls tell
//! whether it waits for the bot: if not, it is the program that keeps everybody waiting.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::sched_setaffinity;

use super::BotProcess;
use super::exchange::{ExchangeState, Request};
use super::pin::set;
use super::pipes::name;
use super::usage::{LOOK, Sample, pids_below};
use super::waiting::{awaits_input, wait_for_each_other};
use terms::verdict::NoReply;

/// How often a program is looked at that keeps a bot waiting beyond the limit.
const RECHECK: Duration = Duration::from_millis(5);

/// How often a program is looked at that has closed the bot's input.
const CLOSING: Duration = Duration::from_millis(1);

/// The time between the first two of these looks: it may have been about to wait. Each later time is twice as long.
const CLOSING_AT_FIRST: Duration = Duration::from_micros(50);

/// How often a bot without a limit is looked at.
const WATCH: Duration = Duration::from_secs(1);

/// The other end of a bot's pipes.
pub trait Peer: fmt::Debug + Send {
    /// What to poll beside the bot: ready when there may be news.
    fn watched(&self) -> BorrowedFd<'_>;

    /// Passes on what the bot has written to its standard output.
    fn hear(&mut self, output: &[u8]);

    /// Passes on what the bot has written to its standard error.
    fn hear_stderr(&mut self, output: &[u8]);

    /// Hears that the bot will write nothing more, by its own choice.
    fn hear_end(&mut self, end: NoReply);

    /// Looks for news, without waiting.
    fn look(&mut self) -> News;

    /// Whether it has other things to do than to wait for the bot, although nothing has happened since this moment.
    fn is_busy(&mut self, since: Instant) -> bool;

    /// Hears that the referee now runs on these cores, where the bot is pinned: its turns are quickest there.
    fn come_to(&mut self, _cores: &[usize]) {}
}

/// What a peer has done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    /// Nothing.
    Nothing,
    /// It has written this for the bot, which has not answered yet.
    Input(Vec<u8>),
    /// It has closed the bot's input.
    EndOfInput,
    /// It has closed the bot's input after the bot's output: the reply is over unless the bot itself ends.
    Closing,
    /// The reply is over: it has written again after the bot's output, or will hear no more.
    Over,
}

/// The time until the look after the next one at a program that has closed the bot's input.
fn next_pause(pause: Duration) -> Duration {
    CLOSING.min(2 * pause)
}

impl BotProcess {
    /// Has the bot talk to `peer` through the referee: each exchange that lasts until the end of the output now lasts
    /// until the peer says that the reply is over.
    pub fn talk_to(&mut self, peer: Box<dyn Peer>) {
        self.peer = Some(peer);
    }

    /// Passes on what the peer has written. Returns whether the reply is over.
    pub(super) fn attend(
        &mut self,
        request: &Request<'_>,
        state: &mut ExchangeState,
    ) -> io::Result<bool> {
        self.watch_peer(state)?;
        let Some(peer) = &mut self.peer else { return Ok(false) };
        match peer.look() {
            News::Nothing => return Ok(false),
            // The bot's end is watched meanwhile: a program that polls for it does not look as if it waited.
            News::Closing if !state.clock.in_overtime() => {
                let pause = state.closing.map_or(CLOSING_AT_FIRST, next_pause);
                state.closing = Some(pause);
                return Ok(false);
            }
            News::Closing | News::Over => {
                state.stop = state.spoke.unwrap_or(state.clock.start);
                return Ok(true);
            }
            News::Input(bytes) => self.stdin.send(&bytes)?,
            News::EndOfInput => self.stdin.end()?,
        }
        if state.has_listened {
            self.restart_clock(request, state);
        }
        Ok(false)
    }

    /// When to wake, no later than `wake`, for a peer that nothing may announce.
    pub(super) fn wake_for_peer(state: &ExchangeState, wake: Instant) -> Instant {
        state.closing.map_or(wake, |pause| wake.min(Instant::now() + pause))
    }

    /// Starts the clock again: the bot has been sent more before its first output.
    fn restart_clock(&mut self, request: &Request<'_>, state: &mut ExchangeState) {
        if self.has_begun {
            self.used = Some(std::mem::take(&mut state.clock.before));
        }
        state.clock = self.start_clock(request);
        state.timed_out = false;
        self.keeper.deadline.set(state.clock.deadline);
    }

    /// Has the peer run where the referee does.
    pub(super) fn keep_peer_near(&mut self) {
        if let (Some(core), Some(peer)) = (&mut self.referee_core, &mut self.peer)
            && let Some(cores) = core.place_of_peer()
        {
            peer.come_to(cores);
        }
    }

    /// Whether the limit has passed only because the peer keeps the bot waiting; then there is more time.
    pub(super) fn is_kept_by_peer(&mut self, state: &mut ExchangeState) -> bool {
        let Some(peer) = &mut self.peer else { return false };
        let since = state.spoke.unwrap_or(state.clock.start);
        if state.clock.in_overtime() || !peer.is_busy(since) {
            return false;
        }
        state.clock.deadline = Some(Instant::now() + RECHECK);
        true
    }

    /// Looks now and then at a bot without a limit: if it awaits input, the peer may keep it waiting for good, and is to
    /// find out.
    fn watch_peer(&mut self, state: &mut ExchangeState) -> io::Result<()> {
        let is_limited = self.peer.is_none() || state.clock.deadline.is_some();
        if is_limited || state.watched.elapsed() < WATCH {
            return Ok(());
        }
        state.watched = Instant::now();
        let bot = Sample::below(self.keeper.pid);
        if self.stdin.unread()? == 0 && self.awaits_input(&bot.pids(), state.watched + LOOK) {
            let since = state.spoke.unwrap_or(state.clock.start);
            // It finds out by itself, and says so when it is looked at.
            if let Some(peer) = &mut self.peer {
                peer.is_busy(since);
            }
        }
        Ok(())
    }

    /// Calls `watch` with each descriptor that is ready when the program has written or ended.
    ///
    /// # Errors
    /// Those of `watch`.
    pub fn watch_with(
        &self,
        watch: &mut dyn FnMut(BorrowedFd<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let fds = [self.stdout.fd(), self.stderr.fd(), Some(self.keeper.channel.as_fd())];
        fds.into_iter().flatten().try_for_each(watch)
    }

    /// Whether all processes wait, at last for someone at the other end of these pipes: they read what is written to
    /// `input`, or wait for each other. If the program waits for `others` too, only the former counts.
    pub fn waits_at(&self, input: BorrowedFd<'_>, output: BorrowedFd<'_>, others: bool) -> bool {
        if rustix::io::ioctl_fionread(input).unwrap_or(0) > 0 {
            return false;
        }
        let until = Instant::now() + LOOK;
        let processes = pids_below(self.keeper.pid, until);
        if others {
            awaits_input(&processes, input, output, until)
        } else {
            wait_for_each_other(&processes, input, output, until)
        }
    }

    /// Moves the program to these cores if none of its processes has several threads: what others do while one waits for
    /// its bot would disturb the bot there.
    pub fn come_to(&self, cores: &[usize]) {
        let cores = set(cores);
        let processes = Sample::below(self.keeper.pid);
        let pids = processes.pids();
        if processes.tasks() == pids.len() as u64 {
            for pid in pids {
                // Fails only for a process that has ended.
                let _ = sched_setaffinity(Pid::from_raw(pid), &cores);
            }
        }
    }

    /// Whether this is the program's own standard error.
    pub fn is_stderr(&self, fd: BorrowedFd<'_>) -> bool {
        let own = self.stderr.fd().and_then(name);
        own.is_some() && own == name(fd)
    }
}
