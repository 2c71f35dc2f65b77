//! A board to look at, and what each move does to it.
//!
//! Playing needs none of this; replays show it. Boards are stored as differences: one [`Picture`] of the
//! start, and a [`Frame`] for each move.

use serde::Serialize;

/// A place on a board: row by row from the top left, from 0.
pub type Place = u16;

/// A board as it looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The number of columns.
    pub columns: u16,
    /// The number of rows.
    pub rows: u16,
    /// Colours are numbered from 0 to one less than this.
    pub colors: u8,
    /// How a game names its places.
    pub origin: Origin,
    /// How fast a replay should be.
    pub pace: Pace,
    /// The points for a region, in a game whose moves take regions.
    pub regions: Option<RegionPoints>,
    /// The colour at each [`Place`]; `None` is empty.
    pub tiles: Vec<Option<u8>>,
}

/// Where a game counts its rows and columns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Row and column, from the top left.
    TopLeft,
    /// x and y, from the bottom left.
    BottomLeft,
}

/// How many moves a game has, and so how fast a replay should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// A move in each turn: some dozens.
    Turns,
    /// All moves in one turn: thousands, of which few bring points.
    Moves,
}

impl Pace {
    /// What a step of the game is called.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Turns => "turn",
            Self::Moves => "move",
        }
    }
}

/// The points for taking a region: a maximal 4-connected group of tiles of one colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegionPoints {
    /// The points by number of tiles, from 0; `None` where the rules forbid the move.
    pub by_size: Vec<Option<i64>>,
    /// The points beside these when no tile is left.
    pub clear_bonus: i64,
}

/// What one move does to the board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// The number of the move, from 1; 0 for what happens before the first one.
    pub number: usize,
    /// The move as the game writes it, and what it does, in a few words.
    pub caption: String,
    /// The tile that was chosen, if it is on the board.
    pub chosen: Option<Place>,
    /// What the bot wants shown beside the move, as the original lays it out.
    pub message: Option<[String; 2]>,
    /// The points that it brings.
    pub gain: i64,
    /// The changes, in order; none if the move is illegal. A legal move that changes nothing has one
    /// empty step.
    pub steps: Vec<Step>,
}

/// Changes of a board that are shown at once. They apply in the order of the fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// Where tiles disappear.
    pub gone: Vec<Place>,
    /// From where to where tiles move, all at once.
    pub moved: Vec<(Place, Place)>,
    /// New tiles, which replace what was there.
    pub new: Vec<(Place, u8)>,
}

impl Frame {
    /// Whether the move concerns the tile at `place`, apart from the one that was chosen: it is among
    /// the first to go or, if none goes then, to move.
    pub fn concerns(&self, place: Place) -> bool {
        let Some(Step { gone, moved, .. }) = self.steps.first() else { return false };
        gone.contains(&place) || (gone.is_empty() && moved.iter().any(|&(from, _)| from == place))
    }
}

impl Picture {
    /// Applies the changes of a frame.
    pub fn apply(&mut self, frame: &Frame) {
        for step in &frame.steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Step) {
        for &place in &step.gone {
            self.tiles[usize::from(place)] = None;
        }
        let take = |&(from, _): &(Place, Place)| self.tiles[usize::from(from)].take();
        let taken: Vec<Option<u8>> = step.moved.iter().map(take).collect();
        for (&(_, to), tile) in step.moved.iter().zip(taken) {
            self.tiles[usize::from(to)] = tile;
        }
        for &(place, color) in &step.new {
            self.tiles[usize::from(place)] = Some(color);
        }
    }

    /// How many tiles of each colour there are.
    pub fn left(&self) -> Vec<usize> {
        let mut left = vec![0; usize::from(self.colors)];
        for color in self.tiles.iter().flatten() {
            left[usize::from(*color)] += 1;
        }
        left
    }
}
