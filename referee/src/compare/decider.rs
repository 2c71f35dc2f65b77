//! Decides while a run goes on whether its bot is better than an opponent.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Contender;
use crate::stats::{ConfidenceSequence, Decided};
use crate::suite::{Margin, Outcome, Plan, RecordId};

/// Takes in the games of one bot and compares each with what an opponent has on the same board.
///
/// Games may end in another order than they are planned in, and quick ones may be better ones. So the
/// test takes them in the plan's random order, and one that is early waits for those before it.
pub struct Decider {
    opponent: Contender,
    /// The games of the plan, in order.
    schedule: Box<dyn Iterator<Item = usize>>,
    next: Option<usize>,
    /// Games that are early, with the points of both if both have played the board.
    early: BTreeMap<usize, Option<(i64, i64)>>,
    /// Boards that have been played; the same board in other colours says nothing new.
    seen: BTreeSet<RecordId>,
    margin: f64,
    sequence: ConfidenceSequence,
}

/// How a bot stands against its opponent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The opponent.
    pub opponent: String,
    /// The decision; `None` while it is open.
    pub bot_is: Option<Relation>,
    /// The number of boards that this rests on.
    pub boards: usize,
    /// The mean difference in points, above 0 if the bot has more.
    pub mean: f64,
    /// Its interval, which may be looked at after every game; `None` without a board.
    pub interval: Option<(f64, f64)>,
    /// Mean differences below this do not matter.
    pub margin: f64,
    /// A p-value that stays valid when looked at after every game.
    pub p: f64,
    /// About how many boards would decide; `None` if that is decided, or hopeless.
    pub boards_to_decide: Option<u64>,
}

/// How a bot compares with its opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
    /// The two differ by less than the margin.
    Even,
}

impl Decider {
    /// A decider for the games of `plan` against those of `opponent`.
    pub fn new(plan: &Plan, opponent: Contender, margin: Margin) -> Self {
        let mut schedule = plan.schedule(None);
        let next = schedule.next();
        let margin = margin.points(opponent.mean());
        Self {
            opponent,
            schedule: Box::new(schedule),
            next,
            early: BTreeMap::new(),
            seen: BTreeSet::new(),
            margin,
            sequence: ConfidenceSequence::new(margin),
        }
    }

    /// Adds a game.
    #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
    pub fn add(&mut self, outcome: &Outcome) {
        let new = outcome.is_played() && self.seen.insert(outcome.record_id.clone());
        let theirs = self.opponent.first_points(&outcome.record_id).filter(|_| new);
        self.early.insert(outcome.game, theirs.map(|theirs| (outcome.points(), theirs)));
        while let Some(due) = self.next.and_then(|next| self.early.remove(&next)) {
            self.next = self.schedule.next();
            if let Some((mine, theirs)) = due {
                self.sequence.push(mine as f64, theirs as f64);
            }
        }
    }

    /// Whether the comparison is decided.
    pub fn is_decided(&self) -> bool {
        self.sequence.decided().is_some()
    }

    /// The standing so far.
    pub fn standing(&self) -> Standing {
        let relation = |decided| match decided {
            Decided::Above => Relation::Better,
            Decided::Below => Relation::Worse,
            Decided::Even => Relation::Even,
        };
        Standing {
            opponent: self.opponent.name.clone(),
            bot_is: self.sequence.decided().map(relation),
            boards: self.sequence.count(),
            mean: self.sequence.mean(),
            interval: self.sequence.interval(),
            margin: self.margin,
            p: self.sequence.p_value(),
            boards_to_decide: self.sequence.boards_to_decide(),
        }
    }
}
