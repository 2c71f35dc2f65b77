//! Starts a bot beneath a keeper: the only module with `unsafe` code.
//!
//! # Theory of operation
//!
//! Between the referee and the bot stands a *keeper*, a fork of the referee that never runs another
//! program. It starts the bot, takes in the processes that the bot orphans, and does not go before
//! they do. When the bot ends, it notes how in a page of memory that it shares with the referee, and
//! closes a pipe, which tells the referee. The bot then stays a zombie, so that what it has used can
//! still be read. The keeper ends when the referee tells it to, by a signal, or dies, whatever kills
//! it: the kernel then sends the same signal. Where the referee has announced the end of the game, the
//! end of the bot is enough.
//!
//! In a pid namespace the keeper is the init, whose death makes the kernel kill all the others, and
//! the signal is SIGKILL. Elsewhere the signal is SIGTERM, upon which the keeper kills what it finds.
//! It is also the leader of a session without a terminal, so a bot has none to write to.
//!
//! # What may run where
//!
//! The referee may have threads, so its fork must not touch what another thread may have locked:
//! in [`keeper`] nothing allocates, prints or panics, and all that is needed has been made
//! ready in a [`Plan`]. The bot's own fork shares the keeper's memory (as `posix_spawn` does, to save
//! the copying of page tables) while the keeper stands still until the program has been executed.
#![expect(unsafe_code, reason = "raw processes: clone, and what may happen before exec")]

mod keeper;

use std::ffi::{CString, c_char, c_int, c_void};
use std::io::{self, PipeReader, PipeWriter, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd as _, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, Resource, Rlimit, Signal};
use rustix::thread::CpuSet;
use seccompiler::sock_filter;

use super::containment::Means;
use crate::verdict::BotExit;

/// Everything about a bot's process that is settled before it starts.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) program: CString,
    pub(super) argv: Vec<CString>,
    pub(super) envp: Vec<CString>,
    pub(super) cwd: Option<CString>,
    pub(super) means: Means,
    /// The cores that it and its keeper keep to, if they are chosen.
    pub(super) cores: Option<CpuSet>,
    pub(super) rlimits: Vec<(Resource, Rlimit)>,
    /// Whether it loses the privileges that the referee may have.
    pub(super) unprivileged: bool,
    /// A Landlock ruleset.
    pub(super) ruleset: Option<OwnedFd>,
    /// A seccomp program; empty is none.
    pub(super) filter: Vec<sock_filter>,
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
    /// Closed by the other side once the bot has ended.
    pub(super) notice: PipeReader,
    /// Readable once the keeper has ended.
    pub(super) pidfd: OwnedFd,
    /// Whether it has been told to end, and reaped.
    pub(super) ended: bool,
    means: Means,
    shared: SharedPage,
}

/// What a start was about when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Pipes,
    Clone,
    Cores,
    /// Giving the user its own number in the new namespace.
    Users,
    Fork,
    Directory,
    Limits,
    Privileges,
    Ruleset,
    Filter,
    Exec,
}

/// A start that failed.
#[derive(Debug, thiserror::Error)]
#[error("{step:?}: {error}")]
pub(super) struct LaunchError {
    pub(super) step: Step,
    pub(super) error: io::Error,
}

impl Step {
    const ALL: [Self; 11] = [
        Self::Pipes,
        Self::Clone,
        Self::Cores,
        Self::Users,
        Self::Fork,
        Self::Directory,
        Self::Limits,
        Self::Privileges,
        Self::Ruleset,
        Self::Filter,
        Self::Exec,
    ];

    fn failed(self, error: io::Error) -> LaunchError {
        LaunchError { step: self, error }
    }
}

impl Keeper {
    /// The signal that makes it end.
    pub(super) fn told(&self) -> Signal {
        if self.is_namespace() { Signal::KILL } else { Signal::TERM }
    }

    pub(super) fn is_namespace(&self) -> bool {
        self.means.is_namespace()
    }

    /// The bot's process number; in a namespace that is one of its own, so there is none.
    pub(super) fn bot(&self) -> Option<Pid> {
        let bot = self.shared.get().bot.load(Ordering::Acquire);
        Pid::from_raw(bot).filter(|_| !self.is_namespace())
    }

    /// How the bot ended, if it has ended by itself.
    pub(super) fn bot_exit(&self) -> Option<BotExit> {
        let exit = self.shared.get().exit.load(Ordering::Acquire);
        let number = exit & 0xFFFF;
        match exit >> 16 {
            EXITED => Some(BotExit::Code(number)),
            KILLED => Some(BotExit::Signal(number)),
            _ => None,
        }
    }

    /// Lets the keeper clear everything away by itself once the bot has ended.
    pub(super) fn announce_end(&self) {
        self.shared.get().is_over.store(1, Ordering::Release);
    }

    /// Processes that the keeper could not kill, or was not to kill: the first few, once it has ended.
    pub(super) fn survivors(&self) -> Vec<i32> {
        let survivors = self.shared.get().survivors.iter();
        survivors.map(|pid| pid.load(Ordering::Acquire)).filter(|&pid| pid > 0).collect()
    }
}

/// How many survivors a keeper names.
const NAMED: usize = 8;

const EXITED: i32 = 1;
const KILLED: i32 = 2;

/// What a keeper tells the referee.
#[derive(Debug, Default)]
struct Shared {
    /// 0 while the bot runs, then one of the above in the upper half and a number in the lower.
    exit: AtomicI32,
    /// The bot's process number, as the keeper knows it.
    bot: AtomicI32,
    survivors: [AtomicI32; NAMED],
    /// Not 0 once nothing is to be known about the bot any more but how it ended.
    is_over: AtomicI32,
}

/// A page that a fork shares instead of copying.
#[derive(Debug)]
struct SharedPage(ptr::NonNull<Shared>);

// SAFETY: the page holds atomics only, and belongs to this value until it is dropped.
unsafe impl Send for SharedPage {}
// SAFETY: as above.
unsafe impl Sync for SharedPage {}

impl SharedPage {
    fn new() -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing that exists.
        let page =
            unsafe { libc::mmap(ptr::null_mut(), size_of::<Shared>(), protection, flags, -1, 0) };
        let page = if page == libc::MAP_FAILED { ptr::null_mut() } else { page };
        // Zeroes, which a new mapping is full of, are a valid `Shared`.
        ptr::NonNull::new(page.cast()).map(Self).ok_or_else(io::Error::last_os_error)
    }

    fn get(&self) -> &Shared {
        // SAFETY: the mapping is as large and as aligned as a `Shared`, and lives as long as `self`.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for SharedPage {
    fn drop(&mut self) {
        // SAFETY: nobody can borrow from `self` any more; a keeper that still runs has its own mapping.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<Shared>()) };
    }
}

/// The pipes between the referee, the keeper and the bot. All of them close when a program is executed.
struct Pipes {
    stdin: (PipeReader, PipeWriter),
    stdout: (PipeReader, PipeWriter),
    stderr: (PipeReader, PipeWriter),
    /// What a start that fails is reported by.
    report: (PipeReader, PipeWriter),
    /// What the keeper closes when the bot has ended.
    notice: (PipeReader, PipeWriter),
}

impl Pipes {
    fn open() -> io::Result<Self> {
        Ok(Self {
            stdin: io::pipe()?,
            stdout: io::pipe()?,
            stderr: io::pipe()?,
            report: io::pipe()?,
            notice: io::pipe()?,
        })
    }
}

/// What the two forks need, as raw as they need it. It borrows from a [`Launch`].
struct Plan {
    program: *const c_char,
    argv: Vec<*const c_char>,
    envp: Vec<*const c_char>,
    cwd: *const c_char,
    means: Means,
    cores: Option<CpuSet>,
    rlimits: *const [(Resource, Rlimit)],
    unprivileged: bool,
    ruleset: RawFd,
    filter: libc::sock_fprog,
    /// The bot's ends.
    stdio: [RawFd; 3],
    report: RawFd,
    /// The referee's end of it.
    report_read: RawFd,
    notice: RawFd,
    /// Lines of the maps that give the user its own number.
    user: Vec<u8>,
    group: Vec<u8>,
    shared: *const Shared,
    bot_stack: *mut c_void,
}

impl Plan {
    fn new(launch: &Launch, pipes: &Pipes, shared: &SharedPage, bot_stack: &mut Stack) -> Self {
        let pointers = |words: &[CString]| {
            words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect()
        };
        let identity = |id: u32| format!("{id} {id} 1\n").into_bytes();
        Self {
            program: launch.program.as_ptr(),
            argv: pointers(&launch.argv),
            envp: pointers(&launch.envp),
            cwd: launch.cwd.as_ref().map_or(ptr::null(), |cwd| cwd.as_ptr()),
            means: launch.means,
            cores: launch.cores,
            rlimits: ptr::from_ref(launch.rlimits.as_slice()),
            unprivileged: launch.unprivileged,
            ruleset: launch.ruleset.as_ref().map_or(-1, AsRawFd::as_raw_fd),
            filter: libc::sock_fprog {
                len: u16::try_from(launch.filter.len()).expect("a filter is short"),
                filter: launch.filter.as_ptr().cast_mut().cast(),
            },
            stdio: [
                pipes.stdin.0.as_raw_fd(),
                pipes.stdout.1.as_raw_fd(),
                pipes.stderr.1.as_raw_fd(),
            ],
            report: pipes.report.1.as_raw_fd(),
            report_read: pipes.report.0.as_raw_fd(),
            notice: pipes.notice.1.as_raw_fd(),
            user: identity(rustix::process::geteuid().as_raw()),
            group: identity(rustix::process::getegid().as_raw()),
            shared: shared.0.as_ptr(),
            bot_stack: top_of(bot_stack),
        }
    }
}

/// The stack of a fork.
type Stack = [MaybeUninit<u8>];

/// Its size in bytes. It runs a few small functions.
const STACK: usize = 64 * 1024;

/// Starts a bot. When this returns, its program has been executed.
pub(super) fn launch(launch: &Launch) -> Result<Started, LaunchError> {
    fork(launch, keeper::keeper)
}

/// Tries whether this host lets a keeper have a namespace of its own.
pub(super) fn try_namespace(means: Means) -> Result<(), LaunchError> {
    let nothing = Launch {
        program: CString::default(),
        argv: Vec::new(),
        envp: Vec::new(),
        cwd: None,
        means,
        cores: None,
        rlimits: Vec::new(),
        unprivileged: false,
        ruleset: None,
        filter: Vec::new(),
    };
    fork(&nothing, keeper::trial).map(drop)
}

/// Forks, and waits until the fork reports a failure or has none to report any more.
fn fork(launch: &Launch, run: Run) -> Result<Started, LaunchError> {
    let failed = |error| Step::Pipes.failed(error);
    let pipes = Pipes::open().map_err(failed)?;
    let shared = SharedPage::new().map_err(failed)?;
    // Not cleared: that would touch all of their pages, of which the forks need one or two.
    let new_stack = || Box::new_uninit_slice(STACK);
    let (mut stack, mut bot_stack) = (new_stack(), new_stack());
    let plan = Plan::new(launch, &pipes, &shared, &mut bot_stack);
    let (pid, pidfd) =
        clone_keeper(run, &plan, &mut stack).map_err(|error| Step::Clone.failed(error))?;
    let Pipes { stdin, stdout, stderr, mut report, notice } = pipes;
    // These belong to the forks now. Nothing would ever end while the referee held on to them.
    drop((stdin.0, stdout.1, stderr.1, report.1, notice.1));
    let keeper = Keeper { pid, notice: notice.0, pidfd, ended: false, means: launch.means, shared };
    let mut failure = Vec::new();
    report.0.read_to_end(&mut failure).map_err(failed)?;
    match failure.split_first() {
        None => Ok(Started { keeper, stdin: stdin.1, stdout: stdout.0, stderr: stderr.0 }),
        Some((&step, errno)) => {
            let step = Step::ALL.get(usize::from(step)).copied().unwrap_or(Step::Fork);
            let errno = errno.try_into().map_or(0, i32::from_ne_bytes);
            Err(step.failed(io::Error::from_raw_os_error(errno)))
        }
    }
}

/// The version of Landlock that the kernel has; 0 is none.
pub(super) fn landlock_version() -> u32 {
    const ASK_VERSION: u32 = 1;
    // SAFETY: with this flag the kernel reads no attributes, and makes nothing.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0, ASK_VERSION)
    };
    u32::try_from(version).unwrap_or(0)
}

/// Whether the kernel has seccomp filters: then it misses the one that is not there.
pub(super) fn takes_filters() -> bool {
    // SAFETY: the kernel reads a filter from no address, and puts on none.
    let set = unsafe {
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, ptr::null::<c_void>())
    };
    set != 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
}

/// What a fork does.
type Run = extern "C" fn(*mut c_void) -> c_int;

/// The highest address of a stack, as aligned as the machine asks for.
fn top_of(stack: &mut Stack) -> *mut c_void {
    let end = stack.as_mut_ptr_range().end;
    end.wrapping_sub(end.addr() % 16).cast()
}

/// Sees to it that a keeper that ends stays until it has been waited for.
///
/// A parent may have left SIGCHLD ignored, which survives exec and makes the kernel reap children by
/// itself: then nobody can tell how they ended.
fn keep_children() {
    // SAFETY: an action is plain data; nothing but the one for this signal changes, and only from
    // ignoring it to the default.
    unsafe {
        let mut now = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        libc::sigaction(libc::SIGCHLD, ptr::null(), &raw mut now);
        if now.sa_sigaction == libc::SIG_IGN || now.sa_flags & libc::SA_NOCLDWAIT != 0 {
            let default = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            libc::sigaction(libc::SIGCHLD, &raw const default, ptr::null_mut());
        }
    }
}

/// Forks. Every signal is blocked meanwhile and stays so in the fork, since the referee's handlers
/// must not run there.
fn clone_keeper(run: Run, plan: &Plan, stack: &mut Stack) -> io::Result<(Pid, OwnedFd)> {
    keep_children();
    let flags = libc::CLONE_PIDFD | libc::SIGCHLD | plan.means.clone_flags();
    let mut pidfd: c_int = -1;
    let plan = ptr::from_ref(plan).cast_mut().cast();
    let mut mask = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `all` and `mask` are valid for writing. Without CLONE_VM the fork gets a copy of the
    // stack and of the plan, so that they may end here; `run` keeps to what is allowed after a fork.
    let pid = unsafe {
        let mut all = MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), mask.as_mut_ptr());
        let pid = libc::clone(run, top_of(stack), flags, plan, &raw mut pidfd);
        let error = *libc::__errno_location();
        libc::pthread_sigmask(libc::SIG_SETMASK, mask.as_ptr(), ptr::null_mut());
        *libc::__errno_location() = error;
        pid
    };
    let Some(pid) = Pid::from_raw(pid.max(0)) else { return Err(io::Error::last_os_error()) };
    // SAFETY: the kernel has just made this descriptor for us.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(pidfd) }))
}
