//! Polls a bot's pipes, its end and its canceller, and reads the pipes.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::BotProcess;
use super::pipes::{Captured, DRAIN_CHUNKS, Got};

/// Which descriptors poll found ready.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "any of them may be ready at once")]
pub(super) struct Ready {
    pub(super) stdin: bool,
    pub(super) stdout: bool,
    pub(super) stderr: bool,
    pub(super) ended: bool,
    pub(super) cancelled: bool,
}

impl BotProcess {
    /// Reads no further than the limits on output, so that the bytes read of a flood do not depend on how
    /// it arrives.
    pub(super) fn read_stdout(&mut self) -> io::Result<Got> {
        self.stdout.read_at_most(self.guard.output_left(), &mut self.chunk, |chunk| {
            self.guard.count_output(chunk.len() as u64);
            self.lines.push(chunk);
            self.peer.iter_mut().for_each(|peer| peer.hear(chunk));
        })
    }

    pub(super) fn drain_stdout(&mut self) -> io::Result<()> {
        for _ in 0..DRAIN_CHUNKS {
            if self.read_stdout()? != Got::Bytes || self.guard.check_output().is_some() {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn read_stderr(&mut self, stderr: &mut Captured) -> io::Result<()> {
        let keep = |chunk: &[u8]| {
            self.guard.keep_stderr(stderr, chunk, self.stderr_cap);
            self.peer.iter_mut().for_each(|peer| peer.hear_stderr(chunk));
        };
        self.stderr.drain(&mut self.chunk, keep)
    }

    pub(super) fn read_some_stderr(&mut self, stderr: &mut Captured) -> io::Result<()> {
        let keep = |chunk: &[u8]| {
            self.guard.keep_stderr(stderr, chunk, self.stderr_cap);
            self.peer.iter_mut().for_each(|peer| peer.hear_stderr(chunk));
        };
        self.stderr.read_once(&mut self.chunk, keep).map(drop)
    }

    /// Waits until something is ready or `until` has come.
    pub(super) fn wait(&self, until: Option<Instant>) -> io::Result<Ready> {
        self.wait_beside(until, None, None)
    }

    /// As [`wait`](Self::wait), or until another descriptor is ready; until `awake` without sleeping.
    pub(super) fn wait_beside(
        &self,
        until: Option<Instant>,
        beside: Option<BorrowedFd<'_>>,
        awake: Option<Instant>,
    ) -> io::Result<Ready> {
        let watched = [
            (self.stdin.fd_if_pending(), PollFlags::OUT),
            (self.stdout.fd(), PollFlags::IN),
            (self.stderr.fd(), PollFlags::IN),
            (Some(self.keeper.channel.as_fd()), PollFlags::IN),
            (self.canceller.as_ref().map(|canceller| canceller.as_fd()), PollFlags::IN),
            (beside, PollFlags::IN),
        ];
        let open =
            watched.iter().filter_map(|&(fd, flags)| Some(PollFd::from_borrowed_fd(fd?, flags)));
        let mut fds: Vec<PollFd<'_>> = open.collect();
        let mut polled = Ok(0);
        while polled == Ok(0) && awake.is_some_and(|awake| Instant::now() < awake) {
            polled = poll(&mut fds, Some(&Timespec::default()));
        }
        if polled == Ok(0) {
            let timeout = until.map(|until| until.saturating_duration_since(Instant::now()));
            // A duration too long for the kernel is as good as no limit.
            let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
            polled = poll(&mut fds, timeout.as_ref());
        }
        match polled {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Ready::default()),
            Err(errno) => return Err(errno.into()),
        }
        let mut found = fds.iter().map(|fd| !fd.revents().is_empty());
        let ready = watched.map(|(fd, _)| fd.and_then(|_| found.next()).unwrap_or_default());
        let [stdin, stdout, stderr, ended, cancelled, _] = ready;
        Ok(Ready { stdin, stdout, stderr, ended, cancelled })
    }
}
