//! One exchange as a machine: [events](Event) in, [actions](Action) out.
//!
//! Each event is answered by one action, which leads to the next event: a poll to what it has shown, a request for a sample to
//! the sample. The last action is [`Action::Done`].

use std::mem;
use std::time::Duration;

use crate::decide::clock::{Clock, Overtime, Phase};
use crate::decide::sample::{Moment, Observation, Sample};
use crate::decide::tuning::TUNING;
use terms::certificate::{Certificate, Parts};
use terms::limits::Breach;
use terms::millis::Millis;
use terms::verdict::{BotExit, Culprit, NoReply};

/// What decisions need to know of an exchange.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Terms {
    /// The time limit; `None` waits for ever.
    pub(crate) limit: Option<Duration>,
    /// What to do when the limit has passed without a reply.
    pub(crate) overtime: Overtime,
    /// Whether the reply lasts until the end of the output.
    pub(crate) until_end: bool,
    /// Whether another program is at the other end of the pipes, and decides when a reply is over.
    pub(crate) has_peer: bool,
}

/// How an exchange starts.
#[derive(Debug, Clone)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Start {
    /// When it started; earlier than now by what the program has computed for it already.
    pub(crate) at: Moment,
    /// The program's usage by then.
    pub(crate) before: Sample,
    /// The thinking time of earlier exchanges that no sample has shown yet; `None` if this one is to be sampled in any case.
    pub(crate) unsampled: Option<Duration>,
    /// When the program had written before the input was sent, if it talks to a peer.
    pub(crate) spoke: Option<Moment>,
}

/// The state of the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum ReplyState {
    /// More may come.
    Open,
    /// It is complete, with this number of lines.
    Whole(usize),
    /// One of its lines is too long.
    TooLong,
    /// There was too much output before it was complete.
    OverLimit(Breach),
    /// The peer has ended it.
    Over,
}

/// A poll, and the reading after it.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Poll {
    /// When it should have ended.
    pub(crate) due: Moment,
    /// When it ended.
    pub(crate) woke: Moment,
    /// When the standard output was read.
    pub(crate) read: Moment,
    /// The time for which the referee waited for a core, if the poll ended late.
    pub(crate) own_wait: Option<Duration>,
    /// How long it is known to have waited for a core before it sent the input.
    #[cfg_attr(any(test, feature = "serde"), serde(default))]
    pub(crate) before_input: Duration,
    /// Whether any output came.
    pub(crate) has_come: bool,
    /// Whether the watchdog has killed the program, since the referee was held up.
    pub(crate) is_overdue: bool,
}

/// The standard output by now.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Output {
    pub(crate) reply: ReplyState,
    /// Whether nothing more can come.
    pub(crate) is_final: bool,
    /// Whether the peer has closed the program's input, so that the reply is over unless the program ends.
    pub(crate) is_closing: bool,
}

/// What the loop reports.
#[derive(Debug, Clone)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Event {
    /// The input was sent; this is the output so far.
    Sent(Output),
    /// The peer has sent more before the program's first output: the clock starts again, with this sample if it is the
    /// program's first exchange.
    SentMore(Moment, Option<Sample>, Output),
    Polled(Poll, Output),
    /// The program was sampled while it thought, whether or not a poll was due.
    Sampled(Sample),
    /// The program exceeds a limit.
    Exceeded(Breach),
    /// After [`Action::Observe`].
    #[cfg_attr(any(test, feature = "serde"), serde(rename = "Looked"))]
    Observed(Observation),
    /// After [`Action::AskPeer`]: whether the peer is busy with something else.
    PeerIsBusy(bool),
    /// After [`Action::AwaitEnd`].
    Ended(NoReply),
    /// After [`Action::Measure`].
    Measured(Box<Measured>),
    /// After [`Action::CatchLateAnswer`].
    #[cfg_attr(any(test, feature = "serde"), serde(rename = "LookedLast"))]
    CaughtLateAnswer(LateAnswer),
}

/// The program after its reply, or after the wait for it.
#[derive(Debug, Clone)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Measured {
    pub(crate) observation: Observation,
    /// The time for which the referee waited for a core.
    pub(crate) own_wait: Option<Duration>,
    /// The limit that the program exceeds.
    pub(crate) breach: Option<Breach>,
    /// The highest memory that was seen so far, in bytes.
    pub(crate) peak_memory: Option<u64>,
}

/// What a program did whose time was up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(any(test, feature = "serde"), derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum LateAnswer {
    /// It has answered after all, no later than this.
    Answered(Moment),
    /// It waits for more input.
    AwaitsInput,
    Silent,
}

/// What the loop is to do.
#[derive(Debug)]
pub(crate) enum Action {
    /// Poll until then at the latest.
    Poll(Moment),
    /// Observe the program.
    Observe,
    /// Ask the peer whether it is busy with something else than the program.
    AskPeer,
    /// Find out how a program ended that will write no more.
    AwaitEnd,
    /// Sample the program once more.
    Measure(Measure),
    /// Look out for a late answer, and whether the program awaits input.
    CatchLateAnswer,
    /// Nothing more.
    Done(Box<Outcome>),
}

/// Which sample to take after an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// A sample that costs little.
    Quick,
    /// A sample of all processes, with the host's figures.
    Observation,
    /// An observation of what was sampled last.
    OfLast,
}

/// The result of an exchange.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The number of lines of the reply; as many as were asked for unless it ended before.
    pub(crate) lines: Option<usize>,
    pub(crate) no_reply: Option<NoReply>,
    pub(crate) wall: Duration,
    pub(crate) phase: Phase,
    pub(crate) certificate: Certificate,
    /// The program's usage, unless the reply was quick.
    pub(crate) after: Option<Sample>,
    pub(crate) before: Sample,
    pub(crate) awaits_input: bool,
}

/// What is known at the end of an exchange.
#[derive(Debug)]
struct End {
    lines: Option<usize>,
    no_reply: Option<NoReply>,
    wall: Duration,
    certificate: Certificate,
    awaits_input: bool,
    /// The program's usage after its reply or the wait for it.
    after: Option<Sample>,
}

/// How far an exchange has come.
#[derive(Debug, Default)]
enum State {
    /// The reply is awaited, or how the program ends that will write no more.
    #[default]
    Awaiting,
    /// It is known what became of the reply, and the program is sampled once more.
    Measuring(End),
    /// The time was up, the program was sampled, and a late answer may still come.
    CatchingLateAnswer(End),
}

/// What is known so far about an exchange that goes on, and what to do next.
#[derive(Debug)]
pub(crate) struct Exchange {
    terms: Terms,
    pub(crate) clock: Clock,
    unsampled: Option<Duration>,
    /// The start of the poll or of the observation under way.
    since: Moment,
    /// When the program was last polled.
    stop: Moment,
    /// When it last wrote in this exchange.
    spoke: Option<Moment>,
    is_closing: bool,
    state: State,
}

impl Exchange {
    /// An exchange that starts now.
    pub(crate) fn new(terms: Terms, start: Start) -> Self {
        let Start { at, before, unsampled, spoke } = start;
        let clock = Clock::new(terms.limit, terms.overtime, at, before);
        Self {
            terms,
            clock,
            unsampled,
            since: at,
            stop: at,
            spoke,
            is_closing: false,
            state: State::Awaiting,
        }
    }

    fn end(&self) -> Option<&End> {
        match &self.state {
            State::Awaiting => None,
            State::Measuring(end) | State::CatchingLateAnswer(end) => Some(end),
        }
    }

    /// Why the reply is missing, if known.
    pub(crate) fn no_reply(&self) -> Option<NoReply> {
        self.end()?.no_reply
    }

    /// The program's usage after its reply or the wait for it.
    pub(crate) fn after(&self) -> Option<&Sample> {
        self.end()?.after.as_ref()
    }

    /// Whether the reply of a program that has ended like this is complete.
    pub(crate) fn is_whole_with(&self, ending: NoReply) -> bool {
        let is_well = matches!(ending, NoReply::Ended(BotExit::Code(0)) | NoReply::StdoutClosed);
        self.terms.until_end && is_well
    }

    /// When the program last wrote in this exchange.
    pub(crate) fn spoke(&self) -> Option<Moment> {
        self.spoke
    }

    /// When it last wrote, if that was after its limit.
    pub(crate) fn spoke_late(&self) -> Option<Moment> {
        let limit = self.clock.start + self.terms.limit?;
        self.spoke.filter(|&spoke| spoke >= limit)
    }

    /// Notes that the program has written while nothing was decided.
    pub(crate) fn note_output(&mut self, now: Moment) {
        self.spoke = Some(now);
    }

    /// Decides what follows from `event`, which was complete at `now`.
    ///
    /// # Panics
    /// When `event` does not answer the last action.
    pub(crate) fn on(&mut self, event: Event, now: Moment) -> Action {
        match (mem::take(&mut self.state), event) {
            (State::Awaiting, event) => self.while_awaiting(event, now),
            (State::Measuring(end), Event::Measured(measured)) => self.measured(end, *measured),
            (State::CatchingLateAnswer(end), Event::CaughtLateAnswer(answer)) => {
                self.caught_late_answer(end, answer)
            }
            (state, event) => unreachable!("{event:?} does not answer the action of {state:?}"),
        }
    }

    fn while_awaiting(&mut self, event: Event, now: Moment) -> Action {
        match event {
            Event::Sent(output) => {
                self.stop = now;
                self.judge(output, false, false, now)
            }
            Event::SentMore(start, before, output) => {
                self.clock.restart(start, before);
                self.judge(output, false, false, now)
            }
            Event::Polled(poll, output) => self.polled(poll, output, now),
            Event::Sampled(sample) => {
                self.clock.note(sample, now);
                self.go_on(now)
            }
            Event::Exceeded(breach) => self.finish(None, Some(NoReply::OverLimit(breach))),
            Event::Observed(observation) => self.observed(observation, now),
            Event::PeerIsBusy(true) => {
                self.clock.deadline = Some(now + TUNING.peer.recheck);
                self.go_on(now)
            }
            Event::PeerIsBusy(false) => self.observe(now),
            Event::Ended(ending) => self.ended(ending),
            Event::Measured(_) | Event::CaughtLateAnswer(_) => {
                unreachable!("{event:?} while the reply is awaited")
            }
        }
    }

    fn polled(&mut self, poll: Poll, output: Output, now: Moment) -> Action {
        let Poll { due, woke, read, own_wait, before_input, has_come, is_overdue } = poll;
        self.clock.woke([self.since, due, woke], own_wait, before_input);
        self.stop = read;
        if has_come {
            self.spoke = Some(read);
        }
        self.judge(output, self.clock.has_passed(woke), is_overdue, now)
    }

    /// Decides by the output, and by whether the deadline `has_passed` and the watchdog has killed the program.
    fn judge(&mut self, output: Output, has_passed: bool, is_overdue: bool, now: Moment) -> Action {
        self.is_closing |= output.is_closing;
        match output.reply {
            ReplyState::Whole(lines) => self.finish(Some(lines), None),
            ReplyState::OverLimit(breach) => self.finish(None, Some(NoReply::OverLimit(breach))),
            ReplyState::TooLong => self.finish(None, Some(NoReply::LineTooLong)),
            ReplyState::Over => {
                self.stop = self.spoke.unwrap_or(self.clock.start);
                self.finish(None, None)
            }
            ReplyState::Open if has_passed && output.is_final && is_overdue => {
                self.clock.begin_overtime();
                self.finish(None, Some(NoReply::Deadline))
            }
            ReplyState::Open if output.is_final => Action::AwaitEnd,
            ReplyState::Open if has_passed && self.terms.has_peer && !self.clock.in_overtime() => {
                Action::AskPeer
            }
            ReplyState::Open if has_passed => self.observe(now),
            ReplyState::Open => self.go_on(now),
        }
    }

    /// Observes a program whose time is up.
    fn observe(&mut self, now: Moment) -> Action {
        self.clock.begin_overtime();
        self.since = now;
        Action::Observe
    }

    fn observed(&mut self, observation: Observation, now: Moment) -> Action {
        if self.clock.goes_on(observation, [self.since, now]) {
            return self.go_on(now);
        }
        self.finish(None, Some(NoReply::Deadline))
    }

    /// Goes on waiting.
    fn go_on(&mut self, now: Moment) -> Action {
        self.since = now;
        let heartbeat = now + TUNING.clock.heartbeat;
        Action::Poll(self.clock.deadline.map_or(heartbeat, |deadline| deadline.min(heartbeat)))
    }

    /// Decides about a program that will write no more, and ended in this way.
    fn ended(&mut self, ending: NoReply) -> Action {
        if !self.is_whole_with(ending) {
            return self.finish(None, Some(ending));
        }
        // The reply was to last until now.
        if let (true, Some(spoke)) = (self.is_closing, self.spoke) {
            self.stop = spoke;
        }
        self.finish(None, None)
    }

    /// Ends the wait for a reply of this number of lines, or for one that is missing.
    fn finish(&mut self, lines: Option<usize>, no_reply: Option<NoReply>) -> Action {
        self.measure(lines, no_reply, None)
    }

    /// Has the program sampled once more, of which `after` was sampled before.
    fn measure(
        &mut self,
        lines: Option<usize>,
        no_reply: Option<NoReply>,
        after: Option<Sample>,
    ) -> Action {
        let wall = self.stop - self.clock.start;
        let (certificate, awaits_input) = Default::default();
        let end = End { lines, no_reply, wall, certificate, awaits_input, after };
        let measure = match no_reply {
            Some(NoReply::Deadline) if self.clock.last_sample().is_some() => Measure::OfLast,
            // A program that loses or is late is sampled more closely.
            Some(_) => Measure::Observation,
            None if self.clock.wants_account(wall) => Measure::Observation,
            // The last sample is good enough for what comes next.
            None if self.is_quick(wall) => return self.done(end),
            None => Measure::Quick,
        };
        self.state = State::Measuring(end);
        Action::Measure(measure)
    }

    /// Whether a complete reply after `wall` leaves the last sample good enough for what comes next.
    fn is_quick(&self, wall: Duration) -> bool {
        self.unsampled.is_some_and(|unsampled| unsampled + wall < TUNING.sampling.unsampled)
    }

    fn measured(&mut self, mut end: End, measured: Measured) -> Action {
        let Measured { observation, own_wait, breach, peak_memory } = measured;
        let after = observation.sample.clone();
        end.no_reply = breach.map(NoReply::OverLimit).or(end.no_reply);
        let used = after.since(self.clock.before(), self.unsampled.unwrap_or_default() + end.wall);
        let idle = end.wall.saturating_sub(used.cpu.unwrap_or_default().0);
        end.certificate = Certificate {
            referee_wait: own_wait.map(|wait| Millis(wait.min(idle))),
            // A program that has ended no longer shows its memory.
            peak_memory: used.peak_memory.max(peak_memory),
            ..used
        };
        end.after = Some(after);
        if self.clock.wants_account(end.wall) {
            self.clock.observe_end(observation, end.wall, end.no_reply.is_none());
            if let Some((parts, wait)) = self.clock.account(end.wall, own_wait) {
                end.certificate.parts = Some(parts);
                end.certificate.wait = end.certificate.wait.max(Some(Millis(wait)));
            }
        }
        if end.no_reply != Some(NoReply::Deadline) {
            return self.done(end);
        }
        self.state = State::CatchingLateAnswer(end);
        Action::CatchLateAnswer
    }

    fn caught_late_answer(&mut self, mut end: End, answer: LateAnswer) -> Action {
        if let LateAnswer::Answered(stop) = answer {
            self.stop = stop;
            return self.measure(None, None, end.after);
        }
        end.awaits_input = answer == LateAnswer::AwaitsInput;
        self.done(end)
    }

    fn done(&mut self, end: End) -> Action {
        let End { lines, no_reply, wall, certificate, awaits_input, after } = end;
        Action::Done(Box::new(Outcome {
            lines,
            no_reply,
            wall,
            phase: self.clock.phase(),
            certificate,
            after,
            before: self.clock.take_before(),
            awaits_input,
        }))
    }
}

/// What is known of a late exchange.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Late<'a> {
    pub(crate) no_reply: Option<NoReply>,
    pub(crate) phase: Phase,
    pub(crate) awaits_input: bool,
    pub(crate) wall: Duration,
    /// Where the time went, if it was measured.
    pub(crate) parts: Option<&'a Parts>,
}

impl Late<'_> {
    /// The host is to blame if the reply would have come within `limit` without delays that the program did not cause.
    /// Unexplained time does not excuse the program.
    pub(crate) fn culprit(self, limit: Duration) -> Culprit {
        let excused = self.parts.map(Parts::excused).unwrap_or_default();
        let was_kept = match self.no_reply {
            None => true,
            Some(_) => self.phase == Phase::Starved && !self.awaits_input,
        };
        if was_kept && self.wall.saturating_sub(excused) <= limit {
            Culprit::Host
        } else {
            Culprit::Bot
        }
    }
}
