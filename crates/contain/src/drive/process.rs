//! A running program, and why an exchange with it could not be refereed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::decide::tuning::TUNING;
use crate::drive::guard::{Guard, HostMemory};
use crate::drive::link::Link;
use crate::drive::meter::Meter;
use crate::drive::pipes::Pipes;
use crate::drive::table::Bystander;
use crate::observe::{self, Root};
use crate::scratch::Scratch;
use crate::spawn::command::{BotCommand, Spawned};
use crate::spawn::error::SpawnError;
use crate::spawn::host::Host;
use crate::spawn::running::{Left, RunningProgram};
use crate::sys::BesideBot;
use crate::sys::memory_kills;
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
    pub(crate) running: Box<dyn RunningProgram>,
    /// Where its processes are found.
    pub(crate) root: Root,
    pub(crate) pipes: Pipes,
    pub(crate) guard: Guard,
    pub(crate) meter: Meter,
    /// Whether the end of its first process was reported. The next notice of a keeper is its own end.
    pub(crate) is_end_reported: bool,
    pub(crate) alarm: Option<Arc<File>>,
    /// Its place at a table of several.
    pub(crate) bystander: Option<Arc<Bystander>>,
    /// The program that it talks to through the referee, if not to the referee itself.
    pub(crate) link: Option<Link>,
    /// Whether exchanges are recorded.
    pub(crate) is_traced: bool,
    /// Dropped after the bot has gone: fields are dropped in order.
    pub(crate) scratch: Option<Scratch>,
    _host: Host,
    /// The place of the thread that has started it, if it has cores of its own.
    _beside: Option<BesideBot>,
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
        let beside = command
            .pinning
            .as_ref()
            .map(|pinning| BesideBot::join(&pinning.cores))
            .transpose()
            .map_err(pinned)?;
        let Spawned { running, pipes, scratch, group } = command.spawn()?;
        let root = running.root();
        log::debug!("process {}: started {command:?}", root.pid());
        let resources = |source| SpawnError::resources(&command.program, source);
        Ok(Self {
            meter: Meter::new(root, spawned),
            pipes: Pipes::new(pipes, stderr_cap).map_err(resources)?,
            running,
            root,
            guard: Guard::new(command.confinement.resources, group, memory_kills),
            is_end_reported: false,
            alarm,
            bystander: None,
            link: None,
            is_traced: false,
            scratch,
            _host: host,
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
        observe::pids(self.root, Instant::now() + TUNING.sampling.walk)
    }

    /// Ends all processes of the bot, of which these were `known`.
    pub(crate) fn end_all(&mut self, known: Vec<i32>) -> Left {
        let below: BTreeSet<i32> = known.into_iter().chain(self.below()).collect();
        self.running.end(&below)
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
        // Nobody is to signal its processes once they are gone.
        self.resume();
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
