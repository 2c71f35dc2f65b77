//! The rules of the games, pure: no I/O, no clock, no process.
//!
//! Every game is a sequence of *exchanges*: the referee sends some text and awaits a number of lines
//! under one kind of time limit. Everything else works on `dyn Game` and on the [table of games](games).
//!
//! # Adding a game
//!
//! A type that implements [`Game`] and a row of the table are enough to play a game, log it, replay it,
//! view it and run suites of it. Once the row is [registered](register),
//! `referee::cli::main()` is a whole referee whose `--game` takes its name.
//!
//! ```
//! use std::borrow::Cow;
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use referee::bot::BotCommand;
//! use referee::config::{Config, Layer};
//! use referee::game::frames::{Frame, Picture, Step};
//! use referee::game::{Exchange, Fault, Game, GameKind, Played, Rejected, register};
//! use referee::limits::LimitKind;
//! use referee::lines::{LineRules, Lines};
//! use referee::play::Match;
//! use referee::score::Score;
//! use referee::source::SourceError;
//! use referee::verdict::NoReply;
//! use serde_json::json;
//!
//! /// A heap of matches. Each turn takes one to three of them and scores a point for each; taking
//! /// more than are left loses.
//! struct Heap { start: String, left: u16, score: i64, summary: Vec<String> }
//!
//! fn heap() -> GameKind {
//!     GameKind {
//!         from_seed: Arc::new(|seed, _| Ok((seed.rem_euclid(30) + 1).to_string())),
//!         limits: [(LimitKind::Turn, Duration::from_secs(2))].into(),
//!         bundled: vec![("ten".to_owned(), "10".to_owned())],
//!         ..GameKind::new("heap", "Heap", |text| {
//!             let left = text.trim().parse().map_err(|_| SourceError::at(text, 0, "not a number"))?;
//!             Ok(Box::new(Heap { start: text.to_owned(), left, score: 0, summary: Vec::new() }))
//!         })
//!     }
//! }
//!
//! fn number(reply: &Lines) -> Option<u16> {
//!     str::from_utf8(reply.iter().next()?).ok()?.trim().parse().ok()
//! }
//!
//! impl Game for Heap {
//!     fn next_exchange(&self) -> Option<Exchange> {
//!         let lines =
//!             LineRules { count: 1, max_bytes: Some(80), eof_ends_line: true, until_exit: true, readable: |_| true };
//!         let exchange = Exchange { lines, limit: LimitKind::Turn, official: None };
//!         self.summary.is_empty().then_some(exchange)
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
//!                 Ok(Played { gain: Some(i64::from(taken).into()), action: json!(taken), remark: None })
//!             }
//!             number => {
//!                 self.summary.push("That cannot be taken.".to_owned());
//!                 let fault = if number.is_some() { Fault::Illegal } else { Fault::Malformed };
//!                 Err(Rejected::new(fault))
//!             }
//!         }
//!     }
//!     fn unanswered(&mut self, _received: &Lines, _why: NoReply) {
//!         self.summary.push("No answer.".to_owned());
//!     }
//!     fn score(&self) -> Option<Score> {
//!         Some(self.score.into())
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
//!         let tiles = vec![Some(0); self.left.into()];
//!         Picture { columns: self.left, rows: 1, colors: 1, tiles, ..Picture::default() }
//!     }
//!     fn frames(&self, reply: &Lines) -> Vec<Frame> {
//!         let Some(taken @ 1..=3) = number(reply).filter(|&number| number <= self.left) else {
//!             return Vec::new();
//!         };
//!         let step = Step { gone: (self.left - taken..self.left).collect(), ..Step::default() };
//!         let caption = format!("takes {taken}");
//!         vec![Frame { caption, gain: i64::from(taken).into(), steps: vec![step], ..Frame::default() }]
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! register(heap())?;
//! let config = Config::resolve(["game = 'heap'".parse::<Layer>()?])?;
//! let bot = "while read -r left; do echo $((left > 3 ? 3 : left)); done";
//! let command = BotCommand::new("sh", ["-c", bot], config.confinement(None)?);
//! let end = Match::new(&config.game, "10", &command).play(|_event| {})?;
//! assert_eq!((end.official.as_str(), end.score, end.turns), ("All gone.", Some(10.into()), 4));
//! # Ok(())
//! # }
//! ```

pub use rules::game::*;
