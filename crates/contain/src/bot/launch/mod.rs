//! Starts a bot beneath a keeper: the only module with `unsafe` code, all of it in [`raw`].
//!
//! # Theory of operation
//!
//! Between the referee and the bot stands a *keeper*, a fork of the referee that never executes another
//! program. It starts the bot, adopts the processes that the bot orphans, and does not end before
//! they do. Two pipes join it to the referee:
//!
//! * Through the *report* it says that the bot has started or why not, how the bot has ended, and which
//!   processes it could not kill. The ended bot stays a zombie, so that its usage can still be read.
//! * The *control* is the referee's hold on the keeper's life. When the referee closes it, or dies, which
//!   closes it as well, the keeper kills the bot's processes and ends. A byte in it announces the end of the
//!   game: then the keeper does so as soon as the bot ends.
//!
//! A keeper begins by closing every descriptor that is not its own, so that no keeper holds another's
//! pipes open. It opens everything that it will need before the bot starts.
//!
//! In a namespace the keeper is the init of a pid namespace, whose death makes the kernel kill all the others;
//! there the referee kills it with SIGKILL. It is also the leader of a session without a terminal, so a bot has
//! no terminal to write to.
//!
//! # What may run where
//!
//! The referee may have threads, so its fork must not touch anything that another thread may have locked: in
//! [`keeper`], [`bot`] and [`mounts`] nothing allocates, prints or panics, and everything needed is ready in a
//! [`ForkPlan`]. The bot's own fork shares the keeper's memory (as `posix_spawn` does, to save the copying of page
//! tables) while the keeper stands still until the program has been executed.

mod bot;
mod keeper;
mod mounts;
mod namespace;
mod raw;
mod report;
mod users;

use std::ffi::{CStr, CString, c_int};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit};
use seccompiler::sock_filter;

pub(super) use self::bot::WRITTEN_BEFORE_START;
pub(super) use self::mounts::{MountStep, Tree};
use self::namespace::MountNamespace;
pub(super) use self::raw::{Strings, has_seccomp_filters, landlock_version, process_cpu};
use self::report::{KeeperReport, MOST_MESSAGES, Message};
pub(super) use self::report::{LaunchError, Step};
pub(super) use self::users::has_nobody;
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

/// Everything about a bot's process that is decided before it starts.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) program: CString,
    pub(super) argv: Strings,
    pub(super) envp: Strings,
    pub(super) cwd: Option<CString>,
    pub(super) method: ContainmentMethod,
    pub(super) rlimits: Vec<(Resource, Rlimit)>,
    pub(super) privileges: Privileges,
    /// The bot's own file system, if it does not see the host's; only in a namespace.
    pub(super) tree: Option<Tree>,
    /// A Landlock ruleset.
    pub(super) ruleset: Option<OwnedFd>,
    /// A seccomp program; empty means no filter.
    pub(super) filter: Vec<sock_filter>,
    /// The control group to start in.
    pub(super) cgroup: Option<OwnedFd>,
}

impl Launch {
    /// A launch without a program, to probe the host.
    fn of_nothing(method: ContainmentMethod) -> Self {
        Self {
            program: CString::default(),
            argv: Strings::new(&[]),
            envp: Strings::new(&[]),
            cwd: None,
            method,
            rlimits: Vec::new(),
            privileges: Privileges::All,
            tree: None,
            ruleset: None,
            filter: Vec::new(),
            cgroup: None,
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
    /// The report pipe. Once the bot has started, it is readable when the bot or the keeper has ended.
    pub(super) notice: PipeReader,
    /// Readable once the keeper has ended.
    pub(super) pidfd: OwnedFd,
    /// Whether the keeper was told to end, and was reaped.
    pub(super) ended: bool,
    /// Closing it tells the keeper to end.
    pub(super) control: Option<PipeWriter>,
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

    /// Lets the keeper kill everything by itself once the bot has ended.
    pub(super) fn announce_end(&self) {
        self.send_byte();
    }

    /// Sends a byte, whose meaning depends on when it comes. A keeper that has ended needs none.
    fn send_byte(&self) {
        let _ = self.control.as_ref().map(|control| rustix::io::write(control, &[1]));
    }

    /// Reads the keeper's messages.
    fn listen(&mut self) {
        while self.heard.messages < MOST_MESSAGES
            && let Some(message) = Message::receive(&self.notice)
        {
            self.heard.record(message);
        }
    }

    /// Maps the users of the keeper's namespace, and lets the keeper continue.
    fn map_users(&self) -> io::Result<()> {
        users::map(self.pid)?;
        self.send_byte();
        Ok(())
    }

    /// Waits until the keeper reports that the bot has started, or a failure.
    fn await_start(&mut self) -> Result<(), LaunchError> {
        match Message::receive(&self.notice) {
            Some(Message::Failed(step, errno)) => {
                return Err(step.failed(io::Error::from_raw_os_error(errno)));
            }
            Some(message) => self.heard.record(message),
            // The keeper was killed, and the bot with it.
            None => {}
        }
        rustix::io::ioctl_fionbio(&self.notice, true).map_err(|error| Step::Pipes.failed(error))
    }
}

/// The pipes between the referee, the keeper and the bot. All of them close when a program is executed.
struct Pipes {
    stdin: (PipeReader, PipeWriter),
    stdout: (PipeReader, PipeWriter),
    stderr: (PipeReader, PipeWriter),
    report: (PipeReader, PipeWriter),
    control: (PipeReader, PipeWriter),
}

impl Pipes {
    fn open() -> io::Result<Self> {
        Ok(Self {
            stdin: io::pipe()?,
            stdout: io::pipe()?,
            stderr: io::pipe()?,
            report: io::pipe()?,
            control: io::pipe()?,
        })
    }
}

/// Everything that the two forks need, ready to use.
struct ForkPlan<'a> {
    program: &'a CStr,
    argv: &'a Strings,
    envp: &'a Strings,
    cwd: Option<&'a CStr>,
    method: ContainmentMethod,
    rlimits: &'a [(Resource, Rlimit)],
    privileges: Privileges,
    tree: Option<&'a Tree>,
    ruleset: Option<BorrowedFd<'a>>,
    filter: &'a [sock_filter],
    /// The bot's ends.
    stdio: [BorrowedFd<'a>; 3],
    /// The keeper's ends.
    report: BorrowedFd<'a>,
    control: BorrowedFd<'a>,
    /// All of these descriptors, in order.
    kept: Vec<RawFd>,
}

impl<'a> ForkPlan<'a> {
    fn new(launch: &'a Launch, pipes: &'a Pipes) -> Self {
        let stdio = [pipes.stdin.0.as_fd(), pipes.stdout.1.as_fd(), pipes.stderr.1.as_fd()];
        let (report, control) = (pipes.report.1.as_fd(), pipes.control.0.as_fd());
        let ruleset = launch.ruleset.as_ref().map(|ruleset| ruleset.as_fd());
        let all = stdio.into_iter().chain([report, control]).chain(ruleset);
        let mut kept: Vec<RawFd> = all.map(|fd| fd.as_raw_fd()).collect();
        kept.sort_unstable();
        Self {
            program: &launch.program,
            argv: &launch.argv,
            envp: &launch.envp,
            cwd: launch.cwd.as_deref(),
            method: launch.method,
            rlimits: &launch.rlimits,
            privileges: launch.privileges,
            tree: launch.tree.as_ref(),
            ruleset,
            filter: &launch.filter,
            stdio,
            report,
            control,
            kept,
        }
    }

    /// The result of a step; a failure is reported.
    fn check<T>(&self, step: Step, result: Result<T, Errno>) -> Option<T> {
        result
            .inspect_err(|errno| Message::Failed(step, errno.raw_os_error()).send(self.report))
            .ok()
    }
}

/// Starts a bot. When this returns, its program has been executed.
pub(super) fn launch(launch: &Launch) -> Result<Started, LaunchError> {
    fork(launch, keeper::keeper)
}

/// Tries whether this host grants a keeper its own namespace, with this tree in it.
pub(super) fn try_namespace(tree: Option<Tree>) -> Result<(), LaunchError> {
    let launch = Launch { tree, ..Launch::of_nothing(ContainmentMethod::Namespace) };
    fork(&launch, keeper::trial).map(drop)
}

/// Tries whether a keeper can start in this control group.
pub(super) fn try_cgroup(cgroup: OwnedFd) -> io::Result<()> {
    let nothing = Launch::of_nothing(ContainmentMethod::Group);
    let launch = Launch { cgroup: Some(cgroup), ..nothing };
    fork(&launch, keeper::trial).map(drop).map_err(|failure| failure.error)
}

const NAMESPACES: c_int =
    libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;

/// Forks, and waits until the fork reports that the bot has started, or a failure.
fn fork(launch: &Launch, run: impl FnOnce(&ForkPlan<'_>) -> c_int) -> Result<Started, LaunchError> {
    let pipes = Pipes::open().map_err(|error| Step::Pipes.failed(error))?;
    let plan = ForkPlan::new(launch, &pipes);
    let flags = if launch.method.is_namespace() { NAMESPACES } else { 0 };
    let cgroup = launch.cgroup.as_ref().map(|group| group.as_fd());
    let (pid, pidfd) =
        raw::fork(flags, cgroup, || run(&plan)).map_err(|error| Step::Clone.failed(error))?;
    drop(plan);
    let Pipes { stdin, stdout, stderr, report, control } = pipes;
    // The forks own these now. If the referee held them open too, no pipe would ever reach EOF.
    drop((stdin.0, stdout.1, stderr.1, report.1, control.0));
    let mut keeper = Keeper {
        pid,
        notice: report.0,
        pidfd,
        ended: false,
        control: Some(control.1),
        method: launch.method,
        heard: KeeperReport::default(),
        mounts: None,
    };
    if launch.method.is_namespace() {
        keeper.map_users().map_err(|error| Step::Users.failed(error))?;
    }
    keeper.await_start()?;
    if launch.method.is_namespace() && launch.tree.is_none() {
        keeper.mounts = Some(MountNamespace::open(pid));
    }
    Ok(Started { keeper, stdin: stdin.1, stdout: stdout.0, stderr: stderr.0 })
}
