//! What each bot has won against each other one, and the strengths by which that is most likely.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::game::Game;
use super::matrix::Matrix;
use crate::real;

/// The virtual games between each two bots that have met, half of them won by either. They keep the strengths of bots finite that
/// have won or lost everything. Bots that have not met get none, since these would draw together the pool of a gauntlet.
const VIRTUAL: f64 = 0.25;

/// The last step of Newton's method: the next one would be its square.
const PRECISION: f64 = 1e-9;

/// The rounding of a likelihood, relative to it.
const ROUNDING: f64 = 1e-12;

/// The most steps towards the strengths. Few are needed: the likelihood is concave.
const MAX_STEPS: usize = 200;

/// What bots have won against each other, by weight.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    /// By the winner, and the loser.
    won: Matrix,
    /// The number of each bot's group.
    groups: Vec<usize>,
    /// The number of each bot's class: from each of them a chain of wins leads to each other one.
    classes: Vec<usize>,
}

impl Pairs {
    pub(super) fn of(bots: usize, games: &[Game]) -> Self {
        let mut won = Matrix::new(bots);
        for game in games {
            for (one, other, score) in pairs_of(game) {
                let weight = weight(game);
                won[(one, other)] += weight * score;
                won[(other, one)] += weight * (1.0 - score);
            }
        }
        let has_won = |one, other| won[(one, other)] > 0.0;
        let classes = numbered(bots, has_won);
        let groups = numbered(bots, |one, other| has_won(one, other) || has_won(other, one));
        for one in 0..bots {
            for other in 0..one {
                if won[(one, other)] + won[(other, one)] > 0.0 {
                    won[(one, other)] += VIRTUAL / 2.0;
                    won[(other, one)] += VIRTUAL / 2.0;
                }
            }
        }
        Self { won, groups, classes }
    }

    /// The number of a bot's group: the bots that a chain of games connects.
    pub(super) fn group(&self, bot: usize) -> usize {
        self.groups[bot]
    }

    /// Whether chains of wins lead from each of two bots to the other, so that their difference is finite without virtual games.
    pub(super) fn are_comparable(&self, one: usize, other: usize) -> bool {
        self.classes[one] == self.classes[other]
    }

    /// The largest class in a group; none of its bots if no two of them can be compared.
    pub(super) fn center(&self, group: usize) -> Vec<usize> {
        let class = |bot: usize| -> Vec<usize> {
            (0..self.classes.len()).filter(|it| self.classes[*it] == self.classes[bot]).collect()
        };
        let bots: Vec<usize> =
            (0..self.groups.len()).rev().filter(|bot| self.groups[*bot] == group).collect();
        let largest = bots.iter().map(|bot| class(*bot)).max_by_key(Vec::len);
        largest.filter(|class| class.len() > 1 || bots.len() == 1).unwrap_or_default()
    }

    /// The strengths of maximum likelihood, with the mean 0 in each group, by Newton's method.
    pub(super) fn strengths(&self) -> Vec<f64> {
        let bots = self.won.size();
        let mut strengths = vec![0.0; bots];
        for _ in 0..MAX_STEPS {
            let likelihood = self.likelihood(&strengths);
            let least = likelihood - ROUNDING * likelihood.abs();
            let mut step = self.information(&strengths).inverse().apply(&self.slope(&strengths));
            let moved = |step: &[f64]| -> Vec<f64> {
                strengths.iter().zip(step).map(|(strength, step)| strength + step).collect()
            };
            // Far from the maximum likelihood a whole step may lead beyond it.
            while self.likelihood(&moved(&step)) < least {
                for step in &mut step {
                    *step /= 2.0;
                }
            }
            strengths = moved(&step);
            if step.iter().all(|step| step.abs() < PRECISION) {
                break;
            }
        }
        strengths
    }

    /// The logarithm of the likelihood.
    fn likelihood(&self, strengths: &[f64]) -> f64 {
        let of = |(one, other)| {
            -self.won[(one, other)] * (strengths[other] - strengths[one]).exp().ln_1p()
        };
        self.all_met().map(of).sum()
    }

    /// Its gradient.
    fn slope(&self, strengths: &[f64]) -> Vec<f64> {
        let mut slope = vec![0.0; self.won.size()];
        for (one, other) in self.all_met() {
            let surprise = self.won[(one, other)] * chance(strengths[other] - strengths[one]);
            slope[one] += surprise;
            slope[other] -= surprise;
        }
        slope
    }

    /// Its negative second derivative, the information. It is singular, since a shift of a whole group changes nothing; so each
    /// group's mean is held by the matrix of equal elements 1/k, which does not change what the inverse does to differences.
    pub(super) fn information(&self, strengths: &[f64]) -> Matrix {
        let bots = self.won.size();
        let mut information = Matrix::new(bots);
        for (one, other) in self.all_met() {
            let chance = chance(strengths[one] - strengths[other]);
            let curvature = self.won[(one, other)] * chance * (1.0 - chance);
            information[(one, one)] += curvature;
            information[(other, other)] += curvature;
            information[(one, other)] -= curvature;
            information[(other, one)] -= curvature;
        }
        let sizes: Vec<f64> = (0..bots)
            .map(|bot| real(self.groups.iter().filter(|it| **it == self.groups[bot]).count()))
            .collect();
        for one in 0..bots {
            for other in (0..bots).filter(|other| self.groups[*other] == self.groups[one]) {
                information[(one, other)] += 1.0 / sizes[one];
            }
        }
        information
    }

    /// The winner and the loser of all games, virtual ones included.
    fn all_met(&self) -> impl Iterator<Item = (usize, usize)> {
        let bots = self.won.size();
        let all = (0..bots).flat_map(move |one| (0..bots).map(move |other| (one, other)));
        all.filter(|pair| self.won[*pair] > 0.0)
    }
}

/// The chance of winning of a bot that is this much stronger.
fn chance(stronger_by: f64) -> f64 {
    1.0 / (1.0 + (-stronger_by).exp())
}

fn weight(game: &Game) -> f64 {
    1.0 / real(game.seats.len().saturating_sub(1).max(1))
}

/// The pairs of seats of a game with different bots, and the score of the first one: 1 for a win and half for a tie.
fn pairs_of(game: &Game) -> impl Iterator<Item = (usize, usize, f64)> {
    let pairs = game
        .seats
        .iter()
        .enumerate()
        .flat_map(|(place, one)| game.seats[place + 1..].iter().map(move |other| (one, other)));
    pairs.filter(|(one, other)| one.bot != other.bot).map(|(one, other)| {
        // 0 and -0 are even.
        let score = match one.result.partial_cmp(&other.result) {
            Some(Ordering::Greater) => 1.0,
            Some(Ordering::Less) => 0.0,
            Some(Ordering::Equal) | None => 0.5,
        };
        (one.bot, other.bot, score)
    })
}

/// The gradient of the likelihood of some games, for the bots that have met another one in them.
pub(super) fn gradient(strengths: &[f64], games: &[&Game]) -> BTreeMap<usize, f64> {
    let mut gradient = BTreeMap::new();
    for game in games {
        for (one, other, score) in pairs_of(game) {
            let surprise = weight(game) * (score - chance(strengths[one] - strengths[other]));
            *gradient.entry(one).or_insert(0.0) += surprise;
            *gradient.entry(other).or_insert(0.0) -= surprise;
        }
    }
    gradient
}

/// Numbers bots so that those which reach each other have the same number, in the order of their first ones.
fn numbered(bots: usize, leads: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut reaches: Vec<Vec<bool>> = (0..bots)
        .map(|one| (0..bots).map(|other| one == other || leads(one, other)).collect())
        .collect();
    for middle in 0..bots {
        let further = reaches[middle].clone();
        for from in reaches.iter_mut().filter(|from| from[middle]) {
            for (reached, more) in from.iter_mut().zip(&further) {
                *reached |= more;
            }
        }
    }
    let first = |bot: usize| (0..=bot).find(|&other| reaches[bot][other] && reaches[other][bot]);
    let firsts: Vec<usize> = (0..bots).map(|bot| first(bot).expect("it reaches itself")).collect();
    let number = |first: &usize| (0..*first).filter(|&bot| firsts[bot] == bot).count();
    firsts.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_that_reach_each_other_have_one_number() {
        // 0 → 3 → 0, 3 → 1, 2 alone.
        let leads = |one, other| [(0, 3), (3, 0), (3, 1)].contains(&(one, other));
        assert_eq!(numbered(4, leads), [0, 1, 2, 0]);
        assert_eq!(numbered(4, |one, other| leads(one, other) || leads(other, one)), [0, 0, 1, 0]);
        assert!(numbered(0, leads).is_empty());
    }
}
