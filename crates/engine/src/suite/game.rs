//! Plays one game of a suite, and works out its outcome.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::play::{Match, PlayError, Seated};
use contain::cancel::Canceller;
use results::gamelog::Event;
use rules::game::Drawing;
use terms::fault::{AtFault, Attributed as _, with_causes};
use terms::verdict::Verdict;

use results::suite::{Assignment, Case};
use results::suite::{NotPlayed, Outcome, Seat, SuiteVerdict, Times};

/// A game to play, with everything needed.
pub(super) struct Job<'a> {
    pub(super) config: &'a Config,
    /// The bots by seat, each with what the plan says of its seat.
    pub(super) seats: Vec<(Seated<'a>, Assignment)>,
    pub(super) case: Case,
    pub(super) canceller: Option<&'a Canceller>,
}

/// A game that was played, or of which a bot could not be started.
pub(super) struct Finished {
    /// The result of each seat.
    pub(super) outcomes: Vec<Outcome>,
    /// The events; none if a bot did not start, and those so far if the judge failed.
    pub(super) events: Vec<Event>,
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
    /// A game of which a bot cannot be started, or is ended by the host's doing, is not played, and does not count as a
    /// loss.
    pub(super) fn play(&self) -> Result<Finished, PlayError> {
        let mut outcomes = self.outcomes();
        let test_case = self.case.test_case.text.as_str();
        let seats: Vec<Seated<'_>> = self.seats.iter().map(|(seated, _)| *seated).collect();
        let game = Match::new(&self.config.game, test_case, seats[0].command)
            .seats(seats)
            .board(&self.case.name)
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
            Ok(_) => {
                let is_strict = self.config.is_as_strict_as_official();
                for outcome in &mut outcomes {
                    outcome.record(&events, is_strict);
                }
            }
            Err(error) => {
                let reason = match (&error, error.at_fault()) {
                    (PlayError::Judge(failure), _) if !failure.is_hosts => NotPlayed::JudgeTrouble,
                    (PlayError::Spawn(_), AtFault::User) => NotPlayed::CannotStart,
                    (_, AtFault::Host) => NotPlayed::NoResources,
                    _ => return Err(error),
                };
                let why = with_causes(&error);
                if reason != NotPlayed::JudgeTrouble {
                    // Left from an earlier attempt, or of no use.
                    events.clear();
                }
                for outcome in &mut outcomes {
                    outcome.record(&events, false);
                    outcome.record_not_played(reason, why.clone());
                }
            }
        }
        Ok(Finished { outcomes, events })
    }

    /// The outcomes of a game that was not played.
    pub(super) fn not_played(&self, reason: NotPlayed, why: &str) -> Vec<Outcome> {
        let mut outcomes = self.outcomes();
        for outcome in &mut outcomes {
            outcome.record_not_played(reason, why.to_owned());
        }
        outcomes
    }

    /// The outcomes of a game that the bots with these verdicts lose without playing.
    pub(super) fn forfeited(&self, verdicts: &[Option<SuiteVerdict>]) -> Vec<Outcome> {
        let is_won = verdicts.contains(&None);
        let mut outcomes = self.outcomes();
        for (outcome, verdict) in outcomes.iter_mut().zip(verdicts) {
            outcome.record_forfeit(*verdict, is_won);
        }
        outcomes
    }

    /// The outcome of each seat before the game starts.
    fn outcomes(&self) -> Vec<Outcome> {
        self.seats
            .iter()
            .map(|(seated, assignment)| self.outcome(seated.name, assignment))
            .collect()
    }

    fn outcome(&self, bot: &str, assignment: &Assignment) -> Outcome {
        let names = || self.seats.iter().map(|(seated, _)| seated.name.to_owned()).collect();
        let players = self.seats.len();
        let seat = (players > 1).then(|| Seat {
            number: (assignment.game - 1) / players + 1,
            seat: assignment.seat,
            bots: names(),
            place: None,
            spoilt: false,
        });
        let Case { name, set, board_id, record_id, test_case } = &self.case;
        Outcome {
            game: assignment.game,
            session: None,
            bot: bot.to_owned(),
            seat,
            board: name.clone(),
            set: set.clone(),
            board_id: board_id.clone(),
            record_id: record_id.clone(),
            traits: test_case.groups.clone(),
            repeat: assignment.repeat,
            verdict: SuiteVerdict::Played(Verdict::Completed),
            won: false,
            forfeit: false,
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
