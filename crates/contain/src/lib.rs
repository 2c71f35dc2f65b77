//! Runs any program as a contained, timed child process that answers in lines. Linux only.
//!
//! For harnesses, judges and tests that talk to programs they did not write. An exchange sends text, awaits lines until
//! one absolute deadline, and says what came, what the program used and where the time went. Whatever the program does
//! is a result, never an error; an error means that the system failed the caller. The end kills all its processes, or
//! says which are left.
//!
//! ```
//! use std::time::Duration;
//!
//! use contain::bot::{BotCommand, BotProcess, Confinement, Containment, Overtime, Request};
//! use contain::terms::{limits::Resources, lines::LineRules, verdict::BotExit};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let resources = Resources { memory: Some(256 << 20), ..Resources::default() };
//! let confinement = Confinement { method: Containment::Auto.method()?, resources, sandbox: None };
//! let command = BotCommand::new("sh", ["-c", "read name; echo Hello, $name!"], confinement);
//! let mut bot = BotProcess::spawn(&command, 4096, None)?;
//!
//! let rules = LineRules { count: 1, max_bytes: None, eof_ends_line: true, readable: |_| true, until_exit: true };
//! let limit = Some(Duration::from_secs(10));
//! let overtime = Overtime::Always(Duration::ZERO);
//! let answer = bot.exchange(&Request { input: b"world\n", rules, limit, overtime })?;
//! assert_eq!(answer.reply.as_bytes(), b"Hello, world!\n");
//! assert!(answer.no_reply.is_none() && answer.wall < Duration::from_secs(10));
//!
//! let ending = bot.finish(Duration::from_secs(1));
//! assert_eq!(ending.exit, Some(BotExit::Code(0)));
//! # Ok(())
//! # }
//! ```
//!
//! The first bot's start forks this program; [`start_launcher`](bot::start_launcher) says why to have that done early.
//!
//! [`bot`] explains how it works, and [`check`](bot::ContainmentMethod::check) says what a host lacks for a method. The
//! crate needs Linux 5.4. It knows no game, no file format and no user, and prints nothing: diagnostics go to the crate
//! `log`.

/// The types of limits, lines and verdicts that the items here take and return.
pub use terms;

pub mod bot;
pub mod interrupt;
