//! One exchange with a bot: input out, a reply in, one absolute deadline.

use std::io;
use std::mem;
use std::time::{Duration, Instant};

use super::BotProcess;
use super::clock::{Clock, Overtime, Phase};
use super::guard::HostMemory;
use super::pin::RefereeCore;
use super::pipes::Captured;
use super::usage::{self, Sample};
use super::waiting;
use terms::certificate::Certificate;
use terms::lines::{LineRules, Lines, Progress};
use terms::millis::Millis;
use terms::verdict::{BotExit, NoReply};

/// How long after EOF a bot may take to end before it counts as running with its output closed. A process
/// closes its pipes a moment before its end is visible.
const EXIT_NOTICE: Duration = Duration::from_millis(200);

/// The input of an exchange, and the rules and limits of its reply.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The bytes to send to the bot.
    pub input: &'a [u8],
    /// The rules for a complete reply.
    pub rules: LineRules,
    /// The time limit; `None` waits for ever.
    pub limit: Option<Duration>,
    /// What to do when the limit has passed without a reply.
    pub overtime: Overtime,
}

/// The result of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "any of them may be so at once")]
pub struct Exchanged {
    /// The reply, or the part that came.
    pub reply: Lines,
    /// Why the reply is incomplete; `None` if it is complete.
    pub no_reply: Option<NoReply>,
    /// The time from just before the first byte was written until the read that completed the reply, or until
    /// the referee gave up; in the first exchange plus what the bot had computed before.
    pub wall: Duration,
    /// When the exchange ended.
    pub phase: Phase,
    /// The cost to the bot, and its waits.
    pub certificate: Certificate,
    /// Whether the reply came before the bot had read any of the input: a surplus line of an earlier
    /// exchange, or a guess.
    pub early: bool,
    /// The bytes of input that the bot had not read by the end of the exchange.
    pub unread_input: u64,
    /// Whether the bot had closed its standard input, so that the input was lost.
    pub stdin_closed: bool,
    /// Whether a signal had stopped the bot when its time ran out.
    pub stopped: bool,
    /// Whether the bot was waiting for more input when its time ran out.
    pub awaits_input: bool,
    /// How the bot's first process had ended, where another one could still answer.
    pub exit: Option<BotExit>,
    /// What the bot wrote to its standard error.
    pub stderr: Captured,
}

/// Why an exchange could not be refereed; no action of a bot causes these.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// A signal asked the referee to stop; the bot had written this to its standard error meanwhile.
    #[error("interrupted")]
    Interrupted(Vec<u8>),
    /// The host had no memory left for the bot.
    #[error(transparent)]
    HostMemory(#[from] HostMemory),
    /// A system call failed.
    #[error("the referee cannot watch the bot")]
    Io(#[from] io::Error),
}

impl From<rustix::io::Errno> for ExchangeError {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::Io(errno.into())
    }
}

impl BotProcess {
    /// Sends the input and waits for the reply. Whatever the bot does, this returns by the limit or
    /// the end of the overtime.
    ///
    /// # Errors
    /// When a signal interrupts it or the system fails; the bot's failures are part of the result.
    pub fn exchange(&mut self, request: &Request<'_>) -> Result<Exchanged, ExchangeError> {
        let mut state = self.prepare(request)?;
        let (lines, no_reply) = self.await_reply(request, &mut state)?;
        // Standard error from before the reply shows in the same poll as the reply.
        state.has_stderr |= no_reply.is_some();
        let cost = self.measure(&mut state, no_reply)?;
        self.settle(request, state, lines, cost)
    }

    /// Reads output from before the exchange, starts the clock, and sends the input.
    fn prepare(&mut self, request: &Request<'_>) -> io::Result<ExchangeState> {
        self.guard.start();
        if self.lines.held().is_empty() {
            self.read_stdout()?;
        }
        let is_early = !self.lines.held().is_empty();
        self.referee_core.iter_mut().for_each(|core| core.begin(request.limit));
        let clock = self.start_clock(request);
        self.stdin.send(request.input)?;
        Ok(ExchangeState::new(clock, is_early))
    }

    /// Polls until the reply is complete or can no longer arrive; returns its number of lines.
    fn await_reply(
        &mut self,
        request: &Request<'_>,
        state: &mut ExchangeState,
    ) -> Result<(usize, Option<NoReply>), ExchangeError> {
        let count = request.rules.count;
        loop {
            match (self.lines.progress(&request.rules), self.guard.check_output()) {
                (Progress::Complete(lines), None) => return Ok((lines, None)),
                // The output beyond the limit came after the reply.
                (Progress::Complete(lines), Some(_)) if self.lines.has_more_than(lines) => {
                    return Ok((lines, None));
                }
                (_, Some(breach)) => {
                    return Ok((count, Some(NoReply::OverLimit(self.guard.record(breach)))));
                }
                (Progress::TooLong, None) => return Ok((count, Some(NoReply::LineTooLong))),
                (Progress::Incomplete, None) if state.ended || self.stdout.is_closed() => {
                    let ending = self.how_it_ended(state.clock.deadline, &mut state.stderr)?;
                    return Ok((count, Some(ending)));
                }
                (Progress::Incomplete, None) if state.timed_out => {
                    if !state.clock.goes_on(self.keeper.pid) {
                        return Ok((count, Some(NoReply::Deadline)));
                    }
                }
                (Progress::Incomplete, None) => {}
            }
            state.clock.settle_standstill(self.keeper.pid);
            if let Some(breach) = self.guard.sample_if_due(self.keeper.pid, state.clock.deadline) {
                return Ok((count, Some(NoReply::OverLimit(breach))));
            }
            self.listen(request, state)?;
        }
    }

    /// Polls once, and reads what has arrived.
    fn listen(
        &mut self,
        request: &Request<'_>,
        state: &mut ExchangeState,
    ) -> Result<(), ExchangeError> {
        let wake = self.guard.wake(state.clock.deadline);
        let wake = state.clock.listen(wake);
        let ready = self.wait(Some(wake))?;
        if ready.interrupted {
            self.read_stderr(&mut state.stderr)?;
            return Err(ExchangeError::Interrupted(mem::take(&mut state.stderr.bytes)));
        }
        state.has_stderr = ready.stderr;
        let now = Instant::now();
        state.clock.woke(now);
        state.timed_out = state.clock.has_passed(now);
        if ready.stdout || state.timed_out {
            self.read_stdout()?;
        }
        if ready.ended {
            self.drain_stdout()?;
            state.ended = request.rules.until_exit || !self.may_be_answered_for();
        }
        if request.rules.eof_ends_line && (state.ended || self.stdout.is_closed()) {
            self.lines.end_partial();
        }
        state.stop = Instant::now();
        if let Some(core) = &mut self.referee_core {
            core.woke(now);
        }
        if ready.stdin {
            self.stdin.flush()?;
        }
        if ready.stderr {
            self.read_some_stderr(&mut state.stderr)?;
        }
        Ok(())
    }

    /// Samples the bot's usage, which may explain why the reply is missing.
    fn measure(
        &mut self,
        state: &mut ExchangeState,
        no_reply: Option<NoReply>,
    ) -> Result<Cost, ExchangeError> {
        let own_wait = state.clock.own_wait();
        let wall = state.stop.duration_since(state.clock.start);
        self.referee_core.iter_mut().for_each(RefereeCore::end);
        // A bot that loses or is late is sampled more closely.
        let is_looked_at = no_reply.is_some() || state.clock.wants_account(wall);
        let after =
            if is_looked_at { Sample::below(self.keeper.pid) } else { self.sampler.sample() };
        let no_reply = self.guard.check(&after, None).map(NoReply::OverLimit).or(no_reply);
        if let Some(lack) = no_reply.and_then(|no_reply| self.guard.check_host(no_reply)) {
            return Err(lack.into());
        }
        let has_replied = no_reply.is_none();
        let certificate = self.certify(&mut state.clock, &after, wall, own_wait, has_replied);
        Ok(Cost { after, wall, no_reply, certificate })
    }

    /// Counts the input that the bot has not read, and builds the result from `lines` lines of reply.
    fn settle(
        &mut self,
        request: &Request<'_>,
        mut state: ExchangeState,
        lines: usize,
        cost: Cost,
    ) -> Result<Exchanged, ExchangeError> {
        let Cost { after, wall, no_reply, certificate } = cost;
        let is_late = no_reply == Some(NoReply::Deadline);
        let stopped = is_late && after.is_stopped();
        let unread_input = self.stdin.unread()?;
        let awaits_input = is_late && unread_input == 0 && self.awaits_input(&after.pids());
        if state.has_stderr {
            self.read_stderr(&mut state.stderr)?;
        }
        let reply = self.lines.take(lines);
        let no_reply = match no_reply {
            None if request.rules.until_exit => self.outlived(&after, &mut state.stderr)?,
            no_reply => no_reply,
        };
        self.used = Some(after);
        let is_early = state.is_early || unread_input >= request.input.len() as u64;
        Ok(Exchanged {
            reply,
            no_reply,
            wall,
            phase: state.clock.phase(),
            certificate,
            early: no_reply.is_none() && is_early,
            unread_input,
            stdin_closed: self.stdin.is_refused(),
            stopped,
            awaits_input,
            exit: if self.is_told_of_end { self.keeper.bot_exit() } else { None },
            stderr: state.stderr,
        })
    }

    /// Starts the clock of an exchange. That of the first one starts earlier by the CPU time that the bot has used
    /// since its start: this counts, but the time that the machine takes to report the start does not.
    fn start_clock(&mut self, request: &Request<'_>) -> Clock {
        let (before, head_start) = match self.used.take() {
            Some(used) => (used, Duration::ZERO),
            None => self.sampler.sample().without_computing(),
        };
        // Several cores may have computed at once.
        let head_start = head_start.min(self.spawned.elapsed());
        Clock::start(request.limit, request.overtime, before, head_start)
    }

    /// The certificate of an exchange that took `wall`; with the parts of this time if it was late.
    fn certify(
        &self,
        clock: &mut Clock,
        after: &Sample,
        wall: Duration,
        own_wait: Option<Duration>,
        has_replied: bool,
    ) -> Certificate {
        let used = after.since(&clock.before, wall);
        let idle = wall.saturating_sub(used.cpu.unwrap_or_default().0);
        let mut certificate = Certificate {
            referee_wait: own_wait.map(|wait| Millis(wait.min(idle))),
            // A bot that has ended no longer shows its memory.
            peak_memory: used.peak_memory.max(self.guard.peak_memory()),
            ..used
        };
        if clock.wants_account(wall) {
            let account =
                clock.account(self.keeper.pid, after.clone(), wall, own_wait, has_replied);
            certificate.parts = Some(account.0);
            certificate.wait = certificate.wait.max(Some(Millis(account.1)));
        }
        certificate
    }

    /// Whether another process may still answer for a bot that has ended: not if its keeper has ended too.
    fn may_be_answered_for(&mut self) -> bool {
        let has_been_told = mem::replace(&mut self.is_told_of_end, true);
        self.keeper.bot_exit().is_some() && !has_been_told
    }

    /// Tells a bot that has ended from one that only closed its output.
    pub(super) fn how_it_ended(
        &mut self,
        deadline: Option<Instant>,
        stderr: &mut Captured,
    ) -> Result<NoReply, ExchangeError> {
        let notice = Instant::now() + EXIT_NOTICE;
        let until = deadline.map_or(notice, |deadline| deadline.min(notice));
        loop {
            if let Some(exit) = self.keeper.bot_exit() {
                return Ok(NoReply::Ended(exit));
            }
            if Instant::now() >= until {
                return Ok(if self.is_undead() {
                    NoReply::Ended(BotExit::Unknown)
                } else {
                    NoReply::StdoutClosed
                });
            }
            let ready = self.wait(Some(until))?;
            if ready.interrupted {
                return Err(ExchangeError::Interrupted(mem::take(&mut stderr.bytes)));
            }
            if ready.ended && self.keeper.bot_exit().is_none() {
                // The keeper was killed, and with it the bot.
                return Ok(NoReply::Ended(BotExit::Unknown));
            }
            if ready.stdin {
                self.stdin.flush()?;
            }
            if ready.stderr {
                self.read_some_stderr(stderr)?;
            }
        }
    }

    fn awaits_input(&self, processes: &[i32]) -> bool {
        let pipes = self.stdin.fd().zip(self.stdout.fd());
        pipes.is_some_and(|(input, output)| waiting::awaits_input(processes, input, output))
    }

    /// Whether the bot has ended, and a tracer hides its exit status.
    fn is_undead(&self) -> bool {
        let bot = Sample::below(self.keeper.pid).bot();
        bot.is_none_or(|bot| usage::state(&format!("/proc/{bot}/stat")) == 'Z')
    }
}

/// One exchange while it is under way.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "any of them may be so at once")]
struct ExchangeState {
    clock: Clock,
    /// Whether output was there before the input was sent.
    is_early: bool,
    stderr: Captured,
    /// Whether there may be more standard error than was read.
    has_stderr: bool,
    /// When the bot was last polled.
    stop: Instant,
    ended: bool,
    timed_out: bool,
}

impl ExchangeState {
    fn new(clock: Clock, is_early: bool) -> Self {
        Self {
            clock,
            is_early,
            stderr: Captured::default(),
            has_stderr: true,
            stop: Instant::now(),
            ended: false,
            timed_out: false,
        }
    }
}

/// What an exchange cost the bot.
#[derive(Debug)]
struct Cost {
    after: Sample,
    wall: Duration,
    no_reply: Option<NoReply>,
    certificate: Certificate,
}
