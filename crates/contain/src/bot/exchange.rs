//! One exchange with a bot: input out, a reply in, one absolute deadline.

use std::error::Error;
use std::fmt;
use std::io;
use std::mem;
use std::time::{Duration, Instant};

use super::BotProcess;
use super::clock::{Clock, Overtime, Phase};
use super::cost::Cost;
use super::guard::HostMemory;
use super::pipes::Captured;
use super::poll::Ready;
use super::usage::Sample;
use super::waiting::LastLook;
use terms::certificate::Certificate;
use terms::lines::{LineRules, Lines, Progress};
use terms::verdict::{BotExit, NoReply};

/// The time for all looks at a bot after its exchange: it may have thousands of processes, threads and descriptors.
const LAST_LOOKS: Duration = Duration::from_millis(300);

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
#[derive(Debug)]
#[non_exhaustive]
pub enum ExchangeError {
    /// Its canceller ended it; the bot had written this to its standard error meanwhile.
    Cancelled(Vec<u8>),
    /// The host had no memory left for the bot.
    HostMemory(HostMemory),
    /// The process that had started the bot was killed, which ends its bots.
    LauncherKilled,
    /// A system call failed.
    Io(io::Error),
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled(_) => f.write_str("cancelled"),
            Self::HostMemory(error) => error.fmt(f),
            Self::LauncherKilled => f.write_str(
                "the process that starts the bots (`bot-launcher`) was killed, and the bot with it",
            ),
            Self::Io(_) => f.write_str("the referee cannot watch the bot"),
        }
    }
}

impl Error for ExchangeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<HostMemory> for ExchangeError {
    fn from(error: HostMemory) -> Self {
        Self::HostMemory(error)
    }
}

impl From<io::Error> for ExchangeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl BotProcess {
    /// Sends the input and waits for the reply. Whatever the bot does, this returns by the limit or
    /// the end of the overtime.
    ///
    /// # Errors
    /// When it is cancelled or the system fails; the bot's failures are part of the result.
    pub fn exchange(&mut self, request: &Request<'_>) -> Result<Exchanged, ExchangeError> {
        // Set before anything of the bot's is touched, which may hold up the referee.
        let deadline = request.limit.and_then(|limit| Instant::now().checked_add(limit));
        self.keeper.deadline.set(deadline);
        let exchanged = self.exchange_watched(request);
        self.keeper.deadline.set(None);
        // Whoever it talked to takes a while to end as well.
        if self.peer.is_some() && self.stdout.is_closed() && self.keeper.bot_exit().is_some() {
            self.keeper.begin_end();
        }
        exchanged
    }

    fn exchange_watched(&mut self, request: &Request<'_>) -> Result<Exchanged, ExchangeError> {
        let mut state = self.prepare(request)?;
        let (lines, no_reply) = self.await_reply(request, &mut state)?;
        // Standard error from before the reply shows in the same poll as the reply.
        state.has_stderr |= no_reply.is_some();
        let until = Instant::now() + LAST_LOOKS;
        let mut cost = self.measure(request, &mut state, no_reply, until)?;
        if cost.no_reply == Some(NoReply::Deadline)
            && let Some(after) = &cost.after
        {
            match self.look_once_more(request, after, until, &mut state)? {
                LastLook::Answered(stop) => {
                    state.stop = stop;
                    cost = self.measure(request, &mut state, None, until)?;
                }
                LastLook::AwaitsInput => state.awaits_input = true,
                LastLook::Silent => {}
            }
        }
        self.settle(request, state, lines, cost)
    }

    /// Reads output from before the exchange, starts the clock, and sends the input.
    fn prepare(&mut self, request: &Request<'_>) -> io::Result<ExchangeState> {
        self.guard.start();
        if self.lines.held().is_empty() {
            self.read_stdout()?;
        }
        let is_early = !self.lines.held().is_empty();
        let spoke = (is_early && self.peer.is_some()).then(Instant::now);
        self.referee_core.iter_mut().for_each(|core| core.begin(request.limit));
        self.keep_peer_near();
        let clock = self.start_clock(request);
        self.stdin.send(request.input)?;
        if request.rules.count == LineRules::UNTIL_END && self.peer.is_none() {
            // No other exchange can follow.
            self.stdin.end()?;
        }
        Ok(ExchangeState { spoke, ..ExchangeState::new(clock, is_early && spoke.is_none()) })
    }

    /// Polls until the reply is complete or can no longer arrive; returns its number of lines.
    fn await_reply(
        &mut self,
        request: &Request<'_>,
        state: &mut ExchangeState,
    ) -> Result<(usize, Option<NoReply>), ExchangeError> {
        let count = request.rules.count;
        loop {
            let is_over = self.attend(request, state)?;
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
                (Progress::Incomplete, None) if is_over => return Ok((count, None)),
                (Progress::Incomplete, None) if self.is_overdue(state) => {
                    state.clock.give_up(self.keeper.pid);
                    return Ok((count, Some(NoReply::Deadline)));
                }
                (Progress::Incomplete, None) if state.ended || self.stdout.is_closed() => {
                    return Ok((count, self.why_no_more(request, state)?));
                }
                (Progress::Incomplete, None) if state.timed_out => {
                    if !self.is_kept_by_peer(state) && !state.clock.goes_on(self.keeper.pid) {
                        return Ok((count, Some(NoReply::Deadline)));
                    }
                }
                (Progress::Incomplete, None) => {}
            }
            state.clock.settle_standstill(self.keeper.pid);
            if state.clock.is_look_due() && !self.sampler.is_one_thread() {
                state.clock.look_early(self.keeper.pid);
            }
            if let Some(breach) = self.guard.sample_if_due(self.keeper.pid, state.clock.deadline) {
                return Ok((count, Some(NoReply::OverLimit(breach))));
            }
            self.listen(request, state)?;
        }
    }

    /// Why the reply of a bot that will write no more is incomplete; `None` if it was to last until now.
    fn why_no_more(
        &mut self,
        request: &Request<'_>,
        state: &mut ExchangeState,
    ) -> Result<Option<NoReply>, ExchangeError> {
        let ending = self.how_it_ended(state.clock.deadline, &mut state.stderr)?;
        let is_well = matches!(ending, NoReply::Ended(BotExit::Code(0)) | NoReply::StdoutClosed);
        if request.rules.count != LineRules::UNTIL_END || !is_well {
            return Ok(Some(ending));
        }
        self.read_stderr(&mut state.stderr)?;
        self.peer.iter_mut().for_each(|peer| peer.hear_end(ending));
        if let (Some(_), Some(spoke)) = (state.closing, state.spoke) {
            state.stop = spoke;
        }
        Ok(None)
    }

    /// Whether the launcher has ended the bot, since the referee stood still beyond the deadline.
    fn is_overdue(&self, state: &ExchangeState) -> bool {
        state.timed_out
            && (state.ended || self.stdout.is_closed())
            && self.keeper.deadline.has_passed()
    }

    /// Polls once.
    fn wait_for_any(&mut self, state: &mut ExchangeState) -> io::Result<Ready> {
        self.keeper.deadline.extend(state.clock.deadline);
        let wake = Self::wake_for_peer(state, self.guard.wake(state.clock.deadline));
        let wake = state.clock.listen(wake);
        state.has_listened = true;
        let Some(peer) = &self.peer else { return self.wait_beside(Some(wake), None, None) };
        let begun = Instant::now();
        // On the bot's own core it would keep the bot from answering.
        let stays_awake = self.quick_waits >= OFTEN && self.referee_core.is_none();
        let awake = stays_awake.then(|| wake.min(begun + AWAKE));
        let ready = self.wait_beside(Some(wake), Some(peer.watched()), awake)?;
        let is_quick = begun.elapsed() <= if stays_awake { AWAKE } else { QUICK };
        self.quick_waits = if is_quick { self.quick_waits.saturating_add(1) } else { 0 };
        Ok(ready)
    }

    /// Polls once, and reads what has arrived.
    fn listen(
        &mut self,
        request: &Request<'_>,
        state: &mut ExchangeState,
    ) -> Result<(), ExchangeError> {
        let ready = self.wait_for_any(state)?;
        if ready.cancelled {
            self.read_stderr(&mut state.stderr)?;
            return Err(ExchangeError::Cancelled(mem::take(&mut state.stderr.bytes)));
        }
        let now = Instant::now();
        state.clock.woke(now);
        state.timed_out = state.clock.has_passed(now);
        let heard = self.stdout.total();
        // After a timeout, and at the end, output is read that the poll has not shown.
        state.has_stderr = ready.stderr || state.timed_out || ready.ended;
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
        if self.stdout.total() > heard {
            state.spoke = Some(state.stop);
        }
        if let Some(core) = &mut self.referee_core {
            core.woke(now);
        }
        self.keep_peer_near();
        if ready.stdin {
            self.stdin.flush()?;
        }
        if ready.stderr {
            self.read_some_stderr(&mut state.stderr)?;
        }
        Ok(())
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
        let stopped = is_late && after.as_ref().is_some_and(Sample::is_stopped);
        let unread_input = self.stdin.unread()?;
        if state.has_stderr {
            self.read_stderr(&mut state.stderr)?;
        }
        let reply = self.lines.take(lines);
        let no_reply = match (no_reply, &after) {
            (None, Some(after)) if request.rules.until_exit => {
                self.outlived(after, &mut state.stderr)?
            }
            (no_reply, _) => no_reply,
        };
        let before = mem::take(&mut state.clock.before);
        self.used = Some(after.unwrap_or(before));
        self.has_begun = true;
        let is_unread = self.peer.is_none() && unread_input >= request.input.len() as u64;
        let is_early = state.is_early || is_unread;
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
            awaits_input: state.awaits_input,
            exit: if self.is_told_of_end { self.keeper.bot_exit() } else { None },
            stderr: state.stderr,
        })
    }

    /// Whether another process may still answer for a bot that has ended: not if its keeper has ended too.
    fn may_be_answered_for(&mut self) -> bool {
        let has_been_told = mem::replace(&mut self.is_told_of_end, true);
        self.keeper.bot_exit().is_some() && !has_been_told
    }
}

/// One exchange while it is under way.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "any of them may be so at once")]
pub(super) struct ExchangeState {
    pub(super) clock: Clock,
    /// Whether output was there before the input was sent.
    is_early: bool,
    pub(super) stderr: Captured,
    /// Whether there may be more standard error than was read.
    has_stderr: bool,
    /// When the bot was last polled.
    pub(super) stop: Instant,
    /// When it last wrote to its peer in this exchange.
    pub(super) spoke: Option<Instant>,
    /// The time until the next look at its peer, if that has closed its input since then.
    pub(super) closing: Option<Duration>,
    /// When it was last looked at for its peer's sake, if it has no limit.
    pub(super) watched: Instant,
    /// Whether it was polled at all.
    pub(super) has_listened: bool,
    ended: bool,
    /// Whether its limit had passed at the last poll.
    pub(super) timed_out: bool,
    awaits_input: bool,
}

/// How long to listen to a bot and its peer without sleeping, if the last waits were short: each answer passes through the
/// referee, whose core would have to wake up for it first.
const AWAKE: Duration = Duration::from_micros(50);

/// How long a short wait takes with sleep.
const QUICK: Duration = Duration::from_micros(100);

/// How many waits must have been short.
const OFTEN: u8 = 16;

impl ExchangeState {
    fn new(clock: Clock, is_early: bool) -> Self {
        Self {
            clock,
            is_early,
            stderr: Captured::default(),
            has_stderr: true,
            stop: Instant::now(),
            spoke: None,
            closing: None,
            watched: Instant::now(),
            has_listened: false,
            ended: false,
            timed_out: false,
            awaits_input: false,
        }
    }
}
