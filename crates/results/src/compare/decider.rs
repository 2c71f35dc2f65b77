//! Decides, during a run, whether its bot is better than an opponent.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use serde::Serialize;

use super::valuation::{Finish, Valuation};
use super::{Contender, Relation};
use crate::suite::{FolderError, Margin, Opponent, Outcome, Plan, RecordId, RunFolder};
use rules::measure::Measure;
use rules::score::{Direction, Score};
use statistics::{ConfidenceSequence, Lost, Risk};

/// Compares each game of one bot with the opponent's games on the same board, by the rule of a finished comparison. In games of
/// several players it compares all its games of a round, from all seats: it waits for the last of them, and a round of which the host
/// has disturbed a game counts for nothing.
///
/// Games may end in another order than the plan's, and quick games may be better. So the
/// test takes them in the plan's random order, and early games wait for those before them. The decision
/// does not depend on the order in which games are added.
#[expect(missing_debug_implementations, reason = "its schedule has none")]
pub struct Decider {
    /// The bot's name.
    bot: String,
    opponent: Contender,
    /// Whether the opponent plays in the same run.
    is_rival: bool,
    /// The games of the plan, in order.
    schedule: Box<dyn Iterator<Item = usize>>,
    next: Option<usize>,
    /// Games that are early; `None` if they do not count.
    early: BTreeMap<usize, Option<Early>>,
    /// The games so far of the round that is next to be counted, and the number of games that it has.
    round: Vec<Option<Early>>,
    games_of_round: usize,
    /// Boards already counted; the same board in other colours adds no information.
    seen: BTreeSet<RecordId>,
    margin: f64,
    /// The valuation of the opponent's games, which are known beforehand: a decision must not depend on games to come.
    valuation: Valuation,
    decimals: usize,
    sequence: ConfidenceSequence,
}

/// A game whose turn has not come yet.
struct Early {
    bot: String,
    board: RecordId,
    finish: Finish,
    best_known: Option<Score>,
}

/// The standing of a bot against its opponent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Standing {
    /// The name of the opponent, in its run.
    pub opponent: String,
    /// The decision; `None` while it is open.
    pub bot_is: Option<Relation>,
    /// The number of boards behind this standing.
    pub boards: usize,
    /// What is compared of the scores.
    pub measure: Measure,
    /// Which scores are better.
    #[serde(skip)]
    pub better: Direction,
    /// The mean difference in this measure that decides first, above 0 if the bot is better: on the boards that both finish, or in
    /// total if games were lost.
    pub mean: f64,
    /// Its interval, valid after every game; `None` without a board.
    pub interval: Option<(f64, f64)>,
    /// The lost games; `challenger` is the bot.
    pub lost: Lost,
    /// Mean differences below this do not matter.
    pub margin: f64,
    /// A p-value that is valid after every game.
    pub p: f64,
    /// The estimated number of boards for a decision; `None` if it is decided, or hopeless.
    pub boards_to_decide: Option<u64>,
    /// The number of decimals of the scores.
    #[serde(skip)]
    pub decimals: usize,
}

impl Decider {
    /// A decider for the games of `plan` against the games of `opponent`.
    pub fn new(plan: &Plan, opponent: Contender, margin: Margin, risk: Risk) -> Self {
        let mut schedule = plan.schedule(&[]);
        let next = schedule.next();
        let measure = opponent.measure;
        let margin = margin.of(measure, opponent.mean());
        let players = plan.players();
        Self {
            bot: plan.bots.first().map_or_else(String::new, |bot| bot.name.clone()),
            is_rival: false,
            round: Vec::new(),
            games_of_round: if players > 1 { plan.unit() } else { 1 },
            valuation: opponent.valuation(),
            decimals: measure.decimals(opponent.decimals()),
            opponent,
            schedule: Box::new(schedule),
            next,
            early: BTreeMap::new(),
            seen: BTreeSet::new(),
            margin,
            sequence: ConfidenceSequence::new(margin, risk),
        }
    }

    /// The decider of a run with an opponent, with the games that the run has so far.
    ///
    /// A game that could not be played is passed over.
    ///
    /// # Errors
    /// When the results of the run or of its opponent cannot be read.
    pub fn of(folder: &RunFolder) -> Result<Option<Self>, FolderError> {
        let Some(Opponent { run, bot, margin, risk, measure }) = &folder.run.against else {
            return Ok(None);
        };
        let wanted = [(bot.as_str(), bot.clone())];
        let is_rival = run.as_os_str().is_empty();
        let opponent = if is_rival {
            Contender::new(bot.clone(), folder.run.plan.better)
        } else {
            Contender::read(&RunFolder::open(run)?, &wanted)?.swap_remove(0)
        };
        let opponent = opponent.measured_in(*measure);
        let new = Self::new(&folder.run.plan, opponent, *margin, *risk);
        let mut decider = Self { is_rival, ..new };
        for outcome in folder.outcomes()? {
            decider.add(&outcome?);
        }
        Ok(Some(decider))
    }

    /// Adds a game. One that was not played, or that the host's delay ended, is skipped.
    pub fn add(&mut self, outcome: &Outcome) {
        let counts = outcome.is_played() && !outcome.is_lost_by_host();
        let counted = counts.then(|| Early {
            bot: outcome.bot.clone(),
            board: outcome.record_id.clone(),
            finish: Finish::of(outcome, self.opponent.measure),
            best_known: outcome.best_known,
        });
        self.early.insert(outcome.game, counted);
        while let Some(due) = self.next.and_then(|next| self.early.remove(&next)) {
            self.next = self.schedule.next();
            self.round.push(due);
            if self.round.len() == self.games_of_round {
                let round = mem::take(&mut self.round);
                if let Some(games) = round.into_iter().collect::<Option<Vec<_>>>() {
                    self.take(&games);
                }
            }
        }
    }

    /// Counts the games of a round, if it is the first on its board and the opponent has played this board too.
    fn take(&mut self, games: &[Early]) {
        let Some(Early { board, best_known, .. }) = games.first() else { return };
        // A run of one player has one bot, whatever its name has become.
        let is_alone = self.games_of_round == 1;
        let of = |bot: &str| -> Vec<Finish> {
            let own = games.iter().filter(|game| is_alone || game.bot == bot);
            own.map(|game| game.finish).collect()
        };
        let mine = of(&self.bot);
        let theirs =
            if self.is_rival { of(&self.opponent.name) } else { self.opponent.finishes_on(board) };
        // Tables that are missing would leave other opponents and seats to one of the two.
        let is_whole = is_alone || !mine.is_empty() && theirs.len().is_multiple_of(mine.len());
        let known = self.opponent.best_known(board, *best_known);
        if let Some(values) = self.valuation.board(&mine, &theirs, known).filter(|_| is_whole)
            && self.seen.insert(board.clone())
        {
            self.sequence.push(&values);
        }
    }

    /// Whether the comparison is decided.
    pub fn is_decided(&self) -> bool {
        self.sequence.decided().is_some()
    }

    /// The standing so far.
    pub fn standing(&self) -> Standing {
        let leading = self.sequence.leading();
        Standing {
            opponent: self.opponent.name.clone(),
            bot_is: self.sequence.decided(),
            boards: self.sequence.count(),
            measure: self.valuation.measure(),
            better: self.opponent.better,
            mean: leading.map_or(0.0, |(mean, _)| mean),
            interval: leading.map(|(_, interval)| interval),
            lost: self.sequence.lost(),
            margin: self.margin,
            p: self.sequence.p_value(),
            boards_to_decide: self.sequence.boards_to_decide(),
            decimals: self.decimals,
        }
    }
}

/// Whether a run has all games that are needed: all that are planned, or enough for its decider to decide.
///
/// # Errors
/// When the results cannot be read.
pub fn has_needed_games(folder: &RunFolder) -> Result<bool, FolderError> {
    let is_decided = Decider::of(folder)?.is_some_and(|decider| decider.is_decided());
    Ok(is_decided || folder.played()?.count() == folder.planned())
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use rand_core::Rng as _;
    use rand_pcg::Pcg64Mcg;

    use super::super::Comparison;
    use super::super::tests::{contender, outcome};
    use super::*;
    use crate::suite::{NotPlayed, SuiteVerdict, Times};
    use terms::verdict::Verdict;

    #[test]
    fn a_decision_takes_games_in_the_plans_order_and_boards_once() {
        let plan = crate::suite::test_plan(200);
        let opponent = contender("old", &(1..=200).map(|n| (n, 100)).collect::<Vec<_>>());
        let game = |number: usize, board: u32| Outcome { game: number, ..outcome(board, 150) };
        let mut decider = Decider::new(&plan, opponent.clone(), Margin::default(), Risk::Strict);
        for number in 2..=150 {
            decider.add(&game(number, u32::try_from(number).expect("small")));
        }
        assert_eq!(decider.standing().boards, 0, "the first game is still awaited");
        decider.add(&game(1, 1));
        let standing = decider.standing();
        assert!(decider.is_decided());
        assert_eq!((standing.bot_is, standing.boards), (Some(Relation::Better), 150));
        assert!(standing.p <= 0.05);

        let mut twins = Decider::new(&plan, opponent, Margin::default(), Risk::Strict);
        (1..=100).for_each(|number| twins.add(&game(number, 1)));
        assert_eq!((twins.standing().bot_is, twins.standing().boards), (None, 1));
    }

    #[test]
    fn a_decision_rests_on_the_opponents_mean_and_skips_what_was_not_played() {
        let plan = crate::suite::test_plan(200);
        let opponent = contender("old", &[(1, 100), (1, 900), (2, 100)]);
        let mut decider = Decider::new(&plan, opponent, Margin::default(), Risk::Strict);
        decider.add(&Outcome { game: 1, ..outcome(1, 150) });
        assert!((decider.standing().mean + 350.0).abs() < 1e-12, "the mean of its games");
        let verdict = SuiteVerdict::NotPlayed(NotPlayed::NoResources);
        decider.add(&Outcome { game: 2, verdict, won: false, ..outcome(2, 0) });
        assert_eq!(decider.standing().boards, 1);
    }

    #[test]
    fn a_decision_and_a_comparison_in_the_same_measure_are_of_the_same_differences() {
        let plan = crate::suite::test_plan(90);
        let scores: Vec<_> = (1..=90).map(|n| (n, 1000 + i64::from(n * 37 % 400))).collect();
        let games: Vec<Outcome> = (1..)
            .zip(1..=90)
            .map(|(game, board)| Outcome {
                game,
                best_known: (board % 3 == 0).then(|| i64::from(2000 + board).into()),
                ..outcome(board, 1010 + i64::from(board * 53 % 400))
            })
            .collect();
        for measure in [Measure::Points, Measure::Ratio, Measure::Log, Measure::Rank] {
            let opponent = contender("old", &scores).measured_in(measure);
            let mut decider =
                Decider::new(&plan, opponent.clone(), Margin::default(), Risk::Strict);
            let mut bot = contender("new", &[]).measured_in(measure);
            for game in &games {
                decider.add(game);
                bot.add(game);
            }
            let (standing, compared) =
                (decider.standing(), Comparison::of(&opponent, &bot, Risk::Strict));
            assert_eq!((standing.boards, standing.measure), (90, measure));
            let mean = compared.paired.all.mean;
            assert!((standing.mean - mean).abs() < 1e-9, "{measure}: {standing:?} {mean}");
        }
    }

    #[test]
    fn a_decision_does_not_rest_on_a_game_that_the_host_ended() {
        let plan = crate::suite::test_plan(200);
        let opponent = contender("old", &[(1, 100), (2, 100)]);
        let mut decider = Decider::new(&plan, opponent, Margin::default(), Risk::Strict);
        let verdict = SuiteVerdict::Played(Verdict::Timeout);
        let times = Times { host_overruns: 1, ..Times::default() };
        decider.add(&Outcome { game: 1, verdict, times, ..outcome(1, -1) });
        decider.add(&Outcome { game: 2, ..outcome(2, 150) });
        let standing = decider.standing();
        assert_eq!(standing.boards, 1);
        assert!((standing.mean - 50.0).abs() < 1e-12, "{standing:?}");
    }

    /// The boards of a suite on a cluster, and the number of boards in a wave of its parts.
    const BOARDS: u32 = 300;
    const WAVE: usize = 75;

    /// A suite of two equally strong bots: its plan in random order, the opponent, and the games in the plan's
    /// order. Some boards are recoloured copies of others.
    fn equal_bots(seed: u32) -> (Plan, Contender, Vec<Outcome>) {
        let mut random = Pcg64Mcg::new(u128::from(seed) << 64 | 1);
        let mut score = || i64::from(random.next_u32() % 600) + 1000;
        let plan = Plan { shuffle: Some(seed), ..crate::suite::test_plan(BOARDS.into()) };
        let board = |game: usize| u32::try_from(game).expect("small") % (BOARDS - 20);
        let theirs: Vec<_> = (1..=BOARDS - 20).map(|n| (n % (BOARDS - 20), score())).collect();
        let games = plan.schedule(&[]);
        let games = games.map(|game| Outcome { game, ..outcome(board(game), score()) }).collect();
        (plan, contender("old", &theirs), games)
    }

    /// The decisions after each wave of games, added in this order within a wave, and at the end.
    fn decided(
        (plan, opponent, games): &(Plan, Contender, Vec<Outcome>),
        order: impl Fn(&mut [Outcome]),
    ) -> (Option<Relation>, Standing) {
        let mut decider = Decider::new(plan, opponent.clone(), Margin::default(), Risk::Strict);
        let mut first = None;
        for wave in games.chunks(WAVE) {
            let mut wave = wave.to_vec();
            order(&mut wave);
            for outcome in &wave {
                decider.add(outcome);
                if first.is_none() && decider.is_decided() {
                    first = decider.standing().bot_is;
                }
            }
        }
        (first, decider.standing())
    }

    #[test]
    fn no_decision_depends_on_which_games_came_back_first() {
        const SUITES: u32 = 40;
        let mut wrong = 0;
        for seed in 1..=SUITES {
            let suite = equal_bots(seed);
            let expected = decided(&suite, |_| {});
            let best_first = |wave: &mut [Outcome]| wave.sort_by_key(|game| Reverse(game.score));
            let worst_first = |wave: &mut [Outcome]| wave.sort_by_key(|game| game.score);
            assert_eq!(decided(&suite, best_first), expected, "{seed}");
            assert_eq!(decided(&suite, worst_first), expected, "{seed}");
            assert_eq!(decided(&suite, <[Outcome]>::reverse), expected, "{seed}");
            assert_eq!(decided(&suite, |wave| wave.rotate_left(WAVE / 3)), expected, "{seed}");
            wrong += u32::from(expected.0.is_some());
        }
        assert!(wrong * 20 <= SUITES, "{wrong} of {SUITES} suites of equal bots are decided");
    }

    #[test]
    fn where_lower_is_better_a_bot_that_loses_is_worse() {
        let plan = Plan { better: Direction::Lower, ..crate::suite::test_plan(200) };
        let mut opponent = Contender::new("old".to_owned(), Direction::Lower);
        (1..=200).for_each(|board| opponent.add(&Outcome { game: 1, ..outcome(board, 100) }));
        let standing = |won: bool, score: i64| {
            let mut decider =
                Decider::new(&plan, opponent.clone(), Margin::default(), Risk::Strict);
            for (game, board) in (1..=200).zip(1..) {
                decider.add(&Outcome { game, won, ..outcome(board, score) });
            }
            decider.standing()
        };
        let relation = |won, score| standing(won, score).bot_is;
        assert_eq!(relation(true, 60), Some(Relation::Better));
        assert_eq!(relation(true, 150), Some(Relation::Worse));
        assert_eq!(relation(false, 0), Some(Relation::Worse));
        assert!((standing(true, 60).mean - 40.0).abs() < 1e-12);
    }
}
