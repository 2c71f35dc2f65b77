//! Starts a bot beneath a keeper: the only module with `unsafe` code.
//!
//! # Theory of operation
//!
//! Between the referee and the bot stands a *keeper*, a fork of the referee that never runs another
//! program. It starts the bot, takes in the processes that the bot orphans, and does not go before
//! they do. When the bot ends, it notes how in a page of memory that it shares with the referee, and
//! closes a pipe, which tells the referee. The bot then stays a zombie, so that what it has used can
//! still be read. The keeper ends when the referee tells it to, by a signal, or dies: the kernel then
//! sends the same signal. Where the referee has announced the end of the game, the end of the bot is
//! enough.
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
//!
//! With [`Means::Group`], the lightest, the keeper itself shares the referee's memory, as long as it
//! lives: copying page tables, and taking them down again, would cost more than all else that it does.
//! It has a stack of its own, but not the rest of what makes a thread: what libc keeps for each thread
//! is that of the thread that forked, which runs on. So the keeper calls the kernel past libc. (That
//! takes glibc 2.25, of 2017, or later: until then `clone` itself wrote a number in there.)
//!
//! The stronger means do not do this. A bot in a namespace may trace its init, and would write to the
//! referee through it. And where memory runs out, or before Linux 5.16 where the referee dumps core, the
//! kernel kills all who share the memory: then a bot dies, but not the rest of its group, which a keeper
//! with memory of its own would clear away.
#![expect(unsafe_code, reason = "raw processes: clone, and what may happen before exec")]

mod ground;
mod keeper;

use std::ffi::{CString, c_char, c_int, c_void};
use std::fs;
use std::io::{self, PipeReader, PipeWriter};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd as _, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::Ordering;

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, kill_process, waitpid};
use rustix::thread::sched_setaffinity;
use seccompiler::sock_filter;

use self::ground::{EXITED, Ground, KILLED, Shared};
use super::containment::Means;
use super::pin::Cores;
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
    pub(super) cores: Option<Cores>,
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
    ground: Ground,
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
        let bot = self.ground.shared().bot.load(Ordering::Acquire);
        Pid::from_raw(bot).filter(|_| !self.is_namespace())
    }

    /// How the bot ended, if it has ended by itself.
    pub(super) fn bot_exit(&self) -> Option<BotExit> {
        let exit = self.ground.shared().exit.load(Ordering::Acquire);
        let number = exit & 0xFFFF;
        match exit >> 16 {
            EXITED => Some(BotExit::Code(number)),
            KILLED => Some(BotExit::Signal(number)),
            _ => None,
        }
    }

    /// Lets the keeper clear everything away by itself once the bot has ended.
    pub(super) fn announce_end(&self) {
        self.ground.shared().is_over.store(1, Ordering::Release);
    }

    /// Should memory run out, the bot goes rather than the referee. Elsewhere a bot says so of itself
    /// before it executes its program; while it shares the referee's memory, and if its keeper is killed
    /// then, the kernel takes that for the referee's word as well.
    fn offer_bot(&self) {
        if let Some(bot) = self.bot().filter(|_| self.means.shares_memory()) {
            // It may have ended.
            let _ = fs::write(format!("/proc/{}/oom_score_adj", bot.as_raw_pid()), OOM_SCORE_ADJ);
        }
    }

    /// Takes note that the keeper has ended.
    pub(super) fn note_end(&mut self) {
        self.ground.is_free = true;
    }

    /// Processes that the keeper could not kill, or was not to kill: the first few, once it has ended.
    pub(super) fn survivors(&self) -> Vec<i32> {
        let survivors = self.ground.shared().survivors.iter();
        survivors.map(|pid| pid.load(Ordering::Acquire)).filter(|&pid| pid > 0).collect()
    }
}

/// What a bot adds to its badness, in thousandths of all memory; see proc(5).
const OOM_SCORE_ADJ: &str = "500";

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
    cores: Option<Cores>,
    rlimits: *const [(Resource, Rlimit)],
    unprivileged: bool,
    ruleset: RawFd,
    filter: libc::sock_fprog,
    /// The bot's ends.
    stdio: [RawFd; 3],
    report: RawFd,
    notice: RawFd,
    /// Lines of the maps that give the user its own number.
    user: Vec<u8>,
    group: Vec<u8>,
    shared: *const Shared,
    bot_stack: *mut c_void,
}

impl Plan {
    fn new(launch: &Launch, pipes: &Pipes, ground: &Ground) -> Self {
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
            notice: pipes.notice.1.as_raw_fd(),
            user: identity(rustix::process::geteuid().as_raw()),
            group: identity(rustix::process::getegid().as_raw()),
            shared: ground.shared(),
            bot_stack: ground.bot_stack(),
        }
    }
}

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
    let mut ground = Ground::new(launch.means).map_err(failed)?;
    let plan = Plan::new(launch, &pipes, &ground);
    let (pid, pidfd) = clone_keeper(run, &plan, &ground).map_err(|error| {
        ground.is_free = true;
        Step::Clone.failed(error)
    })?;
    let Pipes { stdin, stdout, stderr, report, notice } = pipes;
    // These belong to the forks now. Nothing would ever end while the referee held on to them.
    drop((stdin.0, stdout.1, stderr.1, report.1, notice.1));
    let keeper = Keeper { pid, notice: notice.0, pidfd, ended: false, means: launch.means, ground };
    let report = read_report(&report.0);
    // Neither fork holds on to the report any more, so neither needs the plan.
    drop(plan);
    keeper.offer_bot();
    if let Some(cores) = &launch.cores {
        // It sleeps, or is about to, and costs the bot nothing. Only a keeper that has ended refuses.
        let _ = sched_setaffinity(Some(pid), &cores.bot);
    }
    match report {
        None => Ok(Started { keeper, stdin: stdin.1, stdout: stdout.0, stderr: stderr.0 }),
        Some(failure) => Err(failure),
    }
}

/// Reads until both forks have let go of their end, and returns what has failed, if anything has.
///
/// While this reads, `errno` may be in use by a fork.
fn read_report(report: &PipeReader) -> Option<LaunchError> {
    // Longer than a report, so that there is always room to read on to the end.
    let mut buffer = [0; 16];
    let mut length = 0;
    loop {
        match rustix::io::read(report, &mut buffer[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            // A signal; a pipe has no other error.
            Err(_) => {}
        }
    }
    let (&step, errno) = buffer[..length].split_first()?;
    let step = Step::ALL.get(usize::from(step)).copied().unwrap_or(Step::Fork);
    let errno = errno.try_into().map_or(0, i32::from_ne_bytes);
    Some(step.failed(io::Error::from_raw_os_error(errno)))
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
fn clone_keeper(run: Run, plan: &Plan, ground: &Ground) -> io::Result<(Pid, OwnedFd)> {
    keep_children();
    let flags = libc::CLONE_PIDFD | libc::SIGCHLD | plan.means.clone_flags();
    let mut pidfd: c_int = -1;
    let plan = ptr::from_ref(plan).cast_mut().cast();
    let mut mask = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `all` and `mask` are valid for writing. The plan and the stack last as long as the fork
    // uses them, or it has copies; `run` keeps to what is allowed after a fork.
    let pid = unsafe {
        let mut all = MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), mask.as_mut_ptr());
        let stack = ground.stack();
        let pid = libc::clone(run, stack, flags, plan, &raw mut pidfd);
        let pid = Pid::from_raw(pid.max(0)).ok_or_else(io::Error::last_os_error);
        libc::pthread_sigmask(libc::SIG_SETMASK, mask.as_ptr(), ptr::null_mut());
        pid?
    };
    if pidfd < 0 {
        // An emulator that does not know of it.
        let _ = kill_process(pid, Signal::KILL);
        let _ = waitpid(Some(pid), WaitOptions::empty());
        return Err(Errno::NOSYS.into());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(pidfd) }))
}

#[cfg(test)]
mod tests {
    use syscalls::{Sysno, syscall};

    #[test]
    fn calls_past_libc_leave_its_errno_alone() {
        // SAFETY: it is this thread's own, and there is no such descriptor.
        let left = unsafe {
            *libc::__errno_location() = 0;
            assert!(rustix::process::chdir(c"/no/such/folder").is_err());
            assert!(syscall!(Sysno::close, -1_i32).is_err());
            *libc::__errno_location()
        };
        assert_eq!(
            left, 0,
            "rustix is built to call libc, which a keeper in shared memory must not"
        );
    }
}
