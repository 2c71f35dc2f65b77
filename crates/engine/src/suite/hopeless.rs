//! Notices a bot that always fails at once with one verdict, such as one that was not built or reads another format. What
//! it prints may differ from game to game.

use std::collections::{BTreeMap, BTreeSet};

use results::suite::{FIRST_GAMES, Outcome, Plan, SuiteVerdict};
use rules::game::judge::JudgeProgram;
use terms::verdict::Verdict;

/// If this many bots are out of luck with one verdict, and no other has made a move, they share its cause.
const BOTS: usize = 5;

/// The bots that have lost their first games in the first turn and with one verdict.
///
/// Games count in the order in which they started, since of several games at a time a crash finishes first. What is decided
/// is never reversed.
#[derive(Debug, Default)]
pub struct Hopeless {
    bots: BTreeMap<String, FirstGames>,
    /// The first games of all bots.
    all: FirstGames,
}

#[derive(Debug, Default)]
struct FirstGames {
    /// By the number of the result, how each game that has finished ended for its bot: an error if it lost at once.
    games: Vec<(usize, Option<Result<(), Loss>>)>,
    /// The losses, if all games were lost alike, or none; `None` while they are too few.
    decided: Option<Vec<Loss>>,
}

/// A loss in the first turn.
#[derive(Debug, Clone)]
struct Loss {
    bot: String,
    verdict: SuiteVerdict,
    why: String,
}

impl Hopeless {
    /// A game of this bot is about to start.
    pub(super) fn begin(&mut self, bot: &str, game: usize) {
        for first in [self.bots.entry(bot.to_owned()).or_default(), &mut self.all] {
            if first.decided.is_none() {
                first.games.push((game, None));
            }
        }
    }

    /// Counts a seat of a game of this plan. One that was not played, or that the host ended, says nothing.
    pub(super) fn end(&mut self, outcome: &Outcome, plan: &Plan) {
        let was_asked = outcome.turns > 0 || !outcome.won;
        let counts =
            outcome.is_played() && was_asked && !outcome.forfeit && !outcome.is_lost_by_host();
        // In a contest the first turn is the whole game, and a slow bot may win the next one.
        let is_slow = outcome.verdict == SuiteVerdict::Played(Verdict::Timeout)
            && plan.judge.as_ref().is_some_and(JudgeProgram::is_of_contest);
        let is_lost_at_once = !outcome.won && outcome.turns <= 1 && !is_slow;
        let loss =
            || Loss { bot: outcome.bot.clone(), verdict: outcome.verdict, why: outcome.loss() };
        let ending = counts.then(|| if is_lost_at_once { Err(loss()) } else { Ok(()) });
        if let Some(first) = self.bots.get_mut(&outcome.bot) {
            first.end(outcome.game, ending.clone(), 1);
        }
        self.all.end(outcome.game, ending, BOTS.min(plan.bots.len()));
    }

    /// The verdict of a bot that is out.
    pub(super) fn verdict(&self, bot: &str) -> Option<SuiteVerdict> {
        Some(self.bots.get(bot)?.losses().first()?.verdict)
    }

    /// Whether no bot has any hope.
    pub(super) fn is_over(&self) -> bool {
        !self.all.losses().is_empty()
    }

    /// Why a suite has stopped, and the bots that are out with their verdicts.
    pub fn report(&self) -> (Option<String>, Vec<(&str, SuiteVerdict)>) {
        let (losses, bots) = (self.all.losses(), number_of_bots(self.all.losses()));
        let stopped = losses.first().map(|Loss { bot, why, .. }| match bots {
            1 => format!(
                "{bot} lost its first {FIRST_GAMES} games in the first turn, with one verdict: fix the bot"
            ),
            _ => format!(
                "all {bots} bots so far lost in their first turn, with one verdict ({why}): fix what they share"
            ),
        });
        let out = self.bots.keys().filter_map(|bot| Some((bot.as_str(), self.verdict(bot)?)));
        (stopped, out.collect())
    }
}

impl FirstGames {
    fn losses(&self) -> &[Loss] {
        self.decided.as_deref().unwrap_or_default()
    }

    /// Adds how a game ended, unless that says nothing, and decides once enough first games, of this number of `bots`, have all finished.
    fn end(&mut self, game: usize, ending: Option<Result<(), Loss>>, bots: usize) {
        let Some(at) = self.games.iter().rposition(|(begun, _)| *begun == game) else { return };
        if ending.is_some() {
            self.games[at].1 = ending;
        } else {
            self.games.remove(at);
        }
        let mut losses: Vec<Loss> = Vec::new();
        for ending in self.games.iter().map_while(|(_, ending)| ending.as_ref()) {
            let is_alike = |loss: &&Loss| losses.iter().all(|it| it.verdict == loss.verdict);
            let Some(loss) = ending.as_ref().err().filter(is_alike) else {
                (self.games, self.decided) = (Vec::new(), Some(Vec::new()));
                return;
            };
            losses.push(loss.clone());
            if losses.len() >= FIRST_GAMES && number_of_bots(&losses) >= bots {
                (self.games, self.decided) = (Vec::new(), Some(losses));
                return;
            }
        }
    }
}

fn number_of_bots(losses: &[Loss]) -> usize {
    losses.iter().map(|loss| &loss.bot).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::suite::PlannedBot;

    fn end(hopeless: &mut Hopeless, bots: &[&str], game: usize, bot: &str, won: bool) {
        let config = crate::config::Config::resolve([]).expect("settings");
        let bots = bots.iter().map(|bot| PlannedBot::new(bot, ["true"])).collect();
        let verdict = if won { "completed" } else { "crash" };
        let json = format!(
            r#"{{"game":{game},"bot":"{bot}","board":"x","board_id":"","record_id":"","repeat":1,"verdict":"{verdict}",
            "won":{won},"score":0,"counts":false,"official":"","turns":1}}"#
        );
        let outcome = serde_json::from_str(&json).expect("an outcome");
        hopeless.end(&outcome, &crate::suite::plan(&config, bots));
    }

    #[test]
    fn crashes_that_finish_before_slow_games_do_not_decide() {
        let mut hopeless = Hopeless::default();
        for game in 1..=20 {
            hopeless.begin("a", game);
        }
        for game in 2..=20 {
            end(&mut hopeless, &["a"], game, "a", false);
        }
        assert_eq!((hopeless.verdict("a"), hopeless.is_over()), (None, false));
        end(&mut hopeless, &["a"], 1, "a", true);
        hopeless.begin("a", 21);
        end(&mut hopeless, &["a"], 21, "a", false);
        assert_eq!((hopeless.verdict("a"), hopeless.is_over()), (None, false));
    }

    #[test]
    fn the_first_games_decide_for_good() {
        let mut hopeless = Hopeless::default();
        for game in 1..=10 {
            hopeless.begin("a", game);
        }
        hopeless.begin("b", 11);
        hopeless.begin("a", 12);
        end(&mut hopeless, &["a", "b"], 12, "a", true);
        for game in (1..=10).rev() {
            assert_eq!(hopeless.verdict("a"), None);
            end(&mut hopeless, &["a", "b"], game, "a", false);
        }
        let crash = SuiteVerdict::Played(Verdict::Crash);
        assert_eq!((hopeless.verdict("a"), hopeless.is_over()), (Some(crash), false));
        end(&mut hopeless, &["a", "b"], 11, "b", false);
        assert!(hopeless.is_over(), "all have lost so far");
        hopeless.begin("b", 13);
        end(&mut hopeless, &["a", "b"], 13, "b", true);
        let (stopped, out) = hopeless.report();
        assert!(stopped.is_some_and(|why| why.starts_with("all 2 bots so far")));
        assert_eq!(out, [("a", crash)]);
    }
}
