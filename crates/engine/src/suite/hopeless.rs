//! Notices a bot that always fails at once with one verdict, such as one that was not built or reads another format. What
//! it prints may differ from game to game.

use std::collections::BTreeMap;

use results::suite::{Outcome, SuiteVerdict};

/// A bot that has lost this many first games with one verdict is out.
const GAMES: u32 = 10;

/// If this many bots are out of luck with one verdict, and no other has made a move, they share its cause.
const BOTS: usize = 5;

/// The losses of the bots that have lost all their games so far in the first turn and with one verdict.
#[derive(Debug, Default)]
pub struct Hopeless {
    /// `None` once a game ended otherwise.
    losses: BTreeMap<String, Option<Losses>>,
    games: u32,
}

#[derive(Debug, Clone)]
struct Losses {
    verdict: SuiteVerdict,
    games: u32,
    /// The cause of the first one.
    why: String,
}

impl Hopeless {
    /// Counts a seat of a game that was played.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        let was_asked = outcome.turns > 0 || !outcome.won;
        if !outcome.is_played() || !was_asked {
            return;
        }
        let is_lost_at_once = !outcome.won && outcome.turns <= 1 && !outcome.is_lost_by_host();
        let verdict = is_lost_at_once.then_some(outcome.verdict);
        let first = verdict.map(|verdict| Losses { verdict, games: 0, why: outcome.loss() });
        let losses = self.losses.entry(outcome.bot.clone()).or_insert(first);
        if losses.as_ref().is_some_and(|it| Some(it.verdict) != verdict) {
            *losses = None;
        }
        if let Some(losses) = losses {
            losses.games += 1;
        }
        self.games += 1;
    }

    /// The verdict of a bot that is out.
    pub(super) fn verdict(&self, bot: &str) -> Option<SuiteVerdict> {
        let losses = self.losses.get(bot)?.as_ref()?;
        (losses.games >= GAMES).then_some(losses.verdict)
    }

    /// The common cause, if no bot of this many has ever made a move.
    fn common(&self, bots: usize) -> Option<&Losses> {
        let mut all = self.losses.values().map(Option::as_ref);
        let first = all.next()??;
        let is_alike = all.all(|it| it.is_some_and(|it| it.verdict == first.verdict));
        let are_enough = self.games >= GAMES && self.losses.len() >= BOTS.min(bots);
        (is_alike && are_enough).then_some(first)
    }

    /// Whether no bot of this many has any hope.
    pub(super) fn is_over(&self, bots: usize) -> bool {
        self.common(bots).is_some()
    }

    /// Why a suite of this many bots has stopped, and which bots are out.
    pub fn report(&self, bots: usize) -> (Option<String>, Vec<&str>) {
        let stopped = self.common(bots).map(|Losses { why, .. }| match self.losses.keys().next() {
            Some(bot) if self.losses.len() == 1 => format!(
                "{bot} lost its first {GAMES} games in the first turn, with one verdict: fix the bot"
            ),
            _ => format!(
                "all {} bots so far lost in their first turn, with one verdict ({why}): fix what they share",
                self.losses.len()
            ),
        });
        let out = self.losses.keys().map(String::as_str);
        (stopped, out.filter(|bot| self.verdict(bot).is_some()).collect())
    }

    /// Why a bot that is out forfeits a game.
    pub(super) fn forfeit() -> String {
        format!("forfeit: it lost its first {GAMES} games in the first turn, with one verdict")
    }
}
