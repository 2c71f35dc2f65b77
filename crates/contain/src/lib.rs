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
//! use contain::terms::limits::Resources;
//! use contain::terms::verdict::BotExit;
//! use contain::{Contained, Host, Until};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let host = Host::start()?;
//! let program = Contained::new("sh")
//!     .args(["-c", "read name; echo Hello, $name!"])
//!     .limits(Resources { memory: Some(256 << 20), ..Resources::default() });
//! let mut child = program.spawn(&host)?;
//!
//! let reply = child.exchange("world\n", Until::Lines(1), Duration::from_secs(10))?;
//! assert_eq!(reply.bytes, b"Hello, world!\n");
//! assert!(reply.why_not_whole.is_none() && reply.wall < Duration::from_secs(10));
//!
//! let ending = child.finish(Duration::from_secs(1));
//! assert_eq!(ending.exit, Some(BotExit::Code(0)));
//! # Ok(())
//! # }
//! ```
//!
//! [`Contained`] and [`Child`] are the short way. [`bot`] has everything behind them: rules for lines, time beyond a limit
//! to find out why a reply is late, talk with a trusted program. [`Host::methods`] says how programs can be contained here.
//!
//! # What it does to your process
//!
//! Nothing before the first bot, and nothing that stays after the last one:
//!
//! | while there is a bot, or a [`Host`] | |
//! |---|---|
//! | children | The *launcher*, a fork of your program, which starts all bots. [`Host::start`](bot::Host::start) says why to have it forked early. |
//! | threads | One that removes mount namespaces and folders that bots leave. |
//! | descriptors | A socket to the launcher; a dozen for each bot, all of them closed on exec. |
//! | control group | Where your process may make control groups, but has to leave its own to do so, it moves into a group `referee` beneath it, and back at the end. |
//! | cores | A thread that talks to a bot of [chosen cores](bot::BotCommand::pinning) moves to them or to the referee's, as do the threads that it starts meanwhile. When the bot ends, or another thread takes over, the thread may use all the cores that it had before. |
//! | files | A private folder `referee-UID` in the folder of temporary files holds the scratch folders of bots in a sandbox. The folders that killed programs have left in it are removed; everything else among the temporary files stays. |
//!
//! Signals are left alone, unless the program asks for [`CaughtSignals`](cancel::CaughtSignals), which puts back what it
//! found; the end of the launcher is a SIGCHLD, like that of any child. The working directory, limits, environment and
//! standard streams are never touched.
//!
//! [`bot`] explains how it works. The crate needs Linux 5.4. It knows no game, no file format and no user, and prints nothing: diagnostics go to the crate
//! `log`. It brings few crates along and builds in seconds; with the feature `serde` limits, verdicts and costs can be stored.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// The types of limits, lines and verdicts that the items here take and return.
pub use terms;

pub mod bot;
pub mod cancel;
mod contained;

pub use self::bot::{Containment, Host, Pinning, Sandbox};
pub use self::contained::{Child, Contained, Ending, Reply, StartError, Until};
