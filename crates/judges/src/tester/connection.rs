//! The referee's connection to a relay, and the standard streams that the relay has handed over.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};

use terms::verdict::BotExit;

use super::relay::{status, streams};
use crate::process::Process;

/// The bytes of a read.
const CHUNK: usize = 8 << 10;

/// How long a relay may take to hand over its streams.
const HANDOVER: Duration = Duration::from_secs(1);

/// How long a tester may take to read the last output of a bot that has ended.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// The bytes that a pipe takes whole if it is ready.
const ATOMIC: usize = 4096;

/// The bits by which `news` names what it watches.
pub(super) const TESTER: u64 = 1;
pub(super) const LISTENER: u64 = 2;
const RELAY: u64 = 4;
const INPUT: u64 = 8;

/// A relay's connection, and its standard streams.
#[derive(Debug)]
pub(super) struct Relay {
    socket: UnixStream,
    /// What the tester writes to the bot.
    input: Option<OwnedFd>,
    /// Whether that is a file, which nothing wakes for.
    is_file: bool,
    /// What the tester reads of the bot.
    output: Option<OwnedFd>,
    /// The bot's standard error, unless that is the tester's own.
    errors: Option<OwnedFd>,
    /// The bot's output that the tester has not taken yet.
    unsent: Vec<u8>,
}

impl Relay {
    /// Takes over a relay's streams; `None` if it has ended in the meantime.
    pub(super) fn new(
        socket: UnixStream,
        tester: &Process,
        news: &File,
    ) -> io::Result<Option<Self>> {
        socket.set_nonblocking(false)?;
        // A relay sends them at once.
        socket.set_read_timeout(Some(HANDOVER))?;
        let Some([input, output, errors]) = streams(&socket)? else { return Ok(None) };
        socket.set_nonblocking(true)?;
        // Other processes do not share these two: at their other ends is the tester.
        ioctl_fionbio(&input, true)?;
        ioctl_fionbio(&output, true)?;
        watch(news, socket.as_fd(), RELAY)?;
        let is_file = !watch(news, input.as_fd(), INPUT)?;
        let is_own = tester.child().is_some_and(|child| child.is_stderr(errors.as_fd()));
        let errors = Some(errors).filter(|_| !is_own);
        let unsent = Vec::new();
        let (input, output) = (Some(input), Some(output));
        Ok(Some(Self { socket, input, is_file, output, errors, unsent }))
    }

    /// Takes what has come, of that which is ready: returns whether the tester has closed the bot's input, and whether the
    /// relay has ended.
    pub(super) fn update(&mut self, ready: u64, pending: &mut Vec<u8>) -> (bool, bool) {
        self.flush();
        let may_read = self.is_file || ready & INPUT != 0;
        let has_closed = may_read && !self.read_input(pending);
        (has_closed, ready & RELAY != 0 && self.is_gone())
    }

    /// Reads what the tester has written; returns whether more can come.
    fn read_input(&mut self, pending: &mut Vec<u8>) -> bool {
        let Some(input) = &self.input else { return false };
        let mut chunk = [0; CHUNK];
        loop {
            match rustix::io::read(input, &mut chunk) {
                Ok(0) => break,
                Ok(count) => {
                    pending.extend_from_slice(&chunk[..count]);
                    if count < CHUNK {
                        return true;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return true,
                Err(_) => break,
            }
        }
        self.input = None;
        false
    }

    /// Writes as much of the bot's output as the tester takes now.
    fn flush(&mut self) {
        while let (Some(output), false) = (&self.output, self.unsent.is_empty()) {
            match rustix::io::write(output, &self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // The tester reads no more.
                Err(_) => {
                    self.output = None;
                    self.unsent.clear();
                }
            }
        }
    }

    /// Gives the tester a moment to take what it has not read yet of a bot that has ended.
    fn flush_at_the_end(&mut self) {
        let until = Instant::now() + LAST_OUTPUT;
        self.flush();
        while let (Some(output), false) = (&self.output, self.unsent.is_empty()) {
            let left = until.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).unwrap_or_default();
            let ready = poll(&mut [PollFd::new(output, PollFlags::OUT)], Some(&left));
            if ready != Ok(1) {
                return;
            }
            self.flush();
        }
    }

    /// Passes on what standard error accepts without waiting: it may be shared with others.
    pub(super) fn write_errors(&self, bytes: &[u8]) {
        let Some(errors) = &self.errors else { return };
        for chunk in bytes.chunks(ATOMIC) {
            let mut ready = [PollFd::new(errors, PollFlags::OUT)];
            if poll(&mut ready, Some(&Timespec::default())) != Ok(1) {
                return;
            }
            let _ = rustix::io::write(errors, chunk);
        }
    }

    /// Whether the relay has ended: nothing ever comes from one that lives.
    fn is_gone(&self) -> bool {
        let mut byte = [0];
        !matches!(rustix::io::read(&self.socket, &mut byte), Err(Errno::AGAIN | Errno::INTR))
    }

    /// Passes on output of the bot.
    pub(super) fn write(&mut self, output: &[u8]) {
        self.unsent.extend_from_slice(output);
        self.flush();
    }

    /// The pipes at which a tester waits that has taken all output: the bot's output and its input.
    pub(super) fn pipes(&self) -> Option<(BorrowedFd<'_>, BorrowedFd<'_>)> {
        let output = self.output.as_ref().filter(|_| self.unsent.is_empty())?;
        // A reader of the bot's output holds that pipe, even if it has closed the bot's input.
        let input = self.input.as_ref().unwrap_or(output);
        Some((output.as_fd(), input.as_fd()))
    }

    /// Ends the relay as the bot has ended; its streams are closed before.
    pub(super) fn end(mut self, exit: BotExit) {
        self.flush_at_the_end();
        let Self { socket, input, output, errors, .. } = self;
        drop((input, output, errors));
        // Fails only if it has ended already.
        let _ = rustix::io::write(&socket, &status(exit));
    }
}

/// Has `news` wake for this descriptor too, and name it by this bit. Returns whether it can: a file is always ready.
pub(super) fn watch(news: &File, fd: BorrowedFd<'_>, bit: u64) -> io::Result<bool> {
    match epoll::add(news, fd, EventData::new_u64(bit), EventFlags::IN) {
        Ok(()) => Ok(true),
        Err(Errno::PERM) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The bits of what is ready.
pub(super) fn ready(news: &File) -> u64 {
    let mut events = [const { MaybeUninit::uninit() }; 8];
    match epoll::wait(news, &mut events, Some(&Timespec::default())) {
        Ok((ready, _)) => ready.iter().fold(0, |bits, event| bits | event.data.u64()),
        // To look at everything is never wrong.
        Err(_) => u64::MAX,
    }
}
