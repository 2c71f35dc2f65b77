//! Games as ratings read them.

/// A game of several bots.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// What was drawn for it and for its other seatings, such as the seed of its map.
    pub seed: usize,
    /// The bots, seat by seat. A bot may sit twice at a table.
    pub seats: Vec<Seat>,
}

/// A bot's part in a game, and how it ended for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seat {
    /// The number of its bot, from 0.
    pub bot: usize,
    /// Its result. Higher is better, and equal results are ties.
    pub result: f64,
}
