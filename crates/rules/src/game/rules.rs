//! The interface between a game's rules and everything above them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::frames::{Frame, Picture};
use super::judge::{Ask, Drawing, Place, Trouble};
use crate::score::Score;
use terms::limits::LimitKind;
use terms::lines::{LineRules, Lines};
use terms::peer::Peer;
use terms::verdict::NoReply;

/// A game in progress, as its official referee runs it.
pub trait Game: Send {
    /// Gets ready for the first exchange. A game whose rules are in another program starts it here.
    ///
    /// # Errors
    /// When that program fails.
    fn begin(&mut self, _place: &Place<'_>) -> Result<(), Trouble> {
        Ok(())
    }

    /// Why the game stopped without a result, told once: the program with its rules has failed.
    fn trouble(&mut self) -> Option<Trouble> {
        None
    }

    /// The next exchange; `None` when the game is over.
    fn next_exchange(&self) -> Option<Exchange>;

    /// The text to send to the bot in the next exchange.
    fn input(&self) -> Cow<'_, str>;

    /// What the bot is to be asked, where only another program knows it, so that the log keeps it.
    fn asked(&self) -> Option<&Ask> {
        None
    }

    /// What the bot is to talk to, where another program talks to it.
    fn peer(&mut self) -> Option<Box<dyn Peer>> {
        None
    }

    /// The pictures of the game that its judge has drawn, once the game is over.
    fn drawings(&mut self) -> Vec<Drawing> {
        Vec::new()
    }

    /// Whether only a running bot can play it: replies from a log cannot.
    fn needs_bot(&self) -> bool {
        false
    }

    /// Hears, before [`accept`](Self::accept), how long the reply took; zero where official limits do not apply.
    fn took(&mut self, _elapsed: Duration) {}

    /// Applies a complete reply.
    ///
    /// # Errors
    /// When the reply loses the game; the game is then over.
    fn accept(&mut self, reply: &Lines) -> Result<Played, Rejected>;

    /// Ends the game because no complete reply came; `received` is the part that did arrive, `why` the reason.
    fn unanswered(&mut self, received: &Lines, why: NoReply);

    /// The score so far, as the original counts it; `None` if there is none.
    fn score(&self) -> Option<Score>;

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

    /// The board as it is now; without one, views show the text that the bot was sent and what it answered.
    fn picture(&self) -> Picture {
        Picture::default()
    }

    /// The frames of a complete reply's moves on the current board, up to the first illegal move; empty if
    /// the reply cannot be understood, or the game has no picture.
    fn frames(&self, _reply: &Lines) -> Vec<Frame> {
        Vec::new()
    }
}

impl fmt::Debug for dyn Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (test_case, score) = (self.test_case(), self.score());
        f.debug_struct("Game").field("test_case", &test_case).field("score", &score).finish()
    }
}

/// One step of a game's protocol.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    /// What makes a reply complete.
    pub lines: LineRules,
    /// Which time limit applies.
    pub limit: LimitKind,
    /// The official limit of this exchange, where it has one of its own.
    pub official: Option<Duration>,
}

impl Exchange {
    /// A reply of `count` lines of any length; the end of the output also ends a line.
    pub fn lines(count: usize, limit: LimitKind) -> Self {
        Self { lines: LineRules::any(count), limit, official: None }
    }
}

/// What an accepted reply did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Played {
    /// The points for the reply; `None` if the game does not tell.
    pub gain: Option<Score>,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The reply cannot be understood.
    Malformed,
    /// The reply is understood, but the rules forbid it.
    Illegal,
    /// One of both: the game does not say which.
    Lost,
    /// The reply was late by the game's own count of late replies, although it came before its deadline.
    Late,
    /// The bot ended before the game did.
    EarlyExit,
}
