//! What a suite is to play: bots, boards, rules, and a number for each game.
//!
//! A plan says everything that a result depends on, test cases and hashes of programs included, so
//! that a run can be resumed on its own, compared with another one, and shared out among several
//! machines. It plays nothing.

mod ids;
mod margin;
mod planned_bot;
mod seating;
mod seeds;
mod shard;
mod shuffle;

use std::collections::BTreeSet;
use std::iter;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

pub use self::ids::{BoardId, RecordId};
pub use self::margin::{Margin, MarginError};
pub use self::planned_bot::PlannedBot;
pub use self::seating::Seats;
pub use self::seeds::{Seeds, SeedsError};
pub use self::shard::Shard;
use self::shuffle::shuffled;
use crate::gamelog::outputs;
use crate::replay::recorded;
use rules::game::judge::JudgeProgram;
use rules::game::{GameKind, SeedOptions, TestCase};
use rules::measure::Measure;
use rules::score::Direction;
use terms::limits::{
    EnforcedBy, LimitKind, Limits, OnHostDelay, Profile, ResourceLimit, Resources,
};
use terms::seed::Seed;
use terms::text::duration;

/// The most games of a plan: a bit for each, and their order, fit into the memory of a small machine.
pub const MAX_GAMES: usize = 100_000_000;

/// What is to be played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The name of the game.
    pub game: String,
    /// Which of its scores are better.
    #[serde(default, skip_serializing_if = "Direction::is_higher")]
    pub better: Direction,
    /// What its leaderboard adds up, if not the scores themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    /// The program that has the game's rules, if the referee does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeProgram>,
    /// The rules about time and resources.
    pub rules: Rules,
    /// How many games each bot plays on each board.
    pub repeat: u32,
    /// The seed of a random order of the boards; without one they come as they are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<u32>,
    /// Boards by seed, after those that are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Seeds>,
    /// The number of bots in a game.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub players: NonZeroUsize,
    /// In which orders the bots of a game of several players take its seats.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub seats: Seats,
    /// The bots to play; the bots of the pool come last.
    pub bots: Vec<PlannedBot>,
    /// Listed boards, each with its test case; boards of seeds follow them.
    #[serde(default)]
    pub boards: Vec<PlannedBoard>,
}

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_one(players: &NonZeroUsize) -> bool {
    *players == NonZeroUsize::MIN
}

/// The rules about time and resources that results depend on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// The named set of limits, which decides whether results count officially.
    pub profile: Profile,
    /// What happens when the host makes a bot late.
    pub on_host_delay: OnHostDelay,
    /// The time limits in force, from the profile and single flags.
    pub limits: Limits,
    /// The limits that hold even where a judge names another one.
    #[serde(default, skip_serializing_if = "Limits::is_unlimited")]
    pub fixed: Limits,
    /// What a bot may use of the machine.
    #[serde(default)]
    pub resources: Resources,
}

impl Rules {
    /// How `other` differs in what may change a score, such as `turn 50 ms, not 100 ms`; empty if in nothing. What is done about
    /// delays by the host changes no score.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let rows = [self, other].map(Self::rows);
        let told: Vec<String> = iter::zip(&rows[0], &rows[1])
            .filter(|(mine, theirs)| mine != theirs)
            .map(|((name, mine), (_, theirs))| format!("{name} {mine}, not {theirs}"))
            .collect();
        if told.is_empty() && self.fixed != other.fixed {
            return vec!["limits that replace the judge's".to_owned()];
        }
        told
    }

    /// What may change a score, each with its value in words.
    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = Vec::new();
        for kind in LimitKind::ALL {
            let limit = self.limits.of(kind);
            rows.push((kind.name(), limit.map_or("unlimited".to_owned(), duration)));
        }
        rows.push(("profile", self.profile.name().to_owned()));
        for ResourceLimit { words, by, shown } in ResourceLimit::ALL {
            let none = if by == EnforcedBy::Shell { "the shell's" } else { "unlimited" };
            rows.push((words, shown(&self.resources).unwrap_or_else(|| none.to_owned())));
        }
        rows
    }
}

/// A board with its test case, so that a run needs no other file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedBoard {
    /// The user's name for it.
    pub name: String,
    /// The `[boards.NAME]` that it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The test case as the game writes it.
    pub test_case: String,
}

/// The bot and the board of one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assignment {
    /// The number of the game, from 1. In a game of several players each seat has its own.
    pub game: usize,
    /// The bot, as an index.
    pub bot: usize,
    /// Its seat, from 0.
    pub seat: usize,
    /// The board, as an index into the listed ones and then the seeds.
    pub board: usize,
    /// Which game of this bot on this board, from 1.
    pub repeat: u32,
}

/// A board that is about to be played.
#[derive(Debug)]
pub struct Case {
    /// As results and reports call it.
    pub name: String,
    /// The `[boards.NAME]` that it is from.
    pub set: Option<String>,
    /// The digest of the test case.
    pub board_id: BoardId,
    /// The digest of the board's record key, which boards with the same records share.
    pub record_id: RecordId,
    /// What its game reads in it.
    pub test_case: TestCase,
}

/// Why a board of a plan cannot be played.
#[derive(Debug, thiserror::Error)]
#[error("board `{board}` of the plan: {problem}")]
#[non_exhaustive]
pub struct CaseError {
    board: String,
    problem: String,
}

impl Plan {
    /// Whether any time limit applies.
    pub fn is_timed(&self) -> bool {
        self.smallest_limit().is_some()
    }

    /// The smallest time limit of the game, if it has one.
    pub fn smallest_limit(&self) -> Option<Duration> {
        let kinds = self.kind()?.limits.kinds();
        kinds.filter_map(|kind| self.rules.limits.of(kind)).min()
    }

    /// Whether its judge can name a limit of this kind, instead of the plan's.
    pub fn can_name_limit(&self, kind: LimitKind) -> bool {
        let judge = self.judge.as_ref();
        judge.is_some_and(JudgeProgram::can_name_limits) && self.rules.fixed.of(kind).is_none()
    }

    /// The time limits that are to be set to play its games again: a judge names its own again.
    pub fn limits_to_set(&self) -> Limits {
        if self.judge.is_some() { self.rules.fixed } else { self.rules.limits }
    }

    /// The game, which can read its boards and results without its judge.
    pub fn kind(&self) -> Option<Arc<GameKind>> {
        match &self.judge {
            Some(judge) => {
                let kind = recorded::kind(&self.game, judge, self.rules.limits, self.better);
                Some(Arc::new(kind))
            }
            None => GameKind::named(&self.game),
        }
    }

    /// The measure in which its bots are compared unless another is asked for.
    pub fn measure(&self) -> Measure {
        let built_in = || Some(GameKind::named(&self.game)?.measure);
        self.measure.or_else(built_in).unwrap_or_default()
    }

    /// The number of boards.
    pub fn boards(&self) -> usize {
        self.boards.len().saturating_add(self.seeds.as_ref().map_or(0, Seeds::count))
    }

    /// The number of games; in games of several players, of their seats.
    pub fn games(&self) -> usize {
        self.units().saturating_mul(self.unit())
    }

    /// Whether it has more games than a plan may have.
    pub fn is_too_large(&self) -> bool {
        // Without bots it has no games, however many rounds.
        self.games().max(self.units()) > MAX_GAMES
    }

    /// The number of rounds, in each of which every bot plays one game on one board, or sits at its tables.
    pub fn units(&self) -> usize {
        self.boards().saturating_mul(self.repeat as usize)
    }

    /// The bot and the board of the game with this number, which must be one of the plan's.
    pub fn assignment(&self, game: usize) -> Assignment {
        let (unit, seat) = ((game - 1) / self.unit(), (game - 1) % self.players());
        let repeat = u32::try_from(unit / self.boards()).expect("below the plan's repeat");
        let (bot, board) = (self.table(game)[seat], unit % self.boards());
        Assignment { game, bot, seat, board, repeat: repeat + 1 }
    }

    /// Whether the plan has a game of this number.
    pub fn has(&self, game: usize) -> bool {
        (1..=self.games()).contains(&game)
    }

    /// The numbers of the games in the order in which they are played: of these shards, or without any of all. All bots play a board
    /// in the same shard.
    pub fn schedule(&self, shards: &[Shard]) -> impl Iterator<Item = usize> + Send + use<> {
        let (games, boards) = (self.unit(), self.boards());
        let order = self.shuffle.map(|seed| shuffled(boards, &mut Pcg64Mcg::new(seed.into())));
        let units = (0..self.units()).map(move |place| match &order {
            Some(order) => place / boards * boards + order[place % boards] as usize,
            None => place,
        });
        let shards = shards.to_vec();
        let is_due = move |unit: &usize| shards.is_empty() || shards.iter().any(|it| it.has(*unit));
        let units = units.filter(is_due);
        units.flat_map(move |unit| (0..games).map(move |game| unit * games + game + 1))
    }

    /// Whether a game of the plan is one of this shard.
    pub fn is_in(&self, game: usize, shard: Shard) -> bool {
        shard.has((game - 1) / self.unit())
    }

    /// The number of games in these shards, or without any in the plan; in games of several players, of their seats.
    pub fn scheduled(&self, shards: &[Shard]) -> usize {
        self.scheduled_units(shards) * self.unit()
    }

    /// The number of games of a bot, by index, in these shards, or without any in the plan.
    pub fn scheduled_of(&self, bot: usize, shards: &[Shard]) -> usize {
        self.scheduled_units(shards) * self.games_in_round(bot)
    }

    fn scheduled_units(&self, shards: &[Shard]) -> usize {
        match shards {
            [] => self.units(),
            shards => shards.iter().map(|shard| shard.count(self.units())).sum(),
        }
    }

    /// The name of the board of this index.
    pub fn board_name(&self, board: usize) -> String {
        let seed = || self.seed(board).map(|seed| format!("seed {seed}"));
        let listed = self.boards.get(board).map(|listed| listed.name.clone());
        listed.or_else(seed).unwrap_or_default()
    }

    /// Whether no two games have a board of one name, so that the [files](outputs) of a game need not be named after its number.
    pub fn is_named_by_board(&self) -> bool {
        let names = (0..self.boards()).map(|board| outputs::name(&self.board_name(board)));
        names.collect::<BTreeSet<_>>().len() == self.games()
    }

    /// The [names](outputs::names) of the files of a game, by the number of its first result.
    pub fn output_names(&self, first: usize, is_named_by_board: bool) -> Vec<String> {
        let board = self.board_name(self.assignment(first).board);
        let number = (!is_named_by_board).then(|| (first - 1) / self.players() + 1);
        outputs::names(&board, number, self.players())
    }

    /// The seed of the board of this index, if it has one.
    pub fn seed(&self, board: usize) -> Option<Seed> {
        self.seeds.as_ref()?.get(board.checked_sub(self.boards.len())?)
    }

    /// The value of `--seed` that plays the board of this index: its seed, or the number of its case where seeds choose
    /// cases by their numbers.
    pub fn seed_to_type(&self, board: usize) -> Option<Seed> {
        let chooses_case =
            |judge: &JudgeProgram| ["scored", "tester"].contains(&judge.kind.as_str());
        let number = || self.boards.get(board)?.name.parse().ok();
        let of_case =
            || self.judge.as_ref().filter(|judge| chooses_case(judge)).and_then(|_| number());
        self.seed(board).or_else(of_case)
    }

    /// Sets up the board of this index.
    ///
    /// # Errors
    /// When the plan was changed by hand.
    pub fn case(&self, kind: &GameKind, board: usize) -> Result<Case, CaseError> {
        let name = self.board_name(board);
        let fail = |problem: String| CaseError { board: name.clone(), problem };
        let listed = self.boards.get(board).map(|listed| &listed.set);
        let set = listed.or(self.seeds.as_ref().map(|seeds| &seeds.set)).cloned().flatten();
        let text = match (self.boards.get(board), self.seed(board)) {
            (Some(listed), _) => listed.test_case.clone(),
            (None, Some(seed)) => kind
                .test_case(seed, self.seed_options())
                .map_err(|error| fail(error.to_string()))?,
            (None, None) => return Err(fail("the plan has no such board".to_owned())),
        };
        let test_case = (kind.parse)(&text).map_err(|error| fail(error.to_string()))?;
        let board_id = BoardId::of(&test_case);
        let record_id = RecordId::of(&test_case, self.judge.as_ref());
        Ok(Case { name, set, board_id, record_id, test_case })
    }

    fn seed_options(&self) -> SeedOptions {
        SeedOptions { colors: self.seeds.as_ref().and_then(|seeds| seeds.colors) }
    }

    /// How `other` differs, as a clause.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let differs = |what: &str, same: bool| (!same).then(|| format!("{what} is not the same"));
        let judges = JudgeProgram::are_alike(self.judge.as_ref(), other.judge.as_ref());
        let differences = [
            differs("the game", self.game == other.game),
            differs("which scores are better", self.better == other.better),
            differs("the game's judge", judges),
            differs("the number of players", self.players == other.players),
            differs("the set of rules (limits, profile)", self.rules == other.rules),
            self.bots_difference(other),
            differs("the list of boards", self.boards == other.boards),
            seeds_difference(self.seeds.as_ref(), other.seeds.as_ref()),
            differs("the number of repeats", self.repeat == other.repeat),
            differs("the order of the boards", self.shuffle == other.shuffle),
            differs("the order of the seats", self.seats == other.seats),
        ];
        differences.into_iter().flatten().next()
    }

    fn bots_difference(&self, other: &Self) -> Option<String> {
        let names = |plan: &Self| plan.bots.iter().map(|bot| bot.name.clone()).collect::<Vec<_>>();
        if names(self) != names(other) {
            return Some("the list of bots is not the same".to_owned());
        }
        self.bots.iter().zip(&other.bots).find_map(|(mine, others)| mine.difference(others))
    }
}

fn seeds_difference(mine: Option<&Seeds>, others: Option<&Seeds>) -> Option<String> {
    let text = |seeds: Option<&Seeds>| {
        seeds.map_or("no seeds".to_owned(), |seeds| format!("seeds {seeds}"))
    };
    let (has, typed) = (text(mine), text(others));
    if has == typed {
        return (mine != others)
            .then(|| "the number of colours, or the set of the seeds, is not the same".to_owned());
    }
    Some(format!("it has {has}, not {typed}"))
}

/// One bot, boards of seeds 1..=`seeds`.
#[cfg(test)]
pub(crate) fn test_plan(seeds: i64) -> Plan {
    tests::plan(1, seeds, 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use rules::game::GAMES;

    pub(super) fn plan(bots: usize, seeds: i64, repeat: u32) -> Plan {
        let bot = |index: usize| PlannedBot {
            files: BTreeMap::from([("./bot".to_owned(), "1".to_owned())]),
            ..PlannedBot::new(&format!("bot {index}"), ["./bot"])
        };
        let rules = Rules {
            profile: Profile::Official,
            on_host_delay: OnHostDelay::Fail,
            limits: Limits::default(),
            fixed: Limits::default(),
            resources: Resources::default(),
        };
        Plan {
            game: "samegame".to_owned(),
            judge: None,
            better: Direction::Higher,
            measure: None,
            rules,
            repeat,
            shuffle: None,
            seeds: Some(Seeds::new([(1, seeds)]).expect("seeds")),
            players: NonZeroUsize::MIN,
            seats: Seats::default(),
            bots: (0..bots).map(bot).collect(),
            boards: Vec::new(),
        }
    }

    #[test]
    fn rules_differ_in_what_may_change_a_score() {
        let ms = Duration::from_millis;
        let rules = |turn, on_host_delay, memory| Rules {
            limits: Limits::from([(LimitKind::Turn, ms(turn))]),
            on_host_delay,
            resources: Resources { memory, ..Resources::default() },
            ..plan(1, 1, 1).rules
        };
        let old = rules(50, OnHostDelay::Fail, None);
        for (new, expected) in [
            (rules(50, OnHostDelay::Retry, None), &[][..]),
            (rules(100, OnHostDelay::Fail, None), &["turn 50 ms, not 100 ms"]),
            (
                rules(100, OnHostDelay::Fail, Some(256 << 20)),
                &["turn 50 ms, not 100 ms", "memory unlimited, not 256 MiB"],
            ),
            (Rules { profile: Profile::Relaxed, ..old }, &["profile official, not relaxed"]),
            (Rules { fixed: old.limits, ..old }, &["limits that replace the judge's"]),
        ] {
            assert_eq!(old.differences(&new), expected);
        }
    }

    #[test]
    fn every_bot_plays_every_board_as_often_as_asked_for() {
        let plan = plan(3, 4, 2);
        let mut played = BTreeMap::new();
        for game in plan.schedule(&[]) {
            let Assignment { bot, board, repeat, .. } = plan.assignment(game);
            *played.entry((bot, board, repeat)).or_insert(0) += 1;
        }
        assert_eq!(played.len(), 3 * 4 * 2);
        assert!(played.values().all(|&times| times == 1));
        assert!(plan.has(1) && plan.has(24) && !plan.has(25) && !plan.has(0));
    }

    #[test]
    fn shards_share_out_all_games_and_keep_a_boards_bots_together() {
        for of in [1, 4, 14, 20] {
            let plan = Plan { shuffle: Some(5), ..plan(3, 7, 2) };
            let mut games: Vec<usize> = Vec::new();
            for number in 1..=of {
                let shard = [Shard::new(number, of).expect("a shard")];
                let mine: Vec<usize> = plan.schedule(&shard).collect();
                assert_eq!(mine.len(), plan.scheduled(&shard));
                let boards: Vec<usize> =
                    mine.iter().map(|&game| plan.assignment(game).board).collect();
                assert!(boards.chunks(3).all(|bots| bots.iter().all(|board| *board == bots[0])));
                games.extend(mine);
            }
            games.sort_unstable();
            assert_eq!(games, (1..=42).collect::<Vec<_>>());
        }
        let refused = ["0/3", "4/3", "1/0", "2", "a/b", "-1/2"].map(str::parse::<Shard>);
        assert!(refused.iter().all(Result::is_err), "{refused:?}");
    }

    #[test]
    fn a_shuffled_plan_has_the_same_games_in_another_order() {
        let listed = plan(1, 50, 1);
        let order =
            |seed| Plan { shuffle: Some(seed), ..listed.clone() }.schedule(&[]).collect::<Vec<_>>();
        assert_ne!(order(1), order(2));
        assert_eq!(order(1), order(1));
        let mut sorted = order(1);
        sorted.sort_unstable();
        assert_eq!(sorted, listed.schedule(&[]).collect::<Vec<_>>());
    }

    #[test]
    fn a_difference_names_what_has_changed() {
        let old = plan(2, 4, 1);
        let mut new = old.clone();
        assert_eq!(old.difference(&new), None);
        new.bots[1].files.insert("./bot".to_owned(), "2".to_owned());
        let expected = "the bot `bot 1` has changed: ./bot is not the same";
        assert_eq!(old.difference(&new).as_deref(), Some(expected));
        let more = Plan { repeat: 2, ..old.clone() };
        assert_eq!(old.difference(&more).as_deref(), Some("the number of repeats is not the same"));
    }

    #[test]
    fn seeds_name_their_boards() {
        let case = plan(1, 4, 1).case(&GAMES[0], 2).expect("a board");
        assert_eq!(case.name, "seed 3");
        assert_ne!(BoardId::of(&case.test_case), BoardId::default());
    }
}
