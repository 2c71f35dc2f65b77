//! What runs in the forks: the keeper's life, and the bot's until it executes its program.
//!
//! Nothing here may allocate, lock or panic, or leave a trace in what libc keeps for the thread that
//! forked, such as its `errno`; see the [theory of operation](super). So the calls are rustix's, which
//! go to the kernel directly, or `syscall!`. Of libc's own there are `sigaction` and `_exit`, which do
//! not fail, and `clone`, for the stack that it sets up; its failure is read before that thread may care.

use std::ffi::{CStr, c_int, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr;
use std::sync::atomic::Ordering;

use libc::pid_t;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Signal, WaitOptions, chdir, getpid, getppid, getrlimit, kill_process,
    kill_process_group, set_child_subreaper, set_parent_process_death_signal, setpgid, setrlimit,
    setsid, wait, waitpid,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, nanosleep, sched_setaffinity, set_capabilities,
    set_name, set_no_new_privs,
};
use syscalls::{Sysno, syscall};

use super::ground::{EXITED, KILLED, Shared};
use super::{OOM_SCORE_ADJ, Plan, Step};
use crate::bot::containment::Means;
use crate::interrupt::SIGNALS;

/// The trial of a namespace: only what can fail.
pub(super) extern "C" fn trial(plan: *mut c_void) -> c_int {
    // SAFETY: it is the plan that `clone_keeper` was given.
    let plan = unsafe { &*plan.cast::<Plan>() };
    if plan.means == Means::UserNamespace {
        check(plan, Step::Users, map_users(plan));
    }
    0
}

/// The keeper's life.
pub(super) extern "C" fn keeper(plan: *mut c_void) -> c_int {
    // SAFETY: it is the plan that `clone_keeper` was given; it lasts until nobody holds on to the
    // report any more.
    let plan = unsafe { &*plan.cast::<Plan>() };
    default_signals();
    if let Some(cores) = &plan.cores {
        check(plan, Step::Cores, sched_setaffinity(None, &cores.any));
    }
    let _ = setsid();
    if plan.means == Means::UserNamespace {
        check(plan, Step::Users, map_users(plan));
    }
    if !plan.means.is_namespace() {
        let _ = set_child_subreaper(Some(getpid()));
    }
    let _ = set_name(c"bot-keeper");
    let told = if plan.means.is_namespace() { Signal::KILL } else { Signal::TERM };
    let _ = set_parent_process_death_signal(Some(told));
    // SAFETY: it lasts as long as the keeper.
    let shared = unsafe { &*plan.shared };
    shared.keeper.store(getpid().as_raw_pid(), Ordering::Release);
    let bot = start_bot(plan);
    let (means, notice) = (plan.means, plan.notice);
    // This lets go of the report, and the plan may end.
    close_all_but(notice);
    keep(bot, means, notice, shared);
    0
}

/// Forks once more, and returns when the program has been executed.
fn start_bot(plan: &Plan) -> pid_t {
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let argument = ptr::from_ref(plan).cast_mut().cast();
    // SAFETY: the stack is the bot's own, and the plan lasts. The thread that forked does not look at
    // its `errno` until nobody holds on to the report any more.
    unsafe {
        let bot = libc::clone(bot, plan.bot_stack, flags, argument);
        if bot < 0 {
            fail(plan, Step::Fork, *libc::__errno_location());
        }
        bot
    }
}

/// Undoes the referee's signal handlers: between unblocking its signals and its exec, a bot must not
/// run them. What is ignored stays so, apart from what Rust's runtime ignores.
fn default_signals() {
    // SAFETY: an action is plain data, and zeroes are the default. None of these calls can fail.
    unsafe {
        let default = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
        for signal in SIGNALS {
            let mut now = default;
            libc::sigaction(signal, ptr::null(), &raw mut now);
            if now.sa_sigaction != libc::SIG_IGN {
                libc::sigaction(signal, &raw const default, ptr::null_mut());
            }
        }
        libc::sigaction(libc::SIGPIPE, &raw const default, ptr::null_mut());
    }
}

fn map_users(plan: &Plan) -> Result<(), Errno> {
    write_file(c"/proc/self/setgroups", b"deny")?;
    write_file(c"/proc/self/uid_map", &plan.user)?;
    write_file(c"/proc/self/gid_map", &plan.group)
}

fn write_file(path: &CStr, content: &[u8]) -> Result<(), Errno> {
    let file = open(path, libc::O_WRONLY)?;
    // SAFETY: the buffer is as long as it says.
    let written = unsafe { syscall!(Sysno::write, file, content.as_ptr(), content.len()) };
    close(file);
    written.map(drop).map_err(errno)
}

fn open(path: &CStr, flags: c_int) -> Result<RawFd, Errno> {
    // SAFETY: the path ends in NUL.
    let file = unsafe {
        syscall!(Sysno::openat, libc::AT_FDCWD, path.as_ptr(), flags | libc::O_CLOEXEC, 0)
    };
    file.map(|file| RawFd::try_from(file).unwrap_or(-1)).map_err(errno)
}

fn close(fd: RawFd) {
    // SAFETY: whoever calls this uses it no more. It may be none.
    let _ = unsafe { syscall!(Sysno::close, fd) };
}

fn errno(errno: syscalls::Errno) -> Errno {
    Errno::from_raw_os_error(errno.into_raw())
}

/// What a step has brought; if it failed, that is reported, and is the end.
fn check<T>(plan: &Plan, step: Step, result: Result<T, Errno>) -> T {
    result.unwrap_or_else(|errno| fail(plan, step, errno.raw_os_error()))
}

/// Reports what has failed, and ends.
fn fail(plan: &Plan, step: Step, errno: i32) -> ! {
    let [a, b, c, d] = errno.to_ne_bytes();
    let report = [step as u8, a, b, c, d];
    // SAFETY: the buffer is as long as it says.
    let _ = unsafe { syscall!(Sysno::write, plan.report, report.as_ptr(), report.len()) };
    // SAFETY: it runs nothing of the referee's.
    unsafe { libc::_exit(127) }
}

/// Lets go of everything but `kept`: an end of a pipe that stays open here would hide that the bot
/// closed its own.
fn close_all_but(kept: RawFd) {
    // SAFETY: nothing here uses another descriptor any more.
    let (below, above) = unsafe {
        (
            syscall!(Sysno::close_range, 0, kept - 1, 0),
            syscall!(Sysno::close_range, kept + 1, u32::MAX, 0),
        )
    };
    // Linux knows this since 5.9.
    if below.and(above).is_err() {
        (0..most_descriptors()).filter(|&fd| fd != kept).for_each(close);
    }
}

/// Marks all descriptors but the standard ones, so that a program that is executed does not get them.
fn close_on_exec() {
    // SAFETY: system calls on numbers.
    unsafe {
        let marked = syscall!(Sysno::close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
        // Linux knows this since 5.11.
        if marked.is_err() {
            for fd in 3..most_descriptors() {
                let _ = syscall!(Sysno::fcntl, fd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        }
    }
}

/// Beyond which number no descriptor is looked for one by one. The limit on open files may be in the
/// thousand millions, and each try takes its time.
fn most_descriptors() -> RawFd {
    const MOST: RawFd = 1 << 16;
    let limit = getrlimit(Resource::Nofile).current;
    limit.and_then(|limit| RawFd::try_from(limit).ok()).map_or(MOST, |limit| limit.min(MOST))
}

/// The bot's fork: becomes the bot.
extern "C" fn bot(plan: *mut c_void) -> c_int {
    // SAFETY: the keeper hands on its plan and stands still.
    let plan = unsafe { &*plan.cast::<Plan>() };
    // SAFETY: it lasts as long as the keeper's memory.
    let shared = unsafe { &*plan.shared };
    shared.bot.store(getpid().as_raw_pid(), Ordering::Release);
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    if Pid::as_raw(getppid()) != shared.keeper.load(Ordering::Acquire) {
        // The keeper was killed before the kernel knew whom to tell.
        return 127;
    }
    let _ = setpgid(None, None);
    if let Some(cores) = &plan.cores {
        check(plan, Step::Cores, sched_setaffinity(None, &cores.bot));
    }
    for (from, to) in plan.stdio.into_iter().zip(0..) {
        // SAFETY: a system call on numbers. None of the pipes is a standard descriptor: Rust's runtime
        // opens those that are missing.
        let _ = unsafe { syscall!(Sysno::dup3, from, to, 0) };
    }
    if !plan.cwd.is_null() {
        // SAFETY: it is a C string that lasts as long as the plan.
        let cwd = unsafe { CStr::from_ptr(plan.cwd) };
        check(plan, Step::Directory, chdir(cwd));
    }
    // Who shares memory shares this as well; see `Keeper::offer_bot`.
    if !plan.means.shares_memory() {
        let _ = write_file(c"/proc/self/oom_score_adj", OOM_SCORE_ADJ.as_bytes());
    }
    // SAFETY: they last as long as the plan.
    for (resource, limit) in unsafe { &*plan.rlimits } {
        check(plan, Step::Limits, setrlimit(*resource, *limit));
    }
    // The descriptors that the referee was started with are not for the bot.
    close_on_exec();
    confine(plan);
    let none = 0_u64;
    // SAFETY: the kernel's set of signals is as long as it says; the program, its arguments and its
    // environment last as long as the plan.
    let executed = unsafe {
        let (nowhere, size) = (ptr::null_mut::<u64>(), size_of_val(&none));
        let _ = syscall!(Sysno::rt_sigprocmask, libc::SIG_SETMASK, &raw const none, nowhere, size);
        syscall!(Sysno::execve, plan.program, plan.argv.as_ptr(), plan.envp.as_ptr())
    };
    check(plan, Step::Exec, executed.map_err(errno));
    0
}

/// Puts on the rules that no program can shed.
fn confine(plan: &Plan) {
    if plan.ruleset < 0 && plan.filter.len == 0 {
        return;
    }
    check(plan, Step::Ruleset, set_no_new_privs(true));
    if plan.unprivileged {
        check(plan, Step::Privileges, give_up_privileges());
    }
    // SAFETY: system calls on what the plan holds.
    unsafe {
        if plan.ruleset >= 0 {
            let restricted = syscall!(Sysno::landlock_restrict_self, plan.ruleset, 0);
            check(plan, Step::Ruleset, restricted.map_err(errno));
        }
        if plan.filter.len > 0 {
            let (set, mode) = (libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER);
            let filtered = syscall!(Sysno::prctl, set, mode, &raw const plan.filter, 0, 0);
            check(plan, Step::Filter, filtered.map_err(errno));
        }
    }
}

/// Gives up all capabilities but the one to read what others own, where the rules about files decide.
/// Since no program brings new privileges any more, they stay lost.
fn give_up_privileges() -> Result<(), Errno> {
    let CapabilitySets { effective, permitted, .. } = capabilities(None)?;
    let (kept, none) = (CapabilitySet::DAC_READ_SEARCH, CapabilitySet::empty());
    let sets = CapabilitySets {
        effective: effective & kept,
        permitted: permitted & kept,
        inheritable: none,
    };
    set_capabilities(None, sets)
}

/// When the keeper looks whether the referee still lives, in milliseconds after the last look. The
/// kernel tells of its death, unless the referee was dying before the kernel had been asked to.
const LOOKS: [i64; 3] = [100, 1_000, 10_000];

/// Takes in orphans until the bot ends, and then waits to be told to end, unless the game is over.
fn keep(bot: pid_t, means: Means, notice: RawFd, shared: &Shared) {
    let mut awaited = signal(libc::SIGCHLD);
    if !means.is_namespace() {
        // In a namespace only the bot could send it; the referee uses SIGKILL.
        awaited |= signal(libc::SIGTERM);
    }
    let mut looks = LOOKS.into_iter();
    let mut look = looks.next();
    let mut has_ended = false;
    loop {
        match wait_for(awaited, look) {
            Some(libc::SIGTERM) => break,
            Some(_) => {}
            None if is_orphaned(notice) => break,
            None => look = looks.next(),
        }
        if !has_ended && reap_orphans(bot, shared) {
            has_ended = true;
            close(notice);
            if shared.is_over.load(Ordering::Acquire) != 0 {
                break;
            }
        }
    }
    reap_orphans(bot, shared);
    clear(bot, means, shared);
}

/// A signal in the kernel's set of signals.
fn signal(number: c_int) -> u64 {
    1 << (number - 1)
}

/// Waits for one of some signals, for at most so many milliseconds; `None` if none has come.
fn wait_for(signals: u64, at_most: Option<i64>) -> Option<c_int> {
    let time = |ms| libc::timespec { tv_sec: ms / 1_000, tv_nsec: ms % 1_000 * 1_000_000 };
    let time = at_most.map(time);
    let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
    let (info, size) = (ptr::null_mut::<c_void>(), size_of_val(&signals));
    // SAFETY: the kernel's set of signals is as long as it says, and the time is one or none.
    let came = unsafe { syscall!(Sysno::rt_sigtimedwait, &raw const signals, info, time, size) };
    came.ok().and_then(|number| c_int::try_from(number).ok())
}

/// Whether nobody reads the notice any more.
fn is_orphaned(notice: RawFd) -> bool {
    // SAFETY: a descriptor that has been closed is another answer.
    let notice = unsafe { BorrowedFd::borrow_raw(notice) };
    let mut notice = [PollFd::from_borrowed_fd(notice, PollFlags::empty())];
    let _ = poll(&mut notice, Some(&Timespec::default()));
    notice[0].revents().contains(PollFlags::ERR)
}

/// Reaps every process that has ended, except the bot: as long as that is a zombie, the number of
/// its group belongs to nobody else. Returns whether the bot has ended.
fn reap_orphans(bot: pid_t, shared: &Shared) -> bool {
    loop {
        // SAFETY: zeroes are a valid one, and it is valid for writing.
        let (found, info) = unsafe {
            let mut info = MaybeUninit::<libc::siginfo_t>::zeroed().assume_init();
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            let (whose, usage) = (libc::P_ALL, ptr::null_mut::<c_void>());
            (syscall!(Sysno::waitid, whose, 0, &raw mut info, options, usage), info)
        };
        // SAFETY: the kernel has filled it in as for a child, or left its zeroes.
        let (pid, status) = unsafe { (info.si_pid(), info.si_status()) };
        let Some(ended) = Pid::from_raw(pid).filter(|_| found.is_ok()) else { return false };
        if pid == bot {
            let kind = if info.si_code == libc::CLD_EXITED { EXITED } else { KILLED };
            shared.exit.store(kind << 16 | status, Ordering::Release);
            return true;
        }
        let _ = waitpid(Some(ended), WaitOptions::NOHANG);
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
    let _ = Pid::from_raw(bot).map(|bot| kill_process_group(bot, Signal::KILL));
    let passes = if means == Means::Group { GROUP_PASSES } else { PASSES };
    for pass in 0..passes {
        if means != Means::Group {
            each_child(|pid| {
                let _ = kill_process(pid, Signal::KILL);
            });
        }
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        // A process that forks and exits is caught by looking often.
        if pass % 8 == 7 || means == Means::Group {
            let _ = nanosleep(&Timespec { tv_sec: 0, tv_nsec: 50_000 });
        }
    }
    let mut places = shared.survivors.iter();
    each_child(|pid| {
        if let Some(place) = places.next() {
            place.store(pid.as_raw_pid(), Ordering::Release);
        }
    });
}

/// Calls `act` with the process number of each child, as far as they fit into a buffer.
fn each_child(mut act: impl FnMut(Pid)) {
    let mut buffer = [0_u8; 4096];
    let Ok(file) = open(c"/proc/thread-self/children", libc::O_RDONLY) else { return };
    // SAFETY: the buffer is as long as it says.
    let count = unsafe { syscall!(Sysno::read, file, buffer.as_mut_ptr(), buffer.len()) };
    close(file);
    let mut number: pid_t = 0;
    // Every number has a space behind it; one that is cut off at the end of the buffer does not count.
    for &byte in buffer.iter().take(count.unwrap_or(0)) {
        if byte.is_ascii_digit() {
            number = number.wrapping_mul(10).wrapping_add(pid_t::from(byte - b'0'));
        } else {
            if let Some(pid) = Pid::from_raw(number) {
                act(pid);
            }
            number = 0;
        }
    }
}
