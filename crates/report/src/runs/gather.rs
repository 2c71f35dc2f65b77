//! Reads the runs, for their summaries and for the details of the page.

use std::collections::BTreeMap;

use super::chosen::{self, Losses, Won};
use super::heat::Heat;
use super::{ShownRun, Text};
use crate::view::page::GameAddress;
use results::compare::{Comparison, Contender, Value};
use results::gamelog::Log;
use results::suite::{
    Best, Bests, BoardId, FolderError, Outcome, Points, RecordId, Summary, Tally, kept_log,
};
use rules::measure::Measure;
use rules::score::Direction;
use statistics::Distribution;
use statistics::Risk;
use terms::limits::{LimitKind, Limits};

/// A bot of a run.
pub(super) struct ShownBot {
    /// The run, by index.
    pub(super) run: usize,
    /// Its name on the page.
    pub(super) name: String,
    /// The tally of its games.
    pub(super) tally: Tally,
    /// What it has in the measure.
    pub(super) value: Option<Value>,
    /// Its limits.
    pub(super) limits: Limits,
    /// Its response times.
    pub(super) times: BotTimes,
}

/// The response times of a bot.
#[derive(Default)]
pub(super) struct BotTimes {
    /// The first response of each game, or where one limit holds for a whole game, all its responses together.
    pub(super) first: Distribution,
    /// Every later response of the games that have a log.
    pub(super) later: Distribution,
    /// The slowest later one of each game.
    pub(super) slowest: Distribution,
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
        self.heat.record(log);
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
    /// Its ids.
    pub(super) id: BoardId,
    pub(super) record_id: RecordId,
    /// The points of each entrant.
    pub(super) points: Vec<Points>,
    /// The first listed game of each entrant that can be replayed.
    pub(super) pages: Vec<Option<GameAddress>>,
    /// The run and the game in which it first appeared, by number.
    pub(super) place: (usize, usize),
}

impl Board {
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

/// A name, as a link if it leads somewhere.
pub(super) fn linked(address: Option<&str>, name: &str) -> String {
    match address {
        Some(address) => format!("<a href=\"{}\">{}</a>", Text(address), Text(name)),
        None => Text(name).to_string(),
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
    pub(super) page: Option<GameAddress>,
}

impl Listed {
    /// The run and the number of the game.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.run, self.outcome.game)
    }
}

/// Everything that the page shows.
#[derive(Default)]
pub(super) struct Gathered {
    /// Which scores of the game are better.
    pub(super) better: Direction,
    /// What is compared of the scores.
    pub(super) measure: Measure,
    /// The folder of each run.
    pub(super) runs: Vec<String>,
    /// One for each run, of the bots that are shown.
    pub(super) summaries: Vec<Summary>,
    /// The bots of all runs.
    pub(super) entrants: Vec<ShownBot>,
    /// The listed boards, in the order of the plans.
    pub(super) boards: Vec<Board>,
    /// The number of all boards.
    pub(super) board_count: usize,
    /// Each entrant against the first one.
    pub(super) comparisons: Vec<Comparison>,
    /// The games that were lost.
    pub(super) lost: Losses,
    /// The games that could not be played.
    pub(super) not_played: Losses,
    /// The games that were won.
    pub(super) won: Won,
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

    fn list(&mut self, game: Listed) {
        match (game.outcome.is_played(), game.outcome.won) {
            (false, _) => self.not_played.add(game),
            (true, false) => self.lost.add(game),
            (true, true) => self.won.add(game, self.entrants.len()),
        }
    }

    /// Settles which games and boards are listed, in the order of their runs.
    fn finish_lists(&mut self, boards: Vec<Board>) {
        self.board_count = boards.len();
        self.boards = chosen::boards(boards, self.entrants.len(), self.better);
        self.won.finish(self.entrants.len());
        self.lost.finish();
        self.not_played.finish();
    }

    /// Lets each listed board lead to its games.
    fn link_boards(&mut self) {
        let ids = self.boards.iter().enumerate().map(|(at, board)| (board.id.clone(), at));
        let places: BTreeMap<BoardId, usize> = ids.collect();
        let games = self.lost.kinds.iter().flat_map(|kind| &kind.games).chain(&self.won.games);
        for game in games {
            let Some(&at) = places.get(&game.outcome.board_id) else { continue };
            let page = &mut self.boards[at].pages[game.entrant];
            *page = page.take().or_else(|| game.page.clone());
        }
    }

    fn listed_mut(&mut self) -> impl Iterator<Item = &mut Listed> {
        let lost = self.lost.games_mut().chain(self.not_played.games_mut());
        lost.chain(&mut self.won.games)
    }
}

/// Reads `sources`, each in one pass. `page_of` is asked for the replay page of each game that is listed.
pub(super) fn gather<E: From<FolderError>>(
    sources: &[ShownRun<'_>],
    (bests, measure): (&Bests, Measure),
    mut page_of: impl FnMut(usize, &Outcome) -> Result<Option<GameAddress>, E>,
) -> Result<Gathered, E> {
    let better =
        sources.first().map_or_else(Direction::default, |source| source.folder.run.plan.better);
    let mut gathered = Gathered { better, measure, ..Gathered::default() };
    gathered.entrants.extend((0..).zip(sources).flat_map(|(run, source)| source.entrants(run)));
    let contender =
        |entrant: &ShownBot| Contender::new(entrant.name.clone(), better).measured_in(measure);
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
            board.points[entrant].add(&outcome, better);
            let log = log_of(source, outcome.game);
            gathered.entrants[entrant].times.record(&outcome, log.as_ref());
            gathered.list(Listed { run, entrant, outcome, page: None });
            Ok(())
        })?;
        gathered.add(run, source, summary);
    }
    gathered.finish_lists(boards.into_values().collect());
    for game in gathered.listed_mut() {
        game.page = page_of(game.run, &game.outcome)?;
    }
    gathered.link_boards();
    for (entrant, value) in gathered.entrants.iter_mut().zip(Contender::all_measured(&contenders)) {
        entrant.tally.value = value.map(|value| value.mean);
        entrant.value = value;
    }
    gathered.comparisons = Comparison::with_first(&contenders, Risk::default());
    Ok(gathered)
}

/// The log of a game; one that cannot be read is skipped with a warning.
fn log_of(source: &ShownRun<'_>, game: usize) -> Option<Log> {
    kept_log(&source.folder.path, game).unwrap_or_else(|error| {
        log::warn!("left out: {error}");
        None
    })
}
