//! The interface between a game's rules and everything above them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::frames::{Frame, Picture};
use terms::limits::LimitKind;
use terms::lines::{LineRules, Lines};

/// A game in progress, as its official referee runs it.
pub trait Game {
    /// The next exchange; `None` when the game is over.
    fn next_exchange(&self) -> Option<Exchange>;

    /// The text to send to the bot in the next exchange.
    fn input(&self) -> Cow<'_, str>;

    /// Applies a complete reply.
    ///
    /// # Errors
    /// When the reply loses the game; the game is then over.
    fn accept(&mut self, reply: &Lines) -> Result<Played, Rejected>;

    /// Ends the game because no complete reply came; `received` is the part that did arrive.
    fn unanswered(&mut self, received: &Lines);

    /// The score so far, as the original counts it.
    fn score(&self) -> i64;

    /// The lines of the original's game summary so far, with colour marks.
    fn summary(&self) -> &[String];

    /// What the original reports at the end of the game, without colour marks; empty before the end.
    fn official_result(&self) -> &str;

    /// The metadata that the original reports beside the score.
    fn metadata(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// The number of legal moves now, if the game can count them cheaply.
    fn legal_moves(&self) -> Option<usize> {
        None
    }

    /// The test case in the form that [`GameKind::parse`](super::GameKind::parse) reads and a log keeps.
    fn test_case(&self) -> &str;

    /// The test case in a normal form: test cases that differ only in ways that cannot change the best
    /// score have the same key, and share their records.
    fn record_key(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.test_case())
    }

    /// The properties by which a comparison may group test cases, such as the number of colours.
    fn groups(&self) -> BTreeMap<String, u32> {
        BTreeMap::new()
    }

    /// The board as it is now.
    fn picture(&self) -> Picture;

    /// The frames of a complete reply's moves on the current board, up to the first illegal move; empty if
    /// the reply cannot be understood.
    fn frames(&self, reply: &Lines) -> Vec<Frame>;
}

/// One step of a game's protocol.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    /// What makes a reply complete.
    pub lines: LineRules,
    /// Which time limit applies.
    pub limit: LimitKind,
}

/// What an accepted reply did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Played {
    /// The points for the reply.
    pub gain: i64,
    /// The move in the game's own terms, for the log.
    pub action: Value,
    /// Advice for the bot's author, although the reply counts.
    pub remark: Option<String>,
}

/// A complete reply that loses the game.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// What was wrong with the reply.
    pub fault: Fault,
    /// The first line that was wrong, from 0.
    pub line: usize,
    /// The move in the game's own terms, if it could be read.
    pub action: Option<Value>,
    /// What is wrong in plain words, and what the bot may have meant.
    pub remark: Option<String>,
}

impl Rejected {
    /// A reply whose first line has this fault, without further details.
    pub fn new(fault: Fault) -> Self {
        Self { fault, line: 0, action: None, remark: None }
    }
}

/// What is wrong with a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The reply cannot be understood.
    Malformed,
    /// The reply is understood, but the rules forbid it.
    Illegal,
}
