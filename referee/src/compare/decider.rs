//! Decides while a run goes on whether its bot is better than an opponent.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Contender;
use crate::stats::SequentialTest;
use crate::suite::{Outcome, Plan};

/// Takes in the games of one bot and compares each with what an opponent has on the same board.
///
/// Games may end in another order than they are planned in, and quick ones may be better ones. So the
/// test takes them in the plan's random order, and one that is early waits for those before it.
pub struct Decider {
    opponent: Contender,
    /// The games of the plan, in order.
    schedule: Box<dyn Iterator<Item = usize>>,
    next: Option<usize>,
    /// Games that are early, with their difference if there is one.
    early: BTreeMap<usize, Option<f64>>,
    /// Boards that have been played; the same board in other colours says nothing new.
    seen: BTreeSet<String>,
    test: SequentialTest,
}

/// What is known of a bot and its opponent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// The opponent.
    pub opponent: String,
    /// Which of the two is better; `None` as long as that is open.
    pub bot_is: Option<Than>,
    /// The number of boards that this rests on.
    pub boards: usize,
    /// A p-value that holds although it was looked at after every game.
    pub p: f64,
}

/// What a bot is in comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Than {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
}

impl Decider {
    /// Of the games of `plan` against those of `opponent`.
    pub fn new(plan: &Plan, opponent: Contender) -> Self {
        let mut schedule = plan.schedule();
        let next = schedule.next();
        Self {
            opponent,
            schedule: Box::new(schedule),
            next,
            early: BTreeMap::new(),
            seen: BTreeSet::new(),
            test: SequentialTest::default(),
        }
    }

    /// Takes in a game.
    #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
    pub fn add(&mut self, outcome: &Outcome) {
        let new = outcome.is_played() && self.seen.insert(outcome.record_id.clone());
        let theirs = self.opponent.points(&outcome.record_id).filter(|_| new);
        let difference = theirs.map(|theirs| outcome.points() as f64 - theirs);
        self.early.insert(outcome.game, difference);
        while let Some(due) = self.next.and_then(|next| self.early.remove(&next)) {
            self.next = self.schedule.next();
            if let Some(difference) = due {
                self.test.push(difference);
            }
        }
    }

    /// Whether it is known which of the two is better.
    pub fn is_decided(&self) -> bool {
        self.test.decided().is_some()
    }

    /// What is known.
    pub fn decision(&self) -> Decision {
        let bot_is = self.test.decided().and_then(|order| match order {
            Ordering::Greater => Some(Than::Better),
            Ordering::Less => Some(Than::Worse),
            Ordering::Equal => None,
        });
        Decision {
            opponent: self.opponent.name.clone(),
            bot_is,
            boards: self.test.count(),
            p: self.test.p_value(),
        }
    }
}
