//! Starts a bot beneath a keeper.
//!
//! # Theory of operation
//!
//! The *launcher* is a fork of the referee with one thread, from before the first bot. It forks all keepers, at
//! [orders](mod@order) that come through a socket, and ends when that closes. Because no other thread can have left
//! anything locked, its forks are as free as any process; because it is small, they are quick. A keeper begins once the
//! launcher has mapped the users of its namespace, and has told the referee of it.
//!
//! A *keeper* stands between the referee and one bot. It never executes another program. It starts the bot, adopts
//! the processes that the bot orphans, and does not end before they do. A socket, the *channel*, joins it to the
//! referee:
//!
//! * Through it come the [messages](report) that the bot has started or why not, how the bot has ended, and which
//!   processes could not be killed. The ended bot stays a zombie, so that its usage can still be read.
//! * It is the referee's hold on the keeper's life. When the referee shuts it down, or dies, the keeper kills the
//!   bot's processes and ends. A byte in it announces the end of the game: then the keeper does so as soon as the bot
//!   ends.
//!
//! In a namespace the keeper is the init of a pid namespace, whose death makes the kernel kill all the others;
//! there the referee kills it with SIGKILL, and so does the kernel when the launcher dies. It is also the leader of a
//! session without a terminal, so a bot has no terminal to write to.
//!
//! Whether the host grants a namespace, a keeper without a bot tries. It then waits in the channel for the order of the first
//! bot, and where many bots start, another one for each bot after that ([`spare`]).
//!
//! The launcher also holds the [deadline]: it ends a bot whose referee stands still beyond it. All `unsafe` code is in
//! [`raw`].

mod bot;
mod deadline;
mod keeper;
mod launcher;
mod mounts;
mod namespace;
pub(super) mod numbers;
mod order;
mod raw;
mod report;
mod spare;
mod users;
mod wire;

use std::ffi::{CString, c_int};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit};
use seccompiler::sock_filter;

pub(super) use self::bot::WRITTEN_BEFORE_START;
use self::deadline::HeldDeadline;
use self::launcher::Launcher;
pub(super) use self::launcher::{end_launcher, launcher_pid, start_launcher};
pub(super) use self::mounts::{MountStep, Tree};
use self::namespace::MountNamespace;
use self::order::Ends;
pub(crate) use self::raw::Handlers;
pub(super) use self::raw::{
    Strings, has_seccomp_filters, landlock_allow, landlock_ruleset, landlock_version, process_cpu,
};
use self::report::{KeeperReport, MOST_MESSAGES, Message};
pub(super) use self::report::{LaunchError, Step};
pub(super) use self::spare::end_spares;
pub(super) use self::users::has_nobody;
use super::Host;
use super::method::ContainmentMethod;
use terms::verdict::BotExit;

/// The user, and group, that owns no files.
const NOBODY: u32 = 65534;

/// The privileges of the referee that a bot keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Privileges {
    All,
    /// Only the privilege to read others' files.
    ReadAll,
    None,
    /// None; the bot runs as another user.
    Nobody,
}

impl Privileges {
    const ALL: [Self; 4] = [Self::All, Self::ReadAll, Self::None, Self::Nobody];
}

/// A limit of the kernel on each of a bot's processes.
#[derive(Debug, Clone, Copy)]
pub(super) struct KernelLimit {
    /// Its place in [`LIMITED`].
    resource: usize,
    soft: Option<u64>,
    hard: Option<u64>,
}

/// The resources that the kernel limits.
const LIMITED: [Resource; 4] = [Resource::Core, Resource::Nofile, Resource::Cpu, Resource::Fsize];

impl KernelLimit {
    /// A limit on one of [`LIMITED`].
    pub(super) fn new(resource: Resource, soft: Option<u64>, hard: Option<u64>) -> Option<Self> {
        let resource = LIMITED.iter().position(|limited| *limited == resource)?;
        Some(Self { resource, soft, hard })
    }

    fn of_kernel(self) -> (Resource, Rlimit) {
        (LIMITED[self.resource], Rlimit { current: self.soft, maximum: self.hard })
    }
}

/// Everything about a bot's process that is decided before it starts.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) program: CString,
    pub(super) argv: Strings,
    pub(super) envp: Strings,
    pub(super) cwd: Option<CString>,
    pub(super) method: ContainmentMethod,
    pub(super) limits: Vec<KernelLimit>,
    /// How many processes it may have at one time.
    pub(super) processes: Option<u64>,
    pub(super) privileges: Privileges,
    /// The bot's own file system, if it does not see the host's; only in a namespace.
    pub(super) tree: Option<Tree>,
    /// A seccomp program; empty means no filter.
    pub(super) filter: Vec<sock_filter>,
    /// Whether the keeper only tries what may fail, and then waits for another order.
    pub(super) is_trial: bool,
    /// A Landlock ruleset.
    pub(super) ruleset: Option<OwnedFd>,
    /// The control group to start in.
    pub(super) cgroup: Option<OwnedFd>,
}

impl Launch {
    /// A launch of `program`, with nothing decided yet.
    pub(super) fn new(program: CString, method: ContainmentMethod) -> Self {
        Self {
            program,
            argv: Strings::default(),
            envp: Strings::default(),
            cwd: None,
            method,
            limits: Vec::new(),
            processes: None,
            privileges: Privileges::All,
            tree: None,
            filter: Vec::new(),
            is_trial: false,
            ruleset: None,
            cgroup: None,
        }
    }

    /// A launch without a program, to probe the host.
    fn trial(method: ContainmentMethod) -> Self {
        Self { is_trial: true, ..Self::new(CString::default(), method) }
    }

    /// The namespaces of its keeper, as flags of clone(2).
    fn namespaces(&self) -> c_int {
        const ALL: c_int =
            libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
        match (self.method.is_namespace(), &self.tree) {
            (false, _) => 0,
            (true, None) => ALL,
            // A sandbox shows nothing of the host's network.
            (true, Some(_)) => ALL | libc::CLONE_NEWNET,
        }
    }
}

/// A keeper, and the referee's ends of the bot's pipes.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) keeper: Keeper,
    pub(super) stdin: PipeWriter,
    pub(super) stdout: PipeReader,
    pub(super) stderr: PipeReader,
}

/// The process above a bot.
#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) pid: Pid,
    /// Readable when the bot or the keeper has ended; shutting it down tells the keeper to end.
    pub(super) channel: UnixStream,
    /// Readable once the keeper has ended.
    pub(super) pidfd: OwnedFd,
    /// Whether the keeper was told to end.
    pub(super) ended: bool,
    /// Until when the launcher lets the bot live.
    pub(super) deadline: HeldDeadline,
    launcher: Arc<Launcher>,
    method: ContainmentMethod,
    heard: KeeperReport,
    /// The bot's mount namespace, unless it has a file system of its own in there, whose memory must be free again
    /// when the bot has ended.
    pub(super) mounts: Option<MountNamespace>,
}

impl Keeper {
    pub(super) fn is_namespace(&self) -> bool {
        self.method.is_namespace()
    }

    /// The bot's process number; `None` in a namespace, which has its own numbers.
    pub(super) fn bot(&self) -> Option<Pid> {
        self.heard.bot.filter(|_| !self.is_namespace())
    }

    /// How the bot ended, if it has ended by itself.
    pub(super) fn bot_exit(&mut self) -> Option<BotExit> {
        self.listen();
        self.heard.exit
    }

    /// Processes that the keeper could not or should not kill: the first few, and the number of the rest.
    pub(super) fn survivors(&mut self) -> (&[i32], usize) {
        self.listen();
        (&self.heard.survivors, self.heard.more_survivors)
    }

    /// Whether the keeper, which has ended, did all its work; in a namespace the kernel does it.
    pub(super) fn has_cleared(&mut self) -> bool {
        self.listen();
        self.heard.is_cleared || self.is_namespace()
    }

    /// Whether the launcher has died, and with it all keepers in namespaces.
    pub(super) fn has_lost_launcher(&self) -> bool {
        self.launcher.has_ended()
    }

    /// Lets the keeper kill everything by itself once the bot has ended.
    pub(super) fn announce_end(&self) {
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
    fn await_start(&mut self) -> Result<bool, LaunchError> {
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

/// Starts a bot. When this returns, its program has been executed.
pub(super) fn launch(launch: &Launch) -> Result<Started, LaunchError> {
    let by_spare = spare::take(launch).map(|spare| spare.start(launch)).transpose()?.flatten();
    let mut started = if let Some(started) = by_spare {
        started
    } else {
        let started = begin(launch)?;
        spare::prepare(launch);
        started
    };
    let keeper = &mut started.keeper;
    rustix::io::ioctl_fionbio(&keeper.channel, true).map_err(|error| Step::Pipes.failed(error))?;
    if launch.method.is_namespace() && launch.tree.is_none() {
        keeper.mounts = Some(MountNamespace::open(keeper.pid));
    }
    Ok(started)
}

/// Has a new keeper start a bot, or try what may fail.
fn begin(launch: &Launch) -> Result<Started, LaunchError> {
    let forked = || order(launch)?.map_or(Ok(None), Ordered::forked);
    // A launcher that was killed has left nothing, and the next one is as good.
    let started = match forked()? {
        None => forked()?,
        started => started,
    };
    let mut started = started.ok_or_else(|| Step::Clone.failed(Errno::CONNRESET))?;
    // A keeper that was killed has taken the bot with it.
    started.keeper.await_start()?;
    Ok(started)
}

/// The referee's ends of what joins it to a bot and its keeper.
#[derive(Debug)]
struct OwnEnds {
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
struct Ordered {
    own: OwnEnds,
    launcher: Arc<Launcher>,
    deadline: HeldDeadline,
    method: ContainmentMethod,
}

/// Asks the launcher for a keeper; `None` if it was killed before that.
fn order(launch: &Launch) -> Result<Option<Ordered>, LaunchError> {
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
    fn forked(self) -> Result<Option<Started>, LaunchError> {
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
        Ok(Some(Started { keeper, stdin, stdout, stderr }))
    }
}

/// Tries whether this host grants a keeper its own namespace. The keeper waits for the first bot.
pub(super) fn try_namespace() -> Result<(), LaunchError> {
    let _host = Host::hold();
    begin(&Launch::trial(ContainmentMethod::Namespace)).map(spare::put)
}

/// Tries whether this host grants a keeper a namespace with this tree in it.
pub(super) fn try_tree(tree: Tree) -> Result<(), LaunchError> {
    let _host = Host::hold();
    begin(&Launch { tree: Some(tree), ..Launch::trial(ContainmentMethod::Namespace) }).map(drop)
}

/// Tries whether a keeper can start in this control group.
pub(super) fn try_cgroup(cgroup: OwnedFd) -> io::Result<()> {
    let trial = Launch { cgroup: Some(cgroup), ..Launch::trial(ContainmentMethod::Group) };
    begin(&trial).map(drop).map_err(|failure| failure.error)
}
