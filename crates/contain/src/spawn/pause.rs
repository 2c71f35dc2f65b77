//! The pause of a bot beneath its keeper.

use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;

use super::handle::Keeper;
use super::plain::signal_group;
use super::report::{KeeperCommand, MOST_MESSAGES, Message};
use crate::decide::tuning::TUNING;
use crate::sys::ready::is_ready_within;

impl Keeper {
    /// Stops all processes of the bot, and returns when that is done.
    pub(super) fn stop(&mut self) -> io::Result<()> {
        self.signal(KeeperCommand::Stop, Signal::STOP)
    }

    /// Continues all processes of the bot, and returns when that is done.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        self.signal(KeeperCommand::Continue, Signal::CONT)
    }

    /// In a namespace only the keeper can reach all processes; elsewhere none can leave its group.
    fn signal(&mut self, command: KeeperCommand, signal: Signal) -> io::Result<()> {
        if let Some(bot) = self.bot() {
            return signal_group(bot, signal);
        }
        command.send(&self.channel);
        let until = Instant::now() + TUNING.launcher.signal_time;
        loop {
            match Message::receive(&self.channel) {
                Some(Message::Signalled) => return Ok(()),
                Some(message) if self.heard.messages < MOST_MESSAGES => self.heard.record(message),
                None if is_ready_within(self.pidfd.as_fd(), Duration::ZERO) => return Ok(()),
                Some(_) | None => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the bot's keeper stalls"));
            }
            let mut fds = [
                PollFd::new(&self.channel, PollFlags::IN),
                PollFd::new(&self.pidfd, PollFlags::IN),
            ];
            let _ = poll(&mut fds, Timespec::try_from(left).ok().as_ref());
        }
    }
}
