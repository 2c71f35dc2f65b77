//! Ratings of the bots in runs of games of several players, from their places.
//!
//! A bot is its command with the digests of its files, so bots of one name in several runs are one bot if they are the same program.
//! A seed is a board by `record_id`, in whichever run. A game that the host has disturbed is left out.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::suite::{
    FolderError, OutBot, Outcome, PlannedBot, Points, RecordId, RunFolder, SuiteVerdict,
};
use rules::score::Direction;
use statistics::{Game, Rating, Ratings, Seat, real};
use terms::fault::{AtFault, Attributed};

/// The bots of some runs, the best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct League {
    /// The name of the game that all these runs play.
    pub game: String,
    /// The number of games.
    pub games: usize,
    /// The number of seeds.
    pub seeds: usize,
    /// The games that were left out, since the host has disturbed them or they are incomplete.
    pub left_out: usize,
    /// The bot whose rating was given, if there is one.
    pub anchor: Option<String>,
    /// The bots: groups without a common scale one after the other, and in each the best first.
    pub bots: Vec<Rated>,
    /// The bots that could not play.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub out: Vec<OutBot>,
    /// The same bots by index, from the one that was first in a run to the newest.
    #[serde(skip)]
    pub by_age: Vec<usize>,
    /// What the newest bots have gained.
    #[serde(skip)]
    pub progress: Option<Progress>,
}

/// The newest bot's rating next to an older one's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The number of bots since the older one.
    pub versions: usize,
    /// By how much the newest bot is rated higher.
    pub elo: f64,
    /// Half the width of the 95 % interval of that, if it has one.
    pub margin: Option<f64>,
}

/// The number of versions over which progress is measured, if there are more.
const VERSIONS: usize = 10;

/// A bot with its results.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rated {
    /// Its name, with its run's if another bot has the same name.
    pub bot: String,
    /// The games that it has played: the seats that it had.
    pub games: usize,
    /// How many of these it ended by a failure, such as a timeout.
    pub failed: usize,
    /// How many by verdict.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub causes: BTreeMap<SuiteVerdict, usize>,
    /// Its mean place in percent: the mean of its boards.
    pub place: f64,
    /// The mean place in each seat; `None` where it never sat.
    pub seats: Vec<Option<f64>>,
    /// Strength on Elo's scale, with its interval.
    #[serde(flatten)]
    pub rating: Rating,
    /// What it has against each of the bots, in their order.
    pub against: Vec<Against>,
}

/// What a bot has against another one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Against {
    /// The number of pairs of seats.
    pub pairs: usize,
    /// The wins among them; a tie is half of one.
    pub score: f64,
}

/// Why bots cannot be rated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RatingsError {
    /// The results cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A run is of games of one player.
    #[error(
        "{0}: these games have one player each, so nobody beats anybody; compare their scores instead"
    )]
    Alone(String),
    /// There is no game.
    #[error("there is no game to rate")]
    Empty,
    /// No bot, or more than one, has the anchor's name.
    #[error("cannot anchor: there is no bot `{name}`; the bots are: `{bots}`")]
    Anchor {
        /// The name that the user gave.
        name: String,
        /// The names that there are.
        bots: String,
    },
}

impl Attributed for RatingsError {
    fn at_fault(&self) -> AtFault {
        match self {
            Self::Folder(error) => error.at_fault(),
            Self::Alone(_) | Self::Empty | Self::Anchor { .. } => AtFault::User,
        }
    }
}

impl League {
    /// The bots of these runs, if they are of games of several players and one has been played.
    ///
    /// # Errors
    /// When results cannot be read.
    pub fn of_runs<'a>(
        runs: impl Iterator<Item = &'a RunFolder>,
    ) -> Result<Option<Self>, FolderError> {
        match Self::of(&runs.cloned().collect::<Vec<_>>(), None) {
            Ok(league) => Ok(Some(league)),
            Err(RatingsError::Folder(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Rates the bots of these runs, which must be of one game, with this bot at this rating.
    ///
    /// # Errors
    /// When results cannot be read, games have one player, or there is no such anchor.
    pub fn of(runs: &[RunFolder], anchor: Option<(&str, f64)>) -> Result<Self, RatingsError> {
        let mut tables = Tables::default();
        for (number, run) in runs.iter().enumerate() {
            if run.run.plan.players() == 1 {
                return Err(RatingsError::Alone(run.path.display().to_string()));
            }
            // RUN:ONE and RUN:OTHER are one run.
            if runs[..number].iter().all(|earlier| earlier.path != run.path) {
                tables.read(run, number)?;
            }
        }
        tables.league(runs, anchor)
    }
}

/// What identifies a bot.
type Identity = PlannedBot;

/// The games of runs.
#[derive(Default)]
struct Tables {
    bots: Vec<(Identity, usize)>,
    /// When each bot was first in a run: the run's start, then the pool before the others, then the order of the plan.
    first: Vec<(jiff::Timestamp, bool, usize)>,
    seeds: BTreeMap<RecordId, usize>,
    games: Vec<Game>,
    tallies: Vec<Tally>,
    left_out: usize,
}

#[derive(Clone, Default)]
struct Tally {
    games: usize,
    failed: usize,
    causes: BTreeMap<SuiteVerdict, usize>,
    boards: BTreeMap<usize, Points>,
    seats: Vec<(usize, f64)>,
}

impl Tables {
    /// Adds the games of the run of this number.
    fn read(&mut self, folder: &RunFolder, run: usize) -> Result<(), FolderError> {
        let plan = &folder.run.plan;
        let numbers: BTreeMap<&str, usize> =
            plan.bots.iter().map(|bot| (bot.name.as_str(), self.number(bot, run))).collect();
        for (place, bot) in plan.bots.iter().enumerate() {
            let first = (folder.run.started, !bot.pool, place);
            let known = &mut self.first[numbers[bot.name.as_str()]];
            *known = first.min(*known);
        }
        let mut open: BTreeMap<usize, Vec<Outcome>> = BTreeMap::new();
        for outcome in folder.outcomes()? {
            let outcome = outcome?;
            if !outcome.is_played() {
                continue;
            }
            let table = outcome.table();
            let seats = open.entry(table).or_default();
            seats.push(outcome);
            if seats.len() == plan.players()
                && let Some(seats) = open.remove(&table)
            {
                self.add(&seats, &numbers);
            }
        }
        self.left_out += open.len();
        Ok(())
    }

    /// The number of a bot, which may have played in an earlier run.
    fn number(&mut self, bot: &PlannedBot, run: usize) -> usize {
        let identity = Identity { pool: false, ..bot.clone() };
        self.bots.iter().position(|(known, _)| *known == identity).unwrap_or_else(|| {
            self.bots.push((identity, run));
            self.first.push((jiff::Timestamp::MAX, true, 0));
            self.tallies.push(Tally::default());
            self.bots.len() - 1
        })
    }

    /// Adds the results of all seats of a game.
    fn add(&mut self, seats: &[Outcome], numbers: &BTreeMap<&str, usize>) {
        let known = |outcome: &Outcome| {
            let bot = *numbers.get(outcome.bot.as_str())?;
            Some((outcome.seat.as_ref()?.seat, Seat { bot, result: outcome.place()? }))
        };
        let spoilt = seats.iter().any(Outcome::is_lost_by_host);
        let Some(mut found) =
            seats.iter().map(known).collect::<Option<Vec<_>>>().filter(|_| !spoilt)
        else {
            self.left_out += 1;
            return;
        };
        let next = self.seeds.len();
        let seed = *self.seeds.entry(seats[0].record_id.clone()).or_insert(next);
        for (outcome, (seat, Seat { bot, result })) in seats.iter().zip(&found) {
            let tally = &mut self.tallies[*bot];
            tally.games += 1;
            if !outcome.won {
                tally.failed += 1;
                *tally.causes.entry(outcome.verdict).or_default() += 1;
            }
            tally.boards.entry(seed).or_default().add(outcome, Direction::Higher);
            if tally.seats.len() <= *seat {
                tally.seats.resize(seat + 1, (0, 0.0));
            }
            let (games, sum) = &mut tally.seats[*seat];
            (*games, *sum) = (*games + 1, *sum + result);
        }
        found.sort_by_key(|(seat, _)| *seat);
        self.games.push(Game { seed, seats: found.into_iter().map(|(_, seat)| seat).collect() });
    }

    fn league(
        self,
        runs: &[RunFolder],
        anchor: Option<(&str, f64)>,
    ) -> Result<League, RatingsError> {
        if self.games.is_empty() {
            return Err(RatingsError::Empty);
        }
        let names = self.names(runs);
        let anchor = anchor
            .map(|(name, rating)| match names.iter().position(|it| it == name) {
                Some(bot) => Ok((bot, rating)),
                None => {
                    Err(RatingsError::Anchor { name: name.to_owned(), bots: names.join("`, `") })
                }
            })
            .transpose()?;
        let ratings = Ratings::of(names.len(), &self.games);
        let scaled = ratings.scaled(anchor);
        let has_played = |bot: &usize| self.tallies[*bot].games > 0;
        let mut order: Vec<usize> = (0..names.len()).filter(has_played).collect();
        order.sort_by(|one, other| {
            let (one, other) = (&scaled[*one], &scaled[*other]);
            one.group.cmp(&other.group).then(other.elo.total_cmp(&one.elo))
        });
        let mut by_age: Vec<usize> = (0..order.len()).collect();
        by_age.sort_by_key(|at| self.first[order[*at]]);
        let progress = by_age.split_last().and_then(|(&newest, earlier)| {
            let versions = earlier.len().min(VERSIONS);
            let rival = *earlier.get(earlier.len() - versions)?;
            let (elo, margin) = ratings.difference(order[newest], order[rival])?;
            Some(Progress { versions, elo, margin })
        });
        let against = self.against(names.len());
        let players = runs.iter().map(|run| run.run.plan.players()).max().unwrap_or(0);
        let rated = |&bot: &usize| {
            let Tally { games, failed, causes, boards, seats } = &self.tallies[bot];
            let mean = |games: usize, sum: f64| (games > 0).then(|| sum / real(games));
            let in_seat = |seat: usize| seats.get(seat).and_then(|&(games, sum)| mean(games, sum));
            Rated {
                bot: names[bot].clone(),
                games: *games,
                failed: *failed,
                causes: causes.clone(),
                place: Points::mean_place(boards.values().copied()).unwrap_or_default(),
                seats: (0..players).map(in_seat).collect(),
                rating: scaled[bot],
                against: order.iter().map(|&other| against[bot][other]).collect(),
            }
        };
        Ok(League {
            game: runs.first().map_or_else(String::new, |run| run.run.plan.game.clone()),
            games: self.games.len(),
            seeds: self.seeds.len(),
            left_out: self.left_out,
            anchor: anchor.map(|(bot, _)| names[bot].clone()),
            bots: order.iter().map(rated).collect(),
            out: OutBot::of(runs.iter()),
            by_age,
            progress,
        })
    }

    /// The names of the bots, which differ.
    fn names(&self, runs: &[RunFolder]) -> Vec<String> {
        let is_twin = |name: &str| self.bots.iter().filter(|(bot, _)| bot.name == name).count() > 1;
        let name = |(bot, run): &(Identity, usize)| {
            if is_twin(&bot.name) {
                format!("{} ({})", bot.name, runs[*run].path.display())
            } else {
                bot.name.clone()
            }
        };
        self.bots.iter().map(name).collect()
    }

    /// What each bot has against each other one.
    fn against(&self, bots: usize) -> Vec<Vec<Against>> {
        let mut against = vec![vec![Against::default(); bots]; bots];
        for game in &self.games {
            for (place, one) in game.seats.iter().enumerate() {
                let others = game.seats.iter().enumerate().filter(|(at, _)| *at != place);
                for (_, other) in others.filter(|(_, other)| other.bot != one.bot) {
                    let cell = &mut against[one.bot][other.bot];
                    cell.pairs += 1;
                    cell.score += match one.result.total_cmp(&other.result) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
                }
            }
        }
        against
    }
}
