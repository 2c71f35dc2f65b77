//! Messages to the referee through a bot's channel, each of a fixed size and in one write: one of the launcher, then
//! the keeper's.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use rustix::process::Pid;

use crate::spawn::linux::order;
use terms::verdict::BotExit;

/// The step of a start that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartStep {
    Pipes,
    Clone,
    /// Mapping the users of the new namespace.
    Users,
    /// Mounting the bot's files.
    Mounts,
    Fork,
    Directory,
    Limits,
    Privileges,
    Ruleset,
    Filter,
    Exec,
}

impl StartStep {
    const ALL: [Self; 11] = [
        Self::Pipes,
        Self::Clone,
        Self::Users,
        Self::Mounts,
        Self::Fork,
        Self::Directory,
        Self::Limits,
        Self::Privileges,
        Self::Ruleset,
        Self::Filter,
        Self::Exec,
    ];
}

/// One message of a keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    /// The start failed, with this `errno`.
    Failed(StartStep, i32),
    /// The keeper's process number; the launcher sends it, with a pidfd.
    Launched(i32),
    /// The program has been executed; the bot's process number in the keeper's pid namespace.
    Started(i32),
    /// The bot has ended by itself.
    Ended(BotExit),
    /// The number of processes that the keeper could not kill.
    Survivors(i32),
    /// The keeper has done its work, and ends.
    Cleared,
}

/// The byte that announces the end of the game to a keeper, which then kills what is left once the bot has ended.
const EXPECT_END: u8 = 1;

/// Announces the end of the game. A keeper that has ended needs no notice.
pub(super) fn announce_end(channel: &UnixStream) {
    let _ = order::send_all(channel, &[EXPECT_END], &[]);
}

/// Whether the end of the game was announced since this was called last.
pub(super) fn is_end_announced(channel: &UnixStream) -> bool {
    matches!(recv(channel, &mut [0], RecvFlags::DONTWAIT), Ok((1, _)))
}

/// A kind, a detail of it, and a number.
const SIZE: usize = 6;

impl Message {
    fn encode(self) -> [u8; SIZE] {
        let (kind, detail, number) = match self {
            Self::Failed(step, errno) => (0, step as u8, errno),
            Self::Started(pid) => (1, 0, pid),
            Self::Ended(BotExit::Code(code)) => (2, 0, code),
            Self::Ended(BotExit::Signal(signal)) => (2, 1, signal),
            Self::Ended(BotExit::Unknown) => (2, 2, 0),
            Self::Survivors(count) => (3, 0, count),
            Self::Launched(pid) => (5, 0, pid),
            Self::Cleared => (6, 0, 0),
        };
        let [a, b, c, d] = number.to_ne_bytes();
        [kind, detail, a, b, c, d]
    }

    fn decode(bytes: [u8; SIZE]) -> Option<Self> {
        let [kind, detail, number @ ..] = bytes;
        let number = i32::from_ne_bytes(number);
        Some(match (kind, detail) {
            (0, step) => Self::Failed(*StartStep::ALL.get(usize::from(step))?, number),
            (1, _) => Self::Started(number),
            (2, 0) => Self::Ended(BotExit::Code(number)),
            (2, 1) => Self::Ended(BotExit::Signal(number)),
            (2, _) => Self::Ended(BotExit::Unknown),
            (3, _) => Self::Survivors(number),
            (5, _) => Self::Launched(number),
            (6, _) => Self::Cleared,
            _ => return None,
        })
    }

    /// Sends the message. If the referee has died, nobody reads it.
    pub(crate) fn send(self, channel: &UnixStream) {
        let _ = order::send_all(channel, &self.encode(), &[]);
    }

    /// Sends the message, and a descriptor.
    pub(crate) fn send_with(self, channel: &UnixStream, descriptor: BorrowedFd<'_>) {
        let _ = order::send_all(channel, &self.encode(), &[descriptor]);
    }

    /// Receives the next message; `None` if none has come, or the keeper has ended.
    pub(crate) fn receive(channel: &UnixStream) -> Option<Self> {
        Self::receive_with(channel).map(|(message, _)| message)
    }

    /// Receives the next message, and what came with it.
    pub(crate) fn receive_with(channel: &UnixStream) -> Option<(Self, Option<OwnedFd>)> {
        let mut bytes = [0; SIZE];
        let (count, descriptors) = order::receive_some(channel, &mut bytes).ok()?;
        // Messages are written, and so also read, as a whole.
        let message = if count == SIZE { Self::decode(bytes)? } else { return None };
        Some((message, descriptors.into_iter().next()))
    }
}

/// A start that failed.
#[derive(Debug, thiserror::Error)]
#[error("{} failed: {error}", step.what())]
pub(crate) struct LaunchError {
    pub(crate) step: StartStep,
    pub(crate) error: io::Error,
}

impl StartStep {
    /// What is done in it, as a phrase.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Pipes => "making its pipes",
            Self::Clone => "making the process above it",
            Self::Users => "giving its namespace users",
            Self::Mounts => "mounting its files",
            Self::Fork => "making its process",
            Self::Directory => "entering its working folder",
            Self::Limits => "setting its limits",
            Self::Privileges => "giving up its privileges",
            Self::Ruleset => "entering its sandbox",
            Self::Filter => "setting its filter",
            Self::Exec => "executing its program",
        }
    }

    pub(crate) fn failed(self, error: impl Into<io::Error>) -> LaunchError {
        LaunchError { step: self, error: error.into() }
    }
}

/// A step of a start that failed.
pub(crate) type Failure = (StartStep, Errno);

pub(crate) fn at(step: StartStep) -> impl Fn(Errno) -> Failure {
    move |errno| (step, errno)
}

/// More than any keeper sends. A bot that can trace its keeper, without Landlock, could send for ever.
pub(crate) const MOST_MESSAGES: u32 = 32;

/// What a keeper has reported so far.
#[derive(Debug, Default)]
pub(crate) struct KeeperReport {
    pub(crate) messages: u32,
    pub(crate) bot: Option<Pid>,
    pub(crate) exit: Option<BotExit>,
    pub(crate) survivors: usize,
    /// Whether the keeper did all its work.
    pub(crate) is_cleared: bool,
}

impl KeeperReport {
    pub(crate) fn record(&mut self, message: Message) {
        self.messages += 1;
        match message {
            Message::Started(pid) => self.bot = Pid::from_raw(pid),
            Message::Ended(exit) => self.exit = Some(exit),
            Message::Survivors(count) => self.survivors = usize::try_from(count).unwrap_or(0),
            Message::Cleared => self.is_cleared = true,
            // They come before all other messages or not at all.
            Message::Failed(..) | Message::Launched(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        let (read, write) = UnixStream::pair().expect("a socket");
        let mut sent = vec![
            Message::Started(7),
            Message::Ended(BotExit::Code(3)),
            Message::Ended(BotExit::Signal(9)),
            Message::Ended(BotExit::Unknown),
            Message::Survivors(52),
            Message::Launched(8),
            Message::Cleared,
        ];
        sent.extend(StartStep::ALL.map(|step| Message::Failed(step, libc::ENOENT)));
        for message in &sent {
            message.send(&write);
        }
        drop(write);
        let received: Vec<_> = std::iter::from_fn(|| Message::receive(&read)).collect();
        assert_eq!(received, sent);
    }
}
