//! Whether the seatings of a seed say more than one of them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::game::Game;
use crate::real;

/// The share of the agreement that chance leaves open from which on seatings count as copies.
const COPIES: f64 = 0.9;

/// How often the games of the same bots on one seed, seated differently, end alike for each bot. Bots between which all games
/// end alike are left out: their seatings agree on all seeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// The number of cases: some bots on a seed that they have played at least twice.
    pub cases: usize,
    /// The cases in which all games ended alike.
    pub agreeing: usize,
    /// How many would be expected to if the games of a seed had nothing to do with each other.
    pub by_chance: f64,
}

/// Each bot of a game with its result.
type Outcome = Vec<(usize, u64)>;

impl Agreement {
    /// Compares the games of each seed: the seatings of the same bots agree if every bot has the same place in all.
    pub(super) fn of<'a>(seeds: impl Iterator<Item = &'a [&'a Game]>) -> Self {
        // The outcomes by bots, with a list for each seed.
        let mut all: BTreeMap<Vec<usize>, Vec<Vec<Outcome>>> = BTreeMap::new();
        for games in seeds {
            let mut seed: BTreeMap<Vec<usize>, Vec<Outcome>> = BTreeMap::new();
            for game in games {
                let outcome = outcome(game);
                let bots = outcome.iter().map(|(bot, _)| *bot).collect();
                seed.entry(bots).or_default().push(outcome);
            }
            for (bots, outcomes) in seed {
                all.entry(bots).or_default().push(outcomes);
            }
        }
        let mut agreement = Self::default();
        for seeds in all.values() {
            agreement.add(seeds);
        }
        agreement
    }

    /// Adds the games of some bots.
    fn add(&mut self, seeds: &[Vec<Outcome>]) {
        let mut counts: BTreeMap<&Outcome, usize> = BTreeMap::new();
        for outcome in seeds.iter().flatten() {
            *counts.entry(outcome).or_default() += 1;
        }
        if counts.len() < 2 {
            return;
        }
        let games = real(counts.values().sum());
        let agree_by_chance = |others: usize| -> f64 {
            let others = i32::try_from(others).unwrap_or(i32::MAX);
            counts.values().map(|count| (real(*count) / games).powi(others)).sum()
        };
        let mut by_chance = BTreeMap::new();
        for outcomes in seeds.iter().filter(|outcomes| outcomes.len() >= 2) {
            self.cases += 1;
            self.agreeing += usize::from(outcomes.iter().all(|it| *it == outcomes[0]));
            let others = outcomes.len();
            self.by_chance += *by_chance.entry(others).or_insert_with(|| agree_by_chance(others));
        }
    }

    /// Whether further seatings of a seed are as good as copies, so that more seeds would tell more.
    pub fn are_copies(&self) -> bool {
        let open = real(self.cases) - self.by_chance;
        self.cases > 0 && real(self.agreeing) - self.by_chance >= COPIES * open
    }
}

/// The results of a game by bot, whatever its seat.
fn outcome(game: &Game) -> Outcome {
    let mut outcome: Outcome =
        game.seats.iter().map(|seat| (seat.bot, seat.result.to_bits())).collect();
    outcome.sort_unstable();
    outcome
}

#[cfg(test)]
mod tests {
    use super::super::game::Seat;
    use super::*;

    /// The agreement of games of two bots on 40 seeds, from both seats.
    fn agreement(first_wins: impl Fn(usize, usize) -> bool) -> Agreement {
        let game = |n: usize| {
            let (seed, seating) = (n / 2, n % 2);
            let mut seats: Vec<Seat> = (0..2)
                .map(|bot| Seat {
                    bot,
                    result: f64::from(u8::from(first_wins(seed, seating) == (bot == 0))),
                })
                .collect();
            seats.rotate_left(seating);
            Game { seed, seats }
        };
        let games: Vec<Game> = (0..80).map(game).collect();
        let lists: Vec<Vec<&Game>> = games.chunks(2).map(|seed| seed.iter().collect()).collect();
        Agreement::of(lists.iter().map(Vec::as_slice))
    }

    #[test]
    fn seatings_that_end_alike_by_chance_are_no_copies() {
        let copies = agreement(|seed, _| seed % 3 == 0);
        assert_eq!((copies.cases, copies.agreeing), (40, 40));
        assert!(copies.are_copies());
        // The first bot wins 19 of 20 games, whatever the seed.
        let strong = agreement(|seed, seating| (2 * seed + seating) % 20 != 7);
        assert_eq!((strong.cases, strong.agreeing), (40, 36));
        assert!(!strong.are_copies());
        let decided_by_seat = agreement(|_, seating| seating == 0);
        assert_eq!(decided_by_seat.agreeing, 0);
        assert!(!decided_by_seat.are_copies());
    }

    #[test]
    fn bots_whose_games_all_end_alike_say_nothing_of_seatings() {
        assert_eq!(agreement(|_, _| true), Agreement::default());
        assert!(!Agreement::default().are_copies());
    }
}
