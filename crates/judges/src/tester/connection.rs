//! The referee's connection to a relay, and the standard input and output that the relay has handed over.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::sockopt::socket_peercred;
use rustix::pipe::fcntl_setpipe_size;

use terms::bounds::PIPE_PART;
use terms::verdict::BotExit;

use super::relay::{status, streams};
use crate::process::Process;

/// The bytes of a read.
const CHUNK: usize = 8 << 10;

/// How long a relay may take to hand over its streams.
const HANDOVER: Duration = Duration::from_secs(1);

/// How long a tester may take to read the last output of a bot that has ended.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// The bits by which `news` names what it watches.
pub(super) const TESTER: u64 = 1;
pub(super) const LISTENER: u64 = 2;
const RELAY: u64 = 4;
const INPUT: u64 = 8;
const OUTPUT: u64 = 16;

/// The bytes of the bot's output that wait here for the tester: two parts of the connection, whose other two are the pipes.
const UNSENT: usize = 2 * PIPE_PART;

/// A relay's connection, and its standard input and output.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "any of them may be so at once")]
pub(super) struct Relay {
    socket: UnixStream,
    /// What the tester writes to the bot.
    input: Option<OwnedFd>,
    /// Whether that is a file, which nothing wakes for.
    is_file: bool,
    /// Whether it is not read now, since what was read before has not been passed on.
    is_paused: bool,
    /// Whether its pipe is still larger than its part in the connection.
    is_wide: bool,
    /// What the tester reads of the bot.
    output: Option<OwnedFd>,
    /// The bot's output that the tester has not taken yet.
    unsent: Vec<u8>,
    /// Whether `news` wakes when the tester can take more of it.
    is_awaited: bool,
    news: Arc<File>,
}

impl Relay {
    /// Takes over a relay's streams; `None` if it has ended in the meantime.
    pub(super) fn new(socket: UnixStream, news: &Arc<File>) -> io::Result<Option<Self>> {
        // A relay sends them at once.
        socket.set_read_timeout(Some(HANDOVER))?;
        let Some([input, output]) = streams(&socket)? else { return Ok(None) };
        socket.set_nonblocking(true)?;
        // Other processes do not share these two: at their other ends is the tester.
        ioctl_fionbio(&input, true)?;
        ioctl_fionbio(&output, true)?;
        watch(news, socket.as_fd(), RELAY)?;
        let is_file = !watch(news, input.as_fd(), INPUT)?;
        // What is not a pipe keeps its size.
        let _ = fcntl_setpipe_size(&output, PIPE_PART);
        Ok(Some(Self {
            socket,
            input: Some(input),
            is_file,
            is_paused: false,
            is_wide: true,
            output: Some(output),
            unsent: Vec::new(),
            is_awaited: false,
            news: Arc::clone(news),
        }))
    }

    /// Takes what has come, of that which is ready: returns whether the tester has closed the bot's input, and whether the
    /// relay has ended.
    pub(super) fn update(&mut self, ready: u64, pending: &mut Vec<u8>) -> (bool, bool) {
        self.flush();
        let may_read = self.is_file || self.is_paused || ready & INPUT != 0;
        let has_closed = may_read && !self.read_input(pending);
        (has_closed, ready & RELAY != 0 && self.is_gone())
    }

    /// Reads what the tester has written, up to a part of the connection; returns whether more can come.
    fn read_input(&mut self, pending: &mut Vec<u8>) -> bool {
        let Some(input) = &self.input else { return false };
        if self.is_wide {
            self.is_wide = matches!(fcntl_setpipe_size(input, PIPE_PART), Err(Errno::BUSY));
        }
        let mut chunk = [0; CHUNK];
        loop {
            let room = PIPE_PART.saturating_sub(pending.len()).min(CHUNK);
            if room == 0 {
                self.pause(true);
                return true;
            }
            match rustix::io::read(input, &mut chunk[..room]) {
                Ok(0) => break,
                Ok(count) => {
                    pending.extend_from_slice(&chunk[..count]);
                    if count < room {
                        self.pause(false);
                        return true;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    self.pause(false);
                    return true;
                }
                Err(_) => break,
            }
        }
        self.pause(true);
        (self.input, self.is_paused) = (None, false);
        false
    }

    /// Goes on reading what the tester writes, as soon as something is there.
    pub(super) fn resume(&mut self) {
        self.pause(false);
    }

    /// Has `news` wake for the bot's input no more, or again.
    fn pause(&mut self, pauses: bool) {
        let Some(input) = self.input.as_ref().filter(|_| self.is_paused != pauses) else { return };
        self.is_paused = pauses;
        if !self.is_file {
            // Neither fails: it is known there, or was.
            let _ = if pauses {
                epoll::delete(&self.news, input).map_err(io::Error::from)
            } else {
                watch(&self.news, input.as_fd(), INPUT).map(drop)
            };
        }
    }

    /// Writes as much of the bot's output as the tester takes now.
    fn flush(&mut self) {
        while let (Some(output), false) = (&self.output, self.unsent.is_empty()) {
            match rustix::io::write(output, &self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return self.await_tester(true),
                // The tester reads no more.
                Err(_) => {
                    self.await_tester(false);
                    self.output = None;
                    self.unsent.clear();
                }
            }
        }
        self.await_tester(false);
    }

    /// Has `news` wake when the tester can take more output, or no more.
    fn await_tester(&mut self, awaits: bool) {
        let Some(output) = self.output.as_ref().filter(|_| self.is_awaited != awaits) else {
            return;
        };
        self.is_awaited = awaits;
        // Fails for a file, which takes everything.
        let _ = if awaits {
            epoll::add(&self.news, output, EventData::new_u64(OUTPUT), EventFlags::OUT)
        } else {
            epoll::delete(&self.news, output)
        };
    }

    /// How many more bytes of the bot's output can wait for the tester.
    pub(super) fn room(&self) -> usize {
        UNSENT.saturating_sub(self.unsent.len())
    }

    /// The pipe that a tester would be writing to that cannot go on: it has written more than a bot takes that `is_full`, or
    /// does not read the bot's output.
    pub(super) fn blocked(&self, is_full: bool) -> Option<BorrowedFd<'_>> {
        if self.is_paused && is_full || !self.unsent.is_empty() {
            self.input.as_ref().or(self.output.as_ref()).map(AsFd::as_fd)
        } else {
            None
        }
    }

    /// Gives the tester a moment to take what it has not read yet of a bot that has ended.
    fn flush_at_the_end(&mut self) {
        let until = Instant::now() + LAST_OUTPUT;
        // The pipe holds for a slow tester what the connection held.
        if let Some(output) = self.output.as_ref().filter(|_| !self.unsent.is_empty()) {
            let _ = fcntl_setpipe_size(output, self.unsent.len() + PIPE_PART);
        }
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
        self.forget_pipes();
        (self.input, self.output) = (None, None);
        // Fails only if it has ended already.
        let _ = rustix::io::write(&self.socket, &status(exit));
    }

    /// Has `news` wake for its pipes no more, even if other processes still have them open.
    fn forget_pipes(&mut self) {
        self.pause(true);
        self.await_tester(false);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.forget_pipes();
    }
}

/// Whether it is the tester, or a program that it has started, that has connected: a bot without a sandbox can do so too.
pub(super) fn is_of(tester: &Process, socket: &UnixStream) -> bool {
    let peer = socket_peercred(socket).map(|peer| peer.pid);
    tester.child().is_some_and(|child| peer.is_ok_and(|peer| child.has_process(peer)))
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
