//! A running program, and why an exchange with it could not be refereed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::decide::tuning::TUNING;
use crate::drive::guard::{Guard, HostMemory};
use crate::drive::meter::Meter;
use crate::drive::pipes::{Captured, DRAIN_CHUNKS, Link, Pipes, ReadOutcome, Ready, Source};
use crate::drive::table::{Bystander, TableWatch};
use crate::observe::{self, Root};
use crate::scratch::Scratch;
use crate::spawn::command::{BotCommand, Spawned};
use crate::spawn::error::SpawnError;
use crate::spawn::host::Host;
use crate::spawn::running::{Leftovers, RunningProgram};
use crate::sys::{self, BesideBot, Interest, Waitable, memory_kills, narrow};
use terms::bounds::PIPE_PART;
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
    pub(crate) fn end_all(&mut self, known: Vec<i32>) -> Leftovers {
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

    /// Has it watched while others at this table are asked.
    pub fn join(&mut self, table: &TableWatch) {
        table.watch(self.bystander());
    }

    fn bystander(&mut self) -> Arc<Bystander> {
        let (root, running) = (self.root, &self.running);
        let limits = self.guard.limits();
        let new = || Arc::new(Bystander::new(root, running.leash(), limits));
        Arc::clone(self.bystander.get_or_insert_with(new))
    }

    /// Lets it finish what it does after its reply, for this time at most, then stops all its processes until the next
    /// exchange, or its end. It has finished when none of its threads has run in two samples in a row. What it computes in this time
    /// counts in no exchange. Returns how long it ran on.
    pub fn pause(&mut self, at_most: Duration) -> Duration {
        let begun = Instant::now();
        // Samples of a program that holds up the referee end with it.
        self.running.set_deadline(begun.checked_add(at_most));
        let mut nap = TUNING.bystander.first_nap;
        let mut last = self.meter.sampler.sample();
        let ran_on = loop {
            let sample = self.meter.sampler.sample();
            let has_run = sample.threads != last.threads || observe::can_run(&sample);
            let ran_on = begun.elapsed();
            last = sample;
            if !has_run || ran_on >= at_most {
                break ran_on;
            }
            thread::sleep(nap.min(at_most.saturating_sub(ran_on)));
            nap = TUNING.bystander.longest_nap.min(2 * nap);
        };
        self.bystander().stop(&last);
        self.running.set_deadline(None);
        self.meter.set_used(last);
        ran_on
    }

    /// Lets it run while others are asked.
    pub fn ponder(&mut self) {
        self.bystander().ponder();
    }

    /// Has it run as it likes. What it has exceeded in the meantime ends its next exchange.
    pub(crate) fn resume(&mut self) {
        if let Some(bystander) = &self.bystander {
            self.guard.exceeded_while_idle(bystander.resume());
        }
    }

    /// Gives the bot's pipes their part of the connection, unless they are fuller than that now.
    pub(crate) fn narrow_pipes(&mut self) {
        let Some(link) = self.link.as_mut().filter(|link| link.has_wide_pipes) else { return };
        let pipes = [self.pipes.stdin.waitable(), self.pipes.stdout.waitable()];
        let mut are_narrow = pipes.into_iter().flatten().map(|pipe| narrow(pipe, PIPE_PART));
        link.has_wide_pipes = !are_narrow.all(|is_narrow| is_narrow);
    }

    /// The bytes of standard output for which there is room now: without a peer, all.
    pub(crate) fn room(&self) -> usize {
        self.link.as_ref().map_or(usize::MAX, |link| link.peer.room())
    }

    /// Reads no further than the limits on output, so that the bytes read of a flood do not depend on how
    /// it arrives, and nothing for which there is no room.
    pub(crate) fn read_stdout(&mut self) -> io::Result<ReadOutcome> {
        match self.room() {
            0 => Ok(ReadOutcome::Nothing),
            room => self.read_stdout_at_most(room),
        }
    }

    fn read_stdout_at_most(&mut self, room: usize) -> io::Result<ReadOutcome> {
        let Self { pipes, guard, link, .. } = self;
        let limit = guard.output_left().min(room);
        let got = pipes.stdout.read_at_most(limit, &mut pipes.chunk, |chunk| {
            guard.count_output(chunk.len() as u64);
            pipes.lines.push(chunk);
            if let Some(link) = link {
                link.peer.on_output(chunk);
            }
        })?;
        // Now there may be less in it.
        self.narrow_pipes();
        Ok(got)
    }

    /// Reads all that a program which has ended has left in its pipe, within a bound.
    pub(crate) fn drain_stdout(&mut self) -> io::Result<()> {
        for _ in 0..DRAIN_CHUNKS {
            if self.read_stdout_at_most(usize::MAX)? != ReadOutcome::Bytes
                || self.guard.check_output().is_some()
            {
                break;
            }
        }
        Ok(())
    }

    /// Reads all standard error that is there, within a bound.
    pub(crate) fn read_stderr(&mut self, stderr: &mut Captured) -> io::Result<()> {
        self.read_stderr_chunks(stderr, DRAIN_CHUNKS)
    }

    /// Reads some standard error.
    pub(crate) fn read_some_stderr(&mut self, stderr: &mut Captured) -> io::Result<()> {
        self.read_stderr_chunks(stderr, 1)
    }

    fn read_stderr_chunks(&mut self, stderr: &mut Captured, chunks: usize) -> io::Result<()> {
        let Self { pipes, guard, .. } = self;
        let keep = |chunk: &[u8]| guard.keep_stderr(stderr, chunk, pipes.stderr_cap);
        pipes.stderr.drain(chunks, &mut pipes.chunk, keep)
    }

    /// Waits until something is ready or `until` has come.
    pub(crate) fn wait(&self, until: Option<Instant>) -> io::Result<Ready> {
        self.wait_beside(until, None)
    }

    /// As [`wait`](Self::wait), or until something else is ready.
    pub(crate) fn wait_beside(
        &self,
        until: Option<Instant>,
        beside: Option<Waitable<'_>>,
    ) -> io::Result<Ready> {
        let canceller = self.alarm.as_deref().map(sys::waitable_file);
        let stdout = self.pipes.stdout.waitable().filter(|_| self.room() > 0);
        let watched = [
            (Source::Stdin, self.pipes.stdin.waitable_if_pending(), Interest::Writing),
            (Source::Stdout, stdout, Interest::Reading),
            (Source::Stderr, self.pipes.stderr.waitable(), Interest::Reading),
            (Source::End, self.running.notice(), Interest::Reading),
            (Source::Canceller, canceller, Interest::Reading),
            (Source::Beside, beside, Interest::Reading),
        ];
        let open = watched.into_iter().filter_map(|(source, it, what)| Some((source, it?, what)));
        sys::ready(open, until).map(Ready)
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
