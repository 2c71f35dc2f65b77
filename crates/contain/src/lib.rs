//! Runs any program as a contained, timed child process that answers in lines. Only Linux contains; elsewhere a program is an
//! ordinary child, whose processes are ended with it.
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
//! | threads | One that removes mount namespaces and folders that bots leave, and one that ends a bot that holds up its referee. |
//! | descriptors | A socket to the launcher; a dozen for each bot, all of them closed on exec. |
//! | control group | Where your process may make control groups, but has to leave its own to do so, it moves into a group `referee` beneath it, and back at the end. |
//! | cores | A thread that talks to a bot of [chosen cores](bot::BotCommand::pinning) moves to them when it starts the bot, as do the threads that it starts in the meantime. When the bot ends, it may use all the cores that it had before. |
//! | files | A bot in a sandbox may have a scratch folder `referee-scratch-XXXXXX` among the temporary files, with a locked file `referee-scratch-XXXXXX.lock` next to it. The first one of a process also removes those that killed programs have left; everything else among the temporary files stays. |
//!
//! Signals are left alone, unless the program asks for [`CaughtSignals`](cancel::CaughtSignals), which puts back what it
//! found; the end of the launcher is a SIGCHLD, as for any child. The working directory, limits, environment and
//! standard streams are never touched.
//!
//! [`bot`] explains how it works. The crate needs Linux 5.4. It knows no game, no file format and no user, and prints nothing: diagnostics go to the crate
//! `log`. It brings few crates along and builds in seconds; with the feature `serde` limits, verdicts and costs can be stored.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// The types of limits, lines and verdicts that the items here take and return.
pub use terms;

#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "decisions on what other systems do not tell")
)]
mod decide;

pub mod cancel;
mod confine;
mod drive;
mod observe;
mod program;
mod scratch;
mod spawn;
mod sys;

pub use self::bot::{Containment, Host, Pinning, Sandbox};
pub use self::program::{Child, Contained, Ending, Reply, StartError, Until};

pub mod system {
    //! This process, its threads and this machine, for programs that play games: the same functions on every system.

    pub use crate::sys::{
        CoreClaim, cpu_time_of_thread, memory, move_thread_to, stack_limits, user, yield_to_others,
    };
}

pub mod bot {
    //! A bot as a child process: its lines, its deadlines, its end. This module knows no game.
    //!
    //! # Theory of operation
    //!
    //! A bot runs as the leader of a process group of its own, with three pipes. One thread, one poll
    //! loop: writing its input, reading its output and draining its standard error take turns as the
    //! pipes allow, so a bot that does not read, that floods, or that answers before it is asked
    //! blocks nobody. A pidfd in the same loop reports its end at once.
    //!
    //! An exchange ([`BotProcess::exchange`]) has one absolute deadline on the monotonic clock. The
    //! clock starts just before the first byte is written, and stops when the read that completes the
    //! reply returns; output never moves it. At the deadline there is one more read that does not
    //! block, since the poll may have woken late and the answer be there already.
    //!
    //! When poll reports output and the end of the process together, output comes first: the last line
    //! of a bot that answers and exits counts. What another of its processes writes after that end does
    //! not count where the rules say so ([`LineRules::until_exit`](crate::terms::lines::LineRules::until_exit)).
    //!
    //! Output is read only while an exchange waits for it. Surplus output stays queued for the
    //! next one, and a flood fills the pipe and stops there, instead of the referee's memory.
    //!
    //! Between the referee and the bot stands a keeper, which keeps hold of all processes that
    //! descend from the bot, by one of several [methods](ContainmentMethod), and ends only after them. The launcher (`launch`)
    //! forks it. A watchdog ends a bot that holds up its referee beyond a deadline. See [`Host`]. `guard` watches
    //! their use of resources, and a [`Sandbox`] restricts their files, network and privileges.
    //!
    //! The end ([`BotProcess::finish`]) takes a bounded time: close the input, leave a short grace for a clean
    //! exit, then have the keeper kill what is left. Dropping a bot does the same, and so does
    //! the death of the referee.

    pub use crate::decide::clock::{Overtime, Phase};
    pub use crate::decide::trace::Trace;
    pub use terms::peer::{News, Peer};

    pub use crate::{
        confine::{ContainmentMethod, PinError, Pinning, Sandbox, physical_cores},
        drive::{
            HostMemory,
            dialogue::Dialogue,
            end::BotEnd,
            exchange::{Exchanged, InputUse, Request},
            pipes::Captured,
            process::{BotProcess, ExchangeError},
            table::TableWatch,
        },
        scratch::{Scratch, await_removals},
        spawn::{
            check_proc,
            command::{BotCommand, Confinement},
            error::{SandboxError, SpawnError, Unavailable},
            host::{Containment, Host, check_cgroups},
            running::Leftovers,
        },
        sys::{
            Waitable, memory_limit_of_host, online_cores, process_limit_of_host, refused_processes,
        },
    };
}
