//! The runs, bots, boards and games of a page.

use std::collections::BTreeSet;
use std::time::Duration;

use super::heat::Heat;
use crate::markup::LONGEST_NAME;
use crate::view::page::GameAddress;
use results::compare::Value;
use results::gamelog::Log;
use results::suite::{
    Best, Bests, BoardId, FolderError, Outcome, Points, RecordId, RunFolder, Session, Tally,
};
use statistics::Distribution;
use terms::limits::{LimitKind, LimitRange, Limits};
use terms::millis::Millis;
use terms::text::{abridged, duration, plural};

/// A run, and which of its bots are shown.
#[derive(Debug)]
pub struct ShownRun<'a> {
    /// The folder with the plan and the results.
    pub folder: &'a RunFolder,
    /// The bots, each with its name on the page.
    pub bots: Vec<(&'a str, String)>,
}

impl ShownRun<'_> {
    /// The bots before any of their games is read.
    pub(super) fn entrants(&self, run: usize) -> impl Iterator<Item = ShownBot> {
        let plan = &self.folder.run.plan;
        let game = plan.kind();
        let kinds: Vec<_> = game.iter().flat_map(|game| game.limits.kinds()).collect();
        // A judge can have named other limits, which the results have.
        let limits = if plan.judge.is_some() { Limits::default() } else { plan.rules.limits };
        self.bots.iter().map(move |(bot, name)| ShownBot {
            run,
            name: abridged(name, LONGEST_NAME).into_owned(),
            tally: Tally { bot: (*bot).to_owned(), ..Tally::default() },
            value: None,
            kinds: kinds.clone(),
            limits,
            times: BotTimes::default(),
        })
    }

    /// What was played and how, in a line.
    pub(super) fn describe(&self) -> Result<String, FolderError> {
        let run = &self.folder.run;
        let rules = &run.plan.rules;
        let limit = |kind: LimitKind| {
            let or = if run.plan.can_name_limit(kind) { " or the judge's" } else { "" };
            Some(format!("{} {}{or}", kind.name(), duration(rules.limits.of(kind)?)))
        };
        let game = run.plan.kind();
        let kinds = game.iter().flat_map(|game| game.limits.kinds());
        let limits: Vec<String> = kinds.filter_map(limit).collect();
        let limits = if limits.is_empty() { "no limits".to_owned() } else { limits.join(", ") };
        let place = |session: Session| {
            let own = |cores: u16| format!(", {} for each bot", plural(cores.into(), "core"));
            let cores = session.cores_per_bot.map(own).unwrap_or_default();
            format!("{} ({}{cores})", session.host, session.cpu)
        };
        let places: BTreeSet<String> = self.folder.sessions()?.into_iter().map(place).collect();
        let on = if places.is_empty() { "" } else { ", on " };
        let places = places.into_iter().collect::<Vec<_>>().join(", ");
        Ok(format!(
            "{}, started {}, profile {} ({limits}), referee {}{on}{places}",
            self.folder.path.display(),
            run.started.strftime("%Y-%m-%d %H:%M UTC"),
            rules.profile.name(),
            run.referee,
        ))
    }
}

pub(super) struct ShownBot {
    /// The run, by index.
    pub(super) run: usize,
    /// Its name on the page.
    pub(super) name: String,
    /// The tally of its games.
    pub(super) tally: Tally,
    /// What it has in the measure.
    pub(super) value: Option<Value>,
    /// The kinds of limits that its game has.
    pub(super) kinds: Vec<LimitKind>,
    /// The limits of its responses; none if its results have them.
    pub(super) limits: Limits,
    /// Its response times.
    pub(super) times: BotTimes,
}

/// Some responses of a bot.
#[derive(Default)]
pub(super) struct Responses {
    pub(super) times: Distribution,
    pub(super) limits: Option<LimitRange>,
}

impl Responses {
    fn record(&mut self, wall: Millis, limit: Option<Duration>) {
        self.times.record(wall.0);
        if let Some(limit) = limit {
            LimitRange::extend(&mut self.limits, limit);
        }
    }
}

/// The response times of a bot.
#[derive(Default)]
pub(super) struct BotTimes {
    /// The first response of each game, or where one limit holds for a whole game, all its responses together.
    pub(super) first: Responses,
    /// Every later response of the games that have a log.
    pub(super) later: Responses,
    /// The slowest later one of each game.
    pub(super) slowest: Responses,
    /// The later responses by game and turn.
    pub(super) heat: Heat,
    /// The games with a response.
    pub(super) games: usize,
    /// The games that have a log.
    pub(super) logged: usize,
    /// Late responses by the bot's own fault.
    pub(super) bot_overruns: u32,
    /// Late responses by the host's fault.
    pub(super) host_overruns: u32,
}

impl BotTimes {
    /// Adds the times of a game.
    pub(super) fn record(&mut self, outcome: &Outcome, limits: &Limits, log: Option<&Log>) {
        let times = &outcome.times;
        let limit = |named: Option<Millis>, kinds: &[LimitKind]| {
            named.map(|named| named.0).or(kinds.iter().find_map(|kind| limits.of(*kind)))
        };
        self.bot_overruns += times.bot_overruns;
        self.host_overruns += times.host_overruns;
        let Some(first) = times.first else { return };
        self.games += 1;
        self.first
            .record(first, limit(times.first_limit, &[LimitKind::FirstTurn, LimitKind::Total]));
        if let Some(slowest) = times.slowest {
            self.slowest.record(slowest, limit(times.slowest_limit, &[LimitKind::Turn]));
        }
        let Some(log) = log else { return };
        self.logged += 1;
        self.heat.record(log);
        for turn in log.turns.iter().filter(|turn| turn.limit == LimitKind::Turn) {
            self.later.record(turn.wall, log.start.limit(turn));
        }
    }

    /// Whether every game has a log, so that every later response is known.
    pub(super) fn is_whole(&self) -> bool {
        self.logged == self.games
    }
}

pub(super) struct ListedBoard {
    pub(super) name: String,
    /// The best known score on it.
    pub(super) best: Option<Best>,
    pub(super) id: BoardId,
    pub(super) record_id: RecordId,
    /// The points of each entrant.
    pub(super) points: Vec<Points>,
    /// The first listed game of each entrant that can be replayed.
    pub(super) pages: Vec<Option<GameAddress>>,
    /// The run and the game in which it first appeared, by number.
    pub(super) place: (usize, usize),
}

impl ListedBoard {
    pub(super) fn new(run: usize, outcome: &Outcome, bests: &Bests, entrants: usize) -> Self {
        Self {
            name: outcome.board.clone(),
            best: bests.holder(&outcome.record_id).cloned(),
            id: outcome.board_id.clone(),
            record_id: outcome.record_id.clone(),
            points: vec![Points::default(); entrants],
            pages: vec![None; entrants],
            place: (run, outcome.game),
        }
    }

    /// The best known score on it.
    pub(super) fn best_score(&self) -> Option<f64> {
        self.best.as_ref().map(|best| best.score.as_f64())
    }

    /// The address of the games of these entrants: side by side, or of the only one that can be replayed.
    pub(super) fn games(&self, entrants: impl IntoIterator<Item = usize>) -> Option<String> {
        let mut pages = entrants.into_iter().filter_map(|entrant| self.pages[entrant].as_ref());
        let first = pages.next()?;
        pages.next().and_then(|other| first.beside(other)).or_else(|| Some(first.alone()))
    }
}

/// A game in a list.
pub(super) struct Listed {
    /// The run, by index.
    pub(super) run: usize,
    /// The entrant, by index.
    pub(super) entrant: usize,
    pub(super) outcome: Outcome,
    /// The address of its replay page.
    pub(super) page: Option<GameAddress>,
}

impl Listed {
    /// The run and the number of the game.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.run, self.outcome.game)
    }
}
