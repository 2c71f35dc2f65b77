//! Reads the runs, for their summaries and for the details of the page.

use std::collections::BTreeMap;

use super::ShownRun;
use results::compare::{Comparison, Contender};
use results::gamelog::Log;
use results::suite::{Best, Bests, FolderError, Outcome, Points, Summary, Tally, kept_log};
use statistics::Distribution;
use terms::limits::{LimitKind, Limits};

/// The most games to list of each kind: a longer page would not open on a phone.
const LISTED: usize = 1000;

/// A bot of a run.
pub(super) struct ShownBot {
    /// The run, by index.
    pub(super) run: usize,
    /// Its name on the page.
    pub(super) name: String,
    /// The tally of its games.
    pub(super) tally: Tally,
    /// Its limits.
    pub(super) limits: Limits,
    /// Its response times.
    pub(super) times: BotTimes,
}

/// The response times of a bot.
#[derive(Default)]
pub(super) struct BotTimes {
    /// The first response of each game.
    pub(super) first: Distribution,
    /// Every later response of the games that have a log.
    pub(super) later: Distribution,
    /// The slowest later one of each game.
    pub(super) slowest: Distribution,
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
    fn record(&mut self, outcome: &Outcome, log: Option<&Log>) {
        let times = &outcome.times;
        self.bot_overruns += times.bot_overruns;
        self.host_overruns += times.host_overruns;
        let Some(first) = times.first else { return };
        self.games += 1;
        self.first.record(first.0);
        if let Some(slowest) = times.slowest {
            self.slowest.record(slowest.0);
        }
        let Some(log) = log else { return };
        self.logged += 1;
        for turn in log.turns.iter().filter(|turn| turn.limit == LimitKind::Turn) {
            self.later.record(turn.wall.0);
        }
    }

    /// Whether every game has a log, so that every later response is known.
    pub(super) fn is_whole(&self) -> bool {
        self.logged == self.games
    }
}

/// A board.
pub(super) struct Board {
    /// Its name.
    pub(super) name: String,
    /// The best known score on it.
    pub(super) best: Option<Best>,
    /// The points of each entrant.
    pub(super) points: Vec<Points>,
    /// The run and the game in which it first appeared, by number.
    place: (usize, usize),
}

impl Board {
    fn new(run: usize, outcome: &Outcome, bests: &Bests, entrants: usize) -> Self {
        Self {
            name: outcome.board.clone(),
            best: bests.holder(&outcome.record_id).cloned(),
            points: vec![Points::default(); entrants],
            place: (run, outcome.game),
        }
    }
}

/// A game in a list.
pub(super) struct Listed {
    /// The run, by index.
    pub(super) run: usize,
    /// The entrant, by index.
    pub(super) entrant: usize,
    /// Its outcome.
    pub(super) outcome: Outcome,
    /// The address of its replay page.
    pub(super) page: Option<String>,
}

/// The listed games, and the number of the others.
#[derive(Default)]
pub(super) struct GameList {
    /// The games to list.
    pub(super) games: Vec<Listed>,
    /// The number of games that are not listed.
    pub(super) more: usize,
}

/// Everything that the page shows.
#[derive(Default)]
pub(super) struct Gathered {
    /// The folder of each run.
    pub(super) runs: Vec<String>,
    /// One for each run, of the bots that are shown.
    pub(super) summaries: Vec<Summary>,
    /// The bots of all runs.
    pub(super) entrants: Vec<ShownBot>,
    /// The boards, in the order of the plans.
    pub(super) boards: Vec<Board>,
    /// Each entrant against the first one.
    pub(super) comparisons: Vec<Comparison>,
    /// The games that were lost.
    pub(super) lost: GameList,
    /// The games that could not be played.
    pub(super) not_played: GameList,
    /// The games that were won.
    pub(super) others: GameList,
}

impl Gathered {
    /// Adds the summary of a run, and its tallies to those of its bots that are shown.
    fn add(&mut self, run: usize, source: &ShownRun<'_>, mut summary: Summary) {
        // Every bot of a plan has as many games.
        summary.planned = summary.planned / summary.bots.len().max(1) * source.bots.len();
        let is_shown = |name: &str| source.bots.iter().any(|(bot, _)| *bot == name);
        summary.bots.retain(|tally| is_shown(&tally.bot));
        summary.new_bests.retain(|best| is_shown(&best.bot));
        for entrant in self.entrants.iter_mut().filter(|entrant| entrant.run == run) {
            let tally = summary.bots.iter().find(|tally| tally.bot == entrant.tally.bot);
            entrant.tally = tally.cloned().unwrap_or_default();
        }
        self.runs.push(source.folder.path.display().to_string());
        self.summaries.push(summary);
    }

    /// Lists a game, unless the list is full.
    fn list(&mut self, game: Listed) -> Option<&mut Listed> {
        let list = match (game.outcome.is_played(), game.outcome.won) {
            (false, _) => &mut self.not_played,
            (true, false) => &mut self.lost,
            (true, true) => &mut self.others,
        };
        if list.games.len() >= LISTED {
            list.more += 1;
            return None;
        }
        list.games.push(game);
        list.games.last_mut()
    }
}

/// Reads `sources`, each in one pass. `page_of` is asked for the replay page of each game that is listed and
/// has a log.
pub(super) fn gather<E: From<FolderError>>(
    sources: &[ShownRun<'_>],
    bests: &Bests,
    mut page_of: impl FnMut(usize, &Outcome, &Log) -> Result<Option<String>, E>,
) -> Result<Gathered, E> {
    let mut gathered = Gathered::default();
    gathered.entrants.extend((0..).zip(sources).flat_map(|(run, source)| source.entrants(run)));
    let contender = |entrant: &ShownBot| Contender::new(entrant.name.clone());
    let mut contenders: Vec<_> = gathered.entrants.iter().map(contender).collect();
    let (mut boards, entrants) = (BTreeMap::new(), contenders.len());
    for (run, source) in sources.iter().enumerate() {
        let summary = Summary::read::<E>(source.folder, bests, |outcome| {
            let is_its = |shown: &ShownBot| shown.run == run && shown.tally.bot == outcome.bot;
            let Some(entrant) = gathered.entrants.iter().position(is_its) else { return Ok(()) };
            contenders[entrant].add(&outcome);
            let new = || Board::new(run, &outcome, bests, entrants);
            let board = boards.entry(outcome.board_id.clone()).or_insert_with(new);
            board.place = board.place.min((run, outcome.game));
            board.points[entrant].add(&outcome);
            let log = log_of(source, outcome.game);
            gathered.entrants[entrant].times.record(&outcome, log.as_ref());
            let game = Listed { run, entrant, outcome, page: None };
            if let (Some(listed), Some(log)) = (gathered.list(game), &log) {
                listed.page = page_of(run, &listed.outcome, log)?;
            }
            Ok(())
        })?;
        gathered.add(run, source, summary);
    }
    for list in [&mut gathered.lost, &mut gathered.not_played, &mut gathered.others] {
        list.games.sort_by_key(|game| (game.run, game.outcome.game));
    }
    gathered.comparisons = Comparison::with_first(&contenders);
    gathered.boards = boards.into_values().collect();
    gathered.boards.sort_by_key(|board| board.place);
    Ok(gathered)
}

/// The log of a game; one that cannot be read is skipped with a warning.
fn log_of(source: &ShownRun<'_>, game: usize) -> Option<Log> {
    kept_log(&source.folder.path, game).unwrap_or_else(|error| {
        log::warn!("left out: {error}");
        None
    })
}
