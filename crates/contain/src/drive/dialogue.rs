//! A conversation with a program that is trusted but bounded: messages whose end only their reader can see.
//!
//! Unlike an [exchange](BotProcess::exchange) it is neither timed nor certified, so a message costs little more
//! than its write, its poll and its read.

use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use crate::drive::pipes::{Captured, DRAIN_CHUNKS, Source};
use crate::drive::process::{BotProcess, ExchangeError};
use crate::sys::Waitable;
use terms::lines::Lines;
use terms::verdict::NoReply;

/// What to say to a program, and how to hear its answer.
pub struct Dialogue<'a> {
    /// The bytes to send.
    pub input: &'a [u8],
    /// The time for the whole answer.
    pub limit: Duration,
    /// The number of lines of the answer, once the lines so far hold all of it. Called after each read.
    pub is_whole: &'a mut dyn FnMut(&Lines) -> Option<usize>,
    /// Gets the standard error as it comes.
    pub stderr: &'a mut dyn FnMut(&[u8]),
}

impl fmt::Debug for Dialogue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dialogue").field("input", &self.input).finish_non_exhaustive()
    }
}

impl BotProcess {
    /// What a program has said since its last answer, to which nobody has replied yet.
    ///
    /// # Errors
    /// When the system fails.
    pub fn unasked(&mut self) -> Result<&Lines, ExchangeError> {
        self.read_stdout()?;
        Ok(self.pipes.lines.held())
    }

    /// Sends the last input: the program reads its end after it.
    ///
    /// # Errors
    /// When the system fails.
    pub fn send_last(&mut self, input: &[u8]) -> io::Result<()> {
        self.pipes.stdin.send(input)?;
        self.pipes.stdin.end()
    }

    /// Sends the input and reads until the answer is whole; the inner error says why it is not.
    ///
    /// # Errors
    /// When it is cancelled or the system fails; the program's failures are part of the result.
    pub fn converse(
        &mut self,
        talk: &mut Dialogue<'_>,
    ) -> Result<Result<Lines, NoReply>, ExchangeError> {
        self.guard.start();
        let deadline = Instant::now() + talk.limit;
        self.pipes.stdin.send(talk.input)?;
        let mut has_ended = false;
        loop {
            if let Some(lines) = (talk.is_whole)(self.pipes.lines.held()) {
                return Ok(Ok(self.pipes.lines.take(lines)));
            }
            if let Some(breach) = self.guard.check_output() {
                return Ok(Err(NoReply::OverLimit(self.guard.record(breach))));
            }
            if has_ended || self.pipes.stdout.is_closed() {
                return self.fell_silent(talk.stderr).map(Err);
            }
            if Instant::now() >= deadline {
                return Ok(Err(NoReply::Deadline));
            }
            if let Some(breach) = self.guard.sample_if_due(self.root, Some(deadline)) {
                return Ok(Err(NoReply::OverLimit(breach)));
            }
            has_ended = self.receive(deadline, talk)?;
        }
    }

    /// Polls once, and reads what has arrived. Returns whether the program has ended.
    fn receive(
        &mut self,
        deadline: Instant,
        talk: &mut Dialogue<'_>,
    ) -> Result<bool, ExchangeError> {
        let ready = self.wait(Some(self.guard.wake(Some(deadline))))?;
        if ready.has(Source::Stderr) || ready.has(Source::End) {
            self.pipes.stderr.drain(DRAIN_CHUNKS, &mut self.pipes.chunk, &mut *talk.stderr)?;
        }
        if ready.has(Source::Canceller) {
            return Err(ExchangeError::Cancelled(Vec::new()));
        }
        if ready.has(Source::End) {
            self.drain_stdout()?;
        } else if ready.has(Source::Stdout) {
            self.read_stdout()?;
        }
        if ready.has(Source::Stdin) {
            self.pipes.stdin.flush()?;
        }
        Ok(ready.has(Source::End))
    }

    /// Waits until the program writes or ends, `beside` is ready or `until` has come; then returns what it has written to its
    /// standard output, and if it will say no more, why.
    ///
    /// # Errors
    /// When it is cancelled or the system fails; the program's failures are part of the result.
    pub fn overhear(
        &mut self,
        until: Instant,
        beside: Option<Waitable<'_>>,
        stderr: &mut dyn FnMut(&[u8]),
    ) -> Result<(Lines, Option<NoReply>), ExchangeError> {
        let ready = self.wait_beside(Some(self.guard.wake(Some(until))), beside)?;
        if ready.has(Source::Canceller) {
            return Err(ExchangeError::Cancelled(Vec::new()));
        }
        if ready.has(Source::Stderr) || ready.has(Source::End) {
            self.pipes.stderr.drain(DRAIN_CHUNKS, &mut self.pipes.chunk, &mut *stderr)?;
        }
        if ready.has(Source::Stdout) || ready.has(Source::End) {
            self.drain_stdout()?;
        }
        if ready.has(Source::Stdin) {
            self.pipes.stdin.flush()?;
        }
        let breach = self.guard.check_output().map(|breach| self.guard.record(breach));
        let breach = breach.or_else(|| self.guard.sample_if_due(self.root, Some(until)));
        let silence = match breach {
            Some(breach) => Some(NoReply::OverLimit(breach)),
            None if ready.has(Source::End) || self.pipes.stdout.is_closed() => {
                Some(self.fell_silent(stderr)?)
            }
            None => None,
        };
        Ok((self.pipes.lines.take(usize::MAX), silence))
    }

    /// How a program ended that will say no more.
    fn fell_silent(&mut self, stderr: &mut dyn FnMut(&[u8])) -> Result<NoReply, ExchangeError> {
        let mut rest = Captured::default();
        let how = self.how_it_ended(None, &mut rest);
        stderr(&rest.bytes);
        self.pipes.stderr.drain(DRAIN_CHUNKS, &mut self.pipes.chunk, stderr)?;
        how
    }
}
