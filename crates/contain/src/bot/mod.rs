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
//! not count where the game says so (`origin`).
//!
//! Output is read only while an exchange waits for it. Surplus output stays queued for the
//! next one, and a flood fills the pipe and stops there, instead of the referee's memory.
//!
//! Between the referee and the bot stands a keeper, which keeps hold of all processes that
//! descend from the bot, by one of several [methods](ContainmentMethod), and ends only after them. The launcher (`launch`)
//! forks it, and ends a bot whose referee stands still beyond a deadline. See [`Host`]. `guard` watches
//! their use of resources, and a [`Sandbox`] restricts their files, network and privileges.
//!
//! The end ([`BotProcess::finish`]) takes a bounded time: close the input, leave a short grace for a clean
//! exit, then have the keeper kill what is left. Dropping a bot does the same, and so does
//! the death of the referee.

mod cgroup;
mod clock;
mod command;
mod containment;
mod cost;
mod dialogue;
mod eof;
mod exchange;
mod filter;
mod guard;
mod host;
mod landlock;
mod later;
mod launch;
mod method;
mod origin;
mod peer;
mod pin;
mod pipes;
mod poll;
mod removal;
mod sandbox;
mod scratch;
mod spawn_error;
mod teardown;
mod tree;
mod usage;
mod waiting;

use std::io::{PipeReader, PipeWriter};
use std::time::{Duration, Instant};

use self::cgroup::memory_kills;
pub use self::cgroup::{check_cgroups, memory_limit_of_host};
pub use self::clock::{Overtime, Phase};
use self::command::Spawned;
pub use self::command::{BotCommand, Confinement};
pub use self::containment::{Containment, Unavailable};
use self::cost::Thought;
pub use self::dialogue::Dialogue;
pub use self::exchange::{ExchangeError, Exchanged, Request};
use self::guard::Guard;
pub use self::guard::HostMemory;
pub use self::host::Host;
pub(crate) use self::launch::Handlers;
use self::launch::{Keeper, Started};
pub use self::method::ContainmentMethod;
pub use self::peer::{News, Peer};
use self::pin::RefereeCore;
pub use self::pin::{PinError, Pinning};
pub use self::pipes::Captured;
use self::pipes::{InputPipe, OutputPipe};
pub use self::sandbox::{Sandbox, SandboxError};
pub use self::scratch::{Scratch, await_removals};
pub use self::spawn_error::SpawnError;
pub use self::teardown::{Ending, Left, Survivor};
pub use self::usage::online_cores;
use self::usage::{OwnThread, Sample, Sampler};
use crate::cancel::Canceller;
use terms::lines::LineBuffer;

/// A running bot.
///
/// [`Contained`](crate::Contained) is the short way to one.
///
/// ```
/// use std::time::Duration;
///
/// use contain::bot::{BotCommand, BotProcess, Confinement, Containment, Overtime, Request};
/// use contain::terms::limits::Resources;
/// use contain::terms::lines::LineRules;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let method = Containment::Auto.method()?;
/// let confinement = Confinement { method, resources: Resources::default(), sandbox: None };
/// let mut bot = BotProcess::spawn(&BotCommand::new("cat", ["-u"], confinement), 0, None)?;
/// let request = Request {
///     input: b"1 2\n3\n",
///     rules: LineRules::any(1),
///     limit: Some(Duration::from_secs(60)),
///     // A late reply is of no interest.
///     overtime: Overtime::Always(Duration::ZERO),
/// };
/// assert_eq!(bot.exchange(&request)?.reply.as_bytes(), b"1 2\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct BotProcess {
    keeper: Keeper,
    stdin: InputPipe<PipeWriter>,
    stdout: OutputPipe<PipeReader>,
    stderr: OutputPipe<PipeReader>,
    /// The buffer for one read.
    chunk: Vec<u8>,
    lines: LineBuffer,
    guard: Guard,
    sampler: Sampler,
    /// The thread that referees.
    thread: OwnThread,
    /// Its usage at the last sample; between exchanges a bot has nothing to do.
    used: Option<Sample>,
    /// The time that it has thought since then.
    unsampled: Duration,
    /// What it has computed while the referee sampled it, beyond what is free.
    thought: Thought,
    /// Whether its first exchange is over, which has its start in it.
    has_begun: bool,
    /// The time just before its start.
    spawned: Instant,
    /// This thread's place beside the bot, if the bot is pinned.
    referee_core: Option<RefereeCore>,
    /// Whether the keeper has reported that the first process has ended. Its next notice is its own end.
    is_told_of_end: bool,
    /// Whether the first process runs on while others answer.
    runs_on: bool,
    stderr_cap: usize,
    canceller: Option<Canceller>,
    /// The program that it talks to through the referee, if not to the referee itself.
    peer: Option<Box<dyn Peer>>,
    /// How many of the last waits for it or the bot were short.
    quick_waits: u8,
    /// Dropped after the bot has gone: fields are dropped in order.
    scratch: Option<Scratch>,
    _host: Host,
}

impl BotProcess {
    /// Starts a bot. At most `stderr_cap` bytes of its standard error are kept for each exchange;
    /// `canceller` ends an exchange early.
    ///
    /// # Errors
    /// When the command cannot be started or confined as asked, or the system lacks pipes or a
    /// pidfd (Linux 5.4).
    pub fn spawn(
        command: &BotCommand,
        stderr_cap: usize,
        canceller: Option<Canceller>,
    ) -> Result<Self, SpawnError> {
        let host = Host::hold();
        // Read before the fork: every page written to after it is copied.
        let memory_kills = memory_kills();
        let spawned = Instant::now();
        let Spawned { started, scratch, cgroup, referee_core } = command.spawn()?;
        let Started { keeper, stdin, stdout, stderr } = started;
        log::debug!("keeper {}: started {command:?}", keeper.pid.as_raw_pid());
        let resources =
            |source| SpawnError::Resources { program: command.program.clone().into(), source };
        let has_tree = command.confinement.sandbox.is_some() && keeper.is_namespace();
        let tree = has_tree.then_some(keeper.pid);
        Ok(Self {
            sampler: Sampler::new(keeper.pid),
            thread: OwnThread::default(),
            used: None,
            unsampled: Duration::ZERO,
            thought: Thought::default(),
            has_begun: false,
            spawned,
            keeper,
            stdin: InputPipe::new(stdin).map_err(resources)?,
            stdout: OutputPipe::new(stdout).map_err(resources)?,
            stderr: OutputPipe::new(stderr).map_err(resources)?,
            chunk: pipes::chunk(),
            lines: LineBuffer::default(),
            guard: Guard::new(command.confinement.resources, tree, cgroup, memory_kills),
            referee_core,
            is_told_of_end: false,
            runs_on: false,
            stderr_cap,
            canceller,
            peer: None,
            quick_waits: 0,
            scratch,
            _host: host,
        })
    }
}
