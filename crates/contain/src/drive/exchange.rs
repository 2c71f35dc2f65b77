//! One exchange with a bot: input out, a reply in, one absolute deadline.

use std::io;
use std::mem;
use std::time::{Duration, Instant};

use crate::decide::clock::{Clock, Overtime, Phase};
use crate::decide::exchange::{
    Action, Event, Exchange, Late, Measure, Measured, Outcome, Output, Poll, ReplyState, Terms,
};
use crate::decide::sample::{Moment, Observation};
use crate::decide::trace::Trace;
use crate::decide::tuning::TUNING;
use crate::drive::meter::OwnWait;
use crate::drive::pipes::{Captured, Link, Ready, Source};
use crate::drive::process::{BotProcess, ExchangeError};
use crate::observe;
use crate::sys;
use terms::certificate::Certificate;
use terms::lines::{LineRules, Lines, Progress};
use terms::peer::News;
use terms::verdict::{BotExit, Culprit, NoReply};

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
pub struct Exchanged {
    /// The reply, or the part that came.
    pub reply: Lines,
    /// Why the reply is incomplete; `None` if it is complete.
    pub no_reply: Option<NoReply>,
    /// The time from just before the first byte was written until the read that completed the reply, or until
    /// the referee gave up; in the first exchange plus the CPU time that the bot had used before.
    pub wall: Duration,
    /// When the exchange ended.
    pub phase: Phase,
    /// The cost to the bot, and its waits.
    pub certificate: Certificate,
    /// What the bot's peer has written to it, besides the request's input.
    pub passed: Vec<u8>,
    /// What the bot did with its input.
    pub input: InputUse,
    /// Whether a signal had stopped the bot when its time ran out.
    pub stopped: bool,
    /// How the bot's first process had ended, where another one could still answer.
    pub exit: Option<BotExit>,
    /// The bot's standard error.
    pub stderr: Captured,
    /// The record of the exchange, if exchanges are [recorded](BotProcess::trace).
    pub trace: Option<Box<Trace>>,
}

/// What a bot did with the input of an exchange.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "any of them may be so at once")]
pub struct InputUse {
    /// The bytes that it had not read by the end of the exchange.
    pub unread: u64,
    /// Whether it had closed its standard input, so that the input was lost.
    pub closed: bool,
    /// Whether its reply came before it had read any of the input: a surplus line of an earlier exchange, or a guess.
    pub early: bool,
    /// Whether it was waiting for more when its time ran out.
    pub awaits_more: bool,
    /// Whether its peer waited for it to read, and it for its peer to do so: the pipes were full both ways.
    pub both_blocked: bool,
}

impl Exchanged {
    /// Whose fault it is that the reply was late, under this limit.
    pub fn culprit(&self, limit: Duration) -> Culprit {
        let Self { no_reply, phase, input, wall, ref certificate, .. } = *self;
        let (parts, awaits_input) = (certificate.parts.as_ref(), input.awaits_more);
        Late { no_reply, phase, awaits_input, wall, parts }.culprit(limit)
    }
}

/// One exchange while it is under way.
struct UnderWay<'a> {
    request: &'a Request<'a>,
    exchange: Exchange,
    own_wait: OwnWait,
    stderr: Captured,
    /// Whether there may be more standard error than was read.
    has_stderr: bool,
    /// Whether the bot's first process has ended, so that nothing more counts.
    has_ended: bool,
    /// Whether output was there before the input was sent.
    is_early: bool,
    /// Until when to sample the bot after its reply, or after the wait for it.
    samples_until: Option<Instant>,
    trace: Option<Box<Trace>>,
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
        self.running.set_deadline(deadline);
        self.resume();
        let exchanged = self.exchange_watched(request);
        self.running.set_deadline(None);
        // Whatever it talked to needs a while to end as well.
        if self.link.is_some() && self.pipes.stdout.is_closed() && self.running.exit().is_some() {
            self.running.begin_end();
        }
        exchanged
    }

    fn exchange_watched(&mut self, request: &Request<'_>) -> Result<Exchanged, ExchangeError> {
        let mut under_way = self.begin(request)?;
        let mut event = self.attend(None, &mut under_way)?;
        loop {
            let now = self.meter.now();
            if let Some(trace) = &mut under_way.trace {
                trace.events.push((now, event.clone()));
            }
            event = match under_way.exchange.on(event, now) {
                Action::Done(outcome) => return self.settle(under_way, *outcome),
                action => self.carry_out(&action, &mut under_way)?,
            };
        }
    }

    /// Reads output from before the exchange, starts the clock, and sends the input.
    fn begin<'a>(&mut self, request: &'a Request<'a>) -> io::Result<UnderWay<'a>> {
        self.guard.start();
        if self.pipes.lines.held().is_empty() {
            self.read_stdout()?;
        }
        let is_early = !self.pipes.lines.held().is_empty();
        if let Some(link) = &mut self.link {
            link.begin();
        }
        let spoke = (is_early && self.link.is_some()).then(|| self.meter.now());
        let (start, own_wait) = self.meter.start(spoke);
        let terms = self.terms(request);
        let trace = self.is_traced.then(|| {
            let (start, events) = (start.clone(), Vec::new());
            Box::new(Trace { terms, start, events })
        });
        self.pipes.stdin.send(request.input)?;
        if request.rules.count == LineRules::UNTIL_END && self.link.is_none() {
            // No other exchange can follow.
            self.pipes.stdin.end()?;
        }
        Ok(UnderWay {
            request,
            exchange: Exchange::new(terms, start),
            own_wait,
            stderr: Captured::default(),
            has_stderr: true,
            has_ended: false,
            is_early: is_early && spoke.is_none(),
            samples_until: None,
            trace,
        })
    }

    fn terms(&self, request: &Request<'_>) -> Terms {
        Terms {
            limit: request.limit,
            overtime: request.overtime,
            until_end: request.rules.count == LineRules::UNTIL_END,
            has_peer: self.link.is_some(),
        }
    }

    /// Carries out an action, and reports what came of it.
    fn carry_out(
        &mut self,
        action: &Action,
        under_way: &mut UnderWay<'_>,
    ) -> Result<Event, ExchangeError> {
        Ok(match *action {
            Action::Poll(until) => return self.poll_or_check(until, under_way),
            Action::Observe => Event::Observed(observe::observe(self.root)),
            Action::AskPeer => Event::PeerIsBusy(self.is_peer_busy(&under_way.exchange)),
            Action::AwaitEnd => Event::Ended(self.await_end(under_way)?),
            Action::Measure(measure) => return self.measure(measure, under_way),
            Action::CatchLateAnswer => {
                let until = under_way.samples_until();
                let UnderWay { request, exchange, stderr, .. } = under_way;
                let after = exchange.after().cloned().unwrap_or_default();
                Event::CaughtLateAnswer(
                    self.catch_late_answer(request, &after, until, exchange, stderr)?,
                )
            }
            Action::Done(_) => unreachable!("the caller ends the exchange"),
        })
    }

    /// When the exchange's deadline is.
    fn deadline(&self, under_way: &UnderWay<'_>) -> Option<Instant> {
        self.meter.instant(under_way.exchange.clock.deadline?)
    }

    /// Polls once, unless the bot's use of resources is to be checked first and exceeds a limit.
    fn poll_or_check(
        &mut self,
        until: Moment,
        under_way: &mut UnderWay<'_>,
    ) -> Result<Event, ExchangeError> {
        let deadline = self.deadline(under_way);
        if let Some(breach) = self.guard.sample_if_due(self.root, deadline) {
            return Ok(Event::Exceeded(breach));
        }
        if let Some(sample) = self.guard.sampled.take() {
            return Ok(Event::Sampled(sample));
        }
        under_way.own_wait.before_poll();
        self.running.set_deadline(deadline);
        let until = self.meter.instant(until).unwrap_or_else(Instant::now);
        let due = self.guard.wake(Some(until));
        let due = self.link.as_ref().map_or(due, |link| link.wake(due));
        let begun = Instant::now();
        let ready = self.poll(due)?;
        self.read(&ready, [begun, due], under_way)
    }

    fn poll(&self, until: Instant) -> io::Result<Ready> {
        let link = self.link.as_ref();
        self.wait_beside(Some(until), link.map(|link| sys::waitable_file(link.peer.watched())))
    }

    /// Reads what a poll has found, which began at `begun` and should have ended when it was `due`.
    fn read(
        &mut self,
        ready: &Ready,
        [begun, due]: [Instant; 2],
        under_way: &mut UnderWay<'_>,
    ) -> Result<Event, ExchangeError> {
        if ready.has(Source::Canceller) {
            self.read_stderr(&mut under_way.stderr)?;
            return Err(ExchangeError::Cancelled(mem::take(&mut under_way.stderr.bytes)));
        }
        let now = Instant::now();
        let slept_too_long = now.saturating_duration_since(due.max(begun));
        let (due, woke) = (self.meter.moment(due), self.meter.moment(now));
        let is_late = Clock::is_late(due, woke);
        let own_wait = is_late.then(|| under_way.own_wait.since_poll()).flatten();
        let has_passed = under_way.exchange.clock.has_passed(woke);
        if is_late || has_passed {
            under_way.own_wait.note_first_poll(slept_too_long);
        }
        let before_input = under_way.own_wait.before_input();
        under_way.own_wait.after_poll(ready.has(Source::Stdout) || ready.has(Source::Beside));
        let heard = self.pipes.stdout.total();
        // After a timeout, and at the end, output is read that the poll has not shown.
        let has_ended = ready.has(Source::End);
        under_way.has_stderr = ready.has(Source::Stderr) || has_passed || has_ended;
        if ready.has(Source::Stdout) || has_passed {
            self.read_stdout()?;
        }
        let rules = &under_way.request.rules;
        if has_ended {
            self.drain_stdout()?;
            let is_answered_for = !rules.until_exit && self.may_be_answered_for();
            under_way.has_ended = !is_answered_for || self.running.are_all_gone();
        }
        let is_final = under_way.has_ended || self.pipes.stdout.is_closed();
        if rules.eof_ends_line && is_final {
            self.pipes.lines.end_partial();
        }
        let read = self.meter.now();
        let has_come = self.pipes.stdout.total() > heard;
        if ready.has(Source::Stdin) {
            self.pipes.stdin.flush()?;
        }
        if ready.has(Source::Stderr) {
            self.read_some_stderr(&mut under_way.stderr)?;
        }
        let is_overdue = has_passed && self.running.is_overdue();
        let poll = Poll { due, woke, read, own_wait, before_input, has_come, is_overdue };
        Ok(self.attend(Some(poll), under_way)?)
    }

    /// Attends to the peer, and reports the output after a poll or before the first one.
    fn attend(&mut self, poll: Option<Poll>, under_way: &mut UnderWay<'_>) -> io::Result<Event> {
        self.check_for_peer(&under_way.exchange)?;
        let takes_input = !self.pipes.stdin.has_pending();
        let news = self.link.as_mut().map_or(News::Nothing, |link| link.peer.poll(takes_input));
        let has_sent_more = matches!(news, News::Input(_) | News::EndOfInput);
        let is_closing = news == News::Closing && !under_way.exchange.clock.in_overtime();
        let is_over = matches!(news, News::Closing | News::Over) && !is_closing;
        match (news, &mut self.link) {
            (News::Input(bytes), Some(link)) => {
                self.pipes.stdin.send(&bytes)?;
                link.passed.extend(bytes);
            }
            (News::EndOfInput, _) => self.pipes.stdin.end()?,
            (News::Closing, Some(link)) if is_closing => link.note_closing(),
            _ => {}
        }
        let reply = self.reply(&under_way.request.rules, is_over);
        let is_final = under_way.has_ended || self.pipes.stdout.is_closed();
        let output = Output { reply, is_final, is_closing };
        let Some(poll) = poll else { return Ok(Event::Sent(output)) };
        if has_sent_more {
            let (start, before, own_wait) = self.meter.restart();
            under_way.own_wait = own_wait;
            let limit = under_way.request.limit;
            self.running.set_deadline(limit.and_then(|limit| self.meter.instant(start + limit)));
            return Ok(Event::SentMore(start, before, output));
        }
        Ok(Event::Polled(poll, output))
    }

    /// The state of the reply; the output beyond a limit may have come after it.
    fn reply(&mut self, rules: &LineRules, is_over: bool) -> ReplyState {
        match (self.pipes.lines.progress(rules), self.guard.check_output()) {
            (Progress::Complete(lines), None) => ReplyState::Whole(lines),
            (Progress::Complete(lines), Some(_)) if self.pipes.lines.has_more_than(lines) => {
                ReplyState::Whole(lines)
            }
            (_, Some(breach)) => ReplyState::OverLimit(self.guard.record(breach)),
            (Progress::TooLong, None) => ReplyState::TooLong,
            (Progress::Incomplete, None) if is_over => ReplyState::Over,
            (Progress::Incomplete, None) => ReplyState::Open,
        }
    }

    /// Checks a bot without a limit now and then: if it awaits input or room for its output, the peer may keep it waiting for good, and is to
    /// find out.
    fn check_for_peer(&mut self, exchange: &Exchange) -> io::Result<()> {
        let is_limited = exchange.clock.deadline.is_some();
        if is_limited || !self.link.as_mut().is_some_and(Link::is_check_due) {
            return Ok(());
        }
        let bot = observe::below(self.root);
        let until = Instant::now() + TUNING.sampling.walk;
        let awaits_input = self.pipes.stdin.unread()? == 0 && self.awaits_input(&bot.pids(), until);
        if awaits_input || self.room() == 0 {
            // It finds out by itself, and reports it when it is asked for news.
            self.is_peer_busy(exchange);
        }
        Ok(())
    }

    /// Whether the peer keeps the bot waiting.
    fn is_peer_busy(&mut self, exchange: &Exchange) -> bool {
        let since = exchange.spoke().unwrap_or(exchange.clock.start);
        let since = self.meter.instant(since).unwrap_or_else(Instant::now);
        self.link.as_mut().is_some_and(|link| link.peer.is_busy(since))
    }

    /// Finds out how a bot ended that will write no more.
    fn await_end(&mut self, under_way: &mut UnderWay<'_>) -> Result<NoReply, ExchangeError> {
        let deadline = self.deadline(under_way);
        let ending = self.how_it_ended(deadline, &mut under_way.stderr)?;
        if under_way.exchange.is_whole_with(ending) {
            self.read_stderr(&mut under_way.stderr)?;
            if let Some(link) = &mut self.link {
                link.peer.on_end(ending);
            }
        }
        Ok(ending)
    }

    /// Samples the bot, which may explain why the reply is missing. If it has many processes, those that cannot be read in time
    /// are estimated.
    fn measure(
        &mut self,
        measure: Measure,
        under_way: &mut UnderWay<'_>,
    ) -> Result<Event, ExchangeError> {
        let until = under_way.samples_until();
        let root = self.root;
        let UnderWay { exchange, own_wait, has_stderr, .. } = under_way;
        let no_reply = exchange.no_reply();
        // Standard error from before the reply shows in the same poll as the reply.
        *has_stderr |= no_reply.is_some();
        let own_wait = own_wait.so_far();
        let observation = match (measure, exchange.clock.last_sample()) {
            (Measure::OfLast, Some(last)) => observe::observed(last.clone()),
            (Measure::OfLast | Measure::Observation, _) => observe::observe(root),
            (Measure::Quick, _) => {
                Observation { sample: self.meter.sampler.sample(), ..Observation::default() }
            }
        };
        let breach = self.guard.check(&observation.sample, Some(until));
        if let Some(no_reply) = breach.map(NoReply::OverLimit).or(no_reply)
            && let Some(shortage) = self.guard.check_host(no_reply)
        {
            return Err(shortage.into());
        }
        let peak_memory = self.guard.peak_memory();
        Ok(Event::Measured(Box::new(Measured { observation, own_wait, breach, peak_memory })))
    }

    /// Counts the input that the bot has not read, and builds the result.
    fn settle(
        &mut self,
        under_way: UnderWay<'_>,
        outcome: Outcome,
    ) -> Result<Exchanged, ExchangeError> {
        let UnderWay { request, mut stderr, has_stderr, is_early, trace, .. } = under_way;
        let Outcome { lines, no_reply, wall, phase, certificate, after, before, awaits_input } =
            outcome;
        match after {
            Some(_) => self.meter.reset_unsampled(),
            None => self.meter.add_unsampled(wall),
        }
        let is_late = no_reply == Some(NoReply::Deadline);
        let stopped = is_late && after.as_ref().is_some_and(observe::is_stopped);
        let unread_input = self.pipes.stdin.unread()?;
        let both_blocked = is_late && self.pipes.stdin.has_pending() && self.room() == 0;
        if has_stderr {
            self.read_stderr(&mut stderr)?;
        }
        let reply = self.pipes.lines.take(lines.unwrap_or(request.rules.count));
        self.meter.end(after.unwrap_or(before));
        let is_unread = self.link.is_none() && unread_input >= request.input.len() as u64;
        let is_early = !request.input.is_empty() && (is_early || is_unread);
        Ok(Exchanged {
            reply,
            no_reply,
            wall,
            phase,
            certificate,
            passed: self.link.as_mut().map(|link| mem::take(&mut link.passed)).unwrap_or_default(),
            input: InputUse {
                unread: unread_input,
                closed: self.pipes.stdin.is_refused(),
                early: no_reply.is_none() && is_early,
                awaits_more: awaits_input,
                both_blocked,
            },
            stopped,
            exit: if self.is_end_reported { self.running.exit() } else { None },
            stderr,
            trace,
        })
    }

    /// Whether another process may still answer for a bot that has ended: not if its keeper has ended too.
    fn may_be_answered_for(&mut self) -> bool {
        let was_reported = mem::replace(&mut self.is_end_reported, true);
        self.running.exit().is_some() && !was_reported
    }
}

impl UnderWay<'_> {
    /// Until when to sample the bot, from the first call on: it may have thousands of processes, threads and descriptors.
    fn samples_until(&mut self) -> Instant {
        *self.samples_until.get_or_insert_with(|| Instant::now() + TUNING.sampling.last_samples)
    }
}
