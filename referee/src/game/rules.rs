//! What a game is to everything above it: exchanges, what a reply does, and what there is to see.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::frames::{Frame, Picture};
use crate::limits::LimitKind;
use crate::lines::{LineRules, Lines};

/// A game in progress, as its official referee runs it.
pub trait Game {
    /// What is awaited next; `None` when the game is over.
    fn next_exchange(&self) -> Option<Exchange>;

    /// What the bot is sent in the next exchange, if there is one.
    fn input(&self) -> Cow<'_, str>;

    /// Applies a whole reply.
    ///
    /// # Errors
    /// When the reply loses the game, which is then over.
    fn accept(&mut self, reply: &Lines) -> Result<Played, Rejected>;

    /// Ends the game because no whole reply came; `received` is the part that did.
    fn unanswered(&mut self, received: &Lines);

    /// The score so far, as the original counts it.
    fn score(&self) -> i64;

    /// Every line that the original has put in its game summary so far, with colour marks.
    fn summary(&self) -> &[String];

    /// What the original says of the end of the game, without colour marks; empty before it.
    fn official_result(&self) -> &str;

    /// The metadata that the original reports beside the score.
    fn metadata(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// How many legal moves there are now, where that is a small, telling number.
    fn legal_moves(&self) -> Option<usize> {
        None
    }

    /// The test case in the form that [`GameKind::parse`](super::GameKind::parse) reads and a log keeps.
    fn test_case(&self) -> &str;

    /// The test case without what makes no difference to the best score: test cases with the same key
    /// share their records.
    fn record_key(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.test_case())
    }

    /// The properties by which a comparison may group test cases, such as the number of colours.
    fn groups(&self) -> BTreeMap<String, u32> {
        BTreeMap::new()
    }

    /// The board as it is now.
    fn picture(&self) -> Picture;

    /// What the moves of a whole reply would do to the board now, up to the first illegal one; none if
    /// the reply cannot be understood.
    fn frames(&self, reply: &Lines) -> Vec<Frame>;
}

/// One step of a game's protocol.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    /// What makes a whole reply.
    pub lines: LineRules,
    /// Which time limit applies.
    pub limit: LimitKind,
}

/// What an accepted reply did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Played {
    /// The points it brought.
    pub gain: i64,
    /// The move in the game's own terms, for the log.
    pub action: Value,
    /// What the bot's author should know of it all the same, in words.
    pub remark: Option<String>,
}

/// A whole reply that loses the game.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// What was wrong with it.
    pub fault: Fault,
    /// The line that was wrong, from 0, or the first of several.
    pub line: usize,
    /// The move in the game's own terms, where it could be read.
    pub action: Option<Value>,
    /// What is wrong in plain words, and what may have been meant.
    pub remark: Option<String>,
}

impl Rejected {
    /// A reply whose first line has this fault, with no more to be said of it.
    pub fn new(fault: Fault) -> Self {
        Self { fault, line: 0, action: None, remark: None }
    }
}

/// What is wrong with a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It cannot be understood.
    Malformed,
    /// It is understood, and the rules forbid it.
    Illegal,
}
