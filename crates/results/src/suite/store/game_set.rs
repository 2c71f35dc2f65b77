//! Games of a plan by number: a bit for each.

/// Some of the games of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSet {
    bits: Vec<u64>,
    games: usize,
    count: usize,
}

impl GameSet {
    /// An empty set for a plan of `games` games.
    pub fn new(games: usize) -> Self {
        Self { bits: vec![0; games / 64 + 1], games, count: 0 }
    }

    /// The number of games in the plan.
    pub fn games(&self) -> usize {
        self.games
    }

    /// Adds a game; `false` if the set already has it.
    pub fn add(&mut self, game: usize) -> bool {
        let new = !self.has(game);
        self.bits[game / 64] |= 1 << (game % 64);
        self.count += usize::from(new);
        new
    }

    /// Whether the set has this game.
    pub fn has(&self, game: usize) -> bool {
        self.bits[game / 64] >> (game % 64) & 1 == 1
    }

    /// The number of games in the set.
    pub fn count(&self) -> usize {
        self.count
    }
}
