//! Polls a bot's pipes, its end and its canceller, and reads the pipes.

use std::io;
use std::time::Instant;

use super::pipes::{Captured, DRAIN_CHUNKS, Got};
use super::process::BotProcess;
use crate::sys::wait::{self, For, Waitable};

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
pub(crate) struct Ready(Vec<Source>);

impl Ready {
    pub(crate) fn has(&self, source: Source) -> bool {
        self.0.contains(&source)
    }
}

impl BotProcess {
    /// The bytes of standard output for which there is room now: without a peer, all.
    pub(crate) fn room(&self) -> usize {
        self.link.as_ref().map_or(usize::MAX, |link| link.peer.room())
    }

    /// Reads no further than the limits on output, so that the bytes read of a flood do not depend on how
    /// it arrives, and nothing for which there is no room.
    pub(crate) fn read_stdout(&mut self) -> io::Result<Got> {
        match self.room() {
            0 => Ok(Got::Nothing),
            room => self.read_stdout_at_most(room),
        }
    }

    fn read_stdout_at_most(&mut self, room: usize) -> io::Result<Got> {
        let Self { pipes, guard, link, .. } = self;
        let limit = guard.output_left().min(room);
        let got = pipes.stdout.read_at_most(limit, &mut pipes.chunk, |chunk| {
            guard.count_output(chunk.len() as u64);
            pipes.lines.push(chunk);
            if let Some(link) = link {
                link.peer.on_output(chunk);
            }
        })?;
        // Now there may be less in it.
        self.narrow_pipes();
        Ok(got)
    }

    /// Reads all that a program which has ended has left in its pipe, within a bound.
    pub(crate) fn drain_stdout(&mut self) -> io::Result<()> {
        for _ in 0..DRAIN_CHUNKS {
            if self.read_stdout_at_most(usize::MAX)? != Got::Bytes
                || self.guard.check_output().is_some()
            {
                break;
            }
        }
        Ok(())
    }

    /// Reads all standard error that is there, within a bound.
    pub(crate) fn read_stderr(&mut self, stderr: &mut Captured) -> io::Result<()> {
        self.read_stderr_chunks(stderr, DRAIN_CHUNKS)
    }

    /// Reads some standard error.
    pub(crate) fn read_some_stderr(&mut self, stderr: &mut Captured) -> io::Result<()> {
        self.read_stderr_chunks(stderr, 1)
    }

    fn read_stderr_chunks(&mut self, stderr: &mut Captured, chunks: usize) -> io::Result<()> {
        let Self { pipes, guard, .. } = self;
        let keep = |chunk: &[u8]| guard.keep_stderr(stderr, chunk, pipes.stderr_cap);
        pipes.stderr.drain(chunks, &mut pipes.chunk, keep)
    }

    /// Waits until something is ready or `until` has come.
    pub(crate) fn wait(&self, until: Option<Instant>) -> io::Result<Ready> {
        self.wait_beside(until, None)
    }

    /// As [`wait`](Self::wait), or until something else is ready.
    pub(crate) fn wait_beside(
        &self,
        until: Option<Instant>,
        beside: Option<Waitable<'_>>,
    ) -> io::Result<Ready> {
        let canceller = self.alarm.as_deref().map(wait::of_file);
        let stdout = self.pipes.stdout.waitable().filter(|_| self.room() > 0);
        let watched = [
            (Source::Stdin, self.pipes.stdin.waitable_if_pending(), For::Writing),
            (Source::Stdout, stdout, For::Reading),
            (Source::Stderr, self.pipes.stderr.waitable(), For::Reading),
            (Source::End, self.running.notice(), For::Reading),
            (Source::Canceller, canceller, For::Reading),
            (Source::Beside, beside, For::Reading),
        ];
        let open = watched.into_iter().filter_map(|(source, it, what)| Some((source, it?, what)));
        wait::ready(open, until).map(Ready)
    }
}
