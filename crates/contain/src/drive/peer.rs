//! The other end of a bot's pipes, where that is a program: it gets the bot's output as it comes, and only it knows when a
//! reply is over.
//!
//! # Theory of operation
//!
//! Where a program believes that it has started the bot itself, the referee passes the bytes on, both ways. An exchange
//! then has as its input whatever the program writes before the bot's first output, and as its reply whatever the bot
//! writes before the program writes again. The bot's clock runs from the last byte of that input to the last byte of that
//! reply, so the program's own time is never the bot's. When the limit has passed, the program's system calls show
//! whether it waits for the bot: if not, it is the program that keeps everything waiting.

use std::fmt;
use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::process::BotProcess;
use crate::decide::tuning::TUNING;
use crate::observe::waits::{awaits_input, wait_for_each_other};
use crate::observe::walk;
use crate::sys::cores;
use crate::sys::proc::{pids_below, pipe_name};
use terms::verdict::NoReply;

/// The other end of a bot's pipes.
pub trait Peer: fmt::Debug + Send {
    /// What to poll besides the bot: ready when there may be news.
    fn watched(&self) -> BorrowedFd<'_>;

    /// Passes on the bot's standard output.
    fn hear(&mut self, output: &[u8]);

    /// Passes on the bot's standard error.
    fn hear_stderr(&mut self, output: &[u8]);

    /// Takes note that the bot will write nothing more, by its own choice.
    fn hear_end(&mut self, end: NoReply);

    /// Checks for news, without waiting.
    fn look(&mut self) -> News;

    /// Whether it has other things to do than to wait for the bot, although nothing has happened since this moment.
    fn is_busy(&mut self, since: Instant) -> bool;

    /// Takes note that the referee now runs on these cores, where the bot is pinned: its turns are quickest there.
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

/// A peer, and how it was polled.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) peer: Box<dyn Peer>,
    /// How many of the last waits for it or the bot were short.
    quick_waits: u8,
    /// The time until the next check of it, if it has closed the bot's input.
    closing: Option<Duration>,
    /// When a bot without a limit was last checked for its sake.
    checked: Instant,
}

impl Link {
    fn new(peer: Box<dyn Peer>) -> Self {
        Self { peer, quick_waits: 0, closing: None, checked: Instant::now() }
    }

    /// Starts an exchange.
    pub(crate) fn begin(&mut self) {
        self.closing = None;
        self.checked = Instant::now();
    }

    /// Notes that the peer has closed the bot's input: the bot's end is watched for now, since a program that polls for it does
    /// not look as if it waited.
    pub(crate) fn note_closing(&mut self) {
        let at_first = TUNING.peer.closing_at_first;
        self.closing =
            Some(self.closing.map_or(at_first, |pause| TUNING.peer.closing.min(2 * pause)));
    }

    /// When to wake, no later than `wake`, for news that nothing may announce.
    pub(crate) fn wake(&self, wake: Instant) -> Instant {
        self.closing.map_or(wake, |pause| wake.min(Instant::now() + pause))
    }

    /// Until when to poll without sleeping, after many short waits.
    pub(crate) fn awake_until(&self, wake: Instant) -> Option<Instant> {
        let stays_awake = self.quick_waits >= TUNING.peer.often;
        stays_awake.then(|| wake.min(Instant::now() + TUNING.peer.awake))
    }

    /// Notes how long a wait took, without sleeping for its first part or not.
    pub(crate) fn waited(&mut self, time: Duration, stays_awake: bool) {
        let longest = if stays_awake { TUNING.peer.awake } else { TUNING.peer.quick };
        self.quick_waits = if time <= longest { self.quick_waits.saturating_add(1) } else { 0 };
    }

    /// Whether a bot without a limit is to be checked, which this answers once.
    pub(crate) fn is_check_due(&mut self) -> bool {
        let is_due = self.checked.elapsed() >= TUNING.peer.watch;
        if is_due {
            self.checked = Instant::now();
        }
        is_due
    }
}

impl BotProcess {
    /// Has the bot talk to `peer` through the referee: each exchange that lasts until the end of the output now lasts
    /// until the peer reports that the reply is over.
    pub fn talk_to(&mut self, peer: Box<dyn Peer>) {
        self.link = Some(Link::new(peer));
    }

    /// Has the peer run where the referee does.
    pub(crate) fn keep_peer_near(&mut self) {
        if let (Some(core), Some(link)) = (&mut self.core, &mut self.link)
            && let Some(cores) = core.place_of_peer()
        {
            link.peer.come_to(cores);
        }
    }

    /// Calls `watch` with each descriptor that is ready when the program has written or ended.
    ///
    /// # Errors
    /// Those of `watch`.
    pub fn watch_with(
        &self,
        watch: &mut dyn FnMut(BorrowedFd<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let end = Some(self.keeper.notice());
        let fds = [self.pipes.stdout.fd(), self.pipes.stderr.fd(), end];
        fds.into_iter().flatten().try_for_each(watch)
    }

    /// Whether all processes wait, at last for the other end of these pipes: they read what is written to
    /// `input`, or wait for each other. If the program waits for `others` too, only the former counts.
    pub fn waits_at(&self, input: BorrowedFd<'_>, output: BorrowedFd<'_>, others: bool) -> bool {
        if rustix::io::ioctl_fionread(input).unwrap_or(0) > 0 {
            return false;
        }
        let until = Instant::now() + TUNING.sampling.look;
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
        let processes = walk::below(self.keeper.pid);
        let pids = processes.pids();
        if processes.tasks() == pids.len() as u64 {
            for pid in pids {
                // Fails only for a process that has ended.
                let _ = cores::move_to(Pid::from_raw(pid), cores);
            }
        }
    }

    /// Whether this is the program's own standard error.
    pub fn is_stderr(&self, fd: BorrowedFd<'_>) -> bool {
        let own = self.pipes.stderr.fd().and_then(pipe_name);
        own.is_some() && own == pipe_name(fd)
    }
}
