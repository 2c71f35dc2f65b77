//! One game of a suite: plays it, and makes what is kept of it.

use crate::bot::BotCommand;
use crate::config::Config;
use crate::game::GameKind;
use crate::gamelog::Event;
use crate::interrupt::Interrupt;
use crate::play::{PlayError, Setup, play};
use crate::verdict::{Culprit, Decision, Overrun, Verdict};

use super::outcome::{Outcome, SuiteVerdict, Times};
use super::plan::{Assignment, Case};

/// What a worker needs to know of a game.
pub(super) struct Job<'a> {
    pub(super) config: &'a Config,
    pub(super) bot: &'a str,
    pub(super) command: &'a BotCommand,
    pub(super) assignment: Assignment,
    pub(super) case: Case,
    pub(super) interrupt: &'a Interrupt,
}

/// A game that was played, or whose bot could not be started.
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    /// Everything that happened; nothing if the bot did not start.
    pub(super) events: Vec<Event>,
    pub(super) test_case: String,
}

impl Job<'_> {
    /// Plays the game; one that the host has spoilt again, if the user wants that.
    ///
    /// A bot that cannot be started has lost: that is its own failure, and no reason to stop others.
    pub(super) fn play(self) -> Result<Finished, PlayError> {
        let mut outcome = self.outcome();
        let mut retried = Vec::new();
        let events = loop {
            let (played, events) = self.attempt(&retried);
            match played {
                Err(PlayError::Spawn(error)) if error.is_users() => {
                    outcome.record_no_start(format!("{:#}", anyhow::Error::from(error)));
                    break Vec::new();
                }
                played => played?,
            }
            match spoilt_by_host(&events) {
                Some(diagnosis) if self.config.rules.overruns.retries(retried.len()) => {
                    retried.push(diagnosis);
                }
                _ => break events,
            }
        };
        let strict = self.config.is_as_strict_as_official();
        outcome.record(&events, strict);
        Ok(Finished { outcome, events, test_case: self.case.game.test_case().to_owned() })
    }

    fn attempt(&self, retried: &[String]) -> (Result<(), PlayError>, Vec<Event>) {
        let Config { game, rules, .. } = *self.config;
        let setup = Setup {
            game: game.name,
            board: &self.case.name,
            bot: self.bot,
            command: self.command,
            rules,
            retried,
            interrupt: Some(self.interrupt.clone()),
        };
        let mut game = fresh(game, self.case.game.test_case());
        let mut events = Vec::new();
        let played = play(game.as_mut(), &setup, |event| events.push(event));
        (played, events)
    }

    /// The outcome before anything has happened.
    fn outcome(&self) -> Outcome {
        let Case { name, set, board_id, record_id, game } = &self.case;
        Outcome {
            game: self.assignment.game,
            bot: self.bot.to_owned(),
            board: name.clone(),
            set: set.clone(),
            board_id: board_id.clone(),
            record_id: record_id.clone(),
            traits: game.traits(),
            repeat: self.assignment.repeat,
            verdict: SuiteVerdict::Played(Verdict::Completed),
            won: false,
            score: 0,
            counts: false,
            official: String::new(),
            diagnosis: None,
            turns: 0,
            times: Times::default(),
        }
    }
}

/// A new game on a test case of the game's own making.
pub(super) fn fresh(kind: &GameKind, test_case: &str) -> Box<dyn crate::game::Game> {
    (kind.parse)(test_case).expect("the game wrote this test case itself")
}

/// The diagnosis of a game that ended in a timeout of the host's making.
fn spoilt_by_host(events: &[Event]) -> Option<String> {
    let [.., Event::Turn(turn), Event::End(end)] = events else { return None };
    let spoilt = Overrun { culprit: Culprit::Host, decision: Decision::Timeout };
    (turn.overrun == Some(spoilt)).then(|| end.diagnosis.clone()).flatten()
}
