//! Reads the runs, for their summaries and for the details of the page.

use std::collections::BTreeMap;

use super::chosen::{self, Losses, Won};
use super::shown::{Listed, ListedBoard, ShownBot, ShownRun};
use crate::view::page::GameAddress;
use results::compare::{Comparison, Contender};
use results::gamelog::Log;
use results::ratings::League;
use results::suite::{Bests, BoardId, FolderError, OutBot, Outcome, Summary};
use rules::measure::Measure;
use rules::score::Direction;
use statistics::Risk;

/// Everything that the page shows.
#[derive(Default)]
pub(super) struct Gathered {
    /// Which scores of the game are better.
    pub(super) better: Direction,
    /// What is compared of the scores.
    pub(super) measure: Measure,
    /// The folder of each run; of a game of several players once, whichever of its bots are named.
    pub(super) runs: Vec<String>,
    /// One for each run, of the bots that are shown.
    pub(super) summaries: Vec<Summary>,
    /// The bots of all runs.
    pub(super) entrants: Vec<ShownBot>,
    /// The listed boards, in the order of the plans.
    pub(super) boards: Vec<ListedBoard>,
    /// The number of all boards.
    pub(super) board_count: usize,
    /// The ratings of all bots, if they have played each other.
    pub(super) league: Option<League>,
    /// The bots that could not play.
    pub(super) out: Vec<OutBot>,
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
    /// Whether the games have several players, whose scores have no best that others could reach.
    pub(super) fn is_of_several(&self) -> bool {
        self.summaries.iter().any(|summary| summary.opponents > 0)
    }

    /// Adds the summary of a run, and its tallies to the shown bots' tallies.
    fn add(&mut self, run: usize, source: &ShownRun<'_>, mut summary: Summary) {
        // The bots of a game of several players share its games, so these are counted for all bots.
        if summary.opponents == 0 {
            let is_shown = |name: &str| source.bots.iter().any(|(bot, _)| *bot == name);
            let planned = summary.bots.iter().zip(summary.planned);
            let planned = planned.filter(|(tally, _)| is_shown(&tally.bot));
            summary.planned = planned.map(|(_, planned)| planned).collect();
            summary.bots.retain(|tally| is_shown(&tally.bot));
            summary.new_bests.retain(|best| is_shown(&best.bot));
        }
        for entrant in self.entrants.iter_mut().filter(|entrant| entrant.run == run) {
            let tally = summary.bots.iter().find(|tally| tally.bot == entrant.tally.bot);
            entrant.tally = tally.cloned().unwrap_or_default();
        }
        let run = source.folder.path.display().to_string();
        // Of a run in which several bots were named each game counts once.
        if summary.opponents == 0 || !self.runs.contains(&run) {
            self.runs.push(run);
            self.summaries.push(summary);
        }
    }

    fn list(&mut self, game: Listed) {
        match (game.outcome.is_played(), game.outcome.won) {
            (false, _) => self.not_played.add(game),
            (true, false) => self.lost.add(game),
            (true, true) => self.won.add(game, self.better),
        }
    }

    /// Settles which games and boards are listed, in the order of their runs.
    fn finish_lists(&mut self, boards: Vec<ListedBoard>) {
        self.board_count = boards.len();
        self.boards = chosen::boards(boards, self.better);
        self.won.finish(self.better);
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
    let contender = |entrant: &ShownBot| {
        let new = Contender::new(entrant.name.clone(), better).measured_in(measure);
        new.among(&sources[entrant.run].folder.run.plan, &entrant.tally.bot)
    };
    let mut contenders: Vec<_> = gathered.entrants.iter().map(contender).collect();
    let (mut boards, entrants) = (BTreeMap::new(), contenders.len());
    for (run, source) in sources.iter().enumerate() {
        let summary = Summary::read::<E>(source.folder, bests, |outcome| {
            let is_its = |shown: &ShownBot| shown.run == run && shown.tally.bot == outcome.bot;
            let Some(entrant) = gathered.entrants.iter().position(is_its) else { return Ok(()) };
            contenders[entrant].add(&outcome);
            let new = || ListedBoard::new(run, &outcome, bests, entrants);
            let board = boards.entry(outcome.board_id.clone()).or_insert_with(new);
            board.place = board.place.min((run, outcome.game));
            board.points[entrant].add(&outcome, better);
            let log = log_of(source, &outcome);
            let shown = &mut gathered.entrants[entrant];
            shown.times.record(&outcome, &shown.limits, log.as_ref());
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
    let values = Contender::all_measured(&contenders);
    for (index, (entrant, value)) in gathered.entrants.iter_mut().zip(values).enumerate() {
        entrant.tally.totals = contenders[index].totals(Risk::Strict);
        entrant.tally.value = value.map(|value| value.mean);
        entrant.value = value;
    }
    gathered.league = League::of_runs(sources.iter().map(|source| source.folder))?;
    gathered.out = OutBot::of(sources.iter().map(|source| source.folder));
    gathered.comparisons = Comparison::with_first(&contenders, Risk::default());
    Ok(gathered)
}

/// The log of a game, with the turns of the bot's seat; one that cannot be read is skipped with a warning.
fn log_of(source: &ShownRun<'_>, outcome: &Outcome) -> Option<Log> {
    let kept = source.folder.kept_log(outcome.game);
    let log = kept.unwrap_or_else(|error| {
        log::warn!("left out: {error}");
        None
    })?;
    Some(log.of_seat(outcome.game - outcome.table()))
}
