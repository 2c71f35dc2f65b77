//! The bot in a seat: its process, and its clock.

use std::time::{Duration, Instant};

use super::overrun::{assess, overtime};
use super::table::Ended;
use super::{Match, PlayError};
use contain::bot::{
    BotCommand, BotProcess, ExchangeError, Exchanged, Request, SpawnError, TableWatch,
};
use contain::cancel::{Cancelled, Canceller};
use rules::game::{Answer, Ask};
use terms::limits::LimitKind;
use terms::lines::LineRules;
use terms::peer::Peer;
use terms::verdict::{Decision, NoReply, Overrun};

/// How long a bot may go on after its reply before it is stopped, if its limit is not shorter.
const RUNS_ON: Duration = Duration::from_millis(100);

/// A running bot.
pub(super) struct Player<'a> {
    game: &'a Match<'a>,
    command: &'a BotCommand,
    bot: BotProcess,
    /// Just before it was started.
    started: Instant,
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
    /// The time that the replies before it had taken since the bot was started.
    pub(super) used: Duration,
    /// Whether the limit was the official one of the question.
    is_official: bool,
    pub(super) overrun: Option<Overrun>,
    /// The time that the bot ran on for after it, before it was stopped.
    pub(super) ran_on: Duration,
}

impl<'a> Player<'a> {
    pub(super) fn start(game: &'a Match<'a>, command: &'a BotCommand) -> Result<Self, SpawnError> {
        let started = Instant::now();
        let alarm = game.canceller.map(Canceller::alarm);
        let mut bot = BotProcess::spawn(command, game.rules.stderr_cap, alarm)?;
        if game.traces.is_some() {
            bot.trace();
        }
        let (used, pondered) = (Duration::ZERO, Duration::ZERO);
        Ok(Self { game, command, bot, started, was_asked: false, used, forgiven: 0, pondered })
    }

    /// Has the bot talk to this peer from its start on: one that was asked before is started again.
    pub(super) fn meet(mut self, peer: Box<dyn Peer>) -> Result<Self, SpawnError> {
        if self.was_asked {
            self.bot.finish(self.game.rules.grace);
            let Self { started, forgiven, .. } = self;
            self = Self { started, forgiven, ..Self::start(self.game, self.command)? };
        }
        self.bot.talk_to(peer);
        Ok(self)
    }

    /// Watches it while others are asked.
    pub(super) fn join(&mut self, watch: &TableWatch) {
        self.bot.join(watch);
    }

    /// Asks the bot, and decides on a late reply. What a peer sends belongs to the question.
    pub(super) fn exchange(&mut self, ask: &mut Ask) -> Result<Reply, PlayError> {
        if self.game.ponders {
            self.note_pondering();
        }
        let limit = self.limit(ask);
        let exchanged = self.await_reply(ask.input.as_bytes(), ask.lines, limit)?;
        self.was_asked = true;
        let used = self.used;
        self.used += exchanged.wall;
        ask.input.push_str(&String::from_utf8_lossy(&exchanged.passed));
        let is_official = ask.official == limit;
        let (overrun, ran_on) = (None, Duration::ZERO);
        let mut reply = Reply { exchanged, limit, used, is_official, overrun, ran_on };
        self.decide(&mut reply);
        Ok(reply)
    }

    /// Stops it while others are asked, once it has finished what it does after its reply, unless it may ponder.
    pub(super) fn wait_for_others(&mut self, reply: &mut Reply) {
        if self.game.ponders {
            self.bot.ponder();
        } else {
            reply.ran_on = self.bot.pause(RUNS_ON.min(reply.limit.unwrap_or(RUNS_ON)));
        }
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

    /// Decides on a late reply: one that does not count is dropped.
    fn decide(&mut self, reply: &mut Reply) {
        let Reply { exchanged, limit, .. } = reply;
        reply.overrun = assess(&self.game.rules.overruns, exchanged, *limit, self.forgiven);
        match reply.overrun.map(|overrun| overrun.decision) {
            Some(Decision::Timeout) => exchanged.no_reply = Some(NoReply::Deadline),
            decision => self.forgiven += u32::from(decision == Some(Decision::Forgiven)),
        }
    }

    /// Notes what it has computed since its last exchange.
    fn note_pondering(&mut self) {
        self.pondered += self.bot.take_idle_cpu().unwrap_or_default();
    }

    /// Closes the bot's input, and kills it once the grace of the rules has passed.
    pub(super) fn finish(mut self) -> Ended {
        if self.game.ponders {
            self.note_pondering();
        }
        let pondered = self.game.ponders.then_some(self.pondered);
        let ending = self.bot.finish(self.game.rules.grace);
        Ended { ending, wall: self.started.elapsed(), pondered }
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
    /// The reply for the game, with its time if that counts there.
    pub(super) fn answer(&self) -> Answer<'_> {
        let elapsed = if self.is_official { self.exchanged.wall } else { Duration::ZERO };
        Answer::new(&self.exchanged.reply, self.exchanged.no_reply).after(elapsed)
    }
}
