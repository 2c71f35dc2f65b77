//! Plays one game of a suite, and works out its outcome.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::play::{Match, PlayError};
use contain::bot::BotCommand;
use contain::cancel::Canceller;
use results::gamelog::Event;
use rules::game::Drawing;
use terms::fault::{AtFault, Attributed as _};
use terms::verdict::Verdict;

use results::suite::{Assignment, Case};
use results::suite::{NotPlayed, Outcome, SuiteVerdict, Times};

/// A game to play, with everything needed.
pub(super) struct Job<'a> {
    pub(super) config: &'a Config,
    pub(super) bot: &'a str,
    pub(super) command: &'a BotCommand,
    pub(super) assignment: Assignment,
    pub(super) case: Case,
    pub(super) canceller: Option<&'a Canceller>,
}

/// A game that was played, or whose bot could not be started.
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    /// The events; none if the bot did not start.
    pub(super) events: Vec<Event>,
    pub(super) test_case: String,
}

impl Finished {
    /// The pictures that the judge has drawn.
    pub(super) fn drawings(&self) -> &[Drawing] {
        match self.events.last() {
            Some(Event::End(end)) => &end.drawings,
            _ => &[],
        }
    }
}

impl Job<'_> {
    /// Plays the game.
    ///
    /// A game whose bot cannot be started, or is ended by the host's doing, is not played, and does not count as a
    /// loss.
    pub(super) fn play(&self) -> Result<Finished, PlayError> {
        let mut outcome = self.outcome();
        let test_case = self.case.test_case.text.as_str();
        let game = Match::new(&self.config.game, test_case, self.command)
            .board(&self.case.name)
            .bot(self.bot)
            .rules(self.config.rules)
            .canceller(self.canceller);
        let mut events = Vec::new();
        let played = game.play(|event| {
            if let Event::Start(_) = event {
                events.clear();
            }
            events.push(event);
        });
        match played {
            Ok(_) => outcome.record(&events, self.config.is_as_strict_as_official()),
            Err(error) => {
                let reason = match (&error, error.at_fault()) {
                    (PlayError::Judge(_), _) => NotPlayed::JudgeTrouble,
                    (PlayError::Spawn(_), AtFault::User) => NotPlayed::CannotStart,
                    (_, AtFault::Host) => NotPlayed::NoResources,
                    _ => return Err(error),
                };
                outcome.record_not_played(reason, with_causes(&error));
                // Left from an earlier attempt.
                events.clear();
            }
        }
        let test_case = test_case.to_owned();
        Ok(Finished { outcome, events, test_case })
    }

    /// The outcome of a game that was not played.
    pub(super) fn not_played(&self, reason: NotPlayed, why: String) -> Outcome {
        let mut outcome = self.outcome();
        outcome.record_not_played(reason, why);
        outcome
    }

    /// The outcome before the game starts.
    fn outcome(&self) -> Outcome {
        let Case { name, set, board_id, record_id, test_case } = &self.case;
        Outcome {
            game: self.assignment.game,
            session: None,
            bot: self.bot.to_owned(),
            board: name.clone(),
            set: set.clone(),
            board_id: board_id.clone(),
            record_id: record_id.clone(),
            traits: test_case.groups.clone(),
            repeat: self.assignment.repeat,
            verdict: SuiteVerdict::Played(Verdict::Completed),
            won: false,
            score: test_case.opening().and_then(|game| game.score(0)),
            best_known: None,
            counts: false,
            official: String::new(),
            diagnosis: None,
            turns: 0,
            said: BTreeMap::new(),
            times: Times::default(),
        }
    }
}

/// An error and what caused it, on one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let chain = std::iter::successors(Some(error), |&error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
