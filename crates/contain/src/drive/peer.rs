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
//!
//! The connection holds as much each way as one pipe would (`PIPE` of `terms::bounds`): the bot's pipes are narrowed, its
//! output is read only if the program has room for it, and the program is asked for input only if the bot's pipe took all
//! that came before. So two programs that both write without reading block here as they would without the referee.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use rustix::process::Pid;

use crate::decide::tuning::TUNING;
use crate::drive::process::BotProcess;
use crate::observe::{self, awaits_input, is_blocked_writing, wait_for_each_other};
use crate::sys::proc;

impl BotProcess {
    /// Calls `watch` with each descriptor that is ready when the program has written or ended.
    ///
    /// # Errors
    /// The bits of `watch`.
    pub fn watch_with(
        &self,
        watch: &mut dyn FnMut(BorrowedFd<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let end = self.running.notice();
        let fds = [self.pipes.stdout.waitable(), self.pipes.stderr.waitable(), end];
        fds.into_iter().flatten().try_for_each(watch)
    }

    /// Whether all processes wait, at last for the other end of these pipes: they read what is written to
    /// `input`, or wait for each other. If the program waits for `others` too, only the former counts.
    pub fn waits_at(&self, input: BorrowedFd<'_>, output: BorrowedFd<'_>, others: bool) -> bool {
        if rustix::io::ioctl_fionread(input).unwrap_or(0) > 0 {
            return false;
        }
        let until = Instant::now() + TUNING.sampling.walk;
        let processes = observe::pids(self.root, until);
        if others {
            awaits_input(&processes, input, output, until)
        } else {
            wait_for_each_other(&processes, input, output, until)
        }
    }

    /// Whether a process is blocked writing to the pipe whose other end is `output`, which is full, or all of them wait.
    pub fn is_blocked_writing(&self, output: BorrowedFd<'_>) -> bool {
        let until = Instant::now() + TUNING.sampling.walk;
        is_blocked_writing(&observe::pids(self.root, until), output, until)
    }

    /// Whether this is one of the program's processes.
    pub fn has_process(&self, pid: Pid) -> bool {
        let root = self.root.pid().as_raw_pid();
        let mut pid = pid.as_raw_pid();
        // A process can have no more above it than there are numbers, unless they change in the meantime.
        for _ in 0..1 << 16 {
            if pid == root {
                return true;
            }
            match proc::parent(pid) {
                Some(parent) if parent > 1 => pid = parent,
                _ => return false,
            }
        }
        false
    }
}
