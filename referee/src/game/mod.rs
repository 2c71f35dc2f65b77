//! The rules of the games, pure: no I/O, no clock, no process.
//!
//! Every game is a sequence of *exchanges*: some text is sent, a number of lines is awaited, and
//! one of the kinds of time limit applies. Everything above this module works on `dyn Game` and on
//! the [table of games](games).
//!
//! # A game of one's own
//!
//! A type that implements [`Game`] and a row of the table are enough to play it, to log and replay it,
//! to run suites of it and to look at it. Once the row is [registered](register),
//! `referee::cli::main()` is a whole referee whose `--game` takes its name.
//!
//! ```
//! use std::borrow::Cow;
//! use std::time::Duration;
//!
//! use referee::bot::BotCommand;
//! use referee::config::{Config, Layer};
//! use referee::game::frames::{Frame, Origin, Pace, Picture, Step};
//! use referee::game::{Exchange, Fault, Game, GameKind, Played, Rejected, register};
//! use referee::limits::LimitKind;
//! use referee::lines::{LineRules, Lines};
//! use referee::play::Match;
//! use referee::source::SourceError;
//! use serde_json::json;
//!
//! /// A heap of matches. A turn takes one to three of them, for as many points; who takes none, or
//! /// more than there are, loses.
//! struct Heap { start: String, left: u16, score: i64, summary: Vec<String> }
//!
//! static HEAP: GameKind = GameKind {
//!     from_seed: |seed, _| Ok((seed.rem_euclid(30) + 1).to_string()),
//!     limits: &[(LimitKind::Turn, Duration::from_secs(2))],
//!     bundled: &[("ten", "10")],
//!     ..GameKind::new("heap", "Heap", |text| {
//!         let left = text.trim().parse().map_err(|_| SourceError::at(text, 0, "not a number"))?;
//!         Ok(Box::new(Heap { start: text.to_owned(), left, score: 0, summary: Vec::new() }))
//!     })
//! };
//!
//! fn number(reply: &Lines) -> Option<u16> {
//!     str::from_utf8(reply.iter().next()?).ok()?.trim().parse().ok()
//! }
//!
//! impl Game for Heap {
//!     fn next_exchange(&self) -> Option<Exchange> {
//!         let lines =
//!             LineRules { count: 1, max_bytes: Some(80), eof_ends_line: true, readable: |_| true };
//!         self.summary.is_empty().then_some(Exchange { lines, limit: LimitKind::Turn })
//!     }
//!     fn input(&self) -> Cow<'_, str> {
//!         format!("{}\n", self.left).into()
//!     }
//!     fn accept(&mut self, reply: &Lines) -> Result<Played, Rejected> {
//!         match number(reply) {
//!             Some(taken @ 1..=3) if taken <= self.left => {
//!                 self.left -= taken;
//!                 self.score += i64::from(taken);
//!                 if self.left == 0 {
//!                     self.summary.push("All gone.".to_owned());
//!                 }
//!                 Ok(Played { gain: taken.into(), action: json!(taken), remark: None })
//!             }
//!             number => {
//!                 self.summary.push("That cannot be taken.".to_owned());
//!                 let fault = if number.is_some() { Fault::Illegal } else { Fault::Malformed };
//!                 Err(Rejected::new(fault))
//!             }
//!         }
//!     }
//!     fn unanswered(&mut self, _received: &Lines) {
//!         self.summary.push("No answer.".to_owned());
//!     }
//!     fn score(&self) -> i64 {
//!         self.score
//!     }
//!     fn summary(&self) -> &[String] {
//!         &self.summary
//!     }
//!     fn official_result(&self) -> &str {
//!         self.summary.last().map_or("", String::as_str)
//!     }
//!     fn test_case(&self) -> &str {
//!         &self.start
//!     }
//!     fn picture(&self) -> Picture {
//!         let (origin, pace) = (Origin::TopLeft, Pace::Turns);
//!         let tiles = vec![Some(0); self.left.into()];
//!         Picture { columns: self.left, rows: 1, colors: 1, origin, pace, regions: None, tiles }
//!     }
//!     fn frames(&self, reply: &Lines) -> Vec<Frame> {
//!         let Some(taken @ 1..=3) = number(reply).filter(|&number| number <= self.left) else {
//!             return Vec::new();
//!         };
//!         let step = Step { gone: (self.left - taken..self.left).collect(), ..Step::default() };
//!         let caption = format!("takes {taken}");
//!         vec![Frame { caption, gain: taken.into(), steps: vec![step], ..Frame::default() }]
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! register(&HEAP)?;
//! let config = Config::resolve(["game = 'heap'".parse::<Layer>()?])?;
//! let bot = "while read -r left; do echo $((left > 3 ? 3 : left)); done";
//! let game = Match {
//!     game: &HEAP,
//!     board: "ten",
//!     test_case: "10",
//!     bot: "greedy",
//!     command: &BotCommand::new("sh", ["-c", bot], config.confinement(None)?),
//!     rules: config.rules,
//!     interrupt: None,
//! };
//! let end = game.play(|_event| {})?;
//! assert_eq!((end.official.as_str(), end.score, end.turns), ("All gone.", 10, 4));
//! # Ok(())
//! # }
//! ```

pub mod frames;
mod java;
pub mod samegame;
pub mod square_remover;
mod table;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use self::frames::{Frame, Picture};
pub use self::table::{GAMES, GameKind, NameTaken, SeedOptions, games, register, unknown_game};
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

    /// Ends the game because the reply did not come whole: `received` is what there is of it.
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

    /// The test case in the form that [`GameKind::parse`] reads and a log keeps.
    fn test_case(&self) -> &str;

    /// The test case without what makes no difference to the best score: test cases with the same key
    /// share their records.
    fn record_key(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.test_case())
    }

    /// What a comparison may group test cases by, such as the number of colours.
    fn groups(&self) -> BTreeMap<String, u32> {
        BTreeMap::new()
    }

    /// The board as it is now, to look at.
    fn picture(&self) -> Picture;

    /// What the moves of a whole reply would do to the board if it were accepted now, as far as they
    /// are legal; none when the reply cannot be understood.
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
    /// What its author should know of it all the same, in words.
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
