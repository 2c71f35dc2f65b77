//! The referee's hold on a keeper.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::process::Pid;

use super::launcher::{self, Launcher};
use super::namespace::MountNamespace;
use super::order::Ends;
use super::plan::Launch;
use super::report::{self, KeeperReport, LaunchError, MOST_MESSAGES, Message, Step};
use super::watchdog::Watched;
use crate::confine::method::ContainmentMethod;
use terms::verdict::BotExit;

/// A keeper, and the referee's ends of the bot's pipes.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) keeper: Keeper,
    pub(crate) stdin: PipeWriter,
    pub(crate) stdout: PipeReader,
    pub(crate) stderr: PipeReader,
}

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
    /// What is readable when the bot or the keeper has ended.
    pub(crate) fn notice(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }

    pub(crate) fn is_namespace(&self) -> bool {
        self.method.is_namespace()
    }

    /// The bot's process number; `None` in a namespace, which has its own numbers.
    pub(crate) fn bot(&self) -> Option<Pid> {
        self.heard.bot.filter(|_| !self.is_namespace())
    }

    /// How the bot ended, if it has ended by itself.
    pub(crate) fn bot_exit(&mut self) -> Option<BotExit> {
        self.listen();
        self.heard.exit
    }

    /// Whether the keeper, which has ended, did all its work; in a namespace the kernel does it.
    pub(crate) fn has_cleared(&mut self) -> bool {
        self.listen();
        self.heard.is_cleared || self.is_namespace()
    }

    /// Whether the launcher has died, and with it all keepers in namespaces.
    pub(crate) fn has_lost_launcher(&self) -> bool {
        self.launcher.has_ended()
    }

    /// Lets the keeper kill everything by itself once the bot has ended.
    pub(crate) fn announce_end(&self) {
        report::announce_end(&self.channel);
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
}

/// Has the launcher fork a keeper; `None` if it was killed before that.
pub(crate) fn fork(launch: &Launch) -> Result<Option<Kept>, LaunchError> {
    let pipes = || io::Result::Ok((io::pipe()?, io::pipe()?, io::pipe()?, UnixStream::pair()?));
    let opened = pipes().map_err(|error| Step::Pipes.failed(error))?;
    let (stdin, stdout, stderr, (channel, theirs)) = opened;
    let ends = Ends {
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
        sent => sent.map_err(|error| Step::Clone.failed(error))?,
    };
    let (pid, pidfd) = match Message::receive_with(&channel) {
        Some((Message::Launched(pid), Some(pidfd))) => (pid, Arc::new(pidfd)),
        Some((Message::Failed(step, errno), _)) => {
            return Err(step.failed(io::Error::from_raw_os_error(errno)));
        }
        _ => return Ok(None),
    };
    let keeper = Keeper {
        pid: Pid::from_raw(pid).ok_or_else(|| Step::Clone.failed(Errno::SRCH))?,
        channel,
        watched: Watched::new(Arc::clone(&pidfd)),
        pidfd,
        ended: false,
        launcher,
        method: launch.method,
        heard: KeeperReport::default(),
        mounts: None,
    };
    Ok(Some(Kept { keeper, stdin: stdin.1, stdout: stdout.0, stderr: stderr.0 }))
}
