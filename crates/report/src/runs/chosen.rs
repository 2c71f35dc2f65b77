//! Chooses the games and boards that a page lists. A page with all of a long run would not open on a phone.

use std::collections::BTreeMap;

use super::shown::{Listed, ListedBoard};
use results::suite::loss_kind;
use rules::score::Direction;

/// The most won games that a page lists, and about as many lost ones, and boards.
const LISTED: usize = 1000;

/// The number of games to list for each kind of loss, even on a page with many losses.
const OF_EACH_KIND: usize = 10;

/// Won games: all of them, or those with the worst scores.
#[derive(Default)]
pub(super) struct Won {
    pub(super) games: Vec<Listed>,
    /// The number of all games.
    pub(super) count: usize,
}

impl Won {
    /// Counts a game, and lists it unless nothing was played.
    pub(super) fn add(&mut self, game: Listed, better: Direction) {
        self.count += 1;
        if game.outcome.forfeit {
            return;
        }
        self.games.push(game);
        if self.games.len() >= 2 * LISTED {
            self.choose(better);
        }
    }

    /// Leaves the chosen games, in the order of their runs.
    pub(super) fn finish(&mut self, better: Direction) {
        if self.games.len() > LISTED {
            self.choose(better);
        }
        self.games.sort_by_key(Listed::place);
    }

    fn choose(&mut self, better: Direction) {
        self.games.sort_by(|one, other| {
            let by_score = one.outcome.score.cmp(&other.outcome.score);
            let by_score = if better.is_higher() { by_score } else { by_score.reverse() };
            by_score.then(one.place().cmp(&other.place()))
        });
        self.games.truncate(LISTED);
    }
}

/// All boards, or those with the worst means of the first bot, in the order of their runs.
pub(super) fn boards(mut boards: Vec<ListedBoard>, better: Direction) -> Vec<ListedBoard> {
    if boards.len() > LISTED {
        let sign = if better.is_higher() { 1.0 } else { -1.0 };
        let worth = |board: &ListedBoard| {
            board.points[0].mean(better).map_or(f64::INFINITY, |it| sign * it)
        };
        boards.sort_by(|one, other| {
            worth(one).total_cmp(&worth(other)).then(one.place.cmp(&other.place))
        });
        boards.truncate(LISTED);
    }
    boards.sort_by_key(|board| board.place);
    boards
}

/// Games of a bot that ended alike.
pub(super) struct Kind {
    /// The listed ones; at least one.
    pub(super) games: Vec<Listed>,
    /// The number of the others.
    pub(super) more: usize,
}

/// Games that did not end well, by kind; all of them are counted.
#[derive(Default)]
pub(super) struct Losses {
    pub(super) kinds: Vec<Kind>,
    places: BTreeMap<(usize, String), usize>,
    listed: usize,
    /// The number of games of kinds that are not listed.
    pub(super) more: usize,
}

impl Losses {
    pub(super) fn add(&mut self, game: Listed) {
        let key = (game.entrant, loss_kind(&game.outcome.loss()));
        match self.places.get(&key) {
            Some(&place) => {
                let kind = &mut self.kinds[place];
                let is_listed = self.listed < LISTED && !game.outcome.forfeit;
                if is_listed || kind.games.len() < OF_EACH_KIND {
                    kind.games.push(game);
                    self.listed += 1;
                } else {
                    kind.more += 1;
                }
            }
            None if self.kinds.len() < LISTED => {
                self.places.insert(key, self.kinds.len());
                self.kinds.push(Kind { games: vec![game], more: 0 });
                self.listed += 1;
            }
            None => self.more += 1,
        }
    }

    /// Puts games and kinds into the order of their runs.
    pub(super) fn finish(&mut self) {
        for kind in &mut self.kinds {
            kind.games.sort_by_key(Listed::place);
        }
        self.kinds.sort_by_key(|kind| kind.games[0].place());
        self.places.clear();
    }

    pub(super) fn games_mut(&mut self) -> impl Iterator<Item = &mut Listed> {
        self.kinds.iter_mut().flat_map(|kind| &mut kind.games)
    }

    /// The number of games that are not listed.
    pub(super) fn not_listed(&self) -> usize {
        self.more + self.kinds.iter().map(|kind| kind.more).sum::<usize>()
    }
}
