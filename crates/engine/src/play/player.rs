//! The bot in a seat: its process, and its clock.

use std::time::{Duration, Instant};

use super::overrun::{assess, overtime};
use super::{Match, PlayError};
use contain::bot::{BotCommand, BotEnd, BotProcess, ExchangeError, Exchanged, Request, SpawnError};
use contain::cancel::{Cancelled, Canceller};
use rules::game::{Answer, Ask};
use terms::limits::LimitKind;
use terms::peer::Peer;
use terms::verdict::{Decision, NoReply, Overrun};

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
    /// The time that the replies before it had taken since the bot was started.
    pub(super) used: Duration,
    /// Whether the limit was the official one of the question.
    is_official: bool,
    pub(super) overrun: Option<Overrun>,
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

    /// Asks the bot, and decides on a late reply: one that does not count is dropped. What a peer sends belongs to the question.
    pub(super) fn exchange(&mut self, ask: &mut Ask) -> Result<Reply, PlayError> {
        let overruns = &self.game.rules.overruns;
        let limit = self.limit(ask);
        let input = ask.input.as_bytes();
        let request = Request { input, rules: ask.lines, limit, overtime: overtime(overruns) };
        let mut exchanged = self.bot.exchange(&request).map_err(|error| self.failed(error))?;
        self.was_asked = true;
        let used = self.used;
        self.used += exchanged.wall;
        ask.input.push_str(&String::from_utf8_lossy(&exchanged.passed));
        let overrun = assess(overruns, &exchanged, limit, self.forgiven);
        match overrun.map(|overrun| overrun.decision) {
            Some(Decision::Timeout) => exchanged.no_reply = Some(NoReply::Deadline),
            decision => self.forgiven += u32::from(decision == Some(Decision::Forgiven)),
        }
        Ok(Reply { exchanged, limit, used, is_official: ask.official == limit, overrun })
    }

    /// Stops the bot until it is asked again.
    pub(super) fn pause(&mut self) -> Result<(), PlayError> {
        self.bot.pause().map_err(|error| self.failed(error.into()))
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
    /// The reply for the game, with its time if that counts there.
    pub(super) fn answer(&self) -> Answer<'_> {
        let elapsed = if self.is_official { self.exchanged.wall } else { Duration::ZERO };
        Answer::new(&self.exchanged.reply, self.exchanged.no_reply).after(elapsed)
    }
}
