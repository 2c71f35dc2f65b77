//! The referee's ends of a bot's pipes, non-blocking and capped, and the program at their other end, if there is one.

use std::io::{self, ErrorKind, Write as _};
use std::time::{Duration, Instant};

use crate::decide::tuning::TUNING;
use crate::spawn::running::ChildPipes;
use crate::sys::{self, PipeReader, PipeWriter, Waitable};
use terms::lines::LineBuffer;
use terms::peer::Peer;

/// The referee's ends, and the lines that came through them.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: InputPipe,
    pub(crate) stdout: OutputPipe,
    pub(crate) stderr: OutputPipe,
    /// The buffer for one read.
    pub(crate) chunk: Vec<u8>,
    pub(crate) lines: LineBuffer,
    /// The number of bytes of standard error to keep for each exchange.
    pub(crate) stderr_cap: usize,
}

impl Pipes {
    pub(crate) fn new(pipes: ChildPipes, stderr_cap: usize) -> io::Result<Self> {
        let ChildPipes { stdin, stdout, stderr } = pipes;
        Ok(Self {
            stdin: InputPipe::new(stdin)?,
            stdout: OutputPipe::new(stdout)?,
            stderr: OutputPipe::new(stderr)?,
            chunk: chunk(),
            lines: LineBuffer::default(),
            stderr_cap,
        })
    }
}

/// A buffer for one read: half of a default pipe, since freeing 64 KiB or more makes glibc consolidate its heap. It is
/// not cleared, which would touch pages that no bot ever fills.
fn chunk() -> Vec<u8> {
    Vec::with_capacity(32 * 1024)
}

/// The most chunks that one call may drain, together the largest pipe that a bot can make: a bot that writes faster
/// than the referee reads must not keep the referee from its clock.
pub(crate) const DRAIN_CHUNKS: usize = 32;

/// The result of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadOutcome {
    /// Some bytes.
    Bytes,
    /// Nothing for now.
    Nothing,
    /// EOF.
    End,
}

/// The reading end of a pipe, until EOF.
#[derive(Debug)]
pub(crate) struct OutputPipe {
    pipe: Option<PipeReader>,
    /// The bytes read so far.
    total: u64,
}

impl OutputPipe {
    pub(crate) fn new(pipe: PipeReader) -> io::Result<Self> {
        sys::prepare_to_read(&pipe)?;
        Ok(Self { pipe: Some(pipe), total: 0 })
    }

    /// Ready once there is something to read.
    pub(crate) fn waitable(&self) -> Option<Waitable<'_>> {
        self.pipe.as_ref().map(sys::readable)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.pipe.is_none()
    }

    /// The number of bytes read so far.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Reads once, into `chunk`, and passes the bytes to `sink`.
    pub(crate) fn read_once(
        &mut self,
        chunk: &mut Vec<u8>,
        sink: impl FnMut(&[u8]),
    ) -> io::Result<ReadOutcome> {
        self.read_at_most(usize::MAX, chunk, sink)
    }

    /// As [`read_once`](Self::read_once), but no more than `limit` bytes, which must not be 0.
    pub(crate) fn read_at_most(
        &mut self,
        limit: usize,
        chunk: &mut Vec<u8>,
        mut sink: impl FnMut(&[u8]),
    ) -> io::Result<ReadOutcome> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(ReadOutcome::End);
        };
        loop {
            chunk.clear();
            let space = chunk.spare_capacity_mut();
            let size = space.len().min(limit);
            match sys::read(pipe, &mut space[..size]) {
                Ok([]) => {
                    self.pipe = None;
                    return Ok(ReadOutcome::End);
                }
                Ok(read) => {
                    self.total += read.len() as u64;
                    sink(read);
                    return Ok(ReadOutcome::Bytes);
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return Ok(ReadOutcome::Nothing),
                    ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
    }

    /// Reads everything that is there now, at most this number of times.
    pub(crate) fn drain(
        &mut self,
        times: usize,
        chunk: &mut Vec<u8>,
        mut sink: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        for _ in 0..times {
            if self.read_once(chunk, &mut sink)? != ReadOutcome::Bytes {
                break;
            }
        }
        Ok(())
    }
}

/// The writing end of a pipe, and the input still to be written.
#[derive(Debug)]
pub(crate) struct InputPipe {
    pipe: Option<PipeWriter>,
    pending: Vec<u8>,
    refused: bool,
    /// Whether nothing follows the pending input.
    ends: bool,
}

impl InputPipe {
    pub(crate) fn new(pipe: PipeWriter) -> io::Result<Self> {
        sys::prepare_to_write(&pipe)?;
        Ok(Self { pipe: Some(pipe), pending: Vec::new(), refused: false, ends: false })
    }

    /// What to wait for, if there is something to write.
    pub(crate) fn waitable_if_pending(&self) -> Option<Waitable<'_>> {
        let is_pending = |pipe: &&PipeWriter| !self.pending.is_empty() || !sys::is_written(pipe);
        self.pipe.as_ref().filter(is_pending).map(sys::writable)
    }

    /// Whether there is input that the pipe has not taken yet.
    pub(crate) fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Writes as much of the pending input, then of `input`, as the pipe accepts now.
    ///
    /// If the bot has closed its input, the bytes are lost; that alone is not a fault.
    pub(crate) fn send(&mut self, input: &[u8]) -> io::Result<()> {
        if self.pipe.is_none() {
            return Ok(());
        }
        if !self.pending.is_empty() {
            self.pending.extend_from_slice(input);
            return self.flush();
        }
        let written = self.write_some(input)?;
        if self.pipe.is_some() {
            self.pending.extend_from_slice(&input[written..]);
        }
        Ok(())
    }

    /// Writes as much pending input as the pipe takes now.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let written = self.write_some(&pending)?;
        if self.pipe.is_some() {
            self.pending.extend_from_slice(&pending[written..]);
        }
        let is_written = self.pipe.as_ref().is_none_or(sys::is_written);
        if self.ends && self.pending.is_empty() && is_written {
            self.close();
        }
        Ok(())
    }

    /// Closes the pipe once the pending input is written.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.ends = true;
        self.flush()
    }

    /// Ready once something can be written.
    pub(crate) fn waitable(&self) -> Option<Waitable<'_>> {
        self.pipe.as_ref().map(sys::writable)
    }

    /// Whether the bot has closed its end: input sent since then was lost.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused
    }

    /// Closes the pipe; pending input is lost.
    pub(crate) fn close(&mut self) {
        self.pipe = None;
        self.pending.clear();
    }

    /// The number of bytes for the bot that it has not read.
    pub(crate) fn unread(&self) -> io::Result<u64> {
        let Some(pipe) = &self.pipe else { return Ok(0) };
        Ok(sys::unread(pipe)? + self.pending.len() as u64)
    }

    fn write_some(&mut self, mut bytes: &[u8]) -> io::Result<usize> {
        let whole = bytes.len();
        while let (Some(pipe), false) = (&mut self.pipe, bytes.is_empty()) {
            match pipe.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => break,
                    ErrorKind::Interrupted => {}
                    ErrorKind::BrokenPipe => {
                        self.refused = true;
                        self.close();
                    }
                    _ => return Err(error),
                },
            }
        }
        Ok(whole - bytes.len())
    }
}

/// Bytes that are kept up to a cap and counted beyond it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, up to the cap.
    pub bytes: Vec<u8>,
    /// The number of bytes beyond the cap.
    pub dropped: u64,
}

impl Captured {
    pub(crate) fn push(&mut self, chunk: &[u8], cap: usize) {
        let room = cap.saturating_sub(self.bytes.len()).min(chunk.len());
        self.bytes.extend_from_slice(&chunk[..room]);
        self.dropped += (chunk.len() - room) as u64;
    }
}

/// Something that a poll waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    Stdout,
    Stderr,
    /// The program or its keeper has ended.
    End,
    Canceller,
    /// What is waited for besides.
    Beside,
}

/// What poll found ready.
#[derive(Debug, Default)]
pub(crate) struct Ready(pub(crate) Vec<Source>);

impl Ready {
    pub(crate) fn has(&self, source: Source) -> bool {
        self.0.contains(&source)
    }
}

/// A peer, and when it was checked.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) peer: Box<dyn Peer>,
    /// What it has written for the bot in this exchange.
    pub(crate) passed: Vec<u8>,
    /// The time until the next check of it, if it has closed the bot's input.
    closing: Option<Duration>,
    /// When a bot without a limit was last checked for its sake.
    checked: Instant,
    /// Whether the bot's pipes are still larger than their part in a connection.
    pub(crate) has_wide_pipes: bool,
}

impl Link {
    pub(crate) fn new(peer: Box<dyn Peer>) -> Self {
        Self {
            peer,
            passed: Vec::new(),
            closing: None,
            checked: Instant::now(),
            has_wide_pipes: true,
        }
    }

    /// Starts an exchange.
    pub(crate) fn begin(&mut self) {
        self.passed.clear();
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

    /// Whether a bot without a limit is to be checked, which this answers once.
    pub(crate) fn is_check_due(&mut self) -> bool {
        let is_due = self.checked.elapsed() >= TUNING.peer.watch;
        if is_due {
            self.checked = Instant::now();
        }
        is_due
    }
}
