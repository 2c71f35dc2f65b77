//! Chooses the games and boards that a page lists. A page with all of a long run would not open on a phone.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::shown::{Listed, ListedBoard};
use results::suite::{Outcome, loss_kind};
use rules::score::Direction;

/// The most won games that a page lists, and about as many lost ones, and boards.
const LISTED: usize = 1000;

/// The number of games to list for each kind of loss, even on a page with many losses.
const OF_EACH_KIND: usize = 10;

/// The orders of won games by which each bot's first ones are listed, and their names.
const ORDERS: [fn(&Outcome, &Outcome) -> Ordering; 4] = [
    |one, other| other.score.cmp(&one.score),
    |one, other| (one.score.is_none(), one.score).cmp(&(other.score.is_none(), other.score)),
    |one, other| other.times.first.cmp(&one.times.first),
    |one, other| other.times.slowest.cmp(&one.times.slowest),
];

/// Won games: all of them, or each bot's first ones by each of the [orders](ORDERS).
#[derive(Default)]
pub(super) struct Won {
    pub(super) games: Vec<Listed>,
    /// The number of all games.
    pub(super) count: usize,
}

impl Won {
    /// Adds a game of one of `entrants` bots.
    pub(super) fn add(&mut self, game: Listed, entrants: usize) {
        self.count += 1;
        self.games.push(game);
        // The first ones of all are among the first ones so far and those that follow.
        if self.games.len() >= 2 * LISTED.max(ORDERS.len() * entrants) {
            self.choose(entrants);
        }
    }

    /// Leaves the chosen games, in the order of their runs.
    pub(super) fn finish(&mut self, entrants: usize) {
        if self.count > LISTED {
            self.choose(entrants);
        }
        self.games.sort_by_key(Listed::place);
    }

    fn choose(&mut self, entrants: usize) {
        let mut choice = Choice::new(self.games.len(), ORDERS.len() * entrants);
        let mut by_entrant = vec![Vec::new(); entrants];
        for (index, game) in self.games.iter().enumerate() {
            by_entrant[game.entrant].push(index);
        }
        for indices in &mut by_entrant {
            for order in ORDERS {
                choice.add(indices, |one, other| {
                    let (one, other) = (&self.games[one], &self.games[other]);
                    order(&one.outcome, &other.outcome).then(one.place().cmp(&other.place()))
                });
            }
        }
        choice.apply(&mut self.games);
    }
}

/// What is chosen of some things, by index.
struct Choice {
    chosen: Vec<bool>,
    /// The number of things that each order chooses.
    most: usize,
}

impl Choice {
    fn new(things: usize, orders: usize) -> Self {
        Self { chosen: vec![false; things], most: (LISTED / orders.max(1)).max(1) }
    }

    /// Chooses the first ones of `indices` in this order.
    fn add(&mut self, indices: &mut [usize], order: impl Fn(usize, usize) -> Ordering) {
        if indices.len() > self.most {
            indices.select_nth_unstable_by(self.most, |&one, &other| order(one, other));
        }
        indices.iter().take(self.most).for_each(|&index| self.chosen[index] = true);
    }

    fn apply<T>(self, things: &mut Vec<T>) {
        let mut chosen = self.chosen.into_iter();
        things.retain(|_| chosen.next().expect("one for each"));
    }
}

/// A measure of a bot's board.
type Measure = fn(&ListedBoard, usize, Direction) -> Option<f64>;

/// The measures of a bot's boards, of which each bot's lowest are listed; the last one needs a best score.
const MEASURES: [Measure; 3] = [
    |board, entrant, better| board.points[entrant].mean(better),
    |board, entrant, better| Some(-board.points[entrant].mean(better)?),
    share,
];

/// The share of the best: the mean's, and 0 if every game was lost. `None` where a ratio means nothing.
fn share(board: &ListedBoard, entrant: usize, better: Direction) -> Option<f64> {
    let (points, best) = (&board.points[entrant], board.best_score()?);
    let share = match better {
        Direction::Higher => points.mean(better)? / best,
        Direction::Lower if points.games > 0 && points.lost == points.games => 0.0,
        Direction::Lower => best / points.mean(better)?,
    };
    (best >= 0.0 && share.is_finite()).then_some(share)
}

/// All boards, or each bot's with the lowest points, the highest, and the lowest share of the best.
pub(super) fn boards(
    mut boards: Vec<ListedBoard>,
    entrants: usize,
    better: Direction,
) -> Vec<ListedBoard> {
    if boards.len() > LISTED {
        let mut choice = Choice::new(boards.len(), MEASURES.len() * entrants);
        for entrant in 0..entrants {
            for measure in MEASURES {
                let values: Vec<_> =
                    boards.iter().map(|board| measure(board, entrant, better)).collect();
                let mut indices: Vec<_> =
                    (0..boards.len()).filter(|&i| values[i].is_some()).collect();
                choice.add(&mut indices, |one, other| {
                    let by_value = values[one].partial_cmp(&values[other]);
                    let by_value = by_value.unwrap_or(Ordering::Equal);
                    by_value.then(boards[one].place.cmp(&boards[other].place))
                });
            }
        }
        choice.apply(&mut boards);
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
                if self.listed < LISTED || kind.games.len() < OF_EACH_KIND {
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

#[cfg(test)]
mod tests {
    use super::*;
    use results::suite::{Best, Bests, Points};

    /// A board on which a bot has won with `score`.
    fn board(best: i64, score: i64, better: Direction) -> ListedBoard {
        let outcome = format!(
            r#"{{"game":1,"bot":"b","board":"x","board_id":"","record_id":"","repeat":1,"verdict":"completed",
            "won":true,"score":{score},"counts":true,"official":"","turns":1}}"#
        );
        let mut points = Points::default();
        points.add(&serde_json::from_str(&outcome).expect("an outcome"), better);
        let best = Some(Best { score: best.into(), by: "b".to_owned() });
        let outcome = serde_json::from_str(&outcome).expect("an outcome");
        ListedBoard {
            points: vec![points],
            best,
            ..ListedBoard::new(0, &outcome, &Bests::default(), 1)
        }
    }

    #[test]
    fn boards_are_ordered_by_their_share_only_where_that_means_something() {
        use Direction::{Higher, Lower};
        for (better, best, score, expected) in [
            (Higher, 200, 50, Some(0.25)),
            (Higher, 0, 0, None),
            (Higher, -5, -10, None),
            (Lower, 50, 200, Some(0.25)),
            (Lower, 0, 7, Some(0.0)),
            (Lower, 0, 0, None),
            (Lower, -10, -5, None),
        ] {
            let found = share(&board(best, score, better), 0, better);
            assert_eq!(found, expected, "{better:?} {best} {score}");
        }
    }
}
