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

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use super::link::Link;
use super::process::BotProcess;
use crate::decide::tuning::TUNING;
use crate::observe::waits::{awaits_input, wait_for_each_other};
use crate::observe::walk;
use crate::sys::proc::pipe_name;
use terms::peer::Peer;

impl BotProcess {
    /// Has the bot talk to `peer` through the referee: each exchange that lasts until the end of the output now lasts
    /// until the peer reports that the reply is over.
    pub fn talk_to(&mut self, peer: Box<dyn Peer>) {
        self.link = Some(Link::new(peer));
    }

    /// Calls `watch` with each descriptor that is ready when the program has written or ended.
    ///
    /// # Errors
    /// The bits of `watch`.
    pub fn watch_with(
        &self,
        watch: &mut dyn FnMut(BorrowedFd<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let end = self.running.notice();
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
        let processes = walk::pids(self.root, until);
        if others {
            awaits_input(&processes, input, output, until)
        } else {
            wait_for_each_other(&processes, input, output, until)
        }
    }

    /// Whether this is the program's own standard error.
    pub fn is_stderr(&self, fd: BorrowedFd<'_>) -> bool {
        let own = self.pipes.stderr.fd().and_then(pipe_name);
        own.is_some() && own == pipe_name(fd)
    }
}
