//! Starts a bot beneath a keeper: the only module with `unsafe` code.
//!
//! # Theory of operation
//!
//! Between the referee and the bot stands a *keeper*, a fork of the referee that never runs another
//! program. It starts the bot, takes in the processes that the bot orphans, and does not go before
//! they do. When the bot ends, it notes how in a page of memory that it shares with the referee, and
//! closes a pipe, which tells the referee. The bot then stays a zombie, so that what it has used can
//! still be read. The keeper ends when the referee tells it to, by a signal, or dies, whatever kills
//! it: the kernel then sends the same signal.
//!
//! In a pid namespace the keeper is the init, whose death makes the kernel kill all the others, and
//! the signal is SIGKILL. Elsewhere the signal is SIGTERM, upon which the keeper kills what it finds.
//! It is also the leader of a session without a terminal, so a bot has none to write to.
//!
//! # What may run where
//!
//! The referee may have threads, so its fork must not touch what another thread may have locked:
//! from [`keeper`] on nothing allocates, prints or panics, and all that is needed has been made
//! ready in a [`Plan`]. The bot's own fork shares the keeper's memory (as `posix_spawn` does, to save
//! the copying of page tables) while the keeper stands still until the program has been executed.
#![expect(unsafe_code, reason = "raw processes: clone, and what may happen before exec")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::{self, PipeReader, PipeWriter, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::pid_t;
use rustix::process::{Pid, Resource, Rlimit, Signal, setrlimit};
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
    pub(super) rlimits: Vec<(Resource, Rlimit)>,
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
    /// Giving the user its own number in the new namespace.
    Users,
    Fork,
    Directory,
    Limits,
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
    const ALL: [Self; 9] = [
        Self::Pipes,
        Self::Clone,
        Self::Users,
        Self::Fork,
        Self::Directory,
        Self::Limits,
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

/// What the two forks need, as raw as they need it. It borrows from a [`Launch`].
struct Plan {
    program: *const c_char,
    argv: Vec<*const c_char>,
    envp: Vec<*const c_char>,
    cwd: *const c_char,
    means: Means,
    rlimits: *const [(Resource, Rlimit)],
    ruleset: RawFd,
    filter: libc::sock_fprog,
    stdio: [RawFd; 3],
    /// Where a failed start is reported; executing the program closes it.
    report: RawFd,
    /// The referee's end of it.
    report_read: RawFd,
    /// What the keeper closes when the bot has ended.
    notice: RawFd,
    user: Vec<u8>,
    group: Vec<u8>,
    shared: *const Shared,
    bot_stack: *mut c_void,
}

/// The stack of a fork. It runs a few small functions.
const STACK: usize = 64 * 1024;

/// Starts a bot. When this returns, its program has been executed.
pub(super) fn launch(launch: &Launch) -> Result<Started, LaunchError> {
    let pipes = |error| Step::Pipes.failed(error);
    let (stdin_read, stdin) = io::pipe().map_err(pipes)?;
    let (stdout, stdout_write) = io::pipe().map_err(pipes)?;
    let (stderr, stderr_write) = io::pipe().map_err(pipes)?;
    let (mut report_read, report) = io::pipe().map_err(pipes)?;
    let (notice, notice_write) = io::pipe().map_err(pipes)?;
    let shared = SharedPage::new().map_err(pipes)?;
    let mut stacks = vec![0_u8; 2 * STACK];
    let pointers = |words: &[CString]| {
        words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect::<Vec<_>>()
    };
    let plan = Plan {
        program: launch.program.as_ptr(),
        argv: pointers(&launch.argv),
        envp: pointers(&launch.envp),
        cwd: launch.cwd.as_ref().map_or(ptr::null(), |cwd| cwd.as_ptr()),
        means: launch.means,
        rlimits: ptr::from_ref(launch.rlimits.as_slice()),
        ruleset: launch.ruleset.as_ref().map_or(-1, |ruleset| ruleset.as_fd().as_raw_fd()),
        filter: libc::sock_fprog {
            len: u16::try_from(launch.filter.len()).expect("a filter is short"),
            filter: launch.filter.as_ptr().cast_mut().cast(),
        },
        stdio: [stdin_read.as_raw_fd(), stdout_write.as_raw_fd(), stderr_write.as_raw_fd()],
        report: report.as_raw_fd(),
        report_read: report_read.as_raw_fd(),
        notice: notice_write.as_raw_fd(),
        user: identity(rustix::process::geteuid().as_raw()),
        group: identity(rustix::process::getegid().as_raw()),
        shared: shared.0.as_ptr(),
        bot_stack: top_of(&mut stacks[..STACK]),
    };
    let (pid, pidfd) = clone_keeper(keeper, &plan, &mut stacks[STACK..])
        .map_err(|error| Step::Clone.failed(error))?;
    let started = Started {
        keeper: Keeper { pid, notice, pidfd, ended: false, means: launch.means, shared },
        stdin,
        stdout,
        stderr,
    };
    drop((stdin_read, stdout_write, stderr_write, report, notice_write));
    let mut failure = Vec::new();
    report_read.read_to_end(&mut failure).map_err(pipes)?;
    match failure.as_slice() {
        [] => Ok(started),
        [step, errno @ ..] => {
            let errno = errno.try_into().map_or(0, i32::from_ne_bytes);
            let step = Step::ALL.get(usize::from(*step)).copied().unwrap_or(Step::Fork);
            Err(step.failed(io::Error::from_raw_os_error(errno)))
        }
    }
}

/// Tries whether this host lets a keeper have a namespace of its own.
pub(super) fn try_namespace(means: Means) -> Result<(), LaunchError> {
    let pipes = |error| Step::Pipes.failed(error);
    let (mut report_read, report) = io::pipe().map_err(pipes)?;
    let mut stack = vec![0_u8; STACK];
    let plan = Plan {
        program: ptr::null(),
        argv: Vec::new(),
        envp: Vec::new(),
        cwd: ptr::null(),
        means,
        rlimits: &[],
        ruleset: -1,
        filter: libc::sock_fprog { len: 0, filter: ptr::null_mut() },
        stdio: [-1; 3],
        report: report.as_raw_fd(),
        report_read: report_read.as_raw_fd(),
        notice: -1,
        user: identity(rustix::process::geteuid().as_raw()),
        group: identity(rustix::process::getegid().as_raw()),
        shared: ptr::null(),
        bot_stack: ptr::null_mut(),
    };
    let (_, pidfd) =
        clone_keeper(trial, &plan, &mut stack).map_err(|error| Step::Clone.failed(error))?;
    drop(report);
    let mut failure = Vec::new();
    let read = report_read.read_to_end(&mut failure);
    super::teardown::reap(&pidfd);
    read.map_err(pipes)?;
    match failure.get(1..).map(TryInto::try_into) {
        Some(errno) => {
            let errno = errno.map_or(0, i32::from_ne_bytes);
            Err(Step::Users.failed(io::Error::from_raw_os_error(errno)))
        }
        None => Ok(()),
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

/// The line of a uid or gid map that leaves a number what it is.
fn identity(id: u32) -> Vec<u8> {
    format!("{id} {id} 1\n").into_bytes()
}

/// The highest address of a stack, as aligned as the machine asks for.
fn top_of(stack: &mut [u8]) -> *mut c_void {
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
fn clone_keeper(
    run: extern "C" fn(*mut c_void) -> c_int,
    plan: &Plan,
    stack: &mut [u8],
) -> io::Result<(Pid, OwnedFd)> {
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

// ---- What follows runs in forks. Nothing may allocate, lock or panic. ----

/// The trial of a namespace: only what can fail.
extern "C" fn trial(plan: *mut c_void) -> c_int {
    // SAFETY: it is the plan that `clone_keeper` was given, copied with all memory.
    let plan = unsafe { &*plan.cast::<Plan>() };
    if plan.means == Means::UserNamespace && !map_users(plan) {
        fail(plan, Step::Users);
    }
    0
}

/// The keeper's life.
extern "C" fn keeper(plan: *mut c_void) -> c_int {
    // SAFETY: it is the plan that `clone_keeper` was given, copied with all memory.
    let plan = unsafe { &*plan.cast::<Plan>() };
    default_signals();
    let told = if plan.means.is_namespace() { libc::SIGKILL } else { libc::SIGTERM };
    // SAFETY: system calls on numbers and on the plan.
    let bot = unsafe {
        libc::setsid();
        if plan.means == Means::UserNamespace && !map_users(plan) {
            fail(plan, Step::Users);
        }
        if !plan.means.is_namespace() {
            libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        }
        libc::prctl(libc::PR_SET_NAME, c"bot-keeper".as_ptr());
        libc::prctl(libc::PR_SET_PDEATHSIG, told);
        libc::close(plan.report_read);
        if is_orphaned(plan) {
            libc::_exit(0);
        }
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let argument = ptr::from_ref(plan).cast_mut().cast();
        libc::clone(bot, plan.bot_stack, flags, argument)
    };
    if bot < 0 {
        fail(plan, Step::Fork);
    }
    close_all_but(plan.notice);
    keep(bot, plan)
}

/// Whether the referee died before the keeper could ask to be told of it.
fn is_orphaned(plan: &Plan) -> bool {
    let mut report = libc::pollfd { fd: plan.report, events: 0, revents: 0 };
    // SAFETY: one descriptor, valid for writing.
    unsafe { libc::poll(&raw mut report, 1, 0) };
    report.revents & libc::POLLERR != 0
}

/// Undoes the referee's signal handlers; what is ignored stays so, as it would across an exec.
fn default_signals() {
    // SAFETY: an action is plain data; numbers that are no signal are refused.
    unsafe {
        let mut default = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        default.sa_sigaction = libc::SIG_DFL;
        for signal in 1..=libc::SIGRTMAX() {
            let mut now = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            libc::sigaction(signal, ptr::null(), &raw mut now);
            let ignored = now.sa_sigaction == libc::SIG_IGN;
            // Rust's runtime ignores SIGPIPE, and the keeper waits for children.
            if !ignored || signal == libc::SIGPIPE || signal == libc::SIGCHLD {
                libc::sigaction(signal, &raw const default, ptr::null_mut());
            }
        }
    }
}

fn map_users(plan: &Plan) -> bool {
    write_file(c"/proc/self/setgroups", b"deny")
        && write_file(c"/proc/self/uid_map", &plan.user)
        && write_file(c"/proc/self/gid_map", &plan.group)
}

fn write_file(path: &CStr, content: &[u8]) -> bool {
    // SAFETY: the path ends in NUL, and the buffer is as long as it says.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        let written = libc::write(file, content.as_ptr().cast(), content.len());
        libc::close(file);
        usize::try_from(written) == Ok(content.len())
    }
}

/// Reports what has failed, with `errno`, and ends.
fn fail(plan: &Plan, step: Step) -> ! {
    // SAFETY: the buffer is as long as it says; `_exit` runs nothing of the referee's.
    unsafe {
        let [a, b, c, d] = (*libc::__errno_location()).to_ne_bytes();
        let report = [step as u8, a, b, c, d];
        libc::write(plan.report, report.as_ptr().cast(), report.len());
        libc::_exit(127)
    }
}

/// Lets go of everything but `kept`: an end of a pipe that stays open here would hide that the bot
/// closed its own.
fn close_all_but(kept: RawFd) {
    // SAFETY: system calls on numbers; nothing here uses another descriptor any more.
    unsafe {
        let below = libc::syscall(libc::SYS_close_range, 0, kept - 1, 0);
        let above = libc::syscall(libc::SYS_close_range, kept + 1, u32::MAX, 0);
        if below != 0 || above != 0 {
            for fd in 0..c_int::try_from(libc::sysconf(libc::_SC_OPEN_MAX)).unwrap_or(1024) {
                if fd != kept {
                    libc::close(fd);
                }
            }
        }
    }
}

/// The bot's fork: becomes the bot.
extern "C" fn bot(plan: *mut c_void) -> c_int {
    // SAFETY: the keeper hands on its plan and stands still.
    let plan = unsafe { &*plan.cast::<Plan>() };
    // SAFETY: system calls on what the plan holds, which lives as long as the keeper's memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::setpgid(0, 0);
        for (from, to) in plan.stdio.into_iter().zip(0..) {
            libc::dup2(from, to);
        }
        if !plan.cwd.is_null() && libc::chdir(plan.cwd) != 0 {
            fail(plan, Step::Directory);
        }
        // Should memory run out, the bot goes rather than the referee.
        write_file(c"/proc/self/oom_score_adj", b"500");
        for (resource, limit) in &*plan.rlimits {
            if let Err(errno) = setrlimit(*resource, *limit) {
                *libc::__errno_location() = errno.raw_os_error();
                fail(plan, Step::Limits);
            }
        }
        // The descriptors that the referee was started with are not for the bot.
        libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
        confine(plan);
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        libc::execve(plan.program, plan.argv.as_ptr(), plan.envp.as_ptr());
        fail(plan, Step::Exec)
    }
}

/// Puts on the rules that no program can shed.
fn confine(plan: &Plan) {
    // SAFETY: system calls on what the plan holds.
    unsafe {
        if plan.ruleset < 0 && plan.filter.len == 0 {
            return;
        }
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            fail(plan, Step::Ruleset);
        }
        if plan.ruleset >= 0
            && libc::syscall(libc::SYS_landlock_restrict_self, plan.ruleset, 0) != 0
        {
            fail(plan, Step::Ruleset);
        }
        let filter = &raw const plan.filter;
        if plan.filter.len > 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, filter) != 0
        {
            fail(plan, Step::Filter);
        }
    }
}

/// Takes in orphans until the bot ends, and then waits to be told to end.
fn keep(bot: pid_t, plan: &Plan) -> ! {
    // SAFETY: the page is shared with the referee, and this mapping of it is the keeper's own.
    let shared = unsafe { &*plan.shared };
    shared.bot.store(bot, Ordering::Release);
    let mut has_ended = false;
    // SAFETY: `awaited` is valid for writing.
    unsafe {
        let mut awaited = MaybeUninit::uninit();
        libc::sigemptyset(awaited.as_mut_ptr());
        libc::sigaddset(awaited.as_mut_ptr(), libc::SIGCHLD);
        if !plan.means.is_namespace() {
            // In a namespace only the bot could send it; the referee uses SIGKILL.
            libc::sigaddset(awaited.as_mut_ptr(), libc::SIGTERM);
        }
        while libc::sigwaitinfo(awaited.as_ptr(), ptr::null_mut()) != libc::SIGTERM {
            if !has_ended && reap_orphans(bot, shared) {
                has_ended = true;
                libc::close(plan.notice);
            }
        }
        reap_orphans(bot, shared);
        clear(bot, plan.means, shared);
        libc::_exit(0)
    }
}

/// Reaps every process that has ended, except the bot: as long as that is a zombie, the number of
/// its group belongs to nobody else. Returns whether the bot has ended.
fn reap_orphans(bot: pid_t, shared: &Shared) -> bool {
    loop {
        // SAFETY: `info` is valid for writing, and zeroes are a valid one.
        unsafe {
            let mut info = MaybeUninit::<libc::siginfo_t>::zeroed().assume_init();
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            if libc::waitid(libc::P_ALL, 0, &raw mut info, options) != 0 || info.si_pid() == 0 {
                return false;
            }
            if info.si_pid() == bot {
                let kind = if info.si_code == libc::CLD_EXITED { EXITED } else { KILLED };
                shared.exit.store(kind << 16 | info.si_status(), Ordering::Release);
                return true;
            }
            libc::waitpid(info.si_pid(), ptr::null_mut(), libc::WNOHANG);
        }
    }
}

/// How long the keeper hunts before it gives up, in passes of at most a tenth of a millisecond each
/// (and what the kernel adds): some seconds.
const PASSES: u32 = 30_000;

/// How many passes wait for what the kill of the process group has hit: some tenths of a second.
const GROUP_PASSES: u32 = 2_000;

/// Kills the process group, and, unless that is to be all, every child, until there is none: each
/// one that dies leaves its own children to the keeper. What stays is named.
fn clear(bot: pid_t, means: Means, shared: &Shared) {
    // SAFETY: system calls on numbers.
    unsafe {
        libc::kill(-bot, libc::SIGKILL);
        let passes = if means == Means::Group { GROUP_PASSES } else { PASSES };
        for pass in 0..passes {
            if means != Means::Group {
                each_child(|pid| {
                    libc::kill(pid, libc::SIGKILL);
                });
            }
            loop {
                match libc::waitpid(-1, ptr::null_mut(), libc::WNOHANG) {
                    0 => break,
                    pid if pid < 0 => return,
                    _ => {}
                }
            }
            // A process that forks and exits is caught by looking often.
            if pass % 8 == 7 || means == Means::Group {
                let pause = libc::timespec { tv_sec: 0, tv_nsec: 50_000 };
                libc::nanosleep(&raw const pause, ptr::null_mut());
            }
        }
    }
    let mut places = shared.survivors.iter();
    each_child(|pid| {
        if let Some(place) = places.next() {
            place.store(pid, Ordering::Release);
        }
    });
}

/// Calls `act` with the process number of each child, as far as they fit into a buffer.
fn each_child(mut act: impl FnMut(pid_t)) {
    let mut buffer = [0_u8; 4096];
    // SAFETY: the path ends in NUL, and the buffer is as long as it says.
    let count = unsafe {
        let path = c"/proc/thread-self/children".as_ptr();
        let file = libc::open(path, libc::O_RDONLY | libc::O_CLOEXEC);
        let count = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
        libc::close(file);
        usize::try_from(count).unwrap_or(0)
    };
    let mut number: pid_t = 0;
    // Every number has a space behind it; one that is cut off at the end of the buffer does not count.
    for &byte in buffer.iter().take(count) {
        if byte.is_ascii_digit() {
            number = number.wrapping_mul(10).wrapping_add(pid_t::from(byte - b'0'));
        } else {
            if number > 0 {
                act(number);
            }
            number = 0;
        }
    }
}
