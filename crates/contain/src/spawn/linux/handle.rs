//! The referee's hold on a keeper, its end with all processes of its bot, and the mount namespace that it leaves.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Instant;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, pidfd_send_signal};

use crate::confine::ContainmentMethod;
use crate::decide::tuning::TUNING;
use crate::observe::Root;
use crate::scratch::drop_later;
use crate::spawn::Leash;
use crate::spawn::linux::launcher::Launcher;
use crate::spawn::linux::order::{ChildEnds, Launch};
use crate::spawn::linux::report::{KeeperReport, LaunchError, MOST_MESSAGES, Message, StartStep};
use crate::spawn::linux::watchdog::Watched;
use crate::spawn::linux::{launcher, report};
use crate::spawn::running::{ChildPipes, Leftovers, RunningProgram};
use crate::sys::proc::{children, numbers_until, parent};
use crate::sys::{Waitable, is_ready_within};
use terms::verdict::BotExit;

/// The process above a bot.
#[derive(Debug)]
pub(crate) struct Keeper {
    pub(crate) pid: Pid,
    /// Readable when the bot or the keeper has ended; shutting it down tells the keeper to end.
    pub(crate) channel: UnixStream,
    /// Readable once the keeper has ended.
    pub(crate) pidfd: Arc<OwnedFd>,
    /// Whether the keeper was told to end.
    pub(crate) ended: bool,
    /// Ends the bot where the referee is held up.
    pub(crate) watched: Arc<Watched>,
    launcher: Arc<Launcher>,
    method: ContainmentMethod,
    pub(super) heard: KeeperReport,
    /// The bot's mount namespace, unless it has a file system of its own in there, whose memory must be free again
    /// when the bot has ended.
    pub(crate) mounts: Option<MountNamespace>,
}

impl Keeper {
    pub(crate) fn is_namespace(&self) -> bool {
        self.method.is_namespace()
    }

    /// The bot's process number; `None` in a namespace, which has its own numbers.
    pub(crate) fn bot(&self) -> Option<Pid> {
        self.heard.bot.filter(|_| !self.is_namespace())
    }

    /// Whether the keeper, which has ended, did all its work; in a namespace the kernel does it.
    pub(crate) fn has_cleared(&mut self) -> bool {
        self.listen();
        self.heard.is_cleared || self.is_namespace()
    }

    /// Reads the keeper's messages.
    fn listen(&mut self) {
        while self.heard.messages < MOST_MESSAGES
            && let Some(message) = Message::receive(&self.channel)
        {
            self.heard.record(message);
        }
    }

    /// Waits until the keeper reports that the bot has started, or a failure. A keeper that was killed reports neither, and has
    /// taken the bot with it.
    pub(crate) fn await_start(&mut self) -> Result<(), LaunchError> {
        match Message::receive(&self.channel) {
            Some(Message::Failed(step, errno)) => {
                Err(step.failed(io::Error::from_raw_os_error(errno)))
            }
            Some(message) => {
                self.heard.record(message);
                if let Some(bot) = self.bot() {
                    self.watched.with_group(bot);
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Waits for the keeper's end. In a namespace a bot can take its keeper's priority, so that it does not get a core to die on
    /// before the bot's processes are gone.
    fn ends_in_time(&self) -> bool {
        let until = Instant::now() + TUNING.ending.reap_limit;
        while !is_ready_within(self.pidfd.as_fd(), TUNING.ending.exit_notice) {
            if Instant::now() >= until {
                return false;
            }
            if self.is_namespace() {
                kill_below(self.pid, until);
            }
        }
        true
    }

    /// Kills the bot's process group after its keeper was killed, which killed the bot itself
    /// too.
    fn kill_group(&self) {
        if let Some(bot) = self.bot() {
            let _ = kill_process_group(bot, Signal::KILL);
        }
    }
}

impl RunningProgram for Keeper {
    fn root(&self) -> Root {
        Root::Keeper(self.pid)
    }

    fn leash(&self) -> Leash {
        Leash { group: self.bot() }
    }

    /// Readable when the bot or the keeper has ended.
    fn notice(&self) -> Option<Waitable<'_>> {
        Some(self.channel.as_fd())
    }

    fn exit(&mut self) -> Option<BotExit> {
        self.listen();
        self.heard.exit
    }

    fn adopts_orphans(&self) -> bool {
        true
    }

    fn has_lost_launcher(&self) -> bool {
        self.launcher.has_ended()
    }

    fn set_deadline(&self, until: Option<Instant>) {
        self.watched.set_deadline(until);
    }

    fn is_overdue(&self) -> bool {
        self.watched.was_killed()
    }

    fn announce_end(&self) {
        report::announce_end(&self.channel);
    }

    /// Has the keeper end with all the bot's processes, without waiting for it. In a namespace the kernel ends them,
    /// whatever the bot did to its keeper.
    fn begin_end(&self) {
        // Both fail only on a keeper that has ended.
        let _ = self.channel.shutdown(Shutdown::Write);
        if self.is_namespace() {
            let _ = pidfd_send_signal(self.pidfd.as_fd(), Signal::KILL);
        }
    }

    /// Ends all the bot's processes, and the keeper itself.
    fn end(&mut self, _below: &BTreeSet<i32>) -> Leftovers {
        if std::mem::replace(&mut self.ended, true) {
            return Leftovers::default();
        }
        self.begin_end();
        if !self.ends_in_time() {
            let pid = self.pid.as_raw_pid();
            let limit = TUNING.ending.reap_limit;
            log::warn!("the bot has not died within {limit:?} (its keeper is process {pid})");
            let _ = pidfd_send_signal(self.pidfd.as_fd(), Signal::KILL);
            self.kill_group();
            return Leftovers::Dying;
        }
        if !self.has_cleared() {
            self.kill_group();
            return Leftovers::Unknown;
        }
        drop(self.mounts.take());
        Leftovers::Survivors(self.heard.survivors)
    }
}

/// Has the launcher fork a keeper; `None` if it was killed before that.
pub(crate) fn fork(launch: &Launch) -> Result<Option<(Keeper, ChildPipes)>, LaunchError> {
    let pipes = || io::Result::Ok((io::pipe()?, io::pipe()?, io::pipe()?, UnixStream::pair()?));
    let opened = pipes().map_err(|error| StartStep::Pipes.failed(error))?;
    let (stdin, stdout, stderr, (channel, theirs)) = opened;
    let ends = ChildEnds {
        stdin: stdin.0.into(),
        stdout: stdout.1.into(),
        stderr: stderr.1.into(),
        channel: theirs,
    };
    let sent = launcher::send(launch, &ends);
    // The keeper has these now. If the referee held them open too, no pipe would ever reach EOF.
    drop(ends);
    let launcher = match sent {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(None),
        sent => sent.map_err(|error| StartStep::Clone.failed(error))?,
    };
    let (pid, pidfd) = match Message::receive_with(&channel) {
        Some((Message::Launched(pid), Some(pidfd))) => (pid, Arc::new(pidfd)),
        Some((Message::Failed(step, errno), _)) => {
            return Err(step.failed(io::Error::from_raw_os_error(errno)));
        }
        _ => return Ok(None),
    };
    let keeper = Keeper {
        pid: Pid::from_raw(pid).ok_or_else(|| StartStep::Clone.failed(Errno::SRCH))?,
        channel,
        watched: Watched::new(Arc::clone(&pidfd)),
        pidfd,
        ended: false,
        launcher,
        method: launch.method,
        heard: KeeperReport::default(),
        mounts: None,
    };
    Ok(Some((keeper, ChildPipes { stdin: stdin.1, stdout: stdout.0, stderr: stderr.0 })))
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.end(&BTreeSet::new());
    }
}

/// Kills all processes below a keeper.
fn kill_below(keeper: Pid, until: Instant) {
    let keeper = keeper.as_raw_pid();
    let mut parents = vec![keeper];
    while let Some(above) = parents.pop() {
        for thread in numbers_until(&format!("/proc/{above}/task"), until) {
            for child in children(above, thread) {
                let Some(pid) = Pid::from_raw(child) else { continue };
                let Ok(found) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
                // The number may be another process's by now.
                if parent(child).is_some_and(|parent| [above, keeper].contains(&parent)) {
                    let _ = pidfd_send_signal(found, Signal::KILL);
                    parents.push(child);
                }
            }
        }
    }
}

/// A mount namespace that outlives its processes, until this is dropped.
///
/// The last process to leave a mount namespace waits until the kernel has removed it, which takes a large share of a
/// short game's time. That should not be the keeper, since the referee waits for the keeper's end.
#[derive(Debug)]
pub(crate) struct MountNamespace(Option<OwnedFd>);

impl MountNamespace {
    pub(crate) fn open(process: Pid) -> Self {
        let file = File::open(format!("/proc/{}/ns/mnt", process.as_raw_pid()));
        // Without this file the end of the game only takes longer.
        Self(file.ok().map(Into::into))
    }
}

impl Drop for MountNamespace {
    fn drop(&mut self) {
        if let Some(namespace) = self.0.take() {
            drop_later(namespace);
        }
    }
}
