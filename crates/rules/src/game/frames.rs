//! Boards as replays show them, and what each move changes. Playing does not need this module.
//!
//! A game is stored as differences: one [`Picture`] of the opening board, and a [`Frame`] for each move.

use std::borrow::Cow;

use serde::Serialize;

use crate::score::Score;
use terms::lines::Lines;

/// A game as views show it: the position that its referee is in.
pub trait View {
    /// The board as it is now.
    fn picture(&self) -> Picture;

    /// The frames of a complete reply's moves on the current board, up to the first illegal move; empty if
    /// the reply cannot be understood.
    fn frames(&self, reply: &Lines) -> Vec<Frame>;

    /// The number of legal moves now, if the game can count them cheaply.
    fn legal_moves(&self) -> Option<usize> {
        None
    }
}

/// A place on a board: row by row from the top left, from 0.
pub type CellIndex = u16;

/// A board, ready to be drawn. The default, without columns, stands for a game without a picture: views show the text that
/// its bot was sent, and what it answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// The number of columns.
    pub columns: u16,
    /// The number of rows.
    pub rows: u16,
    /// Colours are numbered from 0 to one less than this.
    pub colors: u8,
    /// What is written on the tiles of each colour; where a colour has no text here, its number.
    pub labels: Vec<String>,
    /// How the game numbers rows and columns.
    pub origin: Origin,
    /// How fast a replay should play.
    pub pace: Pace,
    /// The points for a region, in a game whose moves take regions.
    pub regions: Option<RegionPoints>,
    /// The colour at each [`CellIndex`]; `None` is empty.
    pub tiles: Vec<Option<u8>>,
}

/// Where a game counts its rows and columns from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Row and column, from the top left.
    #[default]
    TopLeft,
    /// x and y, from the bottom left.
    BottomLeft,
}

/// The scale of a game's number of moves, which decides how fast a replay plays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// One move per turn: a few dozen moves.
    #[default]
    Turns,
    /// All moves in one turn: thousands, few of which score.
    Moves,
}

impl Pace {
    /// The name of a step of the game.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Turns => "turn",
            Self::Moves => "move",
        }
    }
}

/// The points for removing a region: a maximal 4-connected group of tiles of one colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegionPoints {
    /// The points by number of tiles, from 0; `None` if the rules forbid the move.
    pub by_size: Vec<Option<i64>>,
    /// Extra points for clearing the board.
    pub clear_bonus: i64,
}

/// What one move does to the board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// The number of the move, from 1; 0 for changes before the first move.
    pub number: usize,
    /// The move as the bot wrote it, without the rest of the reply; empty if there is none.
    pub notation: String,
    /// The move in the game's terms and its effect, in a few words.
    pub caption: String,
    /// The chosen tile, if it is on the board.
    pub chosen: Option<CellIndex>,
    /// The message that the bot sent with the move, laid out as in the original.
    pub message: Option<[String; 2]>,
    /// The points that the move scores.
    pub gain: Score,
    /// The changes, in order. Empty if the move is illegal; a legal move that changes nothing has one
    /// empty step.
    pub steps: Vec<Change>,
}

/// Changes to a board that are shown together. They apply in the order of the fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The places where tiles disappear.
    pub gone: Vec<CellIndex>,
    /// Tiles that move, as pairs of source and target; all move at once.
    pub moved: Vec<(CellIndex, CellIndex)>,
    /// New tiles, which replace the old ones.
    pub new: Vec<(CellIndex, u8)>,
}

impl Frame {
    /// Whether the move's first step removes the tile at `place` or, if that step removes nothing,
    /// moves it.
    pub fn concerns(&self, place: CellIndex) -> bool {
        let Some(Change { gone, moved, .. }) = self.steps.first() else { return false };
        gone.contains(&place) || (gone.is_empty() && moved.iter().any(|&(from, _)| from == place))
    }
}

impl Picture {
    /// Whether it stands for a game without a picture.
    pub fn is_none(&self) -> bool {
        self.columns == 0
    }

    /// What is written on the tiles of a colour.
    pub fn label(&self, color: u8) -> Cow<'_, str> {
        let label = self.labels.get(usize::from(color));
        label.map_or_else(|| color.to_string().into(), |label| label.as_str().into())
    }

    /// Applies the changes of a frame.
    pub fn apply(&mut self, frame: &Frame) {
        for step in &frame.steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Change) {
        for &place in &step.gone {
            self.tiles[usize::from(place)] = None;
        }
        let take = |&(from, _): &(CellIndex, CellIndex)| self.tiles[usize::from(from)].take();
        let taken: Vec<Option<u8>> = step.moved.iter().map(take).collect();
        for (&(_, to), tile) in step.moved.iter().zip(taken) {
            self.tiles[usize::from(to)] = tile;
        }
        for &(place, color) in &step.new {
            self.tiles[usize::from(place)] = Some(color);
        }
    }

    /// The number of tiles left of each colour.
    pub fn left(&self) -> Vec<usize> {
        let mut left = vec![0; usize::from(self.colors)];
        for color in self.tiles.iter().flatten() {
            left[usize::from(*color)] += 1;
        }
        left
    }
}
