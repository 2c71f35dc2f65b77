//! The rules of the games, pure: no I/O, no clock, no process.
//!
//! Every game is a sequence of *exchanges*: a bot is sent some text and has to answer with a number of lines
//! under one kind of time limit. Whatever has the rules of a game implements [`Referee`]; everything else works on the
//! [`Game`] that drives it, and on the [table of games](games).
//!
//! # Adding a game
//!
//! A type that implements [`Referee`] and a row of the table are enough to play a game, log it, replay it,
//! view it and run suites of it. Once the row is [registered](register),
//! `referee::cli::main()` is a whole referee whose `--game` takes its name.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use referee::bot::BotCommand;
//! use referee::config::{Config, Layer};
//! use referee::game::frames::{Frame, Picture, Change, View};
//! use referee::game::{
//!     Answer, Ask, End, GameKind, Next, Ruling, SinglePlayer, Step, TestCase, register,
//! };
//! use referee::limits::LimitKind;
//! use referee::lines::Lines;
//! use referee::play::Match;
//! use referee::source::SourceError;
//! use referee::verdict::Verdict;
//! use serde_json::json;
//!
//! /// A heap of matches. Each turn takes one to three of them and scores a point for each; taking
//! /// more than are left loses.
//! #[derive(Clone)]
//! struct Heap { left: u16, score: i64, lost: bool }
//!
//! fn heap() -> GameKind {
//!     GameKind {
//!         from_seed: Arc::new(|seed, _| Ok((i64::try_from(seed)?.rem_euclid(30) + 1).to_string())),
//!         limits: [(LimitKind::Turn, Duration::from_secs(2))].into(),
//!         bundled: vec![("ten".to_owned(), "10".to_owned())],
//!         ..GameKind::new("heap", "Heap", |text| {
//!             let left = text.trim().parse().map_err(|_| SourceError::at(text, 0, "not a number"))?;
//!             Ok(TestCase::new(text, Heap { left, score: 0, lost: false }))
//!         })
//!     }
//! }
//!
//! fn number(reply: &Lines) -> Option<u16> {
//!     str::from_utf8(reply.iter().next()?).ok()?.trim().parse().ok()
//! }
//!
//! impl SinglePlayer for Heap {
//!     fn rule(&mut self, answer: Answer<'_>) -> Ruling {
//!         let Answer::Reply { lines, .. } = answer else {
//!             self.lost = true;
//!             return Ruling::default();
//!         };
//!         match number(lines) {
//!             Some(taken @ 1..=3) if taken <= self.left => {
//!                 self.left -= taken;
//!                 self.score += i64::from(taken);
//!                 Ruling::counts(json!(taken))
//!             }
//!             number => {
//!                 self.lost = true;
//!                 let is_number = number.is_some();
//!                 Ruling::against(if is_number { Verdict::IllegalMove } else { Verdict::MalformedReply })
//!             }
//!         }
//!     }
//!
//!     fn step(&mut self, ruling: Ruling) -> Step {
//!         let (summary, next) = match (self.lost, self.left) {
//!             (true, _) => (vec!["Lost.".to_owned()], Next::End(End::new("Lost."))),
//!             (false, 0) => (vec!["All gone.".to_owned()], Next::End(End::new("All gone."))),
//!             (false, left) => (vec![], Next::Ask(Ask::lines(format!("{left}\n"), 1, LimitKind::Turn))),
//!         };
//!         Step { ruling, scores: vec![self.score.into()], summary, next }
//!     }
//! }
//!
//! impl View for Heap {
//!     fn picture(&self) -> Picture {
//!         let tiles = vec![Some(0); self.left.into()];
//!         Picture { columns: self.left, rows: 1, colors: 1, tiles, ..Picture::default() }
//!     }
//!     fn frames(&self, reply: &Lines) -> Vec<Frame> {
//!         let Some(taken @ 1..=3) = number(reply).filter(|&number| number <= self.left) else {
//!             return Vec::new();
//!         };
//!         let step = Change { gone: (self.left - taken..self.left).collect(), ..Change::default() };
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
