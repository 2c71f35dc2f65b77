//! The referee's hold on a keeper.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::process::Pid;

use super::deadline::HeldDeadline;
use super::launcher::{self, Launcher};
use super::namespace::MountNamespace;
use super::order::{self, Ends};
use super::plan::Launch;
use super::report::{KeeperReport, LaunchError, MOST_MESSAGES, Message, Step};
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
    pub(crate) pidfd: OwnedFd,
    /// Whether the keeper was told to end.
    pub(crate) ended: bool,
    /// Until when the launcher lets the bot live.
    pub(crate) deadline: HeldDeadline,
    launcher: Arc<Launcher>,
    method: ContainmentMethod,
    heard: KeeperReport,
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

    /// Processes that the keeper could not or should not kill: the first few, and the number of the rest.
    pub(crate) fn survivors(&mut self) -> (&[i32], usize) {
        self.listen();
        (&self.heard.survivors, self.heard.more_survivors)
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
        // A keeper that has ended needs no byte.
        let _ = order::send_all(&self.channel, &[1], &[]);
    }

    /// Reads the keeper's messages.
    fn listen(&mut self) {
        while self.heard.messages < MOST_MESSAGES
            && let Some(message) = Message::receive(&self.channel)
        {
            self.heard.record(message);
        }
    }

    /// Waits until the keeper reports that the bot has started, or a failure. Returns whether it did either: a keeper that
    /// was killed does not.
    pub(crate) fn await_start(&mut self) -> Result<bool, LaunchError> {
        match Message::receive(&self.channel) {
            Some(Message::Failed(step, errno)) => {
                Err(step.failed(io::Error::from_raw_os_error(errno)))
            }
            Some(message) => {
                self.heard.record(message);
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// The referee's ends of what joins it to a bot and its keeper.
#[derive(Debug)]
pub(crate) struct OwnEnds {
    stdin: PipeWriter,
    stdout: PipeReader,
    stderr: PipeReader,
    channel: UnixStream,
}

/// Opens what joins the referee to a bot and its keeper: all of it closes when a program is executed.
fn open_ends() -> io::Result<(OwnEnds, Ends)> {
    let (stdin, stdout, stderr) = (io::pipe()?, io::pipe()?, io::pipe()?);
    let (own, channel) = UnixStream::pair()?;
    let (theirs_in, theirs_out, theirs_err) = (stdin.0.into(), stdout.1.into(), stderr.1.into());
    let theirs = Ends { stdin: theirs_in, stdout: theirs_out, stderr: theirs_err, channel };
    let (stdin, stdout, stderr) = (stdin.1, stdout.0, stderr.0);
    Ok((OwnEnds { stdin, stdout, stderr, channel: own }, theirs))
}

/// A keeper that the launcher was asked for.
#[derive(Debug)]
pub(crate) struct Ordered {
    own: OwnEnds,
    pub(crate) launcher: Arc<Launcher>,
    deadline: HeldDeadline,
    method: ContainmentMethod,
}

/// Asks the launcher for a keeper; `None` if it was killed before that.
pub(crate) fn order(launch: &Launch) -> Result<Option<Ordered>, LaunchError> {
    let (own, theirs) = open_ends().map_err(|error| Step::Pipes.failed(error))?;
    let sent = launcher::send(launch, &theirs);
    // The keeper has these now. If the referee held them open too, no pipe would ever reach EOF.
    drop(theirs);
    match sent {
        Ok((launcher, deadline)) => {
            Ok(Some(Ordered { own, launcher, deadline, method: launch.method }))
        }
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
        Err(error) => Err(Step::Clone.failed(error)),
    }
}

impl Ordered {
    /// The keeper once it was forked; `None` if the launcher was killed before that.
    pub(crate) fn forked(self) -> Result<Option<Kept>, LaunchError> {
        let Self { own: OwnEnds { stdin, stdout, stderr, channel }, launcher, deadline, method } =
            self;
        let (pid, pidfd) = match Message::receive_with(&channel) {
            Some((Message::Launched(pid), Some(pidfd))) => (pid, pidfd),
            Some((Message::Failed(step, errno), _)) => {
                return Err(step.failed(io::Error::from_raw_os_error(errno)));
            }
            _ => return Ok(None),
        };
        let keeper = Keeper {
            pid: Pid::from_raw(pid).ok_or_else(|| Step::Clone.failed(Errno::SRCH))?,
            channel,
            pidfd,
            ended: false,
            deadline,
            launcher,
            method,
            heard: KeeperReport::default(),
            mounts: None,
        };
        Ok(Some(Kept { keeper, stdin, stdout, stderr }))
    }
}
