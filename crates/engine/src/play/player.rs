//! The bot in a seat: its process, and its clock.

use std::mem;
use std::time::{Duration, Instant};

use super::overrun::{assess, overtime};
use super::{Match, PlayError};
use contain::bot::{
    BotCommand, BotEnd, BotProcess, Captured, ExchangeError, Exchanged, InputUse, Phase, Request,
    SpawnError,
};
use contain::cancel::{Cancelled, Canceller};
use rules::game::{Answer, Ask, Seat};
use terms::certificate::Certificate;
use terms::limits::LimitKind;
use terms::lines::{LineRules, Lines};
use terms::peer::Peer;
use terms::verdict::{Culprit, Decision, NoReply, Overrun};

/// A running bot.
pub(super) struct Player<'a> {
    game: &'a Match<'a>,
    command: &'a BotCommand,
    bot: BotProcess,
    /// Whether it has been asked since it was started.
    was_asked: bool,
    /// The time that its exchanges have taken since then.
    used: Duration,
    /// The late replies that were forgiven.
    forgiven: u32,
    /// The CPU time between its exchanges, where it may ponder.
    pondered: Duration,
}

/// The reply to a question, and what was decided on its time.
pub(super) struct Reply {
    pub(super) exchanged: Exchanged,
    /// The limit that applied.
    pub(super) limit: Option<Duration>,
    /// What was left of it when the bot was last awaited.
    pub(super) left: Option<Duration>,
    /// The time that the replies before it had taken since the bot was started.
    pub(super) used: Duration,
    /// Whether the limit was the official one of the question.
    is_official: bool,
    pub(super) overrun: Option<Overrun>,
    /// The seat whose bot has delayed it, although it was paused.
    pub(super) delayed_by: Option<Seat>,
}

impl<'a> Player<'a> {
    pub(super) fn start(game: &'a Match<'a>, command: &'a BotCommand) -> Result<Self, SpawnError> {
        let alarm = game.canceller.map(Canceller::alarm);
        let mut bot = BotProcess::spawn(command, game.rules.stderr_cap, alarm)?;
        if game.traces.is_some() {
            bot.trace();
        }
        let (used, pondered) = (Duration::ZERO, Duration::ZERO);
        Ok(Self { game, command, bot, was_asked: false, used, forgiven: 0, pondered })
    }

    /// Has the bot talk to this peer from its start on: one that was asked before is started again.
    pub(super) fn meet(mut self, peer: Box<dyn Peer>) -> Result<Self, SpawnError> {
        if self.was_asked {
            self.bot.finish(self.game.rules.grace);
            self = Self { forgiven: self.forgiven, ..Self::start(self.game, self.command)? };
        }
        self.bot.talk_to(peer);
        Ok(self)
    }

    /// Asks the bot, and decides on a late reply.
    pub(super) fn exchange(&mut self, ask: &mut Ask) -> Result<Reply, PlayError> {
        let mut reply = self.ask(ask)?;
        self.decide(&mut reply, None);
        Ok(reply)
    }

    /// Asks the bot. What a peer sends belongs to the question.
    pub(super) fn ask(&mut self, ask: &mut Ask) -> Result<Reply, PlayError> {
        let limit = self.limit(ask);
        let exchanged = self.await_reply(ask.input.as_bytes(), ask.lines, limit)?;
        self.was_asked = true;
        let used = self.used;
        self.used += exchanged.wall;
        ask.input.push_str(&String::from_utf8_lossy(&exchanged.passed));
        let is_official = ask.official == limit;
        let (left, overrun, delayed_by) = (limit, None, None);
        Ok(Reply { exchanged, limit, left, used, is_official, overrun, delayed_by })
    }

    /// Awaits the rest of a missing reply, for as long as others have kept the bot from its core. Returns whether it came in time: the
    /// measurements of the wait before are then kept.
    pub(super) fn ask_on(&mut self, ask: &Ask, reply: &mut Reply) -> Result<bool, PlayError> {
        let Exchanged { wall, certificate, .. } = &reply.exchanged;
        let own = certificate.own_time(*wall);
        reply.left = reply.left.map(|left| left.saturating_sub(own));
        let count = match ask.lines.count {
            LineRules::UNTIL_END => LineRules::UNTIL_END,
            count => count - reply.exchanged.reply.len(),
        };
        let more = self.await_reply(b"", LineRules { count, ..ask.lines }, reply.left)?;
        let before = &mut reply.exchanged;
        let mut bytes = mem::take(&mut before.reply).into_bytes();
        bytes.extend(more.reply.as_bytes());
        let mut lines = Lines::split(&bytes);
        if more.reply.partial().is_empty() {
            lines.end_partial();
        }
        let mut stderr = mem::take(&mut before.stderr);
        stderr.bytes.extend(&more.stderr.bytes);
        stderr.dropped += more.stderr.dropped;
        let is_in_time = more.no_reply.is_none() && reply.left.is_none_or(|left| more.wall <= left);
        let (wall, phase, certificate) = if is_in_time {
            (before.wall, before.phase, before.certificate)
        } else {
            (more.wall, more.phase, more.certificate)
        };
        // It was sent the input before.
        let input = InputUse { early: false, ..more.input };
        *before = Exchanged { reply: lines, wall, phase, certificate, input, stderr, ..more };
        Ok(is_in_time)
    }

    fn await_reply(
        &mut self,
        input: &[u8],
        rules: LineRules,
        limit: Option<Duration>,
    ) -> Result<Exchanged, PlayError> {
        let overtime = overtime(&self.game.rules.overruns);
        let request = Request { input, rules, limit, overtime };
        self.bot.exchange(&request).map_err(|error| self.failed(error))
    }

    /// Decides on a late reply, for which the bot in a seat may be to blame: one that does not count is dropped.
    pub(super) fn decide(&mut self, reply: &mut Reply, culprit: Option<Seat>) {
        let Reply { exchanged, left, .. } = reply;
        let overruns = &self.game.rules.overruns;
        reply.overrun = assess(overruns, exchanged, *left, self.forgiven, culprit);
        match reply.overrun.map(|overrun| overrun.decision) {
            Some(Decision::Timeout) => exchanged.no_reply = Some(NoReply::Deadline),
            decision => self.forgiven += u32::from(decision == Some(Decision::Forgiven)),
        }
    }

    /// Stops the bot until it is asked again.
    pub(super) fn pause(&mut self) -> Result<(), PlayError> {
        self.bot.pause().map_err(|error| self.failed(error.into()))
    }

    /// What it has computed since it was paused.
    pub(super) fn take_paused_cpu(&mut self) -> Duration {
        self.bot.take_paused_cpu()
    }

    /// Watches its use of resources while another is asked, as [`BotProcess::watch_idle`] does.
    pub(super) fn watch_idle(&mut self) -> Result<Option<Instant>, PlayError> {
        self.bot.watch_idle().map_err(|error| self.failed(error.into()))
    }

    /// Notes what it has computed since its last exchange.
    pub(super) fn note_pondering(&mut self) {
        self.pondered += self.bot.take_idle_cpu().unwrap_or_default();
    }

    /// The CPU time that it has used in others' turns, if it may, or if it did although it was paused.
    pub(super) fn pondered(&mut self) -> Option<Duration> {
        if !self.game.ponders {
            return Some(self.bot.paused_cpu()).filter(|cpu| !cpu.is_zero());
        }
        self.note_pondering();
        Some(self.pondered)
    }

    /// Closes the bot's input, and kills it once the grace of the rules has passed.
    pub(super) fn finish(self) -> BotEnd {
        self.bot.finish(self.game.rules.grace)
    }

    /// The limit of a question: where all replies share one, what is left of it.
    fn limit(&self, ask: &Ask) -> Option<Duration> {
        let limit = self.game.rules.limit(ask.limit, ask.official)?;
        let is_shared = ask.limit == LimitKind::Total;
        Some(if is_shared { limit.saturating_sub(self.used) } else { limit })
    }

    fn failed(&self, error: ExchangeError) -> PlayError {
        match error {
            ExchangeError::Cancelled(stderr) => {
                let by = self.game.canceller.and_then(Canceller::cancelled);
                PlayError::Cancelled { by: by.unwrap_or(Cancelled::ByProgram), stderr }
            }
            ExchangeError::HostMemory(lack) => PlayError::HostMemory(lack),
            error => PlayError::Exchange(error),
        }
    }
}

impl Reply {
    /// The missing reply of a bot that was ended since it had computed for this time although it was paused, which counts as time of
    /// its turn.
    pub(super) fn of_ended(computed: Duration, limit: Option<Duration>) -> Self {
        let exchanged = Exchanged {
            reply: Lines::default(),
            no_reply: Some(NoReply::Deadline),
            wall: computed,
            phase: Phase::Overtime,
            certificate: Certificate::default(),
            passed: Vec::new(),
            input: InputUse::default(),
            stopped: false,
            exit: None,
            stderr: Captured::default(),
            trace: None,
        };
        let overrun = Some(Overrun { culprit: Culprit::Bot, decision: Decision::Timeout });
        let (used, is_official) = (Duration::ZERO, false);
        Self { exchanged, limit, left: limit, used, is_official, overrun, delayed_by: None }
    }

    /// The reply for the game, with its time if that counts there.
    pub(super) fn answer(&self) -> Answer<'_> {
        let Exchanged { wall, certificate, .. } = &self.exchanged;
        let elapsed = match self.overrun.map(|overrun| overrun.culprit) {
            _ if !self.is_official => Duration::ZERO,
            Some(Culprit::Seat(_)) => certificate.own_time(*wall),
            _ => *wall,
        };
        Answer::new(&self.exchanged.reply, self.exchanged.no_reply).after(elapsed)
    }
}
