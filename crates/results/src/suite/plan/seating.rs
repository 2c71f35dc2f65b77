//! Which bots sit where: the tables of a round in a game of several seats.
//!
//! A *table* is one game: a bot in each seat. Its seats take consecutive numbers of the plan, so that each line of the results is
//! one bot in one game. A *round* is one board with all its tables. They depend on the board and on nothing else that varies from
//! run to run, so that two runs with the same pool seat it alike.

use std::ops::Range;

use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use super::Plan;
use super::shuffle::{below, shuffled};
use crate::digest::digest;

/// In which orders the bots of a table take its seats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seats {
    /// Every bot once in every seat, each time with the same bots before and after it.
    #[default]
    Rotations,
    /// In every order.
    All,
    /// In one order, which is drawn.
    One,
}

impl Plan {
    /// The number of bots in a game.
    pub fn players(&self) -> usize {
        self.players.get()
    }

    /// The bots that are compared or rated, by index; the others are their pool.
    pub fn entrants(&self) -> Range<usize> {
        0..self.bots.iter().position(|bot| bot.pool).unwrap_or(self.bots.len())
    }

    fn seating(&self) -> Seating {
        let (seats, bots) = (self.seats, self.entrants().len());
        Seating { players: self.players(), seats, bots, pool: self.bots.len() - bots }
    }

    /// The number of games in a round.
    pub(crate) fn unit(&self) -> usize {
        let seating = self.seating();
        seating.tables().saturating_mul(seating.players)
    }

    /// The number of games that have this number of results, since each seat has one.
    pub fn tables(&self, results: usize) -> usize {
        results / self.players()
    }

    /// The number of a bot's games, by index, in a round.
    pub(super) fn games_in_round(&self, bot: usize) -> usize {
        self.seating().games_of(bot)
    }

    /// The bots at the table of a game of the plan, by seat.
    pub fn table(&self, game: usize) -> Vec<usize> {
        let (unit, place) = ((game - 1) / self.unit(), (game - 1) % self.unit());
        let seating = self.seating();
        if seating.players == 1 {
            return vec![place];
        }
        let round = format!("{} {}", self.board_name(unit % self.boards()), unit / self.boards());
        let draw = u128::from_str_radix(&digest(round.as_bytes()), 16).expect("a digest");
        seating.table(draw, place / seating.players)
    }

    /// The first of the games of a table, which are one game of several players.
    pub fn first_of_table(&self, game: usize) -> usize {
        game - (game - 1) % self.players()
    }

    /// How `other` seats other opponents, or seats them in another way, as a clause: places in its games say nothing of those in these.
    pub fn seating_difference(&self, other: &Self) -> Option<String> {
        let [mine, others] = [self, other].map(|plan| &plan.bots[plan.entrants().end..]);
        let is_alike = (self.players, self.seats) == (other.players, other.seats)
            && mine.iter().map(|bot| &bot.name).eq(others.iter().map(|bot| &bot.name));
        if !is_alike {
            let difference = "its games have another pool, number of players or order of seats";
            return Some(difference.to_owned());
        }
        mine.iter().zip(others).find_map(|(mine, others)| others.difference(mine))
    }
}

/// The tables of every round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seating {
    /// The seats of a table.
    players: usize,
    seats: Seats,
    /// The bots that are rated or compared. They have the first indices.
    bots: usize,
    /// The bots that only sit against them; without any, the bots play each other.
    pool: usize,
}

impl Seating {
    /// The number of tables in a round; too large a number becomes the largest one.
    fn tables(&self) -> usize {
        let companies = match (self.players, self.pool) {
            (1, _) => self.bots,
            (2, 0) => self.bots * self.bots.saturating_sub(1) / 2,
            (players, 0) => hands(self.bots, players),
            (players, pool) => self.bots.saturating_mul(hands(pool, players - 1)),
        };
        companies.saturating_mul(self.orders())
    }

    /// The number of a bot's games in a round. The entrants have equally many, and so has the pool.
    fn games_of(&self, bot: usize) -> usize {
        let (seats, bots) = match bot {
            _ if self.pool == 0 => (self.players, self.bots),
            bot if bot < self.bots => (1, self.bots),
            _ => (self.players - 1, self.pool),
        };
        self.tables().saturating_mul(seats) / bots
    }

    /// The number of orders in which the bots of a table sit.
    fn orders(&self) -> usize {
        match self.seats {
            Seats::Rotations => self.players,
            // Too large a number is reached soon.
            Seats::All => (1..=self.players).try_fold(1, usize::checked_mul).unwrap_or(usize::MAX),
            Seats::One => 1,
        }
    }

    /// The bots of a table of the round that `draw` stands for, by seat.
    fn table(&self, draw: u128, table: usize) -> Vec<usize> {
        let (company, order) = (table / self.orders(), table % self.orders());
        let mut random = Pcg64Mcg::new(draw);
        let (mut bots, drawn) = match (self.players, self.pool) {
            (1, _) => return vec![company],
            (2, 0) => (pair(company).into(), self.drawn(company, &mut random)),
            (players, 0) => {
                let hand = hand(self.bots, players, company, &mut random);
                (hand, self.drawn(company, &mut random))
            }
            (players, pool) => {
                let (which, bot) = (company / self.bots, company % self.bots);
                let hand = hand(pool, players - 1, which, &mut random);
                let others = hand.into_iter().map(|other| self.bots + other);
                ([bot].into_iter().chain(others).collect(), self.drawn(which, &mut random))
            }
        };
        match self.seats {
            Seats::Rotations => bots.rotate_right(order),
            Seats::All => bots = permuted(bots, order),
            Seats::One => bots.rotate_right(drawn),
        }
        bots
    }

    /// By how much the one order of a company is turned.
    fn drawn(&self, company: usize, random: &mut Pcg64Mcg) -> usize {
        (0..=company).map(|_| below(self.players, random)).last().unwrap_or(0)
    }
}

/// The two bots of a pair: 1 and 0, 2 and 0, 2 and 1, …
fn pair(company: usize) -> [usize; 2] {
    let first = (1..=company + 1).find(|first| first * (first + 1) / 2 > company).expect("one is");
    [company - first * (first - 1) / 2, first]
}

/// The number of hands of `size` bots in which each of `bots` sits equally often.
fn hands(bots: usize, size: usize) -> usize {
    let mut sizes = (1..=size.min(bots)).rev();
    let divisor = sizes.find(|it| bots.is_multiple_of(*it) && size.is_multiple_of(*it));
    bots / divisor.unwrap_or(1)
}

/// One of these hands. Bots are dealt in a random order, again and again until the hands are full. None has a bot twice unless
/// there are fewer bots than seats.
fn hand(bots: usize, size: usize, which: usize, random: &mut Pcg64Mcg) -> Vec<usize> {
    let mut left: Vec<u32> = Vec::new();
    let mut dealt = Vec::new();
    for _ in 0..=which {
        dealt.clear();
        while dealt.len() < size {
            if left.is_empty() {
                left = shuffled(bots, random);
            }
            let is_new = |bot: &u32| !dealt.contains(&(*bot as usize));
            let place = left.iter().position(is_new).unwrap_or(0);
            dealt.push(left.remove(place) as usize);
        }
    }
    dealt
}

/// The order of this number, of all orders.
fn permuted(mut items: Vec<usize>, mut order: usize) -> Vec<usize> {
    let mut taken = Vec::new();
    while !items.is_empty() {
        let place = order % items.len();
        order /= items.len();
        taken.push(items.remove(place));
    }
    taken
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn round(seating: Seating, draw: u128) -> Vec<Vec<usize>> {
        (0..seating.tables()).map(|table| seating.table(draw, table)).collect()
    }

    /// How often each bot sits in each seat.
    fn sits(tables: &[Vec<usize>]) -> BTreeMap<(usize, usize), usize> {
        let mut sits = BTreeMap::new();
        for (seat, bot) in tables.iter().flat_map(|table| table.iter().copied().enumerate()) {
            *sits.entry((bot, seat)).or_default() += 1;
        }
        sits
    }

    const SEATING: Seating = Seating { players: 2, seats: Seats::Rotations, bots: 3, pool: 0 };

    #[test]
    fn all_pairs_of_a_round_robin_play_from_both_seats() {
        let expected = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]].map(|pair| pair.to_vec());
        assert_eq!(round(SEATING, 7), expected);
        let one = Seating { seats: Seats::One, ..SEATING };
        let drawn: Vec<_> = (0..40).map(|draw| round(one, draw)).collect();
        assert!(drawn.iter().all(|tables| tables.len() == 3));
        let swapped = drawn.iter().flatten().filter(|table| table[0] > table[1]).count();
        assert!((30..90).contains(&swapped), "{swapped} of 120");
    }

    #[test]
    fn everybody_sits_equally_often_in_every_seat_and_never_twice_at_a_table() {
        for (players, bots) in [(3, 3), (3, 5), (4, 6), (4, 4), (5, 7)] {
            let seating = Seating { players, bots, ..SEATING };
            for draw in 0..20 {
                let tables = round(seating, draw);
                let sits = sits(&tables);
                assert_eq!(sits.len(), players * bots, "{players} {bots}");
                let often: Vec<_> = sits.values().collect();
                assert!(often.iter().all(|it| *it == often[0]), "{players} {bots}: {sits:?}");
                for table in &tables {
                    let twice = (1..table.len()).any(|seat| table[..seat].contains(&table[seat]));
                    assert!(!twice, "{table:?}");
                }
            }
        }
        let few = Seating { players: 4, bots: 2, ..SEATING };
        let sits = sits(&round(few, 1));
        assert!(sits.values().all(|it| *it == sits[&(0, 0)]), "{sits:?}");
    }

    #[test]
    fn in_a_gauntlet_every_bot_meets_the_same_opponents_in_the_same_seats() {
        let seating = Seating { players: 3, seats: Seats::Rotations, bots: 2, pool: 4 };
        for seats in [Seats::Rotations, Seats::All, Seats::One] {
            let tables = round(Seating { seats, ..seating }, 9);
            let of = |bot: usize| -> Vec<Vec<Option<usize>>> {
                let own = tables.iter().filter(|table| table.contains(&bot));
                let others = |table: &Vec<usize>| {
                    table.iter().map(|it| (*it != bot).then_some(*it)).collect()
                };
                own.map(others).collect()
            };
            assert_eq!(of(0), of(1));
            assert!(of(0).iter().flatten().flatten().all(|other| *other >= 2));
        }
        let tables = round(seating, 9);
        let pool: Vec<_> = sits(&tables).into_iter().filter(|((bot, _), _)| *bot >= 2).collect();
        assert!(pool.iter().all(|(_, often)| *often == pool[0].1), "{pool:?}");
    }

    #[test]
    fn the_games_of_a_bot_are_its_seats_in_a_round() {
        let numbers = [(1, 3, 0), (2, 3, 0), (3, 5, 0), (4, 2, 0), (2, 1, 2), (3, 2, 4), (4, 1, 2)];
        for ((players, bots, pool), seats) in
            numbers.into_iter().flat_map(|it| [Seats::One, Seats::All].map(|seats| (it, seats)))
        {
            let seating = Seating { players, seats, bots, pool };
            let seats = round(seating, 3).concat();
            for bot in 0..bots + pool {
                let expected = seats.iter().filter(|it| **it == bot).count();
                assert_eq!(seating.games_of(bot), expected, "{seating:?} {bot}");
            }
        }
    }

    #[test]
    fn all_orders_are_all_orders_once() {
        let seating = Seating { players: 4, seats: Seats::All, bots: 4, pool: 0 };
        let mut tables = round(seating, 3);
        assert_eq!(tables.len(), 24);
        tables.sort();
        tables.dedup();
        assert_eq!(tables.len(), 24);
    }

    #[test]
    fn a_game_of_one_seat_is_a_bot_alone() {
        let seating = Seating { players: 1, ..SEATING };
        assert_eq!(round(seating, 5), [[0], [1], [2]]);
    }
}
