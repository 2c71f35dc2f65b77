//! A running program, and why an exchange with it could not be refereed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::guard::{Guard, HostMemory};
use super::link::Link;
use super::meter::Meter;
use super::pin::BesideBot;
use super::pipes::Pipes;
use super::start::Beginning;
use crate::decide::tuning::TUNING;
use crate::observe::root::Root;
use crate::observe::walk;
use crate::scratch::folder::Scratch;
use crate::spawn::command::{BotCommand, Spawned};
use crate::spawn::ending::Left;
use crate::spawn::error::SpawnError;
use crate::spawn::host::Host;
use crate::spawn::running::{Running, Started};
use crate::sys::cgroup::host::memory_kills;
use terms::fault::{AtFault, Attributed};
use terms::peer::Peer;

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
    pub(crate) running: Running,
    /// Where its processes are found.
    pub(crate) root: Root,
    pub(crate) pipes: Pipes,
    pub(crate) guard: Guard,
    pub(crate) meter: Meter,
    pub(crate) first: FirstProcess,
    pub(crate) alarm: Option<Arc<File>>,
    /// The program that it talks to through the referee, if not to the referee itself.
    pub(crate) link: Option<Link>,
    /// Whether exchanges are recorded.
    pub(crate) is_traced: bool,
    /// Dropped after the bot has gone: fields are dropped in order.
    pub(crate) scratch: Option<Scratch>,
    pub(crate) host: Host,
    /// The place of the thread that has started it, if it has cores of its own.
    _beside: Option<BesideBot>,
}

/// What is known of the bot's first process.
#[derive(Debug, Default)]
pub(crate) struct FirstProcess {
    /// Whether its end was reported. The next notice of a keeper is its own end.
    pub(crate) is_end_reported: bool,
    /// Whether it runs on while others answer.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "other systems do not tell which process answers")
    )]
    pub(crate) runs_on: bool,
}

impl BotProcess {
    /// Starts a bot. At most `stderr_cap` bytes of its standard error are kept for each exchange;
    /// `alarm` ends an exchange early, once it is readable: a [canceller's](crate::cancel::Canceller::alarm), or none.
    ///
    /// # Errors
    /// When the command cannot be started or confined as asked, or the system lacks pipes or a
    /// pidfd (Linux 5.4).
    pub fn spawn(
        command: &BotCommand,
        stderr_cap: usize,
        alarm: Option<Arc<File>>,
    ) -> Result<Self, SpawnError> {
        let host = Host::hold();
        // Read before the fork: every page written to after it is copied.
        let memory_kills = memory_kills();
        let spawned = Instant::now();
        let pinned = |source| SpawnError::Confinement { what: "pinning it", source };
        let beside = command.pinning.as_ref().map(BesideBot::join).transpose().map_err(pinned)?;
        let beginning = Beginning::of(command.confinement.method);
        let Spawned { started, scratch, cgroup } = command.spawn()?;
        let Started { running, stdin, stdout, stderr } = started;
        let root = beginning.root(&running);
        log::debug!("process {}: started {command:?}", root.pid());
        let resources =
            |source| SpawnError::Resources { program: command.program.clone().into(), source };
        let tree = beginning.tree(command, &running);
        Ok(Self {
            meter: Meter::new(root, spawned),
            pipes: Pipes::new(stdin, stdout, stderr, stderr_cap).map_err(resources)?,
            running,
            root,
            guard: Guard::new(command.confinement.resources, tree, cgroup, memory_kills),
            first: FirstProcess::default(),
            alarm,
            link: None,
            is_traced: false,
            scratch,
            host,
            _beside: beside,
        })
    }

    /// Has the bot talk to `peer` through the referee: each exchange that lasts until the end of the output now lasts
    /// until the peer reports that the reply is over.
    pub fn talk_to(&mut self, peer: Box<dyn Peer>) {
        self.link = Some(Link::new(peer));
        self.narrow_pipes();
    }

    /// Its processes by now, if without a keeper only the referee can name those that leave the group. Once the first one has
    /// ended, the others are not below it any more.
    pub(crate) fn below(&mut self) -> Vec<i32> {
        if self.running.adopts_orphans() || self.running.exit().is_some() {
            return Vec::new();
        }
        walk::pids(self.root, Instant::now() + TUNING.sampling.walk)
    }

    /// Ends all processes of the bot, of which these were `known`.
    pub(crate) fn end_all(&mut self, known: Vec<i32>) -> Left {
        let below: BTreeSet<i32> = known.into_iter().chain(self.below()).collect();
        let left = self.running.end(&below);
        self.host.note_survivors(&left);
        left
    }

    /// Stops all its processes until the next exchange, or its end: in the meantime it computes nothing, and takes no core from
    /// others. Without a keeper those that have left its process group run on. A bot can arrange to be continued, such as by a
    /// timer: what it then computes counts in its next exchange, and [in total](Self::paused_cpu).
    ///
    /// # Errors
    /// When its keeper stalls, which may be the host's fault.
    pub fn pause(&mut self) -> io::Result<()> {
        self.running.stop()?;
        self.meter.pause();
        Ok(())
    }

    /// The CPU time that its processes have used since they were [paused](Self::pause), or since this was called last; none if it is
    /// at most 10 ms a core (20 ms on other systems than Linux).
    pub fn take_paused_cpu(&mut self) -> Duration {
        self.meter.note_paused()
    }

    /// The CPU time that its processes have used so far while they were [paused](Self::pause), beyond 10 ms a core each time
    /// (20 ms on other systems than Linux).
    pub fn paused_cpu(&mut self) -> Duration {
        self.meter.note_paused();
        self.meter.while_paused
    }

    /// Samples its use of resources if that is due, while it runs between exchanges, and pauses it beyond a limit, which
    /// ends its next exchange. Returns when to call this again, if that is of use.
    ///
    /// # Errors
    /// When its keeper stalls, which may be the host's fault.
    pub fn watch_idle(&mut self) -> io::Result<Option<Instant>> {
        if self.meter.is_paused() {
            return Ok(None);
        }
        if self.guard.sample_idle(self.root).is_some() {
            self.pause()?;
            return Ok(None);
        }
        Ok(Some(self.guard.next()))
    }

    /// Continues its processes, if they are paused.
    ///
    /// # Errors
    /// When its keeper stalls, which may be the host's fault.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        if self.meter.is_paused() {
            self.meter.resume();
            self.running.resume()?;
        }
        Ok(())
    }

    /// The CPU time that its processes have used since its last exchange, which then does not count for the next one: `None` before
    /// the first exchange. The time of a reply that came within a fraction of a millisecond is part of it.
    pub fn take_idle_cpu(&mut self) -> Option<Duration> {
        self.meter.take_idle_cpu()
    }

    /// Has each [exchange](Self::exchange) recorded from now on.
    pub fn trace(&mut self) {
        self.is_traced = true;
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        self.end_all(Vec::new());
    }
}

/// Why an exchange could not be refereed; no action of a bot causes these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// Its canceller ended it; the bot had written this to its standard error by then.
    #[error("cancelled")]
    Cancelled(Vec<u8>),
    /// The host had no memory left for the bot.
    #[error(transparent)]
    HostMemory(#[from] HostMemory),
    /// The process that had started the bot was killed, which ends its bots.
    #[error("the process that starts the bots (`bot-launcher`) was killed, and the bot with it")]
    LauncherKilled,
    /// A system call failed.
    #[error("the referee cannot watch the bot")]
    Io(#[from] io::Error),
}

impl Attributed for ExchangeError {
    fn at_fault(&self) -> AtFault {
        match self {
            Self::HostMemory(_) | Self::LauncherKilled => AtFault::Host,
            Self::Cancelled(_) | Self::Io(_) => AtFault::Referee,
        }
    }
}
